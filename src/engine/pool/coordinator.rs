//! The coordinator: the thread that ends each search and reports its result.

use std::sync::Arc;
use std::time::Duration;

use super::conclusion::conclude;
use super::exchange::Exchange;
use super::helpers;
use super::shared::{PoolTask, SharedPool, hard_limit};
use super::ticks::FineTicks;
use crate::engine::run::Telemetry;
use crate::engine::run::job::Job;

/// How long the coordinator lets workers finish after an order from outside.
const GRACE: Duration = Duration::from_millis(2);
/// How long the coordinator waits for the first iteration if the clock allows it. Without that iteration there is no
/// considered move.
const FIRST_ITERATION: Duration = Duration::from_millis(100);

/// The loop of the coordinator.
pub(super) fn coordinate(shared: &SharedPool) {
    loop {
        match shared.exchange.coordinators_task() {
            PoolTask::Quit => return,
            PoolTask::NewGame => {}
            PoolTask::Search(job) => {
                coordinate_search(shared, &job);
                // The engine may resize the table only if nobody else has the job.
                drop(job);
                shared.exchange.report();
            }
        }
    }
}

/// Waits for the end of a search and reports its result.
fn coordinate_search(shared: &SharedPool, job: &Arc<Job>) {
    let exchange = &shared.exchange;
    let _ticks = hard_limit(job).map(|_| FineTicks::ask());
    call_helpers(shared, job);
    job.run.signals.wait_for_end(hard_limit(job), job.task.limits.infinite);
    if job.run.signals.is_cut_off() {
        wait_briefly_for_all(exchange);
        wait_for_first_iteration(exchange, job);
    } else {
        wait_for_main(exchange, job);
        wait_for_helpers(exchange, job);
    }
    if job.rules.telemetry == Telemetry::Report {
        report_telemetry(shared, job);
    }
    conclude(job);
}

/// Lets the helpers join once the main worker has finished its first iteration, if the search has helpers and goes on.
fn call_helpers(shared: &SharedPool, job: &Arc<Job>) {
    if helpers::join_late(job) && shared.is_worth_help(job) && job.run.signals.wait_for_begin(hard_limit(job))
    {
        shared.exchange.call_helpers(&PoolTask::Search(Arc::clone(job)));
    }
}

/// Gives all workers a moment to notice the end. Whoever is late, the results of its finished iterations count.
fn wait_briefly_for_all(exchange: &Exchange<PoolTask>) {
    exchange.wait_until(Some(GRACE), |state| state.running == 0);
}

/// If the main worker has no result yet, waits for its first one as long as the clock allows.
fn wait_for_first_iteration(exchange: &Exchange<PoolTask>, job: &Job) {
    if job.run.results[0].lock().depth == 0 {
        let limit = job.time_to_deadline().unwrap_or(FIRST_ITERATION).min(FIRST_ITERATION);
        exchange.wait_until(Some(limit), |state| state.main_done);
    }
}

/// The main worker has ended by itself and is about to leave its result. Waits for it as long as the clock allows.
fn wait_for_main(exchange: &Exchange<PoolTask>, job: &Job) {
    exchange.wait_until(job.time_to_deadline(), |state| state.main_done);
}

/// Waits for the helpers after the main worker. In rounds all threads stop at nodes that are the same on every run, so
/// their results are the same too, once all have stopped. With a clock the coordinator does not wait for that.
fn wait_for_helpers(exchange: &Exchange<PoolTask>, job: &Job) {
    let is_repeatable = job.run.rounds.is_some() && job.task.budget.is_none();
    let limit = (!is_repeatable).then_some(GRACE);
    exchange.wait_until(limit, |state| state.running == 0);
}

/// Reports what the workers counted, once all of them have handed it in.
fn report_telemetry(shared: &SharedPool, job: &Job) {
    shared.exchange.wait_until(None, |state| state.running == 0);
    if let Some(sum) = shared.take_telemetry() {
        job.run.reporter.message(&sum.to_string());
    }
}
