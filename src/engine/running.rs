//! A handle of a search for threads that do not own the engine.

use std::sync::Arc;

use crate::run::job::Job;

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
        use std::sync::atomic::Ordering::Relaxed;
        self.0.run.counters.iter().map(|counters| counters.depth.load(Relaxed)).collect()
    }
}
