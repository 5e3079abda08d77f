//! What a search needs of the machine: the slice that runs, and the time.

use std::time::Instant;

use crate::engine::facade::RunningSearch;

/// Tells the time.
pub(super) trait Timepiece: Send + Sync {
    fn now(&self) -> Instant;
}

/// The time of the system.
pub(super) struct SystemTime;

impl Timepiece for SystemTime {
    fn now(&self) -> Instant {
        Instant::now()
    }
}

/// A slice that an engine works on. Orders that come after its end do nothing.
pub(super) trait RunningSlice: Send + Sync {
    /// Makes it end soon.
    fn stop(&self);

    /// The opponent played the expected move.
    fn ponder_hit(&self);

    /// Whether an order or the clock cut it off. Otherwise it came to its end by itself.
    fn is_cut_off(&self) -> bool;

    /// Its nodes so far.
    fn nodes(&self) -> u64;

    /// The depth of each thread, in plies; 0 for a thread that has not begun.
    fn depths(&self) -> Vec<i32>;

    /// How many of 1000 hits in the table are other threads' results.
    fn hits_by_others(&self) -> u64;
}

impl RunningSlice for RunningSearch {
    fn stop(&self) {
        self.stop();
    }

    fn ponder_hit(&self) {
        self.ponder_hit();
    }

    fn is_cut_off(&self) -> bool {
        self.is_cut_off()
    }

    fn nodes(&self) -> u64 {
        self.nodes()
    }

    fn depths(&self) -> Vec<i32> {
        self.depths()
    }

    fn hits_by_others(&self) -> u64 {
        self.hits_by_others()
    }
}
