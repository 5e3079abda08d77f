//! Does the jobs of a queue: `enfilade worker`.
//!
//! Each thread has a name of its own at the queue and takes one job at a time. The calling thread renews the leases of
//! all threads. When the system tells the program to end, the calling thread gives the jobs back.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use redis::{Connection, RedisResult};
use thiserror::Error;

use super::address::Address;
use super::identity::Identity;
use super::queue::{Patience, Queue, QueueError, foreign_line};
use super::store::{self, Keys, Taken};
use super::task::{AnyJob, Bounds, JobRunner};
use crate::base::ending;
use crate::base::file::{self, Limit};
use crate::base::numa::Binding;
use crate::engine::facade::{EngineError, Fingerprint, Settings};

/// How often a job is given out before it is set aside.
const MAX_ATTEMPTS: u64 = 3;
/// The time between two checks whether the program must end.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The settings and limits of a worker.
#[derive(Clone, Debug)]
pub struct WorkerPlan {
    /// The number of jobs done at the same time.
    pub threads: usize,
    /// The network, the parameters and the tablebases.
    pub settings: Settings,
    /// The limits of a job.
    pub bounds: Bounds,
    /// How long a job belongs to a worker that does not renew its lease.
    pub lease: Duration,
    /// How long the server may be unreachable.
    pub patience: Duration,
}

/// A worker has ended because of an error.
#[derive(Debug, Error)]
pub enum WorkerError {
    /// The queue cannot be used.
    #[error(transparent)]
    Queue(#[from] QueueError),
    /// The system refused memory for an engine.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The system refused a thread.
    #[error("cannot start the threads: {0}")]
    Thread(#[source] std::io::Error),
    /// A thread has panicked.
    #[error("a thread of the worker has failed; its job goes back to the queue")]
    Defect,
    /// The program cannot receive the signals that end it.
    #[error("cannot wait for the signals that end the program: {0}")]
    Signals(#[source] std::io::Error),
}

/// Does jobs until the system tells the program to end. Returns the number of finished jobs. `say` receives messages.
/// Threads may still search jobs that were given back, so the program should end afterwards.
///
/// # Errors
///
/// [`WorkerError`] if no more jobs can be done. The current jobs have been given back, if the queue can be reached.
pub fn run(plan: &WorkerPlan, address: &Address, say: fn(&str)) -> Result<u64, WorkerError> {
    let is_over = Arc::new(AtomicBool::new(false));
    ending::announce_to(&is_over).map_err(WorkerError::Signals)?;
    let identity = Identity::of(&Fingerprint::of(&plan.settings));
    let keys = Keys::of(&identity.id());
    let patience = Patience { limit: plan.patience, awaits_room: true, is_over: Arc::clone(&is_over) };
    let mut queue = Queue::open(address, patience.clone())?;
    queue.call(&mut |text| say(text), |connection| store::enroll(connection, &identity))?;
    let (done, (failed, failures)) = (Arc::new(AtomicU64::new(0)), channel());
    let mut states = Vec::new();
    let name = process_name();
    let binding = Arc::new(Binding::of_job(plan.threads));
    for thread in 0..plan.threads {
        let state = Arc::new(ThreadState { consumer: format!("{name}.{thread}"), ..ThreadState::default() });
        states.push(Arc::clone(&state));
        let worker = WorkerThread {
            plan: plan.clone(),
            identity: identity.clone(),
            keys: keys.clone(),
            queue: Queue::open(address, patience.clone())?,
            state,
            runner: JobRunner::new(plan.settings.clone(), plan.bounds),
            is_over: Arc::clone(&is_over),
            done: Arc::clone(&done),
            say,
        };
        let failed = failed.clone();
        let binding = Arc::clone(&binding);
        let work = move || {
            binding.bind(thread);
            worker.work(&failed);
        };
        std::thread::Builder::new().spawn(work).map_err(WorkerError::Thread)?;
    }
    say(&format!("{} threads wait for jobs at {address}: {}", plan.threads, identity.text()));
    let keeper = LeaseKeeper { queue, keys, identity, states, lease: plan.lease, is_over, say };
    keeper.run_until_over(&failures)?;
    Ok(done.load(Ordering::SeqCst))
}

/// A name that is unique among all processes.
fn process_name() -> String {
    let host: String =
        host_name().trim().chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').take(40).collect();
    let host = if host.is_empty() { "worker" } else { &host };
    format!("{host}-{}-{:08x}", std::process::id(), RandomState::new().build_hasher().finish() as u32)
}

/// The name of this machine; empty if the system does not say.
fn host_name() -> String {
    if cfg!(windows) {
        return std::env::var("COMPUTERNAME").unwrap_or_default();
    }
    let limit = Limit { mebibytes: 1, of: "a name" };
    file::read_text(Path::new("/proc/sys/kernel/hostname"), limit).unwrap_or_default()
}

/// The state of a thread that other threads read.
#[derive(Default)]
struct ThreadState {
    /// The name of the thread at the queue.
    consumer: String,
    /// Whether the thread is doing a job. During this time it takes no other job.
    is_searching: AtomicBool,
    /// Whether the thread has ended.
    has_ended: AtomicBool,
}

/// Renews the leases of all threads, and ends the work.
struct LeaseKeeper {
    queue: Queue,
    keys: Keys,
    identity: Identity,
    states: Vec<Arc<ThreadState>>,
    lease: Duration,
    is_over: Arc<AtomicBool>,
    say: fn(&str),
}

impl LeaseKeeper {
    fn run_until_over(mut self, failures: &Receiver<WorkerError>) -> Result<(), WorkerError> {
        let ended = self.keep_leases(failures);
        self.is_over.store(true, Ordering::SeqCst);
        // A thread that waits for a job may still get one. That job must be given back too.
        while !self.states.iter().all(|state| state.takes_no_jobs()) {
            std::thread::sleep(POLL_INTERVAL);
        }
        let returned = self.for_all_threads(store::give_back);
        ended?;
        Ok(returned?)
    }

    fn keep_leases(&mut self, failures: &Receiver<WorkerError>) -> Result<(), WorkerError> {
        self.for_all_threads(store::renew)?;
        let mut renewed = Instant::now();
        while !self.is_over.load(Ordering::SeqCst) {
            std::thread::sleep(POLL_INTERVAL);
            // The lease of a thread that has ended must not be renewed.
            let has_ended = self.states.iter().any(|state| state.has_ended.load(Ordering::SeqCst));
            if has_ended && !self.is_over.load(Ordering::SeqCst) {
                return Err(failures.try_recv().unwrap_or(WorkerError::Defect));
            }
            if renewed.elapsed() >= self.lease / 4 {
                renewed = Instant::now();
                let outcome = self.for_all_threads(store::renew);
                if !self.is_over.load(Ordering::SeqCst) {
                    outcome?;
                }
            }
        }
        Ok(())
    }

    fn for_all_threads(
        &mut self,
        action: impl Fn(&mut Connection, &Keys, &str) -> RedisResult<()>,
    ) -> Result<(), QueueError> {
        let LeaseKeeper { queue, keys, identity, states, say, .. } = self;
        queue.call(&mut |text| say(text), |connection| {
            states.iter().try_for_each(|state| {
                store::or_enroll(connection, identity, |connection| action(connection, keys, &state.consumer))
            })
        })
    }
}

impl ThreadState {
    fn takes_no_jobs(&self) -> bool {
        self.is_searching.load(Ordering::SeqCst) || self.has_ended.load(Ordering::SeqCst)
    }
}

/// Notes the end of a thread, even if the thread panics.
struct EndNotice(Arc<ThreadState>);

impl Drop for EndNotice {
    fn drop(&mut self) {
        self.0.has_ended.store(true, Ordering::SeqCst);
    }
}

/// A thread that does jobs.
struct WorkerThread {
    plan: WorkerPlan,
    identity: Identity,
    keys: Keys,
    queue: Queue,
    state: Arc<ThreadState>,
    runner: JobRunner,
    is_over: Arc<AtomicBool>,
    done: Arc<AtomicU64>,
    say: fn(&str),
}

impl WorkerThread {
    fn work(mut self, failed: &Sender<WorkerError>) {
        let _notice = EndNotice(Arc::clone(&self.state));
        while !self.is_over.load(Ordering::SeqCst) {
            let Err(error) = self.do_next_job() else { continue };
            // If the program is ending, the same error appears when the jobs are given back. So it is not sent. The
            // receiver may already be gone.
            if !self.is_over.load(Ordering::SeqCst) {
                let _ = failed.send(error);
            }
            break;
        }
    }

    /// Takes a job, if there is one, and does it.
    fn do_next_job(&mut self) -> Result<(), WorkerError> {
        let say = self.say;
        let lease = self.plan.lease.as_millis() as u64;
        let WorkerThread { queue, keys, state, identity, .. } = self;
        let taken = queue.call(&mut |text| say(text), |connection| {
            store::or_enroll(connection, identity, |connection| {
                store::take(connection, keys, &state.consumer, lease)
            })
        })?;
        // A job that arrives after the order to end is not done, but given back.
        let Some(taken) = taken.filter(|_| !self.is_over.load(Ordering::SeqCst)) else { return Ok(()) };
        self.state.is_searching.store(true, Ordering::SeqCst);
        let result = self.process(&taken);
        if !self.is_over.load(Ordering::SeqCst) {
            self.state.is_searching.store(false, Ordering::SeqCst);
        }
        result
    }

    fn process(&mut self, taken: &Taken) -> Result<(), WorkerError> {
        let outcome = match self.check(taken) {
            // The answer exists already, so the job only has to be removed.
            Ok(_) if self.query_answered(taken)? => Ok(String::new()),
            Ok(job) => self.runner.answer(&job, self.say)?,
            Err(reason) => Err(reason),
        };
        let WorkerThread { queue, keys, say, .. } = self;
        match outcome {
            Ok(text) => {
                queue.call(&mut |text| say(text), |connection| {
                    store::deliver(connection, keys, taken, &text)
                })?;
                self.done.fetch_add(u64::from(!text.is_empty()), Ordering::SeqCst);
            }
            Err(reason) => {
                let reason = foreign_line(&reason);
                say(&format!("{}: {reason}; the job is set aside", described(taken)));
                queue.call(&mut |text| say(text), |connection| {
                    store::set_aside(connection, keys, taken, &reason)
                })?;
            }
        }
        Ok(())
    }

    /// Reads the job. If this worker must not do it, returns the reason.
    fn check(&self, taken: &Taken) -> Result<AnyJob, String> {
        if taken.times > MAX_ATTEMPTS {
            return Err(format!("{MAX_ATTEMPTS} workers ended or were lost while they did this job"));
        }
        AnyJob::read(taken, &self.identity, self.plan.bounds)
    }

    /// Asks the server whether the job has an answer already.
    fn query_answered(&mut self, taken: &Taken) -> Result<bool, QueueError> {
        let say = self.say;
        self.queue.call(&mut |text| say(text), |connection| store::answer_exists(connection, &taken.name))
    }
}

/// A description of the job for messages.
fn described(taken: &Taken) -> String {
    let label = if taken.label.is_empty() { "a job without a label" } else { &taken.label };
    foreign_line(&format!("{label}, job {}", taken.name))
}
