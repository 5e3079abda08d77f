//! Numbered pieces of work for several threads. The threads begin together, or not at all if the system refuses one of
//! them.
//!
//! Other threads: training and perft split their work with rayon, because pieces with numbers would be too small or too
//! unequal. The search's threads live as long as their engine (`pool`). An analysis adds pieces of work while others
//! are done (`analyse::workers`). A fleet's worker gets its jobs from a server (`fleet::worker`). The parts of the
//! table belong to bound threads (`tt::parts`). A server has a thread for each session and one for the scheduler
//! (`serve`), and a provider has one for its searches (`provider::analyst`).

use std::io;
use std::ops::ControlFlow;
use std::sync::mpsc::channel;
use std::thread;

use parking_lot::Mutex;
use thiserror::Error;

use crate::base::numa::Binding;

/// The most threads of a search or of another job.
pub const MAX_THREADS: usize = 1024;

/// The system cannot start this many threads.
#[derive(Debug, Error)]
#[error("cannot start {threads} threads: {source}")]
pub struct ThreadsRefused {
    threads: usize,
    source: io::Error,
}

/// Does `work` for each of the `numbers`, on a thread for each of the `workers`. A worker that is free takes the next
/// number. `done` gets each result, from one thread at a time. If `done` breaks off, no further number is taken, but
/// `done` still gets the results of work that has begun.
///
/// The first numbers go to the workers in their order: each of them gets one, if there are enough.
///
/// # Errors
/// If the system refuses a thread. Then no worker has begun.
///
/// # Panics
/// If `work` or `done` panics, once all threads have ended.
pub fn share_out<W: Send, R>(
    workers: Vec<W>,
    numbers: impl Iterator<Item = u64> + Send,
    work: impl Fn(&mut W, u64) -> R + Sync,
    done: impl FnMut(u64, R) -> ControlFlow<()> + Send,
) -> Result<(), ThreadsRefused> {
    let tools = vec![(); workers.len()];
    share_out_with(workers, || Ok(tools), numbers, |worker, (), number| work(worker, number), done)
}

/// Does work as [`share_out`] does, but each worker also gets one of the tools that `equip` makes once all threads
/// exist. `equip` is the place for steps with lasting effects, such as new files: if a thread is refused, it is never
/// called.
///
/// # Errors
/// If the system refuses a thread, or the error of `equip`. Then no worker has begun.
///
/// # Panics
/// If `work` or `done` does, once all threads have ended.
pub fn share_out_with<W: Send, T: Send, R, E: From<ThreadsRefused>>(
    workers: Vec<W>,
    equip: impl FnOnce() -> Result<Vec<T>, E>,
    mut numbers: impl Iterator<Item = u64> + Send,
    work: impl Fn(&mut W, &mut T, u64) -> R + Sync,
    done: impl FnMut(u64, R) -> ControlFlow<()> + Send,
) -> Result<(), E> {
    let count = workers.len();
    let first_numbers: Vec<u64> = numbers.by_ref().take(count).collect();
    let shared = &Mutex::new((numbers, done, ControlFlow::Continue(())));
    let work_on = |mut worker: W, mut tool: T, first_number: u64| {
        let mut next = Some(first_number);
        while let Some(number) = next {
            let result = work(&mut worker, &mut tool, number);
            let (numbers, done, flow) = &mut *shared.lock();
            if done(number, result).is_break() {
                *flow = ControlFlow::Break(());
            }
            next = if flow.is_break() { None } else { numbers.next() };
        }
    };
    let work_on = &work_on;
    let binding = &Binding::of_job(count);
    thread::scope(|scope| {
        let mut crew = Vec::with_capacity(count);
        for (index, worker) in workers.into_iter().enumerate() {
            let (order, orders) = channel();
            let begin = move || {
                binding.bind(index);
                // There is no order if another thread was refused, or if there are more workers than numbers.
                if let Ok((tool, first_number)) = orders.recv() {
                    work_on(worker, tool, first_number);
                }
            };
            let thread = thread::Builder::new().spawn_scoped(scope, begin);
            crew.push((order, thread.map_err(|source| ThreadsRefused { threads: count, source })?));
        }
        for ((order, _), tool_and_number) in crew.iter().zip(equip()?.into_iter().zip(first_numbers)) {
            let _ = order.send(tool_and_number);
        }
        for (order, thread) in crew {
            drop(order);
            if let Err(panic) = thread.join() {
                std::panic::resume_unwind(panic);
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    /// Which worker did which number with which tool, for `workers` workers.
    fn shared_out(workers: u64, numbers: impl Iterator<Item = u64> + Send) -> Vec<(u64, u64, u64)> {
        let mut all = Vec::new();
        share_out_with(
            (1..=workers).collect(),
            || Ok::<_, ThreadsRefused>((1..=workers).map(|worker| 10 * worker).collect()),
            numbers,
            |worker, tool, _| (*worker, *tool),
            |number, (worker, tool)| {
                all.push((number, worker, tool));
                ControlFlow::Continue(())
            },
        )
        .unwrap();
        all.sort_unstable();
        all
    }

    #[test]
    fn every_number_is_done_once_and_every_worker_gets_one() {
        let all = shared_out(3, 5..105);
        assert_eq!(all.iter().map(|(number, ..)| *number).collect::<Vec<_>>(), (5..105).collect::<Vec<_>>());
        assert!(all.iter().all(|(_, worker, tool)| *tool == 10 * worker), "with a tool of its own: {all:?}");
        assert_eq!(all[..3], [(5, 1, 10), (6, 2, 20), (7, 3, 30)]);
        assert_eq!(shared_out(3, [7, 4].into_iter()), [(4, 2, 20), (7, 1, 10)]);
        assert_eq!(shared_out(3, 0..0), []);
    }

    #[test]
    fn after_a_break_only_results_of_work_in_progress_arrive() {
        let mut done = Vec::new();
        share_out(
            vec![(); 2],
            0..1_000,
            |(), number| number,
            |number, result| {
                assert_eq!(number, result);
                done.push(number);
                if done.contains(&5) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            },
        )
        .unwrap();
        let last = done.iter().position(|number| *number == 5).unwrap();
        assert!(done.len() <= last + 2, "one more at most: {done:?}");
    }

    #[test]
    fn no_worker_begins_if_equip_fails() {
        let has_begun = AtomicBool::new(false);
        let refused = || ThreadsRefused { threads: 7, source: io::ErrorKind::OutOfMemory.into() };
        let result = share_out_with(
            vec![1, 2],
            || Err::<Vec<()>, _>(refused()),
            0..9,
            |_, (), _| has_begun.store(true, Ordering::Relaxed),
            |_, ()| ControlFlow::Continue(()),
        );
        assert!(result.unwrap_err().to_string().starts_with("cannot start 7 threads: "));
        assert!(!has_begun.into_inner());
    }
}
