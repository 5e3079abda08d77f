//! Threads that begin their work together, or not at all where the system refuses one of them.

use std::io;
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, ScopedJoinHandle};

use thiserror::Error;

/// The system has not got so many threads.
#[derive(Debug, Error)]
#[error("cannot start {threads} threads: {source}")]
pub struct ThreadsRefused {
    threads: usize,
    source: io::Error,
}

/// Has `work` done on a thread for each of the `workers`, and returns what came of it in their order.
///
/// # Errors
/// If the system refuses a thread; then no worker has begun.
///
/// # Panics
/// If `work` does, once all threads have ended.
pub fn work<W: Send, R: Send>(
    workers: Vec<W>,
    work: impl Fn(W) -> R + Sync,
) -> Result<Vec<R>, ThreadsRefused> {
    let tools = vec![(); workers.len()];
    work_with(workers, || Ok(tools), |worker, ()| work(worker))
}

/// The same, where each worker gets one of the tools that `equip` makes once all threads are there: what must be left alone by a job
/// that cannot begin.
///
/// # Errors
/// If the system refuses a thread, or that of `equip`; then no worker has begun.
///
/// # Panics
/// If `work` does, once all threads have ended.
pub fn work_with<W: Send, T: Send, R: Send, E: From<ThreadsRefused>>(
    workers: Vec<W>,
    equip: impl FnOnce() -> Result<Vec<T>, E>,
    work: impl Fn(W, T) -> R + Sync,
) -> Result<Vec<R>, E> {
    let (count, work) = (workers.len(), &work);
    thread::scope(|scope| {
        let mut crew: Vec<(Sender<T>, ScopedJoinHandle<Option<R>>)> = Vec::with_capacity(count);
        for worker in workers {
            let (order, orders) = channel();
            // There is no order where the crew is sent home.
            let begin = move || orders.recv().ok().map(|tool| work(worker, tool));
            let thread = thread::Builder::new().spawn_scoped(scope, begin);
            crew.push((order, thread.map_err(|source| ThreadsRefused { threads: count, source })?));
        }
        let begin = |((order, thread), tool): ((Sender<T>, _), T)| {
            let _ = order.send(tool);
            thread
        };
        let threads: Vec<ScopedJoinHandle<_>> = crew.into_iter().zip(equip()?).map(begin).collect();
        let results = threads.into_iter().map(|thread| match thread.join() {
            Ok(result) => result.expect("the thread got its order"),
            Err(panic) => std::panic::resume_unwind(panic),
        });
        Ok(results.collect())
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[test]
    fn everyone_works_with_a_tool_of_its_own() {
        let equip = || Ok::<_, ThreadsRefused>(vec![10, 20, 30]);
        assert_eq!(work_with(vec![1, 2, 3], equip, |worker, tool| worker + tool).unwrap(), [11, 22, 33]);
        assert_eq!(work(vec![1, 2], |worker| 2 * worker).unwrap(), [2, 4]);
    }

    #[test]
    fn nobody_begins_where_there_are_no_tools() {
        let has_begun = AtomicBool::new(false);
        let refused = || ThreadsRefused { threads: 7, source: io::ErrorKind::OutOfMemory.into() };
        let result = work_with(
            vec![1, 2],
            || Err::<Vec<()>, _>(refused()),
            |_, ()| has_begun.store(true, Ordering::Relaxed),
        );
        assert!(result.unwrap_err().to_string().starts_with("cannot start 7 threads: "));
        assert!(!has_begun.into_inner());
    }
}
