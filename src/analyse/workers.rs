//! Those who search: the threads of this machine, each with an engine of its own, or whoever else takes jobs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use parking_lot::Mutex;
use thiserror::Error;

use super::job::{Answer, Basis, Job, JobError};
use super::search::Searcher;
use crate::engine::{EngineError, Settings};

/// A job that is to be done.
#[derive(Clone, Debug)]
pub struct JobRequest {
    /// By which its answer is known.
    pub ticket: u64,
    /// [`Job::name`].
    pub name: String,
    /// Which game it is about, for messages.
    pub label: String,
    /// The job.
    pub job: Job,
}

/// A job that has been done.
pub struct Done {
    /// That of the request.
    pub ticket: u64,
    /// What came of it.
    pub answer: Result<Answer, JobError>,
    /// What the engine had to say.
    pub notes: Vec<String>,
}

/// Why a workforce can do no more jobs.
#[derive(Debug, Error)]
#[error(transparent)]
pub struct WorkforceError(#[from] pub Box<dyn std::error::Error + Send + Sync>);

/// Those who do the jobs of an analysis, in any order.
pub trait Workforce {
    /// How many jobs keep them all at work.
    fn appetite(&self) -> usize;

    /// Gives them a job.
    fn submit(&mut self, request: JobRequest);

    /// Waits until some of the jobs are done, and has `say` tell the user what keeps it waiting. The list may be empty.
    ///
    /// # Errors
    ///
    /// If the others can never be done.
    fn wait(&mut self, say: &mut dyn FnMut(&str)) -> Result<Vec<Done>, WorkforceError>;
}

/// Threads that wait for jobs.
pub struct Workers {
    jobs: Sender<(u64, Job)>,
    done: Receiver<Done>,
    threads: usize,
}

impl Workers {
    /// Starts so many threads. They end when this is dropped, after the jobs that they are at.
    ///
    /// # Errors
    ///
    /// If the system has not got the memory or the threads.
    pub fn start(threads: usize, settings: &Settings, basis: &Basis) -> Result<Workers, EngineError> {
        let (jobs, waiting) = channel::<(u64, Job)>();
        let (finished, done) = channel();
        let waiting = Arc::new(Mutex::new(waiting));
        let searchers = (0..threads).map(|_| Searcher::new(settings, basis.clone()));
        for searcher in searchers.collect::<Result<Vec<_>, _>>()? {
            let (waiting, finished) = (Arc::clone(&waiting), finished.clone());
            std::thread::spawn(move || work(searcher, &waiting, &finished));
        }
        Ok(Workers { jobs, done, threads })
    }
}

impl Workforce for Workers {
    /// Small jobs are done by the dozen while the disk takes the last answers.
    fn appetite(&self) -> usize {
        16 * self.threads
    }

    fn submit(&mut self, request: JobRequest) {
        self.jobs.send((request.ticket, request.job)).expect("the threads wait as long as this does");
    }

    fn wait(&mut self, _say: &mut dyn FnMut(&str)) -> Result<Vec<Done>, WorkforceError> {
        let first = self.done.recv().expect("the threads are there as long as this is");
        Ok(std::iter::once(first).chain(self.done.try_iter()).collect())
    }
}

/// The life of a thread.
fn work(mut searcher: Searcher, waiting: &Mutex<Receiver<(u64, Job)>>, finished: &Sender<Done>) {
    loop {
        // One waits for jobs with the lock in its hands, the others for the lock.
        let Ok((ticket, job)) = waiting.lock().recv() else { return };
        // A defect must not leave the others waiting for this answer.
        let answer = catch_unwind(AssertUnwindSafe(|| searcher.answer(&job)));
        let done = Done { ticket, answer: answer.unwrap_or(Err(JobError::Failed)), notes: searcher.notes() };
        if finished.send(done).is_err() {
            return;
        }
    }
}
