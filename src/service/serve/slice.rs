//! A slice of a search, as the scheduler keeps it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::client_search::ClientSearch;
use super::metrics::Metrics;
use super::running_slice::RunningSlice;

/// A search that could have twice as many threads begins a new slice for them after this time.
const GROWTH: Duration = Duration::from_secs(1);

/// A slice that runs.
pub(super) struct Slice<E> {
    pub search: Arc<ClientSearch>,
    pub engine: E,
    pub running: Arc<dyn RunningSlice>,
    pub threads: usize,
    pub started: Instant,
    /// When the search was told to make room.
    pub pre_empted: Option<Instant>,
    /// Whether it is the short slice of a search that only needs a move. It takes no share of the threads.
    pub is_urgent: bool,
    /// Whether the search had waited so long that it comes first for this slice.
    pub is_boosted: bool,
}

impl<E> Slice<E> {
    /// How long it has run.
    pub fn running_for(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.started)
    }

    /// What the slice has used so far.
    pub fn thread_seconds(&self, now: Instant) -> f64 {
        self.running_for(now).as_secs_f64() * self.threads as f64
    }

    /// Tells its search to make room.
    pub fn pre_empt(&mut self, now: Instant, metrics: &Metrics) {
        self.pre_empted = Some(now);
        Metrics::add(&metrics.pre_emptions);
        self.search.pre_empt();
    }

    /// Whether a new slice with twice the threads is worth it, with `free` threads besides its own.
    pub fn may_grow(&self, free: usize, now: Instant) -> bool {
        free >= self.threads && self.running_for(now) >= GROWTH
    }
}
