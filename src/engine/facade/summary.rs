//! What each thread of a search did.

use std::sync::atomic::{AtomicU64, Ordering};

use crossbeam_utils::CachePadded;

use crate::engine::run::counters::Counters;
use crate::engine::run::job::Job;
use crate::engine::run::telemetry::Work;

/// What one thread did in a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadSummary {
    /// The depth of the iteration that the thread was in at the end, in plies; 0 if it began none.
    pub depth: i32,
    /// The number of nodes that the thread visited.
    pub nodes: u64,
    /// Hits in the table, about one in 64 of them: first the hits on the thread's own records, then those on records
    /// that only other threads stored. Both are 0 unless [`super::Settings::telemetry`] is on.
    pub table_hits: [u64; 2],
    /// Results that the thread stored, about one in 64 of them, by [`Work`]. All are 0 unless
    /// [`super::Settings::telemetry`] is on and the threads are virtual.
    pub stores: [u64; Work::KINDS],
    /// Nodes since the thread's last result. They have no influence on the move.
    pub unfinished: u64,
}

impl ThreadSummary {
    /// What each thread did, the main thread first. The search must have ended.
    pub(super) fn of(job: &Job) -> Vec<ThreadSummary> {
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let summary = |counters: &CachePadded<Counters>| ThreadSummary {
            depth: counters.depth.load(Ordering::Relaxed),
            nodes: load(&counters.nodes),
            table_hits: counters.telemetry.table_hits.each_ref().map(load),
            stores: counters.telemetry.stores.each_ref().map(load),
            unfinished: load(&counters.nodes).saturating_sub(load(&counters.resulted)),
        };
        job.run.counters.iter().map(summary).collect()
    }
}

/// The distribution of the threads' depths at the end of a search, in plies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The mean of the depths.
    pub mean: f64,
    /// The standard deviation of the depths.
    pub deviation: f64,
    /// The difference between the greatest and the least depth.
    pub range: f64,
}

impl Spread {
    /// The distribution over at least one thread.
    pub fn of(threads: &[ThreadSummary]) -> Spread {
        let depths = || threads.iter().map(|thread| f64::from(thread.depth));
        let count = threads.len() as f64;
        let mean = depths().sum::<f64>() / count;
        let variance = depths().map(|depth| (depth - mean).powi(2)).sum::<f64>() / count;
        let range = depths().fold(f64::NEG_INFINITY, f64::max) - depths().fold(f64::INFINITY, f64::min);
        Spread { mean, deviation: variance.sqrt(), range }
    }
}
