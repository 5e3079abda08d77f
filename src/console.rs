//! Output for people: standard output and standard error.
//!
//! Lost output never changes what a command does. After the first error of standard output, nothing more is written to
//! it, and the work goes on. In the end [`close`] says whether the error must be reported. What cannot be written to
//! standard error is lost. Nothing outside of this module prints (`tests/integration/layers.rs` checks this).

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::sync::OnceLock;

/// The first error of standard output. A process has one standard output, so there is one of these.
static LOSS: OnceLock<io::Error> = OnceLock::new();

/// Standard output. Writing succeeds even if the output is lost, unless [`Stdout::telling`] was called.
#[derive(Clone, Copy, Debug)]
pub struct Stdout {
    tells: bool,
}

/// Standard output to which writing always succeeds, so that results may be printed before the work is done.
pub fn stdout() -> Stdout {
    Stdout { tells: false }
}

impl Stdout {
    /// Standard output to which each write is an error once the output is lost. This is for commands whose work is
    /// nothing but output.
    pub fn telling(self) -> Stdout {
        Stdout { tells: true }
    }

    fn attempt(self, write: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        if LOSS.get().is_none() {
            note(write());
        }
        if self.tells { loss() } else { Ok(()) }
    }
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.attempt(|| io::stdout().write_all(bytes)).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.attempt(|| io::stdout().flush())
    }
}

/// Whether standard output is a terminal.
pub fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Whether standard error, where progress is shown, is a terminal.
pub fn is_watched() -> bool {
    io::stderr().is_terminal()
}

/// Prints a line on standard output.
pub fn say(line: impl Display) {
    // Writing always succeeds here.
    let _ = stdout().write_all(format!("{line}\n").as_bytes());
}

/// Prints a line on standard error. If that fails, the line is lost.
pub fn warn(line: impl Display) {
    let _ = io::stderr().write_all(format!("{line}\n").as_bytes());
}

/// Notes the result of a write to standard output that another library has made.
pub fn note(written: io::Result<()>) {
    if let Err(error) = written {
        // Only the first error counts.
        let _ = LOSS.set(error);
    }
}

/// Writes out what standard output still buffers, at the end of a program.
///
/// # Errors
/// The first error of all writes to standard output. It is no error if a reader has seen enough, such as `head`.
pub fn close() -> io::Result<()> {
    let _ = stdout().flush();
    loss().or_else(|error| if error.kind() == io::ErrorKind::BrokenPipe { Ok(()) } else { Err(error) })
}

fn loss() -> io::Result<()> {
    match LOSS.get() {
        None => Ok(()),
        Some(error) => Err(io::Error::new(error.kind(), error.to_string())),
    }
}
