//! A session: a thread that carries out the lines of one client. Its input and output are queues, so that it knows
//! nothing of sockets and never waits for one.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;

use super::client::SessionClient;
use super::metrics::Metrics;
use super::server::{Seat, Server};
use crate::engine::pool::prompt;
use crate::engine::uci::Session;
use crate::engine::uci::output::Output;

/// Lines that may wait for the session's thread.
const INPUT: usize = 1;
/// Answers that may wait for a client before its next line is carried out.
pub(super) const BACKLOG: usize = 256;
/// Answers that may wait for a slow client. A client that is further behind is dropped. Between two lines a search may
/// still send some groups of lines, each with as many as a position has moves.
const OUTPUT: usize = 2048;
/// A line of UCI needs little stack; the searches have threads of their own.
const STACK_BYTES: usize = 1 << 20;
/// Why a client gets no session although there is a seat.
pub(super) const NO_THREAD: &str = "the system refuses a thread";
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
    pub is_behind: IsBehind,
}

/// Whether more answers waited for a client than it may leave unread. It gets no more of them then.
#[derive(Clone, Default)]
pub(super) struct IsBehind(Arc<AtomicBool>);

impl IsBehind {
    // Relaxed: the flag is set before the queue of answers is closed, and read after its end.
    pub fn is_true(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// How a conversation ended. A client that is behind is counted as dropped already, however its connection ends.
    pub fn forgive(&self, ended: io::Result<()>) -> io::Result<()> {
        if self.is_true() { Ok(()) } else { ended }
    }
}

/// Starts a session on a seat.
pub(super) fn start(server: &Arc<Server>, seat: Seat) -> io::Result<Ends> {
    let (lines, mut input) = mpsc::channel(INPUT);
    let (sender, answers) = mpsc::channel(OUTPUT);
    let number = server.next_number.fetch_add(1, Ordering::Relaxed);
    let server = Arc::clone(server);
    let queue = AnswerQueue::new(sender, Arc::clone(&server.metrics));
    let is_behind = queue.is_behind.clone();
    let thread = std::thread::Builder::new().name(format!("session {number}")).stack_size(STACK_BYTES);
    thread.spawn(move || {
        prompt::wake_promptly();
        let open = OpenSession::new(&server, &queue);
        let client = SessionClient::new(Arc::clone(&server), seat.grant(), number);
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
        drop((open, seat));
    })?;
    Ok(Ends { lines, answers, is_behind })
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

/// Passes on each write as one text. Fails if the queue is full, because the client reads too slowly. The queue ends
/// then: whoever reads on would miss lines without knowing it.
#[derive(Clone)]
struct AnswerQueue {
    sender: Arc<Mutex<Option<mpsc::Sender<String>>>>,
    is_behind: IsBehind,
    metrics: Arc<Metrics>,
}

impl AnswerQueue {
    fn new(sender: mpsc::Sender<String>, metrics: Arc<Metrics>) -> AnswerQueue {
        AnswerQueue { sender: Arc::new(Mutex::new(Some(sender))), is_behind: IsBehind::default(), metrics }
    }

    /// Tells the reader that nothing follows.
    fn close(&self) {
        *self.sender.lock() = None;
    }
}

impl Write for AnswerQueue {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let mut sender = self.sender.lock();
        match sender.as_ref().map(|sender| sender.try_send(text)) {
            Some(Ok(())) => return Ok(bytes.len()),
            Some(Err(TrySendError::Full(_))) => {
                self.is_behind.0.store(true, Ordering::Relaxed);
                Metrics::add(&self.metrics.dropped);
                *sender = None;
            }
            Some(Err(TrySendError::Closed(_))) | None => {}
        }
        Err(io::ErrorKind::BrokenPipe.into())
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
        let metrics = Arc::new(Metrics::default());
        let queue = AnswerQueue::new(sender, Arc::clone(&metrics));
        let output = Output::new(queue.clone());
        output.print("one");
        output.print("two\nthree");
        assert!(!output.is_broken());
        output.print("four");
        assert!(output.is_broken() && queue.is_behind.is_true());
        assert_eq!(answers.try_recv().as_deref(), Ok("one\n"));
        output.print("five");
        assert_eq!(answers.try_recv().as_deref(), Ok("two\nthree\n"));
        assert!(answers.is_closed(), "nothing comes after a gap");
        assert_eq!(metrics.dropped.load(Ordering::Relaxed), 1);
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
