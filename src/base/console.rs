//! Output for people: standard output and standard error.
//!
//! Lost output never changes what a command does. After the first error of standard output, nothing more is written to
//! it, and the work goes on. In the end [`close`] says whether the error must be reported. What cannot be written to
//! standard error is lost. Nothing outside of this module prints (`tests/integration/layers/edges.rs` checks this).

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

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

/// The time between two lines of progress if standard error is not a terminal.
const LOG_INTERVAL: Duration = Duration::from_secs(60);
/// When the first of these lines is due. It says how long the work may take.
const FIRST_LINE: Duration = Duration::from_secs(10);

/// Says when the next line of progress is due. Several threads may ask.
pub struct LineTimer {
    started: Instant,
    /// Milliseconds between two lines.
    pause: u64,
    /// When the next line is due, in milliseconds from the start. Relaxed: it only prevents that two threads write it
    /// at the same time.
    next: AtomicU64,
}

impl LineTimer {
    /// A timer that begins now. The first line is due after one `pause`.
    pub fn new(pause: Duration) -> LineTimer {
        LineTimer::beginning_at(pause, pause)
    }

    /// A timer that begins now, for lines of progress that do not go to a terminal.
    pub fn of_log() -> LineTimer {
        LineTimer::beginning_at(FIRST_LINE, LOG_INTERVAL)
    }

    /// A timer that begins now. The first line is due after `first`, and the next ones after a `pause` each.
    fn beginning_at(first: Duration, pause: Duration) -> LineTimer {
        let [first, pause] = [first, pause].map(|time| time.as_millis() as u64);
        LineTimer { started: Instant::now(), pause, next: AtomicU64::new(first) }
    }

    /// The time since the timer began.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Whether it is time for the next line. If so, the caller must write it.
    pub fn is_due(&self) -> bool {
        self.is_due_at(self.elapsed())
    }

    fn is_due_at(&self, elapsed: Duration) -> bool {
        let now = elapsed.as_millis() as u64;
        let next = self.next.load(Ordering::Relaxed);
        let later = now + self.pause;
        now >= next && self.next.compare_exchange(next, later, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_of_life_comes_now_and_then() {
        let timer = LineTimer::new(LOG_INTERVAL);
        let due = |&seconds: &f64| timer.is_due_at(Duration::from_secs_f64(seconds));
        let times: Vec<f64> = [1.0, 59.9, 60.0, 60.1, 119.0, 120.0].into_iter().filter(due).collect();
        assert_eq!(times, [60.0, 120.0]);
        let timer = LineTimer::of_log();
        let due = |&seconds: &f64| timer.is_due_at(Duration::from_secs_f64(seconds));
        let times: Vec<f64> = [9.0, 10.0, 60.0, 70.0].into_iter().filter(due).collect();
        assert_eq!(times, [10.0, 70.0]);
    }
}
