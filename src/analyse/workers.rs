//! The threads of this machine that search, each with an engine of its own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use parking_lot::Mutex;

use super::job::{Answer, Basis, Job, JobError};
use super::search::Searcher;
use crate::engine::{EngineError, Settings};

/// A job that has been done, by the number that it was given with.
pub struct Done {
    /// The number.
    pub ticket: u64,
    /// What came of it.
    pub answer: Result<Answer, JobError>,
    /// What the engine had to say.
    pub notes: Vec<String>,
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

    /// How many jobs keep them all at work: small ones are done by the dozen while the disk takes the last answers.
    pub fn appetite(&self) -> usize {
        16 * self.threads
    }

    /// Gives them a job.
    pub fn submit(&self, ticket: u64, job: Job) {
        self.jobs.send((ticket, job)).expect("the threads wait as long as this does");
    }

    /// Waits until some of the jobs are done.
    pub fn wait(&self) -> Vec<Done> {
        let first = self.done.recv().expect("the threads are there as long as this is");
        std::iter::once(first).chain(self.done.try_iter()).collect()
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
