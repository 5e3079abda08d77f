//! Virtual threads: the threads of a search take turns on the thread that asks for it, as if each had a core of its
//! own.
//!
//! What one thread's results are worth to the others does not depend on the hardware, so many threads can be studied on
//! few cores. Each virtual thread has a stack of its own (`corosensei`) and searches some nodes whenever it has the
//! turn. It passes the turn on where the search looks at its node count ([`crate::engine::run::rounds::PassTurn`]). In
//! each cycle every thread has one turn. The order of the turns and their lengths are drawn at random each time, so
//! that no two threads run in step. All random numbers come from the caller: the same numbers give the same search.
//!
//! Workers, the moment at which helpers join, the vote and the report are the same as in [`super::Pool`].
//!
//! System threads that hand each other the turn would not need extra stacks. But a change of stacks is a thousand times
//! as fast (docs/methods.md), and the system would move these threads to cores on which other games are played.

use std::cell::Cell;
use std::ptr::NonNull;
use std::sync::Arc;

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};

use super::conclusion::conclude;
use super::helpers;
use super::room::is_room_for;
use super::thread_pool::PoolError;
use super::worker_loop::{STACK_BYTES, carry_out};
use crate::base::random::Random;
use crate::engine::run::job::Job;
use crate::engine::search::worker::Worker;

/// Threads that take turns on the one that asks for a search.
pub struct VirtualPool {
    /// The threads by index; `None` for those that search.
    sleepers: Vec<Option<SleepingThread>>,
    idle: Arc<Job>,
    /// Mean length of a turn in nodes.
    turn: u64,
}

/// A virtual thread between two searches.
struct SleepingThread {
    worker: Box<Worker>,
    stack: DefaultStack,
}

impl VirtualPool {
    /// `threads` threads, at least 1, with turns of `turn` nodes on average, at least 1. Each thread owns about 3 MB
    /// until its first search, and less afterwards if it shares its histories.
    ///
    /// # Errors
    /// If the system does not have the memory or refuses a stack.
    pub fn new(threads: usize, turn: u64, idle: &Arc<Job>) -> Result<VirtualPool, PoolError> {
        if !is_room_for(threads, STACK_BYTES) {
            return Err(PoolError::Memory { threads });
        }
        let sleeper = |index| {
            let stack = DefaultStack::new(STACK_BYTES).map_err(|source| PoolError::Refused {
                thread: format!("virtual thread {} of {threads}", index + 1),
                source,
            })?;
            Ok(Some(SleepingThread { worker: Box::new(Worker::new(index, Arc::clone(idle))), stack }))
        };
        let sleepers = (0..threads).map(sleeper).collect::<Result<_, PoolError>>()?;
        Ok(VirtualPool { sleepers, idle: Arc::clone(idle), turn })
    }

    /// Number of threads.
    pub fn threads(&self) -> usize {
        self.sleepers.len()
    }

    /// Lets all threads forget earlier games.
    pub fn new_game(&mut self) {
        self.sleepers.iter_mut().flatten().for_each(|sleeper| sleeper.worker.new_game());
    }

    /// Carries out a job and reports it. Its limits must end it by themselves, and its threads must pass their turns
    /// with [`VirtualPool::pass_turn`].
    pub fn search(&mut self, job: &Arc<Job>, random: &mut Random) {
        let threads = self.threads();
        let mut searchers = vec![self.wake(0, job)];
        let mut sleeping = 1..threads;
        if let Some(rounds) = &job.run.rounds {
            rounds.restrict_to(threads);
            searchers.extend(sleeping.by_ref().map(|index| self.wake(index, job)));
        }
        while !searchers.is_empty() {
            random.shuffle(&mut searchers);
            let mut at = 0;
            while at < searchers.len() {
                match searchers[at].take_turn(self.turn_length(random)) {
                    None => at += 1,
                    Some(worker) => {
                        let stack = searchers.remove(at).0.into_stack();
                        self.take_back(worker, stack, job);
                    }
                }
            }
            if helpers::join_late(job) && job.run.signals.has_begun() {
                searchers.extend(sleeping.by_ref().map(|index| self.wake(index, job)));
            }
        }
        conclude(job);
    }

    /// The random length of a turn in nodes, between half of the mean and one and a half times the mean.
    fn turn_length(&self, random: &mut Random) -> u64 {
        let half = self.turn / 2;
        self.turn - half + random.below(2 * half as usize + 1) as u64
    }

    fn wake(&mut self, index: usize, job: &Arc<Job>) -> VirtualThread {
        let sleeper = self.sleepers[index].take().expect("each thread has one search at a time");
        VirtualThread::new(sleeper, job, &self.idle)
    }

    /// Takes back a thread that has finished. When the main thread finishes, the search ends.
    fn take_back(&mut self, worker: Box<Worker>, stack: DefaultStack, job: &Job) {
        let index = worker.index;
        self.sleepers[index] = Some(SleepingThread { worker, stack });
        if index == 0 {
            job.run.signals.wait_for_end(None, false);
        }
    }

    /// Passes the turn of the virtual thread that runs on the calling thread. Returns the number of nodes of its next
    /// turn.
    ///
    /// # Panics
    /// If no virtual thread runs on the calling thread.
    pub fn pass_turn() -> u64 {
        let yielder = RUNNING.get().expect("a virtual thread runs");
        // SAFETY: a coroutine stores its yielder there when it begins and when it continues. `VirtualThread::take_turn`
        // removes the yielder when the coroutine pauses or ends. So code that finds it runs on the coroutine's own
        // stack, where the yielder lives until the coroutine ends. No other thread has it, because coroutines stay on
        // the thread that made them. What it buys: a search can pause at any depth, and none of its functions has to
        // hand on a yielder.
        let nodes = unsafe { yielder.as_ref() }.suspend(());
        RUNNING.set(Some(yielder));
        nodes
    }
}

thread_local! {
    /// The yielder of the virtual thread that runs on this thread.
    static RUNNING: Cell<Option<NonNull<Yielder<u64, ()>>>> = const { Cell::new(None) };
}

/// A virtual thread that searches. Each turn gives it a number of nodes. At the end it returns its worker.
struct VirtualThread(Coroutine<u64, (), Box<Worker>>);

impl VirtualThread {
    fn new(
        SleepingThread { mut worker, stack }: SleepingThread,
        job: &Arc<Job>,
        idle: &Arc<Job>,
    ) -> VirtualThread {
        let (job, idle) = (Arc::clone(job), Arc::clone(idle));
        // The first turn ends at the first node, whatever its length.
        let search = move |yielder: &Yielder<u64, ()>, _| {
            RUNNING.set(Some(NonNull::from(yielder)));
            carry_out(&mut worker, &job, &idle);
            worker.release(&idle);
            worker
        };
        VirtualThread(Coroutine::with_stack(stack, search))
    }

    /// Searches for a turn of `nodes` nodes. Returns the worker if its search is over.
    fn take_turn(&mut self, nodes: u64) -> Option<Box<Worker>> {
        let _clear = ClearRunning;
        match self.0.resume(nodes) {
            CoroutineResult::Yield(()) => None,
            CoroutineResult::Return(worker) => Some(worker),
        }
    }
}

/// When it is dropped, no virtual thread runs any more. A panic drops it too.
struct ClearRunning;

impl Drop for ClearRunning {
    fn drop(&mut self) {
        RUNNING.set(None);
    }
}
