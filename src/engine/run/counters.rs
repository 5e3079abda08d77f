//! What each thread counts, for the other threads to read.

use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};

use super::telemetry::Published;

/// Counters of one thread, on a cache line of their own.
#[derive(Default)]
pub struct Counters {
    /// Nodes searched, as published last: about every 512 nodes, or at each meeting of a search in rounds.
    pub nodes: AtomicU64,
    /// Tablebase positions found.
    pub tablebase_hits: AtomicU64,
    /// Depth of the current or last iteration, in plies; 0 before the first.
    pub depth: AtomicI32,
    /// What the search tells about itself, if [`SearchRules::telemetry`](super::job::SearchRules) is on. Published with
    /// the nodes.
    pub telemetry: Published,
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
