//! The loop of a worker, and how a worker survives a defect in the search.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::shared::{PoolTask, SharedPool};
use crate::engine::run::Failure;
use crate::engine::run::job::Job;
use crate::engine::search::worker::Worker;

/// The recursion is deep and has move lists on the stack: 246 plies of up to 6 KiB, in the main search and in the
/// quiescence search, with a wide margin.
pub(super) const STACK_BYTES: usize = 16 << 20;

/// The loop of a worker.
pub(super) fn work(index: usize, shared: &SharedPool, idle: &Arc<Job>) {
    let mut worker = Box::new(Worker::new(index, Arc::clone(idle)));
    loop {
        match shared.exchange.task(index) {
            PoolTask::Quit => return,
            PoolTask::NewGame => worker.new_game(),
            PoolTask::Search(job) => {
                carry_out(&mut worker, &job, idle);
                if let Some(counted) = worker.telemetry() {
                    shared.add_telemetry(counted);
                }
                worker.release(idle);
            }
        }
        shared.exchange.finish(index);
    }
}

/// Runs a search on a worker. A defect in the search must not lose the game: the engine then plays what the finished
/// iterations of all threads found, or at worst any legal move.
pub(super) fn carry_out(worker: &mut Worker, job: &Arc<Job>, idle: &Arc<Job>) {
    let index = worker.index;
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        worker.prepare(Arc::clone(job));
        #[cfg(test)]
        assert!(!job.run.failing_workers.contains(&index), "a panic that this test asks for");
        worker.run();
    }));
    if outcome.is_err() {
        job.run.reporter.failed(Failure::Worker(index));
        *worker = Worker::new(index, Arc::clone(idle));
        job.abandon(index);
    }
    if index == 0 {
        job.run.signals.finish();
    }
}
