//! How tasks reach the threads, and how their ends are awaited.
//!
//! One task at a time goes to the coordinator and to some of the workers. Worker 0, the main one, takes part in each. A
//! task is over when every worker that got it has finished and the coordinator has reported. Only then does the next
//! one begin. The models at the end check the interleavings.

use std::time::{Duration, Instant};

use crossbeam_utils::CachePadded;

use super::sync::{Condvar, Mutex};

/// Where one thread finds its next task. Each thread has a slot of its own. If the threads were woken together on a
/// common lock, they would take their task one after the other. Each of them would wait for a core on which the threads
/// before it already search.
struct Slot<T> {
    task: Mutex<Option<T>>,
    wake: Condvar,
}

impl<T> Slot<T> {
    fn give(&self, task: T) {
        *self.task.lock() = Some(task);
        self.wake.notify_one();
    }

    fn take(&self) -> T {
        let mut task = self.task.lock();
        loop {
            if let Some(task) = task.take() {
                return task;
            }
            self.wake.wait(&mut task);
        }
    }
}

/// The progress of the current task.
#[derive(Clone, Copy)]
pub(super) struct ExchangeState {
    /// Number of workers that have not finished the task.
    pub running: usize,
    /// Whether worker 0 has finished it.
    pub main_done: bool,
    /// Whether the coordinator has reported it.
    pub reported: bool,
}

/// What the owner, the workers and the coordinator share.
pub(super) struct Exchange<T> {
    state: Mutex<ExchangeState>,
    progress: Condvar,
    /// One slot for each worker, and the coordinator's last.
    slots: Box<[CachePadded<Slot<T>>]>,
}

impl<T: Clone> Exchange<T> {
    /// An exchange for `workers` workers and a coordinator, with no task.
    pub fn new(workers: usize) -> Exchange<T> {
        let slot = |_| CachePadded::new(Slot { task: Mutex::new(None), wake: Condvar::new() });
        Exchange {
            state: Mutex::new(ExchangeState { running: 0, main_done: true, reported: true }),
            progress: Condvar::new(),
            slots: (0..=workers).map(slot).collect(),
        }
    }

    /// Number of workers.
    pub fn workers(&self) -> usize {
        self.slots.len() - 1
    }

    /// For the owner. Waits until the previous task is over. Then gives this one to the coordinator and to the first
    /// `workers` workers, the main one among them. `reported` means that the coordinator has nothing to report about
    /// it.
    pub fn assign(&self, task: &T, reported: bool, workers: usize) {
        self.wait();
        *self.state.lock() = ExchangeState { running: workers, main_done: false, reported };
        // The coordinator comes first, because it watches the time.
        self.slots[self.workers()].give(task.clone());
        for slot in &self.slots[..workers] {
            slot.give(task.clone());
        }
    }

    /// For the coordinator, before it reports. Gives the task to the other workers too, if only the first one has it.
    pub fn call_helpers(&self, task: &T) {
        let helpers = &self.slots[1..self.workers()];
        self.state.lock().running += helpers.len();
        for slot in helpers {
            slot.give(task.clone());
        }
    }

    /// Waits until `done` is true, or until `limit` has passed.
    pub fn wait_until(&self, limit: Option<Duration>, done: impl Fn(ExchangeState) -> bool) {
        let deadline = limit.map(|limit| Instant::now() + limit);
        let mut state = self.state.lock();
        while !done(*state) {
            match deadline {
                Some(deadline) => {
                    if self.progress.wait_until(&mut state, deadline).timed_out() {
                        return;
                    }
                }
                None => self.progress.wait(&mut state),
            }
        }
    }

    /// Waits until the current task is over.
    pub fn wait(&self) {
        self.wait_until(None, |state| state.running == 0 && state.reported);
    }

    /// Whether the coordinator has nothing left to report.
    pub fn is_reported(&self) -> bool {
        self.state.lock().reported
    }

    /// Gives all threads their last task. No task may be running, and nobody waits for the end of this one.
    pub fn dismiss(&self, task: &T) {
        for slot in &self.slots {
            slot.give(task.clone());
        }
    }

    /// Waits for a worker's next task.
    pub fn task(&self, worker: usize) -> T {
        self.slots[worker].take()
    }

    /// Waits for the coordinator's next task.
    pub fn coordinators_task(&self) -> T {
        self.slots[self.workers()].take()
    }

    /// Notes that a worker has finished its task.
    pub fn finish(&self, worker: usize) {
        let mut state = self.state.lock();
        state.running -= 1;
        state.main_done |= worker == 0;
        self.progress.notify_all();
    }

    /// Notes that the coordinator has reported the task.
    pub fn report(&self) {
        self.state.lock().reported = true;
        self.progress.notify_all();
    }
}

#[cfg(all(test, loom))]
mod models {
    use loom::sync::Arc;
    use loom::sync::atomic::{AtomicUsize, Ordering};
    use loom::thread;

    use super::*;

    #[derive(Clone, Copy, PartialEq)]
    enum Task {
        Search { late_help: bool },
        NewGame,
        Quit,
    }

    /// Plays `tasks` with threads that act like the pool's, and checks after each task what was done.
    fn play(workers: usize, tasks: &'static [(Task, usize)]) {
        let exchange = Arc::new(Exchange::new(workers));
        let (done, reports) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let mut threads = Vec::new();
        for index in 0..workers {
            let (exchange, done) = (exchange.clone(), done.clone());
            threads.push(thread::spawn(move || {
                while exchange.task(index) != Task::Quit {
                    done.fetch_add(1, Ordering::Relaxed);
                    exchange.finish(index);
                }
            }));
        }
        let (shared, told) = (exchange.clone(), reports.clone());
        threads.push(thread::spawn(move || {
            loop {
                match shared.coordinators_task() {
                    Task::Quit => return,
                    Task::NewGame => {}
                    task @ Task::Search { late_help } => {
                        if late_help {
                            shared.call_helpers(&task);
                        }
                        shared.wait_until(None, |state| state.main_done);
                        told.fetch_add(1, Ordering::Relaxed);
                        shared.report();
                    }
                }
            }
        }));
        let (mut expected, mut searches) = (0, 0);
        for &(task, given) in tasks {
            let is_search = matches!(task, Task::Search { .. });
            exchange.assign(&task, !is_search, given);
            expected += if task == (Task::Search { late_help: true }) { workers } else { given };
            searches += usize::from(is_search);
            exchange.wait();
            assert_eq!(done.load(Ordering::Relaxed), expected);
            assert_eq!(reports.load(Ordering::Relaxed), searches);
        }
        exchange.dismiss(&Task::Quit);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    }

    /// Checks every interleaving in which threads are interrupted at most this many times. More take hours, and a fault
    /// in a protocol nearly always shows with two.
    fn check(workers: usize, interruptions: usize, tasks: &'static [(Task, usize)]) {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(interruptions);
        model.check(move || play(workers, tasks));
    }

    const ALONE: Task = Task::Search { late_help: false };

    #[test]
    fn one_worker_searches_twice() {
        check(1, 3, &[(ALONE, 1), (ALONE, 1)]);
    }

    #[test]
    fn a_new_game_between_searches_reaches_every_worker() {
        check(1, 2, &[(ALONE, 1), (Task::NewGame, 1), (ALONE, 1)]);
    }

    #[test]
    fn helpers_that_begin_with_the_main_worker_do_their_part() {
        check(2, 2, &[(ALONE, 2)]);
    }

    #[test]
    fn helpers_that_are_called_late_do_their_part() {
        check(2, 2, &[(Task::Search { late_help: true }, 1)]);
    }

    #[test]
    fn a_task_begins_only_after_the_last_one_is_over() {
        check(2, 1, &[(Task::Search { late_help: true }, 1), (Task::NewGame, 2)]);
    }
}
