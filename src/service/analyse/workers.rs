//! The workers that search jobs: threads of this machine, each with an engine of its own, or another workforce.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use parking_lot::Mutex;
use thiserror::Error;

use super::answer::Answer;
use super::job::{AnalysisJob, Basis, JobError};
use super::search::Searcher;
use crate::base::numa::Binding;
use crate::engine::facade::{EngineError, Settings};

/// How long the caller waits for a job before it looks for an order to end.
const PATIENCE: Duration = Duration::from_millis(200);

/// A job to do.
#[derive(Clone, Debug)]
pub struct JobRequest {
    /// The number that identifies the answer.
    pub ticket: u64,
    /// The result of [`AnalysisJob::name`].
    pub name: String,
    /// A description of the job's game, for messages.
    pub label: String,
    /// The job.
    pub job: AnalysisJob,
}

/// A job that has been done.
pub struct Done {
    /// The ticket of the request.
    pub ticket: u64,
    /// The answer or the error.
    pub answer: Result<Answer, JobError>,
    /// The engine's messages.
    pub notes: Vec<String>,
}

/// A workforce can do no more jobs.
#[derive(Debug, Error)]
#[error(transparent)]
pub struct WorkforceError(#[from] pub Box<dyn std::error::Error + Send + Sync>);

/// Workers that do the jobs of an analysis in any order.
pub trait Workforce {
    /// The number of jobs that keeps all workers busy.
    fn lookahead(&self) -> usize;

    /// Submits a job.
    fn submit(&mut self, request: JobRequest);

    /// Waits a second at most until some of the jobs are done. Tells the user by `say` if something delays them. The
    /// list may be empty.
    ///
    /// # Errors
    ///
    /// If the remaining jobs can never be done.
    fn wait(&mut self, say: &mut dyn FnMut(&str)) -> Result<Vec<Done>, WorkforceError>;
}

/// Threads that wait for jobs.
pub struct Workers {
    jobs: Sender<(u64, AnalysisJob)>,
    done: Receiver<Done>,
    threads: usize,
}

impl Workers {
    /// Starts this number of threads. When the value is dropped, they finish their current jobs and end.
    ///
    /// # Errors
    ///
    /// If the system refuses memory or threads.
    pub fn start(threads: usize, settings: &Settings, basis: &Basis) -> Result<Workers, EngineError> {
        let (jobs, waiting) = channel::<(u64, AnalysisJob)>();
        let (finished, done) = channel();
        let waiting = Arc::new(Mutex::new(waiting));
        let searchers = (0..threads).map(|_| Searcher::new(settings, basis.clone()));
        let binding = Arc::new(Binding::of_job(threads));
        for (index, searcher) in searchers.collect::<Result<Vec<_>, _>>()?.into_iter().enumerate() {
            let (waiting, finished, binding) = (Arc::clone(&waiting), finished.clone(), Arc::clone(&binding));
            std::thread::spawn(move || {
                binding.bind(index);
                work(searcher, &waiting, &finished);
            });
        }
        Ok(Workers { jobs, done, threads })
    }
}

impl Workforce for Workers {
    /// Threads can do dozens of small jobs while the disk writes the last answers.
    fn lookahead(&self) -> usize {
        16 * self.threads
    }

    fn submit(&mut self, request: JobRequest) {
        self.jobs.send((request.ticket, request.job)).expect("the threads wait as long as this does");
    }

    fn wait(&mut self, _say: &mut dyn FnMut(&str)) -> Result<Vec<Done>, WorkforceError> {
        match self.done.recv_timeout(PATIENCE) {
            Ok(first) => Ok(std::iter::once(first).chain(self.done.try_iter()).collect()),
            Err(RecvTimeoutError::Timeout) => Ok(Vec::new()),
            Err(RecvTimeoutError::Disconnected) => panic!("the threads are there as long as this is"),
        }
    }
}

/// The main loop of a thread.
fn work(mut searcher: Searcher, waiting: &Mutex<Receiver<(u64, AnalysisJob)>>, finished: &Sender<Done>) {
    loop {
        // One thread holds the lock and waits for a job. The others wait for the lock.
        let Ok((ticket, job)) = waiting.lock().recv() else { return };
        // After a panic the answer must still come, because the caller waits for it.
        let answer = catch_unwind(AssertUnwindSafe(|| searcher.answer(&job)));
        let done = Done { ticket, answer: answer.unwrap_or(Err(JobError::Failed)), notes: searcher.notes() };
        if finished.send(done).is_err() {
            return;
        }
    }
}
