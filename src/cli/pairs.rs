//! The progress bar of jobs that play pairs of games.

use super::job_progress::JobProgress;
use crate::tune::PairsPlayed;

/// A progress bar that begins at the pairs of an earlier run.
pub(super) struct PairsBar {
    all: u64,
    progress: Option<JobProgress>,
}

impl PairsBar {
    /// A bar for `all` pairs.
    pub fn new(all: u64) -> PairsBar {
        PairsBar { all, progress: None }
    }

    /// Shows the progress. The job calls this at its begin and after each pair.
    pub fn show(&mut self, played: PairsPlayed) {
        match &self.progress {
            None => self.progress = Some(JobProgress::new("pairs", played.before, self.all)),
            Some(progress) => {
                progress.advance(format_args!("{:.2} a second", progress.rate(played.now)));
            }
        }
    }

    /// Leaves the last state on the screen.
    pub fn finish(&self) {
        self.progress.iter().for_each(JobProgress::finish);
    }
}
