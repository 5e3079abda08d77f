//! Output for people: standard output, standard error and the progress of long jobs.
//!
//! Lost output never changes what a command does. After the first error of standard output, nothing more is written to
//! it, and the work goes on. In the end [`close`] says whether the error must be reported. What cannot be written to
//! standard error is lost. Nothing outside of this module prints (`tests/integration/layers.rs` checks this).

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The first error of standard output. A process has one standard output, so there is one of these.
static LOSS: OnceLock<io::Error> = OnceLock::new();

/// The time between two drawings of a bar.
const INTERVAL: Duration = Duration::from_millis(200);

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
    /// The same, but once the output is lost, each write is an error. This is for commands whose work is nothing but
    /// output.
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

/// Shows a bar that was hidden on standard error.
pub fn show(bar: &ProgressBar) {
    bar.set_draw_target(ProgressDrawTarget::stderr());
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

/// A progress bar on standard error, drawn by an indicatif `template`; hidden if standard error is not a terminal.
pub fn bar(length: u64, template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template).expect("the template is well-formed");
    let bar = ProgressBar::new(length).with_style(style);
    keep_drawn(&bar);
    bar
}

/// A progress line without a known end on standard error, drawn by an indicatif `template`; hidden if standard error is
/// not a terminal.
pub fn spinner(template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template).expect("the template is well-formed");
    let spinner = ProgressBar::new_spinner().with_style(style);
    keep_drawn(&spinner);
    spinner
}

/// Redraws a bar regularly as long as it is in use. indicatif could do so itself, but panics if the system has no
/// thread for it. Here the bar is then drawn only when it advances.
fn keep_drawn(bar: &ProgressBar) {
    if bar.is_hidden() {
        return;
    }
    let bar = bar.downgrade();
    let draw = move || {
        while let Some(bar) = bar.upgrade().filter(|bar| !bar.is_finished()) {
            bar.tick();
            drop(bar);
            thread::sleep(INTERVAL);
        }
    };
    let _ = thread::Builder::new().name("progress".to_owned()).spawn(draw);
}

/// The progress of a job that takes hours: a bar on a terminal, elsewhere a line each minute and one at the end.
///
/// With counts as [`short`] writes them and up to 45 columns of details, all of this fits into the 80 columns of a
/// terminal.
pub struct JobProgress {
    bar: ProgressBar,
    /// What is counted, such as "games".
    unit: &'static str,
    /// Minutes that had passed at the last line.
    minutes: AtomicU64,
}

impl JobProgress {
    /// The progress of a job with `length` pieces of the `unit`, of which `done` are done already.
    pub fn new(unit: &'static str, done: u64, length: u64) -> JobProgress {
        let bar = bar(length, "{wide_bar} {msg}{eta} left").with_position(done);
        bar.reset_eta();
        JobProgress { bar, unit, minutes: AtomicU64::new(0) }
    }

    /// Counts one more piece as done. The `details` of the whole job are shown after the count.
    pub fn advance(&self, details: impl Display) {
        self.bar.inc(1);
        let (done, all) = (self.bar.position(), self.bar.length().unwrap_or_default());
        self.bar.set_message(format!("{}/{} {}, {details}, ", short(done), short(all), self.unit));
        let minutes = self.bar.elapsed().as_secs() / 60;
        if self.bar.is_hidden() && self.minutes.fetch_max(minutes, Ordering::Relaxed) < minutes {
            warn(format_args!("{}{:#} left", self.bar.message(), HumanDuration(self.bar.eta())));
        }
    }

    /// Pieces per second, if `count` have been done since the beginning.
    pub fn rate(&self, count: u64) -> f64 {
        count as f64 / self.bar.elapsed().as_secs_f64().max(1e-3)
    }

    /// Leaves the last state visible, on a terminal or not.
    pub fn finish(&self) {
        // Finishing an indicatif bar would count everything as done.
        self.bar.abandon();
        if self.bar.is_hidden() && !self.bar.message().is_empty() {
            warn(format_args!("{}in {:#}", self.bar.message(), HumanDuration(self.bar.elapsed())));
        }
    }
}

/// A count in at most six characters, up to 999 billion.
pub fn short(count: u64) -> String {
    match count {
        0..1_000_000 => count.to_string(),
        1_000_000..1_000_000_000 => format!("{:.1}M", count as f64 / 1e6),
        _ => format!("{:.1}G", count as f64 / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_short() {
        for (count, text) in [
            (0, "0"),
            (999_999, "999999"),
            (1_000_000, "1.0M"),
            (123_456_789, "123.5M"),
            (12_000_000_000, "12.0G"),
        ] {
            assert_eq!(short(count), text);
            assert!(short(count).len() <= 6);
        }
    }
}
