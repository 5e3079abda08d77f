//! What the threads of a search did, each by itself.

use std::sync::atomic::{AtomicU64, Ordering};

use crossbeam_utils::CachePadded;

use crate::search::census::Work;
use crate::search::counters::Counters;
use crate::search::job::Job;

/// What one thread did in a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadSummary {
    /// Depth of the iteration that it was in at the end, in plies; 0 if it began none.
    pub depth: i32,
    /// Nodes that it visited.
    pub nodes: u64,
    /// Records that it found in the table, about one in 64 of them: its own and those that only others stored. Zeros
    /// unless [`super::Settings::sharing`] is on.
    pub table_hits: [u64; 2],
    /// Results that it stored, about one in 64 of them, by [`Work`]. Zeros unless [`super::Settings::sharing`] is on
    /// and the threads are virtual.
    pub stores: [u64; Work::KINDS],
    /// Nodes since its last result: they have no part in the choice of the move.
    pub unfinished: u64,
}

impl ThreadSummary {
    /// What each thread did, the main thread first. To be asked when the search is over.
    pub(super) fn of(job: &Job) -> Vec<ThreadSummary> {
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let summary = |counters: &CachePadded<Counters>| ThreadSummary {
            depth: counters.depth.load(Ordering::Relaxed),
            nodes: load(&counters.nodes),
            table_hits: counters.table_hits.each_ref().map(load),
            stores: counters.stores.each_ref().map(load),
            unfinished: load(&counters.nodes).saturating_sub(load(&counters.resulted)),
        };
        job.run.counters.iter().map(summary).collect()
    }
}

/// How the depths lie that the threads of a search were in at its end, in plies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation.
    pub deviation: f64,
    /// The greatest less the least.
    pub range: f64,
}

impl Spread {
    /// Of one thread or more.
    pub fn of(threads: &[ThreadSummary]) -> Spread {
        let depths = || threads.iter().map(|thread| f64::from(thread.depth));
        let count = threads.len() as f64;
        let mean = depths().sum::<f64>() / count;
        let variance = depths().map(|depth| (depth - mean).powi(2)).sum::<f64>() / count;
        let range = depths().fold(f64::NEG_INFINITY, f64::max) - depths().fold(f64::INFINITY, f64::min);
        Spread { mean, deviation: variance.sqrt(), range }
    }
}
