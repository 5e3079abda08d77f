//! The progress of jobs that may take long.

use std::fmt::Display;

#[cfg(feature = "laboratory")]
use indicatif::HumanDuration;
use indicatif::ProgressBar;

use crate::base::console::{LineTimer, warn};
use crate::engine::command::progress::{bar, rest};

/// The progress of a job: a bar on a terminal, elsewhere a line after ten seconds and one each minute.
///
/// With counts as [`short`] writes them and up to 45 columns of details, all of this fits into the 80 columns of a
/// terminal.
pub(crate) struct JobProgress {
    bar: ProgressBar,
    /// What is counted, such as "games".
    unit: &'static str,
    timer: LineTimer,
}

impl JobProgress {
    /// The progress of a job with `length` pieces of the `unit`, of which `done` are done already.
    pub(crate) fn new(unit: &'static str, done: u64, length: u64) -> JobProgress {
        let bar = bar(length, "{wide_bar} {msg}{rest} left").with_position(done);
        bar.reset_eta();
        if !bar.is_hidden() {
            bar.set_message(format!("{}/{} {unit}, ", short(done), short(length)));
        }
        JobProgress { bar, unit, timer: LineTimer::of_log() }
    }

    /// Counts one more piece as done. The `details` of the whole job are shown after the count.
    pub(crate) fn advance(&self, details: impl Display) {
        let (done, all) = (self.bar.position() + 1, self.bar.length().unwrap_or_default());
        // Each of the next two lines may draw the bar.
        self.bar.set_message(format!("{}/{} {}, {details}, ", short(done), short(all), self.unit));
        self.bar.inc(1);
        if self.bar.is_hidden() && self.timer.is_due() {
            warn(format_args!("{}{} left", self.bar.message(), rest(done >= all, self.bar.eta())));
        }
    }

    /// Removes the bar. The report of a short job follows, and says all.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

/// What only the laboratory needs.
#[cfg(feature = "laboratory")]
impl JobProgress {
    /// Pieces per second, if `count` have been done since the beginning.
    pub(crate) fn rate(&self, count: u64) -> f64 {
        count as f64 / self.bar.elapsed().as_secs_f64().max(1e-3)
    }

    /// Leaves the last state visible, on a terminal or not.
    pub(crate) fn finish(&self) {
        // Finishing an indicatif bar would count everything as done.
        self.bar.abandon();
        if self.bar.is_hidden() && !self.bar.message().is_empty() {
            warn(format_args!("{}in {:#}", self.bar.message(), HumanDuration(self.bar.elapsed())));
        }
    }
}

/// A count in at most six characters, up to 999 billion.
pub(crate) fn short(count: u64) -> String {
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
    fn short_counts_have_at_most_six_characters() {
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
