//! Rounds: many threads search together, and yet each run is the same.
//!
//! In a round each thread searches a fixed number of nodes. It reads the table as it stood when the round began, and no
//! other thread sees its writes. The threads meet when all of them have searched their last node of the round. Then the
//! writes reach the table in the order of the threads, the node counts are added up, and it is decided whether the
//! search ends. So nothing that a thread sees depends on the speed of the others. docs/deterministic.md says what this
//! costs.
//!
//! Invariant: between two meetings nobody writes to the table or to the counters of other threads. Only an order from
//! outside changes the stop flag.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use crossbeam_utils::{Backoff, CachePadded};
use parking_lot::{Mutex, MutexGuard};

use super::counters::{Counters, Tally};
use super::signals::Signals;
use super::stagger::Variation;
use crate::engine::tt::{Overlay, Pending, Table};

/// Ends the turn of the calling virtual thread (see `pool`). Returns when its next turn begins, with the number of
/// nodes that it may search then. This is all that a search knows about turns.
pub type PassTurn = fn() -> u64;

/// Nodes that each thread searches in a round. Measured in docs/journal/deterministic.md.
const LENGTH: u64 = 2_000;

/// How long a thread that waits stays awake. When threads slept after some microseconds, two threads on two cores spent
/// 5% of the time asleep (docs/journal/deterministic.md).
const AWAKE: Duration = Duration::from_micros(200);

/// Whether a thread takes part in the next round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NextRound {
    /// It goes on searching.
    Stay,
    /// It has nothing left to search.
    Leave,
}

/// What the threads of one search update when they meet.
pub struct MeetingContext<'a> {
    /// The table, which gets the writes of all threads.
    pub table: &'a Table,
    /// The counters of each thread, which get what the thread has counted.
    pub counters: &'a [CachePadded<Counters>],
    /// Where the end of the search is signaled.
    pub signals: &'a Signals,
    /// The node limit for all threads together.
    pub limit: u64,
    /// How virtual threads wait: they pass their turn, so that the threads that they wait for can search.
    pub pass_turn: Option<PassTurn>,
}

/// Where the threads of one search meet between rounds.
pub struct Rounds {
    /// Twice the number of finished rounds, and one more while writes are being applied.
    ///
    /// Written with Release after the work that precedes it, read with Acquire: a thread that sees a round begin also
    /// sees the table as it stands at that moment.
    stage: CachePadded<AtomicU64>,
    /// Every thread locks it at every meeting, while others still search.
    state: CachePadded<Mutex<State>>,
    pending: Pending,
    /// What makes each thread's search different from the others.
    variations: Box<[Variation]>,
}

struct State {
    /// Threads that take part in this round.
    members: usize,
    /// Threads that have reached the end of this round.
    arrived: usize,
    /// Threads that take part in no further round.
    leaving: usize,
    /// Whether the main thread is one of those that leave.
    main_leaves: bool,
    /// What each thread had counted when it arrived.
    tallies: Box<[Tally]>,
    /// The first part of the table that no thread has taken to update.
    next_part: usize,
    /// Parts of the table that are not up to date yet.
    parts_left: usize,
    /// Nodes that the node limit still allows, for all threads together.
    remaining: u64,
    /// Threads that wait for the stage to change.
    sleepers: Vec<Thread>,
}

impl Rounds {
    /// Rounds for as many threads as there are `variations`, up to `limit` nodes of all threads together.
    pub fn new(variations: Box<[Variation]>, limit: u64) -> Rounds {
        let threads = variations.len();
        Rounds {
            variations,
            stage: CachePadded::new(AtomicU64::new(0)),
            state: CachePadded::new(Mutex::new(State {
                members: threads,
                arrived: 0,
                leaving: 0,
                main_leaves: false,
                tallies: vec![Tally::default(); threads].into(),
                next_part: 0,
                parts_left: 0,
                remaining: limit,
                sleepers: Vec::new(),
            })),
            pending: Pending::new(threads),
        }
    }

    /// What makes this thread's search different from the others.
    pub(crate) fn variation(&self, thread: usize) -> Variation {
        self.variations[thread]
    }

    /// Restricts the search to the first `threads` threads. To be called before any of them searches.
    pub fn restrict_to(&self, threads: usize) {
        self.state.lock().members = threads;
    }

    /// Number of nodes that this thread may search in the round that begins, at least 1. A node limit is divided so
    /// that all threads together reach it exactly.
    pub(crate) fn share(&self, thread: usize) -> u64 {
        let state = self.state.lock();
        let members = state.members.max(1) as u64;
        let last = state.remaining / members + u64::from((thread as u64) < state.remaining % members);
        last.clamp(1, LENGTH)
    }

    /// Ends the round for `thread`, whose counts so far are `tally`. Returns when the round has ended for all threads.
    /// A thread that failed has no overlay to hand in.
    pub fn meet(
        &self,
        context: &MeetingContext<'_>,
        thread: usize,
        tally: Tally,
        overlay: Option<&mut Overlay>,
        next: NextRound,
    ) {
        if let Some(overlay) = overlay {
            self.pending.take(thread, overlay);
        }
        let searching = self.stage.load(Ordering::Acquire);
        let applying = searching + 1;
        let mut state = self.state.lock();
        state.tallies[thread] = tally;
        state.arrived += 1;
        if next == NextRound::Leave {
            state.leaving += 1;
            state.main_leaves |= thread == 0;
        }
        if state.arrived == state.members {
            state.next_part = 0;
            state.parts_left = Pending::PARTS;
            self.advance(state);
        } else {
            drop(state);
            self.wait_while(searching, context);
        }
        if self.stage.load(Ordering::Acquire) == applying {
            self.apply(context);
            self.wait_while(applying, context);
        }
    }

    /// Helps to update the table until no part is left to take. The thread that finishes the last part ends the round.
    /// So nobody waits for a thread that waits for a core.
    fn apply(&self, context: &MeetingContext<'_>) {
        let mut state = self.state.lock();
        while state.next_part < Pending::PARTS {
            let part = state.next_part;
            state.next_part += 1;
            drop(state);
            self.pending.apply(part, context.table);
            state = self.state.lock();
            state.parts_left -= 1;
            if state.parts_left == 0 {
                state.end_round(context);
                self.advance(state);
                return;
            }
        }
    }

    /// Begins the next stage. Wakes the threads that wait for it after the lock is released, so that they find it free.
    fn advance(&self, mut state: MutexGuard<'_, State>) {
        self.stage.fetch_add(1, Ordering::Release);
        let sleepers = std::mem::take(&mut state.sleepers);
        drop(state);
        sleepers.iter().for_each(Thread::unpark);
    }

    /// Waits until the stage is another one than `stage`. At first it stays awake, because the threads are almost
    /// equally fast if each has a core. Then it sleeps.
    fn wait_while(&self, stage: u64, context: &MeetingContext<'_>) {
        let is_over = || self.stage.load(Ordering::Acquire) != stage;
        if let Some(pass_turn) = context.pass_turn {
            while !is_over() {
                pass_turn();
            }
            return;
        }
        let begun = Instant::now();
        let backoff = Backoff::new();
        while !is_over() && begun.elapsed() < AWAKE {
            // It yields its core to threads that need it.
            backoff.snooze();
        }
        if is_over() {
            return;
        }
        {
            let mut state = self.state.lock();
            if is_over() {
                return;
            }
            state.sleepers.push(thread::current());
        }
        // `park` may return without a reason.
        while !is_over() {
            thread::park();
        }
    }
}

impl State {
    /// Decides everything that the next round depends on.
    fn end_round(&mut self, context: &MeetingContext<'_>) {
        for (counters, &tally) in context.counters.iter().zip(&self.tallies) {
            counters.publish(tally);
        }
        let nodes: u64 = self.tallies.iter().map(|tally| tally.nodes).sum();
        let remaining = context.limit.saturating_sub(nodes);
        let is_over = self.main_leaves || remaining == 0;
        if is_over {
            context.signals.reach_limit();
        }
        // The main thread's first iteration may go on beyond the end. It is not limited any more.
        self.remaining = if is_over { u64::MAX } else { remaining };
        self.members -= self.leaving;
        self.leaving = 0;
        self.arrived = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shares_of_the_threads_add_up_to_the_node_limit() {
        let rounds = |limit| Rounds::new([Variation::default(); 3].into(), limit);
        let shares = |limit| [0, 1, 2].map(|thread| rounds(limit).share(thread));
        assert_eq!(shares(2_000), [667, 667, 666]);
        assert_eq!(shares(1), [1; 3]);
        assert_eq!(shares(u64::MAX), [LENGTH; 3]);
    }
}
