//! A session: a thread that carries out the lines of one client. Its input and output are queues, so that it knows
//! nothing of sockets and never waits for one.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use parking_lot::Mutex;
use tokio::sync::mpsc;

use super::access::Admission;
use super::client::SessionClient;
use super::server::Server;
use crate::engine::pool::prompt;
use crate::engine::uci::Session;
use crate::engine::uci::output::Output;

/// Lines that may wait for the session's thread.
const INPUT: usize = 16;
/// Lines that may wait for a slow client. A client that is further behind is dropped.
const OUTPUT: usize = 1024;
/// A line of UCI needs little stack; the searches have threads of their own.
const STACK_BYTES: usize = 1 << 20;
/// The longest line, in bytes. The longest game that the rules allow takes 90 KB.
pub(super) const LONGEST_LINE: usize = 128 << 10;

/// What a client has sent.
pub(super) enum Input {
    Line(String),
    /// The beginning of a line that is too long.
    Part(String),
}

impl Input {
    /// A line of `bytes`, of which only the first [`LONGEST_LINE`] count.
    pub fn of(bytes: &[u8]) -> Input {
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        match bytes.get(..LONGEST_LINE) {
            Some(part) if bytes.len() > LONGEST_LINE => Input::Part(text(part)),
            _ => Input::Line(text(bytes)),
        }
    }
}

/// The two ends of a session.
pub(super) struct Ends {
    /// Takes the client's lines. The session ends when it is dropped.
    pub lines: mpsc::Sender<Input>,
    /// Gives texts of one or more lines, each with its line feed. Ends when the session has ended.
    pub answers: mpsc::Receiver<String>,
}

/// Starts a session with what `admission` allows.
pub(super) fn start(server: &Arc<Server>, admission: Admission) -> io::Result<Ends> {
    let (lines, mut input) = mpsc::channel(INPUT);
    let (sender, answers) = mpsc::channel(OUTPUT);
    let number = server.next_number.fetch_add(1, Ordering::Relaxed);
    let server = Arc::clone(server);
    let thread = std::thread::Builder::new().name(format!("session {number}")).stack_size(STACK_BYTES);
    thread.spawn(move || {
        prompt::wake_promptly();
        let queue = AnswerQueue::new(sender);
        let open = OpenSession::new(&server, &queue);
        let client = SessionClient::new(Arc::clone(&server), Arc::clone(&admission.0), number);
        let (setup, options) = (client.setup().clone(), client.declarations());
        let output = Arc::new(Output::new(queue.clone()));
        let mut session = Session::with_backend(client, setup, options, Arc::clone(&output));
        while let Some(input) = input.blocking_recv() {
            let next = match input {
                Input::Line(line) => session.line(&line),
                Input::Part(line) => session.part_of_line(&line),
            };
            if next == ControlFlow::Break(()) || output.is_broken() {
                break;
            }
        }
        session.halt();
        drop((open, admission));
    })?;
    Ok(Ends { lines, answers })
}

/// Counts a session as long as it is open, and tells the reader of its answers when it ends, even by a panic. The end
/// of the thread alone would not do: the last search still has the output, in an engine that waits for the next one.
struct OpenSession<'s> {
    server: &'s Server,
    queue: &'s AnswerQueue,
}

impl<'s> OpenSession<'s> {
    fn new(server: &'s Server, queue: &'s AnswerQueue) -> OpenSession<'s> {
        server.metrics.sessions.fetch_add(1, Ordering::Relaxed);
        OpenSession { server, queue }
    }
}

impl Drop for OpenSession<'_> {
    fn drop(&mut self) {
        self.queue.close();
        self.server.metrics.sessions.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Passes on each write as one text. Fails if the queue is full, because the client reads too slowly.
#[derive(Clone)]
struct AnswerQueue(Arc<Mutex<Option<mpsc::Sender<String>>>>);

impl AnswerQueue {
    fn new(sender: mpsc::Sender<String>) -> AnswerQueue {
        AnswerQueue(Arc::new(Mutex::new(Some(sender))))
    }

    /// Tells the reader that nothing follows.
    fn close(&self) {
        *self.0.lock() = None;
    }
}

impl Write for AnswerQueue {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let sent = self.0.lock().as_ref().is_some_and(|sender| sender.try_send(text).is_ok());
        if sent { Ok(bytes.len()) } else { Err(io::ErrorKind::BrokenPipe.into()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_that_nobody_empties_breaks_the_output() {
        let (sender, mut answers) = mpsc::channel(2);
        let queue = AnswerQueue::new(sender);
        let output = Output::new(queue.clone());
        output.print("one");
        output.print("two\nthree");
        assert!(!output.is_broken());
        output.print("four");
        assert!(output.is_broken());
        let read: Vec<String> = std::iter::from_fn(|| answers.try_recv().ok()).collect();
        assert_eq!(read, ["one\n", "two\nthree\n"]);
        queue.close();
        assert!(answers.is_closed());
    }

    #[test]
    fn the_end_of_a_line_that_is_too_long_is_left_out() {
        assert!(matches!(Input::of(b"stop"), Input::Line(line) if line == "stop"));
        let exact = vec![b'a'; LONGEST_LINE];
        assert!(matches!(Input::of(&exact), Input::Line(line) if line.len() == LONGEST_LINE));
        let long = vec![b'a'; LONGEST_LINE + 1];
        assert!(matches!(Input::of(&long), Input::Part(line) if line.len() == LONGEST_LINE));
    }
}
