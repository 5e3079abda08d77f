//! What each thread counts, where the others can read it.

use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};

use super::census::Work;

/// Counters of one thread, on a cache line of their own.
#[derive(Default)]
pub struct Counters {
    /// Nodes searched, up to date within some hundred.
    pub nodes: AtomicU64,
    /// Tablebase positions found.
    pub tablebase_hits: AtomicU64,
    /// Depth of the iteration that the thread is or was in, in plies; 0 before the first.
    pub depth: AtomicI32,
    /// Records found in the table that this thread stored itself, and that only others did: about one in 64, if
    /// [`Launch::sharing`](super::job::Launch) is on, counted at the end of the search.
    pub table_hits: [AtomicU64; 2],
    /// Results that the thread stored, by [`Work`]: about one in 64, if there is a census
    /// ([`SearchRun::census`](super::job::SearchRun)), counted at the end of the search.
    pub stores: [AtomicU64; Work::KINDS],
    /// Nodes that the thread had searched when it left its latest result.
    pub resulted: AtomicU64,
}

/// What one thread has counted so far.
#[derive(Clone, Copy, Default)]
pub struct Tally {
    /// Nodes searched.
    pub nodes: u64,
    /// Tablebase positions found.
    pub tablebase_hits: u64,
}

impl Counters {
    /// Lets the others see these counts.
    pub fn publish(&self, tally: Tally) {
        self.nodes.store(tally.nodes, Ordering::Relaxed);
        self.tablebase_hits.store(tally.tablebase_hits, Ordering::Relaxed);
    }

    /// The counts published last.
    pub fn tally(&self) -> Tally {
        Tally {
            nodes: self.nodes.load(Ordering::Relaxed),
            tablebase_hits: self.tablebase_hits.load(Ordering::Relaxed),
        }
    }
}
