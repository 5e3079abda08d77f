//! The output: one lock, whole lines, each flushed at once.
//!
//! The search threads and the thread that reads commands both print. A line is formatted before the lock is taken, and
//! written in one piece while the lock is held. So lines never mix, and the lock is held only while the pipe accepts
//! the bytes.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use crate::base::file::{self, FileError};

/// The longest `info string`, in characters. Messages quote the input, which may be a megabyte.
const MAX_MESSAGE: usize = 400;

struct Streams {
    writer: Box<dyn Write + Send>,
    log: Option<File>,
}

/// Writes lines to the output, and a copy to the log file if there is one.
pub struct Output {
    streams: Mutex<Streams>,
    // Relaxed: this is only a hint that the reader has gone. It publishes no other data.
    broken: AtomicBool,
}

impl Output {
    /// An output that writes to `writer`.
    pub fn new(writer: impl Write + Send + 'static) -> Output {
        Output {
            streams: Mutex::new(Streams { writer: Box::new(writer), log: None }),
            broken: AtomicBool::new(false),
        }
    }

    /// Prints one or more whole lines in one piece. `lines` has no final line feed.
    pub fn print(&self, lines: &str) {
        self.print_after(lines, || {});
    }

    /// Calls `first` and then prints, both under one lock. Whoever sees the line also sees the effect of `first`.
    pub fn print_after(&self, lines: &str, first: impl FnOnce()) {
        let text = format!("{lines}\n");
        let mut streams = self.streams.lock();
        first();
        let written = streams.writer.write_all(text.as_bytes()).and_then(|()| streams.writer.flush());
        if written.is_err() {
            self.broken.store(true, Ordering::Relaxed);
        }
        streams.copy("<<", lines);
    }

    /// Prints free text as an `info string`. The result is one line, whatever the text contains.
    pub fn info_string(&self, text: &str) {
        let mut message: String =
            text.chars().take(MAX_MESSAGE).map(|c| if c.is_control() { ' ' } else { c }).collect();
        if text.chars().nth(MAX_MESSAGE).is_some() {
            message.push_str("...");
        }
        self.print(&format!("info string {message}"));
    }

    /// Copies a received line to the log file.
    pub fn log_input(&self, line: &str) {
        self.streams.lock().copy(">>", line);
    }

    /// From now on appends a copy of both directions to the file at `path`; `None` ends the log.
    ///
    /// # Errors
    ///
    /// If the file cannot be opened, or if it is a pipe: to open a pipe, the engine would have to wait for its reader.
    /// The log then stays as it was.
    pub fn log_to(&self, path: Option<&Path>) -> Result<(), FileError> {
        let file = path.map(file::append).transpose()?;
        self.streams.lock().log = file;
        Ok(())
    }

    /// Whether writing has failed, because the reader has gone.
    pub fn is_broken(&self) -> bool {
        self.broken.load(Ordering::Relaxed)
    }
}

impl Streams {
    /// Errors are ignored: a log that cannot be written, such as on a full disk, must not disturb the game.
    fn copy(&mut self, prefix: &str, lines: &str) {
        if let Some(file) = &mut self.log {
            let text: String = lines.lines().map(|line| format!("{prefix} {line}\n")).collect();
            let _ = file.write_all(text.as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::Arc;

    use super::*;

    /// A writer that keeps the bytes of each write.
    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<Vec<u8>>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().push(bytes.to_vec());
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    struct Closed;

    impl Write for Closed {
        fn write(&mut self, _bytes: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn messages_stay_on_one_line() {
        let shared = Shared::default();
        let output = Output::new(shared.clone());
        output.info_string("one\ntwo\u{0}");
        output.info_string(&"x".repeat(1000));
        let text = String::from_utf8(shared.0.lock().concat()).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "info string one two ");
        assert_eq!(lines[1].len(), "info string ".len() + MAX_MESSAGE + 3);
    }

    /// A text and its line end were once written separately, and another line came between them.
    #[test]
    fn a_line_and_its_end_are_written_at_once() {
        let shared = Shared::default();
        Output::new(shared.clone()).print("info depth 1\nbestmove e2e4");
        assert_eq!(*shared.0.lock(), [b"info depth 1\nbestmove e2e4\n".to_vec()]);
    }

    #[test]
    fn both_directions_are_logged() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("dialogue.log");
        let output = Output::new(Shared::default());
        output.log_to(Some(&path)).unwrap();
        output.log_input("isready");
        output.print("readyok");
        output.log_to(None).unwrap();
        output.print("not logged");
        assert_eq!(std::fs::read_to_string(path).unwrap(), ">> isready\n<< readyok\n");
        assert!(output.log_to(Some(folder.path())).is_err());
    }

    #[test]
    fn a_closed_pipe_is_detected() {
        let output = Output::new(Closed);
        assert!(!output.is_broken());
        output.print("readyok");
        assert!(output.is_broken());
    }

    /// The session's thread would wait for a reader of the pipe and would not answer meanwhile.
    #[cfg(all(unix, not(miri)))]
    #[test]
    fn a_pipe_is_refused_as_a_log_and_a_device_is_not() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        let (sender, receiver) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let output = Output::new(io::sink());
            sender.send([output.log_to(Some(&path)), output.log_to(Some(Path::new("/dev/null")))]).unwrap();
        });
        // The time limit only detects a hang.
        let [pipe, device] = receiver.recv_timeout(std::time::Duration::from_secs(60)).expect("an answer");
        assert!(pipe.is_err() && device.is_ok());
    }
}
