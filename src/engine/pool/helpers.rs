//! Which searches have helpers. The main worker alone answers the others.

use std::time::Duration;

use crate::engine::run::job::Job;

/// Helpers take part in a search if it may last this long for each thread that a core has to carry. In less time they
/// would find nothing, and a thread that waits among them for its turn would lose more than that. With 8 threads on two
/// cores, 1+0.01 and a clock that had run down to the increment, moves took 20 ms instead of 3, and 13 of 504 games
/// were lost.
const WORTH_HELP: Duration = Duration::from_millis(5);

/// Whether helpers join this search once the main worker has a move to play. In a search in rounds they take part from
/// the beginning, which is the same on every run. A level uses the main thread alone.
pub(super) fn join_late(job: &Job) -> bool {
    job.run.rounds.is_none() && job.task.level.is_none()
}

/// Whether a search that lasts `hard` at most may last long enough for helpers to be useful.
pub(super) fn are_worth_it(hard: Option<Duration>, workers: usize, cores: usize) -> bool {
    hard.is_none_or(|hard| hard >= WORTH_HELP * workers.div_ceil(cores) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With a clock that had run down to the increment, eight threads on two cores lost games on time.
    #[test]
    fn helpers_stay_away_from_the_shortest_searches() {
        let millis = |ms| Some(Duration::from_millis(ms));
        assert!(!are_worth_it(millis(10), 8, 2));
        assert!(are_worth_it(millis(10), 2, 2));
        assert!(are_worth_it(millis(200), 64, 2));
        assert!(are_worth_it(None, 1024, 1));
    }
}
