//! What each thread counts, for the other threads to read.

use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};

use super::census::Work;

/// Counters of one thread, on a cache line of their own.
#[derive(Default)]
pub struct Counters {
    /// Nodes searched, as published last: about every 512 nodes, or at each meeting of a search in rounds.
    pub nodes: AtomicU64,
    /// Tablebase positions found.
    pub tablebase_hits: AtomicU64,
    /// Depth of the current or last iteration, in plies; 0 before the first.
    pub depth: AtomicI32,
    /// Records found in the table: first those that this thread stored itself, then those that only others stored.
    /// About one in 64 is counted, if [`Launch::counts_sharing`](super::job::Launch) is on. Published with the nodes.
    pub table_hits: [AtomicU64; 2],
    /// Results that the thread stored, by [`Work`]. About one in 64 is counted, if there is a census
    /// ([`SearchRun::census`](super::job::SearchRun)), and written here at the end of the search.
    pub stores: [AtomicU64; Work::KINDS],
    /// Nodes that the thread had searched when it published its latest result.
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
    /// Publishes these counts to the other threads.
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
