//! The lines of one search on their way to its upload. Neither side waits for the other: the search appends whole
//! lines, the upload takes all that there are.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use bytes::{Bytes, BytesMut};
use parking_lot::Mutex;

/// The number of lines that may wait. Then the oldest is dropped: the newer lines say more, and a reader that has
/// stopped reading must not fill the memory.
const MAX_LINES: usize = 256;

/// The lines that wait, and whether more will come.
#[derive(Default)]
pub(super) struct LineQueue {
    state: Mutex<QueueState>,
}

#[derive(Default)]
struct QueueState {
    lines: VecDeque<Bytes>,
    /// No more lines will come.
    is_finished: bool,
    /// Nobody wants the lines.
    is_abandoned: bool,
    /// The upload, if it waits for lines.
    reader: Option<Waker>,
}

impl LineQueue {
    /// Appends whole lines, each with its line feed.
    pub fn push(&self, lines: &[u8]) {
        self.change(|state| {
            if state.lines.len() >= MAX_LINES {
                state.lines.pop_front();
            }
            state.lines.push_back(Bytes::copy_from_slice(lines));
        });
    }

    /// Notes that no more lines will come.
    pub fn finish(&self) {
        self.change(|state| state.is_finished = true);
    }

    /// Notes that nobody wants the lines any more. The search sees this at its next line; an order to the analyst stops
    /// it at once.
    pub fn abandon(&self) {
        self.change(|state| state.is_abandoned = true);
    }

    /// Whether nobody wants the lines any more.
    pub fn is_abandoned(&self) -> bool {
        self.state.lock().is_abandoned
    }

    /// Whether no more lines will come.
    pub fn is_finished(&self) -> bool {
        self.state.lock().is_finished
    }

    /// Takes all lines that wait. Ready with `None` at the end.
    pub fn poll_take(&self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let mut state = self.state.lock();
        if state.lines.is_empty() {
            if state.is_finished {
                return Poll::Ready(None);
            }
            state.reader = Some(context.waker().clone());
            return Poll::Pending;
        }
        let mut taken = BytesMut::new();
        state.lines.drain(..).for_each(|line| taken.extend_from_slice(&line));
        Poll::Ready(Some(taken.freeze()))
    }

    fn change(&self, change: impl FnOnce(&mut QueueState)) {
        let mut state = self.state.lock();
        change(&mut state);
        let reader = state.reader.take();
        drop(state);
        reader.into_iter().for_each(Waker::wake);
    }
}

/// The writing end, for [`crate::engine::uci::output::Output`], which writes whole lines.
pub(super) struct LineWriter(pub Arc<LineQueue>);

impl Write for LineWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.push(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(queue: &LineQueue) -> Poll<Option<Bytes>> {
        queue.poll_take(&mut Context::from_waker(Waker::noop()))
    }

    #[test]
    fn lines_come_in_their_order_and_end_after_the_last() {
        let queue = LineQueue::default();
        assert_eq!(take(&queue), Poll::Pending);
        queue.push(b"one\n");
        queue.push(b"two\n");
        queue.finish();
        assert_eq!(take(&queue), Poll::Ready(Some(Bytes::from("one\ntwo\n"))));
        assert_eq!(take(&queue), Poll::Ready(None));
    }

    #[test]
    fn a_reader_that_sleeps_costs_the_oldest_lines() {
        let queue = LineQueue::default();
        for number in 0..MAX_LINES + 2 {
            queue.push(format!("{number}\n").as_bytes());
        }
        let Poll::Ready(Some(taken)) = take(&queue) else { panic!("lines wait") };
        let text = String::from_utf8(taken.to_vec()).unwrap();
        assert_eq!(text.lines().count(), MAX_LINES);
        assert_eq!((text.lines().next(), text.lines().last()), (Some("2"), Some("257")));
    }

    #[test]
    fn a_waiting_reader_is_woken() {
        let queue = Arc::new(LineQueue::default());
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let writer = Arc::clone(&queue);
        let thread = std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(20));
            writer.push(b"late\n");
        });
        let taken = runtime.block_on(std::future::poll_fn(|context| queue.poll_take(context)));
        assert_eq!(taken, Some(Bytes::from("late\n")));
        thread.join().unwrap();
    }
}
