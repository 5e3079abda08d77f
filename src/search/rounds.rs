//! Rounds: how many threads search together and yet the same way on every run.
//!
//! In a round each thread searches a fixed number of nodes. It reads the table as it stood when
//! the round began and keeps its own writes to itself. When all have come to their last node,
//! the writes reach the table in the order of the threads, node counts are added up, and what
//! ends the search for all of them is decided. So nothing that a thread sees depends on how
//! fast the others are. docs/deterministic.md tells what this costs.
//!
//! Invariant: between two meetings nobody writes to the table, to the counters of other threads,
//! or, unless it is an order from outside, to the stop flag.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, Thread};

use crossbeam_utils::{Backoff, CachePadded};
use parking_lot::{Mutex, MutexGuard};

use super::counters::{Counters, Tally};
use super::signals::Signals;
use super::stagger::Variation;
use super::turn::PassTurn;
use crate::tt::{Overlay, Pending, Table};

/// Nodes of each thread in a round. Measured in docs/journal/deterministic.md.
const LENGTH: u64 = 2_000;

/// Whether a thread takes part in the next round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum After {
    /// It searches on.
    Stay,
    /// It has nothing left to search.
    Leave,
}

/// What the threads of one search bring up to date when they meet.
pub struct MeetingPlace<'a> {
    /// Gets the writes of all threads.
    pub table: &'a Table,
    /// One for each thread, which get what the thread has counted.
    pub counters: &'a [CachePadded<Counters>],
    /// Where the end of the search is told.
    pub signals: &'a Signals,
    /// Nodes of all threads at which the search ends.
    pub limit: u64,
    /// How virtual threads wait: those that they wait for search meanwhile.
    pub pass_turn: Option<PassTurn>,
}

/// Where the threads of one search meet between rounds.
pub struct Rounds {
    /// Twice the number of finished rounds, and one more while writes are being applied.
    ///
    /// Set with Release once the work before it is done, read with Acquire: who sees a round begin sees the table of
    /// its beginning.
    stage: CachePadded<AtomicU64>,
    /// Taken by every thread at every meeting, while others still search.
    state: CachePadded<Mutex<State>>,
    pending: Pending,
    /// What makes each thread's search its own.
    variations: Box<[Variation]>,
}

struct State {
    /// Threads that take part in this round.
    members: usize,
    /// Those that have come to its end.
    arrived: usize,
    /// Those that take part in no other.
    leaving: usize,
    /// Whether the main thread is among them.
    main_leaves: bool,
    /// What each thread had counted when it arrived.
    tallies: Box<[Tally]>,
    /// The first part of the table that nobody has taken to bring up to date.
    next_part: usize,
    /// Parts that are not up to date.
    parts_left: usize,
    /// Nodes of all threads that the node limit leaves.
    remaining: u64,
    /// Threads that wait for the stage to change.
    sleepers: Vec<Thread>,
}

impl Rounds {
    /// For as many threads as there are `variations`, and up to `limit` nodes of all of them.
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

    /// What makes this thread's search its own.
    pub(super) fn variation(&self, thread: usize) -> Variation {
        self.variations[thread]
    }

    /// Before anybody searches: only the first `threads` threads will.
    pub fn enlist(&self, threads: usize) {
        self.state.lock().members = threads;
    }

    /// Nodes that this thread may search in the round that begins, at least 1. A node limit is divided so that
    /// all threads together meet it exactly.
    pub(super) fn share(&self, thread: usize) -> u64 {
        let state = self.state.lock();
        let members = state.members.max(1) as u64;
        let last = state.remaining / members + u64::from((thread as u64) < state.remaining % members);
        last.clamp(1, LENGTH)
    }

    /// Ends the round for `thread`, whose counts so far are `tally`, and returns when it has ended for all. A
    /// thread that failed has no overlay to hand in.
    pub fn meet(
        &self,
        place: &MeetingPlace<'_>,
        thread: usize,
        tally: Tally,
        overlay: Option<&mut Overlay>,
        after: After,
    ) {
        if let Some(overlay) = overlay {
            self.pending.take(thread, overlay);
        }
        let searching = self.stage.load(Ordering::Acquire);
        let applying = searching + 1;
        let mut state = self.state.lock();
        state.tallies[thread] = tally;
        state.arrived += 1;
        if after == After::Leave {
            state.leaving += 1;
            state.main_leaves |= thread == 0;
        }
        if state.arrived == state.members {
            state.next_part = 0;
            state.parts_left = Pending::PARTS;
            self.advance(state);
        } else {
            drop(state);
            self.wait_while(searching, place);
        }
        if self.stage.load(Ordering::Acquire) == applying {
            self.apply(place);
            self.wait_while(applying, place);
        }
    }

    /// Helps to bring the table up to date until no part is left to take. Whoever finishes the last one ends the round;
    /// so nobody waits for a thread that waits for a core.
    fn apply(&self, place: &MeetingPlace<'_>) {
        let mut state = self.state.lock();
        while state.next_part < Pending::PARTS {
            let part = state.next_part;
            state.next_part += 1;
            drop(state);
            self.pending.apply(part, place.table);
            state = self.state.lock();
            state.parts_left -= 1;
            if state.parts_left == 0 {
                state.end_round(place);
                self.advance(state);
                return;
            }
        }
    }

    /// Begins the next stage and wakes those who wait for it, who then find the lock free.
    fn advance(&self, mut state: MutexGuard<'_, State>) {
        self.stage.fetch_add(1, Ordering::Release);
        let sleepers = std::mem::take(&mut state.sleepers);
        drop(state);
        sleepers.iter().for_each(Thread::unpark);
    }

    /// Waits for another stage than this one: awake for some microseconds, as the threads are nearly equally fast where
    /// each has a core, and then asleep.
    fn wait_while(&self, stage: u64, place: &MeetingPlace<'_>) {
        let is_over = || self.stage.load(Ordering::Acquire) != stage;
        if let Some(pass_turn) = place.pass_turn {
            while !is_over() {
                pass_turn();
            }
            return;
        }
        let backoff = Backoff::new();
        while !is_over() && !backoff.is_completed() {
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
        // A thread may be woken for no reason.
        while !is_over() {
            thread::park();
        }
    }
}

impl State {
    /// All that a round decides for the next one.
    fn end_round(&mut self, place: &MeetingPlace<'_>) {
        for (counters, &tally) in place.counters.iter().zip(&self.tallies) {
            counters.publish(tally);
        }
        let nodes: u64 = self.tallies.iter().map(|tally| tally.nodes).sum();
        let remaining = place.limit.saturating_sub(nodes);
        let is_over = self.main_leaves || remaining == 0;
        if is_over {
            place.signals.reach_limit();
        }
        // What goes on beyond the end, a first iteration of the main thread, is not limited any more.
        self.remaining = if is_over { u64::MAX } else { remaining };
        self.members -= self.leaving;
        self.leaving = 0;
        self.arrived = 0;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::board::Game;
    use crate::search::job::{Job, Selectivity};
    use crate::search::limits::Limits;
    use crate::search::oracle;
    use crate::search::quiescence::Kind;
    use crate::search::worker::Worker;

    const NODES: u64 = 60_000;

    fn job() -> Arc<Job> {
        oracle::job(Game::startpos(), Limits::nodes(NODES), Kind::default(), Selectivity::default(), 1)
            .expect("a small table")
    }

    /// A thread sees its own writes as if it had made them at once, and alone it makes them in that order.
    #[test]
    fn one_thread_searches_in_rounds_as_it_does_without() {
        let searched = |job: Arc<Job>| {
            let mut worker = Worker::new(0, Arc::clone(&job));
            worker.prepare(Arc::clone(&job));
            worker.run();
            let result = job.run.results[0].lock().clone();
            let best = result.moves[0].clone();
            (worker.nodes(), job.total_nodes(), result.depth, best.mv, best.score, best.pv)
        };
        let mut in_rounds = job();
        Arc::get_mut(&mut in_rounds).expect("not shared yet").run.rounds =
            Some(Rounds::new([Variation::default()].into(), NODES));
        let found = searched(in_rounds);
        assert_eq!((found.0, found.1), (NODES, NODES));
        assert_eq!(found, searched(job()));
    }

    #[test]
    fn a_limit_is_divided_to_the_node() {
        let rounds = |limit| Rounds::new([Variation::default(); 3].into(), limit);
        let shares = |limit| [0, 1, 2].map(|thread| rounds(limit).share(thread));
        assert_eq!(shares(2_000), [667, 667, 666]);
        assert_eq!(shares(1), [1; 3]);
        assert_eq!(shares(u64::MAX), [LENGTH; 3]);
    }
}
