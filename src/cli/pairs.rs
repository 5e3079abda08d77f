//! The progress of jobs that are counted in pairs of games.

use crate::console::JobProgress;
use crate::tune::PairsPlayed;

/// A bar that begins where an earlier run has ended.
pub(super) struct PairsBar {
    all: u64,
    progress: Option<JobProgress>,
}

impl PairsBar {
    /// Of so many pairs in all.
    pub fn new(all: u64) -> PairsBar {
        PairsBar { all, progress: None }
    }

    /// Shows how far the job is. It tells so as it begins, and after each pair.
    pub fn show(&mut self, played: PairsPlayed) {
        match &self.progress {
            None => self.progress = Some(JobProgress::new("pairs", played.before, self.all)),
            Some(progress) => {
                progress.advance(format_args!("{:.2} a second", progress.rate(played.now)));
            }
        }
    }

    /// Leaves the last state for the record.
    pub fn finish(&self) {
        self.progress.iter().for_each(JobProgress::finish);
    }
}
