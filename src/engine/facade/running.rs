//! A handle of a search for threads that do not own the engine.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::engine::run::job::Job;

/// A search that was begun. Orders that come after its end do nothing.
#[derive(Clone)]
pub struct RunningSearch(pub(super) Arc<Job>);

impl RunningSearch {
    /// Tells the search to end. The result is reported shortly afterwards.
    pub fn stop(&self) {
        self.0.run.signals.stop();
    }

    /// The opponent played the expected move while the engine pondered.
    pub fn ponder_hit(&self) {
        self.0.run.signals.ponder_hit();
    }

    /// Whether an order or the clock cut the search off. Otherwise it came to its end by itself.
    pub fn is_cut_off(&self) -> bool {
        self.0.run.signals.is_cut_off()
    }

    /// Nodes of all threads so far.
    pub fn nodes(&self) -> u64 {
        self.0.total_nodes()
    }

    /// The depth of each thread's iteration, in plies, the main thread's first; 0 for a thread that has not begun.
    pub fn depths(&self) -> Vec<i32> {
        self.0.run.counters.iter().map(|counters| counters.depth.load(Ordering::Relaxed)).collect()
    }

    /// How many of 1000 records that the threads have found in the table were stored by other threads, or by earlier
    /// searches of others. It is 0 unless [`super::Settings::telemetry`] is on.
    pub fn hits_by_others(&self) -> u64 {
        let sum = |kind: usize| -> u64 {
            self.0
                .run
                .counters
                .iter()
                .map(|counters| counters.telemetry.table_hits[kind].load(Ordering::Relaxed))
                .sum()
        };
        let (own, others) = (sum(0), sum(1));
        (1000 * others).checked_div(own + others).unwrap_or(0)
    }
}
