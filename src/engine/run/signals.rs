//! When a search ends: orders from outside, the clock and pondering, and which thread waits for what.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crossbeam_utils::CachePadded;
use parking_lot::{Condvar, Mutex};

/// Orders from outside to a running search.
pub struct Signals {
    stop: AtomicBool,
    /// When the search began.
    started: Instant,
    /// The state lies on its own cache lines, like the other locks within a job: every node of every thread reads the
    /// fields around it.
    state: CachePadded<Mutex<SignalState>>,
    changed: Condvar,
}

#[derive(Default)]
struct SignalState {
    /// An order to stop was given, even if the search was over already. The result may be reported.
    ordered: bool,
    /// An order from outside, or the clock, cut off the running search.
    from_outside: bool,
    /// The opponent still thinks. Only an order ends the search.
    pondering: bool,
    /// The main thread would have ended the search after its last iteration, but it is pondering.
    ends_on_ponder_hit: bool,
    /// The main thread has finished its first iteration.
    begun: bool,
    /// The main thread has nothing left to search.
    finished: bool,
}

impl Signals {
    /// Signals of a search that began at `started`.
    pub fn new(started: Instant, pondering: bool) -> Signals {
        Signals {
            stop: AtomicBool::new(false),
            started,
            state: Mutex::new(SignalState { pondering, ..SignalState::default() }).into(),
            changed: Condvar::new(),
        }
    }

    /// Whether all threads must leave the search.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        // Relaxed: the flag carries no data; results are handed over under locks.
        self.stop.load(Ordering::Relaxed)
    }

    /// Ends the search from outside, as soon as the threads see it.
    pub fn stop(&self) {
        let mut state = self.state.lock();
        state.ordered = true;
        self.cut_off(&mut state);
        self.changed.notify_all();
    }

    /// Ends the search because a worker has reached a limit that holds for all threads.
    pub fn reach_limit(&self) {
        let _state = self.state.lock();
        self.stop.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// Whether the search was cut off by an order or by the clock, not by a worker.
    pub fn is_cut_off(&self) -> bool {
        self.state.lock().from_outside
    }

    /// Whether the opponent still thinks.
    pub fn is_pondering(&self) -> bool {
        self.state.lock().pondering
    }

    /// The opponent played the expected move. From now on the search ends where it would have ended without pondering,
    /// which may be at once. The time spent on the opponent's clock counts, because it went into the same search.
    pub fn ponder_hit(&self) {
        let mut state = self.state.lock();
        if state.pondering {
            state.pondering = false;
            if state.ends_on_ponder_hit {
                self.cut_off(&mut state);
            }
            self.changed.notify_all();
        }
    }

    /// Ends the search in the middle of an iteration.
    fn cut_off(&self, state: &mut SignalState) {
        state.from_outside |= !self.is_stopped();
        self.stop.store(true, Ordering::Relaxed);
    }

    /// The main thread calls this after each iteration and says whether the search may end. Returns whether it ends
    /// now.
    pub fn finish_iteration(&self, may_end: bool) -> bool {
        let mut state = self.state.lock();
        state.ends_on_ponder_hit = may_end;
        may_end && !state.pondering
    }

    /// The main thread has finished its first iteration. Whatever happens now, there is a considered move.
    pub fn begin(&self) {
        self.state.lock().begun = true;
        self.changed.notify_all();
    }

    /// The main thread has finished everything that was asked for.
    pub fn finish(&self) {
        self.state.lock().finished = true;
        self.changed.notify_all();
    }

    /// Sleeps until the main thread has finished its first iteration, or the search must end: at an order, at its hard
    /// time limit, or with that iteration. Returns whether the search goes on.
    pub fn wait_for_begin(&self, hard: Option<Duration>) -> bool {
        let mut state = self.state.lock();
        while !(state.begun || state.finished || state.ordered || self.is_stopped()) {
            match hard.filter(|_| !state.pondering) {
                Some(hard) => {
                    if self.changed.wait_until(&mut state, self.started + hard).timed_out() {
                        return false;
                    }
                }
                None => self.changed.wait(&mut state),
            }
        }
        self.goes_on(&state)
    }

    /// Whether the main thread has finished its first iteration and the search goes on.
    pub fn has_begun(&self) -> bool {
        self.goes_on(&self.state.lock())
    }

    fn goes_on(&self, state: &SignalState) -> bool {
        state.begun && !state.finished && !state.ordered && !self.is_stopped()
    }

    /// Sleeps until the result is to be reported, then stops the search: at an order, at the hard time limit, or when
    /// the main thread is done. While pondering, only an order counts. With `infinite`, it does not count that the main
    /// thread is done.
    pub fn wait_for_end(&self, hard: Option<Duration>, infinite: bool) {
        let mut state = self.state.lock();
        loop {
            let may_end = !infinite && !state.pondering;
            if state.ordered || (may_end && (state.finished || self.is_stopped())) {
                self.stop.store(true, Ordering::Relaxed);
                return;
            }
            match hard.filter(|_| !state.pondering) {
                Some(hard) => {
                    if self.changed.wait_until(&mut state, self.started + hard).timed_out() {
                        self.cut_off(&mut state);
                        return;
                    }
                }
                None => self.changed.wait(&mut state),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ponder_hit_ends_a_search_that_has_used_its_time() {
        for may_end in [false, true] {
            let signals = Signals::new(Instant::now(), true);
            assert!(!signals.finish_iteration(may_end), "pondering");
            assert!(!signals.is_stopped());
            signals.ponder_hit();
            assert_eq!((signals.is_stopped(), signals.is_cut_off()), (may_end, may_end));
            assert!(signals.finish_iteration(true));
        }
    }
}
