//! The threads: persistent workers that sleep between searches, and a coordinator that ends each search and reports its
//! result.
//!
//! The coordinator sleeps while the workers search. It wakes up at `stop`, at the hard time limit, or when the main
//! worker is done. Then it answers from the results that every worker leaves after each iteration, and waits only a
//! moment for all workers to notice the end. A thread that has just slept is scheduled at once, however many threads
//! compete for the cores. That keeps `stop` prompt with a thousand threads on two cores.

mod conclusion;
mod exchange;
pub mod prompt;
mod release;
mod room;
mod sync;
#[cfg(feature = "laboratory")]
mod virtual_pool;
mod vote;

use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use parking_lot::Mutex;

use crate::numa::Binding;
use crate::run::job::Job;
use crate::run::leaf::Statistics;
use crate::search::worker::Worker;
use conclusion::conclude;
use exchange::Exchange;

pub use crate::crew::MAX_THREADS;
pub use crate::run::stagger::Stagger;
#[cfg(feature = "laboratory")]
pub use virtual_pool::VirtualPool;
pub use vote::vote;

/// The recursion is deep and has move lists on the stack: 246 plies of up to 6 KiB, in the main search and in the
/// quiescence search, with a wide margin.
const STACK_BYTES: usize = 16 << 20;

/// How long the coordinator lets workers finish after an order from outside.
const GRACE: Duration = Duration::from_millis(2);
/// How long the coordinator waits for the first iteration if the clock allows it. Without that iteration there is no
/// considered move.
const FIRST_ITERATION: Duration = Duration::from_millis(100);
/// Helpers take part in a search if it may last this long for each thread that a core has to carry. In less time they
/// would find nothing, and a thread that waits among them for its turn would lose more than that. With 8 threads on two
/// cores, 1+0.01 and a clock that had run down to the increment, moves took 20 ms instead of 3, and 13 of 504 games
/// were lost.
const WORTH_HELP: Duration = Duration::from_millis(5);

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

#[derive(Clone)]
enum WorkerTask {
    Search(Arc<Job>),
    NewGame,
    Quit,
}

struct SharedPool {
    exchange: Exchange<WorkerTask>,
    /// What the workers counted in the current search.
    statistics: Mutex<Option<Box<Statistics>>>,
    /// Cores that the process may use.
    cores: usize,
}

/// A fixed number of worker threads and their coordinator.
pub struct Pool {
    shared: Arc<SharedPool>,
    workers: Vec<JoinHandle<()>>,
    coordinator: Option<JoinHandle<()>>,
}

impl Pool {
    /// Starts the workers of `binding`, 1 to [`MAX_THREADS`]. Each of them owns about 3 MB, which it allocates after it
    /// is bound.
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
        let threads = binding.threads();
        let shared = Arc::new(SharedPool {
            exchange: Exchange::new(threads),
            statistics: Mutex::new(None),
            cores: std::thread::available_parallelism().map_or(1, NonZero::get),
        });
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
            let hard = job.task.budget.map(|budget| budget.hard);
            if is_worth_help(hard, self.threads(), self.shared.cores) {
                workers = self.threads();
            }
            rounds.enlist(workers);
        }
        // Otherwise the coordinator calls them, once the main worker has a move to play.
        self.shared.exchange.assign(&WorkerTask::Search(job), false, workers);
    }

    /// Makes all workers forget earlier games, and waits until they have.
    pub fn new_game(&self) {
        self.shared.exchange.assign(&WorkerTask::NewGame, true, self.threads());
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
        self.shared.exchange.dismiss(&WorkerTask::Quit);
        for handle in self.workers.drain(..).chain(self.coordinator.take()) {
            // A worker catches its panics, so the result says nothing.
            let _ = handle.join();
        }
        release::release_freed_memory();
    }
}

/// The loop of a worker.
fn work(index: usize, shared: &SharedPool, idle: &Arc<Job>) {
    let mut worker = Box::new(Worker::new(index, Arc::clone(idle)));
    loop {
        match shared.exchange.task(index) {
            WorkerTask::Quit => return,
            WorkerTask::NewGame => worker.new_game(),
            WorkerTask::Search(job) => {
                carry_out(&mut worker, &job, idle);
                if let Some(mine) = worker.release(idle) {
                    match &mut *shared.statistics.lock() {
                        Some(sum) => sum.add(mine),
                        none => *none = Some(mine.counts_only()),
                    }
                }
            }
        }
        shared.exchange.finish(index);
    }
}

/// Runs a search on a worker. A defect in the search must not lose the game: the engine then plays what the finished
/// iterations of all threads found, or at worst any legal move.
fn carry_out(worker: &mut Worker, job: &Arc<Job>, idle: &Arc<Job>) {
    let index = worker.index;
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        worker.prepare(Arc::clone(job));
        worker.run();
    }));
    if outcome.is_err() {
        job.run.reporter.message(&format!("worker {index} failed; what it had found before stands"));
        *worker = Worker::new(index, Arc::clone(idle));
        job.abandon(index);
    }
    if index == 0 {
        job.run.signals.exhaust();
    }
}

/// Whether helpers join this search once the main worker has a move to play. In a search in rounds they take part from
/// the beginning, which is the same on every run. A level uses the main thread alone.
fn calls_helpers(job: &Job) -> bool {
    job.run.rounds.is_none() && job.task.level.is_none()
}

/// The loop of the coordinator.
fn coordinate(shared: &SharedPool) {
    let exchange = &shared.exchange;
    loop {
        match exchange.coordinators_task() {
            WorkerTask::Quit => return,
            WorkerTask::NewGame => {}
            WorkerTask::Search(job) => {
                let hard = job.task.budget.map(|budget| budget.hard);
                if calls_helpers(&job)
                    && is_worth_help(hard, exchange.workers(), shared.cores)
                    && job.run.signals.wait_for_begin(hard)
                {
                    exchange.call_helpers(&WorkerTask::Search(Arc::clone(&job)));
                }
                job.run.signals.wait_for_end(hard, job.task.limits.infinite);
                if job.run.signals.is_cut_off() {
                    exchange.wait_until(Some(GRACE), |state| state.running == 0);
                    if job.run.results[0].lock().depth == 0 {
                        let limit = job.patience().unwrap_or(FIRST_ITERATION).min(FIRST_ITERATION);
                        exchange.wait_until(Some(limit), |state| state.main_done);
                    }
                } else {
                    // The main worker ends by itself and is about to leave its result.
                    exchange.wait_until(job.patience(), |state| state.main_done);
                    // In rounds all threads stop at nodes that are the same on every run, so their results are the same
                    // too, once all have stopped. With a clock the coordinator does not wait for that.
                    let is_repeatable = job.run.rounds.is_some() && job.task.budget.is_none();
                    let limit = (!is_repeatable).then_some(GRACE);
                    exchange.wait_until(limit, |state| state.running == 0);
                }
                if job.run.statistics {
                    exchange.wait_until(None, |state| state.running == 0);
                    if let Some(sum) = shared.statistics.lock().take() {
                        job.run.reporter.message(&sum.to_string());
                    }
                }
                conclude(&job);
                drop(job);
                exchange.report();
            }
        }
    }
}

/// Whether a search that lasts `hard` at most may last long enough for helpers to be useful.
fn is_worth_help(hard: Option<Duration>, workers: usize, cores: usize) -> bool {
    hard.is_none_or(|hard| hard >= WORTH_HELP * workers.div_ceil(cores) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Game;
    use crate::run::Limits;

    /// With a clock that had run down to the increment, eight threads on two cores lost games on time.
    #[test]
    fn helpers_stay_away_from_the_shortest_searches() {
        let millis = |ms| Some(Duration::from_millis(ms));
        assert!(!is_worth_help(millis(10), 8, 2));
        assert!(is_worth_help(millis(10), 2, 2));
        assert!(is_worth_help(millis(200), 64, 2));
        assert!(is_worth_help(None, 1024, 1));
    }

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
