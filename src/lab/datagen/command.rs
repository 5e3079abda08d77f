//! `enfilade datagen`: plays games of the engine against itself. The evaluation is trained on them.

use std::path::PathBuf;

use clap::Args;

use crate::engine::command::arguments::CommandArguments;
use crate::engine::command::error::CliError;
use crate::engine::command::job_progress::{JobProgress, short};
use crate::engine::command::number::{self, threads};
use crate::engine::config::Setup;
use crate::engine::config::range::Spin;
use crate::engine::selfplay::book;
use crate::engine::selfplay::opening::Openings;
use crate::engine::selfplay::pace::SoftNodes;
use crate::engine::selfplay::variety::TrainingRules;
use crate::lab::datagen::{self, DatagenPlan, DatagenReport};

/// The greatest number of pieces of an endgame.
const PIECES: Spin = Spin { name: "the number of pieces", min: 2, max: 32 };

/// Play games of the engine against itself to train its evaluation
#[derive(Debug, Args)]
pub(crate) struct DatagenArguments {
    /// Directory for the games. It is made if it does not exist; games are added to it if it does
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Games to play
    #[arg(long, value_parser = number::from(1u64))]
    pub games: u64,
    /// Nodes for each move. No deeper iteration begins after this many nodes
    #[arg(long, default_value_t = 2_500, value_parser = number::from(1u64))]
    pub nodes: u64,
    /// Nodes for each move in endgames. These moves only decide the game and are not stored. Without this option
    /// endgames are played and stored like all other positions
    #[arg(long, value_name = "NODES", value_parser = number::from(1u64))]
    pub endgame_nodes: Option<u64>,
    /// The greatest number of pieces of an endgame, kings and pawns counted
    #[arg(long, value_name = "PIECES", requires = "endgame_nodes", default_value_t = 16)]
    #[arg(value_parser = number::within(PIECES))]
    pub endgame_pieces: usize,
    /// Search each ply with a chance of one half with only this many nodes. These plies only lead on: their scores are
    /// not stored. Half of the positions of a game teach nearly as much as all, and the same time brings more games
    #[arg(long, value_name = "NODES", value_parser = number::from(1u64))]
    pub fast_nodes: Option<u64>,
    /// Play a random move that loses no piece at this percentage of the plies, so that the games reach positions to
    /// which good play does not lead. The result counts only after the last such move
    #[arg(long, value_name = "PERCENT", default_value_t = 0, value_parser = number::between(0u8, 100))]
    pub random_moves: u8,
    /// Games played at the same time
    #[arg(long, default_value_t = 1, value_parser = threads())]
    pub threads: usize,
    /// Seed of the openings. The same seed in another directory gives the same games
    #[arg(long, default_value_t = 1, value_parser = number::from(0u64))]
    pub seed: u64,
    /// Begin from the positions of an EPD file, or from the ends of the lines of a PGN file
    #[arg(long, value_name = "FILE")]
    pub book: Option<PathBuf>,
    /// Begin from the starting positions of Chess960
    #[arg(long, conflicts_with = "book")]
    pub chess960: bool,
}

impl CommandArguments for DatagenArguments {
    type Task = DatagenPlan;

    fn resolve(self, setup: Setup) -> Result<DatagenPlan, CliError> {
        let settings = setup.settings;
        let DatagenArguments { out, games, threads, seed, book, chess960, .. } = self;
        let nodes = SoftNodes::of(self.nodes, self.fast_nodes, self.endgame_nodes, self.endgame_pieces);
        let rules = TrainingRules { nodes, random_moves: self.random_moves };
        let openings = match &book {
            Some(path) => Openings::Book(book::read(path)?),
            None if chess960 => Openings::Chess960,
            None => Openings::Standard,
        };
        Ok(DatagenPlan { out, games, rules, threads, seed, openings, settings })
    }

    /// Plays the games in this process.
    fn run(plan: DatagenPlan) -> Result<(), CliError> {
        show_progress(plan.games, |listener| Ok(datagen::run(&plan, listener).map(drop)?))
    }
}

/// Shows the progress of `play` on standard error. `games` is the number of games to be played.
pub(crate) fn show_progress(
    games: u64,
    play: impl FnOnce(&mut (dyn FnMut(&DatagenReport) + Send)) -> Result<(), CliError>,
) -> Result<(), CliError> {
    let mut progress: Option<(JobProgress, u64)> = None;
    let result = play(&mut |report| match &progress {
        None => progress = Some((JobProgress::new("games", report.games(), games), report.labels)),
        Some((progress, before)) => {
            progress.advance(details(report, progress.rate(report.labels - before)));
        }
    });
    progress.iter().for_each(|(progress, _)| progress.finish());
    result
}

/// The text after the number of games: labels, labels per second, and White's wins, draws and losses in percent.
fn details(report: &DatagenReport, speed: f64) -> String {
    let games = report.games();
    let [wins, draws, losses] = report.results.map(|count| 100.0 * count as f64 / games.max(1) as f64);
    let (labels, speed) = (short(report.labels), short(speed as u64));
    format!("{labels} labels, {speed}/s, White +{wins:.0} ={draws:.0} -{losses:.0}%")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The line was once 150 columns long.
    #[test]
    fn the_progress_line_has_at_most_80_columns() {
        let most = |results, speed| {
            details(&DatagenReport { positions: 120_000_000_000, labels: 120_000_000_000, results }, speed)
        };
        assert_eq!(most([0, 1, 0], 1_200_000.0), "120.0G labels, 1.2M/s, White +0 =100 -0%");
        let most = most([34, 33, 33], 923_076.9);
        assert_eq!(most, "120.0G labels, 923076/s, White +34 =33 -33%");
        let line = format!("999.9M/999.9M games, {most}, 99d left");
        assert!(line.len() <= 80, "{line}");
    }
}
