//! The players and the progress bar of jobs that play pairs of games.

use clap::Args;

use crate::engine::command::job_progress::JobProgress;
use crate::engine::command::number::{self, threads};
use crate::engine::facade::Settings;
use crate::engine::selfplay::allowance::{Allowance, NodeControl};
use crate::lab::tune::PairsPlayed;

// A doc comment here would become the help of the whole command.
#[derive(Debug, Args)]
pub(crate) struct PlayerArguments {
    /// Nodes for each move
    #[arg(long, default_value_t = 20_000, value_parser = number::from(1u64))]
    pub nodes: u64,
    /// In place of nodes for each move, a clock on which nodes count as time, as in 1000000+10000: nodes for the game,
    /// and nodes that each move adds
    #[arg(long, value_name = "BASE+INC", conflicts_with = "nodes")]
    pub clock: Option<NodeControl>,
    /// Virtual threads of each search, as in `duel`. Nodes are those of all threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = threads())]
    pub search_threads: usize,
}

impl PlayerArguments {
    /// What each player may search.
    pub fn allowance(&self) -> Allowance {
        self.clock.map_or(Allowance::Move(self.nodes), Allowance::Clock)
    }

    /// The settings of each player.
    pub fn settings(&self, settings: Settings) -> Settings {
        Settings { threads: self.search_threads, ..settings }
    }
}

/// A progress bar that begins at the pairs of an earlier run.
pub(crate) struct PairsBar {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::command::arguments::resolved;
    use crate::lab::tune::screen_command::ScreenArguments;

    #[test]
    fn virtual_threads_are_an_option_of_their_own() {
        let threads = |words: &str| {
            let line = format!("enfilade screen --out a.csv --pairs 1 --threads 2 {words} iir_depth=5");
            let plan = resolved::<ScreenArguments>(&line).unwrap().plan;
            (plan.settings.threads, plan.threads)
        };
        assert_eq!(threads(""), (1, 2));
        assert_eq!(threads("--search-threads 8"), (8, 2));
    }

    #[test]
    fn a_clock_takes_the_place_of_nodes_for_each_move() {
        let allowance = |words: &str| {
            let line = format!("enfilade screen --out a.csv --pairs 1 {words} iir_depth=5");
            resolved::<ScreenArguments>(&line).unwrap().plan.allowance
        };
        assert_eq!(allowance(""), Allowance::Move(20_000));
        assert_eq!(allowance("--nodes 7"), Allowance::Move(7));
        assert_eq!(allowance("--clock 900+9"), Allowance::Clock("900+9".parse().unwrap()));
    }
}
