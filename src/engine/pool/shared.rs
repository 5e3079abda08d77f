//! What the threads of a pool share: the exchange of their tasks, and what the workers counted.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use super::exchange::Exchange;
use super::helpers;
use crate::base::numa;
use crate::engine::run::job::Job;
use crate::engine::run::telemetry::ThreadTelemetry;

/// What the threads of a pool are told to do.
#[derive(Clone)]
pub(super) enum PoolTask {
    Search(Arc<Job>),
    NewGame,
    Quit,
}

pub(super) struct SharedPool {
    pub exchange: Exchange<PoolTask>,
    /// What the workers counted in the current search.
    telemetry: Mutex<Option<Box<ThreadTelemetry>>>,
    /// Cores that the process may use.
    cores: usize,
}

impl SharedPool {
    pub fn new(workers: usize) -> SharedPool {
        SharedPool { exchange: Exchange::new(workers), telemetry: Mutex::new(None), cores: numa::cores() }
    }

    /// Whether the search may last long enough for helpers to be useful.
    pub fn is_worth_help(&self, job: &Job) -> bool {
        helpers::are_worth_it(hard_limit(job), self.exchange.workers(), self.cores)
    }

    /// Adds what a worker counted in the current search.
    pub fn add_telemetry(&self, counted: &ThreadTelemetry) {
        match &mut *self.telemetry.lock() {
            Some(sum) => sum.add(counted),
            none => *none = Some(counted.counts_only()),
        }
    }

    /// Takes what the workers counted; `None` if no worker has handed in anything.
    pub fn take_telemetry(&self) -> Option<Box<ThreadTelemetry>> {
        self.telemetry.lock().take()
    }
}

/// The time after which a search ends, counted from its beginning.
pub(super) fn hard_limit(job: &Job) -> Option<Duration> {
    job.task.budget.map(|budget| budget.hard)
}
