//! Starts the threads, gives them their tasks, and ends them.

use std::sync::Arc;
use std::thread::JoinHandle;

use super::coordinator::coordinate;
use super::shared::{PoolTask, SharedPool};
use super::worker_loop::{STACK_BYTES, work};
use super::{prompt, release, room};
use crate::base::numa::Binding;
use crate::engine::run::job::Job;

/// Why threads cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum PoolError {
    /// The system does not have the memory.
    #[error("there is not enough memory for {threads} threads")]
    Memory {
        /// The requested number of threads.
        threads: usize,
    },
    /// The system refused to start a thread.
    #[error("{thread} could not be started: {source}")]
    Refused {
        /// The name of the thread.
        thread: String,
        /// The system's error.
        source: std::io::Error,
    },
}

/// A fixed number of worker threads and their coordinator.
pub struct Pool {
    shared: Arc<SharedPool>,
    workers: Vec<JoinHandle<()>>,
    coordinator: Option<JoinHandle<()>>,
}

impl Pool {
    /// Starts the workers of `binding`, 1 to [`super::MAX_THREADS`]. Each of them owns about 3 MB, which it allocates
    /// after it is bound. If it shares its histories, it owns about 0.7 MB from its first search on.
    ///
    /// # Errors
    /// If there is no memory for the threads, or the system refuses one of them. Those that were started already end
    /// again.
    pub fn new(binding: &Arc<Binding>, idle: &Arc<Job>) -> Result<Pool, PoolError> {
        let threads = binding.threads();
        // A single thread is tried in any case: with none the engine could not go on.
        if threads > 1 && !room::is_room_for(threads, STACK_BYTES) {
            return Err(PoolError::Memory { threads });
        }
        Pool::with_stacks(binding, idle, |_| STACK_BYTES)
    }

    /// Starts the workers as [`Pool::new`] does, but with stacks of `stack_bytes` for each worker by its index, and
    /// without the check of memory.
    fn with_stacks(
        binding: &Arc<Binding>,
        idle: &Arc<Job>,
        stack_bytes: impl Fn(usize) -> usize,
    ) -> Result<Pool, PoolError> {
        release::map_large_blocks();
        let threads = binding.threads();
        let shared = Arc::new(SharedPool::new(threads));
        // If an error below drops the pool, the pool ends the threads that it has started.
        let mut pool = Pool { shared, workers: Vec::with_capacity(threads), coordinator: None };
        for index in 0..threads {
            let (shared, idle, binding) = (Arc::clone(&pool.shared), Arc::clone(idle), Arc::clone(binding));
            let handle = std::thread::Builder::new()
                .name(format!("worker {index}"))
                .stack_size(stack_bytes(index))
                .spawn(move || {
                    prompt::take_ordinary_turns();
                    binding.bind(index);
                    work(index, &shared, &idle);
                })
                .map_err(|source| PoolError::Refused {
                    thread: format!("thread {} of {threads}", index + 1),
                    source,
                })?;
            pool.workers.push(handle);
        }
        let shared = Arc::clone(&pool.shared);
        let coordinator = std::thread::Builder::new()
            .name("coordinator".to_string())
            .spawn(move || {
                prompt::wake_promptly();
                coordinate(&shared);
            })
            .map_err(|source| PoolError::Refused { thread: "the threads' coordinator".to_owned(), source })?;
        pool.coordinator = Some(coordinator);
        Ok(pool)
    }

    /// Number of workers.
    pub fn threads(&self) -> usize {
        self.workers.len()
    }

    /// Begins a search. If another one is still running, waits for its end first.
    pub fn search(&self, job: Arc<Job>) {
        let mut workers = 1;
        if let Some(rounds) = &job.run.rounds {
            if self.shared.is_worth_help(&job) {
                workers = self.threads();
            }
            rounds.restrict_to(workers);
        }
        // Otherwise the coordinator calls them, once the main worker has a move to play.
        self.shared.exchange.assign(&PoolTask::Search(job), false, workers);
    }

    /// Makes all workers forget earlier games, and waits until they have.
    pub fn new_game(&self) {
        self.shared.exchange.assign(&PoolTask::NewGame, true, self.threads());
        self.wait();
    }

    /// Waits until the last search was reported. Workers may still be leaving it.
    pub fn wait_for_report(&self) {
        self.shared.exchange.wait_until(None, |state| state.reported);
    }

    /// Waits until the last search was reported and all workers sleep.
    pub fn wait(&self) {
        self.shared.exchange.wait();
    }

    /// Whether a search has not been reported yet.
    pub fn is_searching(&self) -> bool {
        !self.shared.exchange.is_reported()
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        // The owner of the engine stops its search before it drops the engine. This waits for the end of the search.
        if self.coordinator.is_some() {
            self.wait();
        }
        self.shared.exchange.dismiss(&PoolTask::Quit);
        for handle in self.workers.drain(..).chain(self.coordinator.take()) {
            // A worker catches its panics, so the result says nothing.
            let _ = handle.join();
        }
        release::release_freed_memory();
    }
}

// The table of the test is no part of a model.
#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::chess::board::Game;
    use crate::engine::run::Limits;

    #[test]
    fn a_thread_that_is_refused_ends_those_that_have_started() {
        let binding = Arc::new(Binding::unbound(3));
        let idle = Job::plain(Game::startpos(), Limits::depth(1));
        // No address space has room for the third stack.
        let stack_bytes = |index| if index == 2 { 1 << 60 } else { STACK_BYTES };
        let error = Pool::with_stacks(&binding, &idle, stack_bytes).err().expect("no such stack");
        assert!(error.to_string().starts_with("thread 3 of 3 could not be started: "), "{error}");
        assert_eq!(Arc::strong_count(&idle), 1, "nobody has it any more");
    }
}
