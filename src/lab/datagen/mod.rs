//! Plays games of Enfilade against itself (`enfilade datagen`). The evaluation is trained on them.
//!
//! Each thread searches independently with a table of its own, and takes the number of its next game from a counter. A
//! game depends only on the seed, the run and its number. The number of threads and the speed of the machine change
//! only the order in which games are stored.

pub mod collection;
pub(crate) mod command;
pub mod job;
pub mod shard;
pub mod viriformat;
pub mod win_model;

use std::ops::ControlFlow;
use std::path::PathBuf;

use thiserror::Error;

use crate::base::crew::{self, ThreadsRefused};
use crate::base::file::FileError;
use crate::base::random::Random;
use crate::engine::facade::Settings;
use crate::engine::selfplay::opening::{NoOpening, Openings};
use crate::engine::selfplay::play::{Player, play};
use crate::engine::selfplay::record::GameRecord;
use crate::engine::selfplay::solo_player::{SoloPlayer, TABLE_MEBIBYTES};
use crate::engine::selfplay::variety::TrainingRules;
use crate::engine::tt::TableError;
use shard::{ShardRun, ShardWriter};

/// The games to play.
#[derive(Clone, Debug)]
pub struct DatagenPlan {
    /// The directory for the games. It is made if it does not exist. Otherwise games are added to it.
    pub out: PathBuf,
    /// The number of games to play.
    pub games: u64,
    /// How the games are played. Moves with the limit for endgames are not stored.
    pub rules: TrainingRules,
    /// The number of games played at the same time, from 1.
    pub threads: usize,
    /// The seed of the openings. The same seed in another directory gives the same games.
    pub seed: u64,
    /// The source of the openings.
    pub openings: Openings,
    /// The network, the parameters and all other settings.
    pub settings: Settings,
}

/// The games that have been played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DatagenReport {
    /// The number of positions in the games.
    pub positions: u64,
    /// The number of positions with a label.
    pub labels: u64,
    /// White's wins, draws and Black's wins.
    pub results: [u64; 3],
}

impl DatagenReport {
    /// The number of games.
    pub fn games(&self) -> u64 {
        self.results.iter().sum()
    }

    fn add(&mut self, game: &GameRecord) {
        self.positions += game.plies.len() as u64;
        self.labels += game.labels() as u64;
        self.results[game.result.index()] += 1;
    }
}

/// Not all games could be played.
#[derive(Debug, Error)]
pub enum DatagenError {
    /// A file or directory cannot be read or written.
    #[error(transparent)]
    Shard(#[from] FileError),
    /// There is not enough memory for a table.
    #[error(transparent)]
    Table(#[from] TableError),
    /// No balanced position was found in the book.
    #[error(transparent)]
    NoOpening(#[from] NoOpening),
    /// The system refused threads.
    #[error(transparent)]
    Threads(#[from] ThreadsRefused),
}

/// Plays and stores the games. Calls `on_progress` at the beginning and after each game.
///
/// # Errors
/// If the system refuses memory or threads, or if a game cannot be stored. Then no further game begins.
pub fn run(
    plan: &DatagenPlan,
    mut on_progress: impl FnMut(&DatagenReport) + Send,
) -> Result<DatagenReport, DatagenError> {
    let players = (0..plan.games.min(plan.threads as u64))
        .map(|_| SoloPlayer::new(plan.rules.nodes, TABLE_MEBIBYTES, &plan.settings))
        .collect::<Result<Vec<SoloPlayer>, TableError>>()?;
    let mut report = DatagenReport::default();
    on_progress(&report);
    generate(players, plan, |game| {
        report.add(game);
        on_progress(&report);
    })?;
    Ok(report)
}

/// The seed of a run. Runs with the same seed in the same directory must not play the same games.
fn run_seed(seed: u64, run: u32) -> u64 {
    Random::stream(seed, u64::from(run)).bits()
}

/// Lets the players play and store the games of the plan. There must not be more players than games. Calls
/// `on_progress` with each stored game. After the first error, all players finish their current games and end.
fn generate<P: Player + Send>(
    players: Vec<P>,
    plan: &DatagenPlan,
    mut on_progress: impl FnMut(&GameRecord) + Send,
) -> Result<(), DatagenError> {
    let threads = players.len();
    // Nothing is written before all threads exist. So a run that cannot begin leaves no files.
    let mut claimed = None;
    let equip = || {
        let (run, first) = ShardRun::claim(&plan.out, plan.seed)?;
        let run = claimed.insert(run);
        let seed = run_seed(plan.seed, run.number());
        let others = (1..threads).map(|thread| run.writer(thread));
        let writers = std::iter::once(Ok(first)).chain(others).collect::<Result<Vec<_>, FileError>>()?;
        Ok::<_, DatagenError>(writers.into_iter().map(|writer| (writer, seed)).collect())
    };
    let play = |player: &mut P, (writer, seed): &mut (ShardWriter, u64), number: u64| {
        let game = play(player, &plan.openings, plan.rules, Random::stream(*seed, number));
        let game = game.ok_or(NoOpening)?.before_endgame(plan.rules.nodes.endgame_pieces);
        writer.append(&game)?;
        Ok(game)
    };
    let mut result: Result<(), DatagenError> = Ok(());
    // Each player gets a game, so no shard stays empty.
    crew::share_out_with(players, equip, 0..plan.games, play, |_, stored| match stored {
        Ok(game) => {
            on_progress(&game);
            ControlFlow::Continue(())
        }
        Err(error) => {
            if result.is_ok() {
                result = Err(error);
            }
            ControlFlow::Break(())
        }
    })?;
    // After an error without any stored game, the next run with this seed must begin with the same games. So this run's
    // empty shards are removed.
    if let (Err(_), Some(run)) = (&result, claimed) {
        run.remove_if_empty(threads);
    }
    result
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::engine::selfplay::pace::SoftNodes;
    use crate::engine::selfplay::play::tests::OnePly;

    fn games_in(directory: &Path) -> Vec<GameRecord> {
        let mut games = Vec::new();
        for shard in shard::list(directory).unwrap() {
            assert!(shard::read(&shard, |game| games.push(game)).unwrap().is_empty());
        }
        games.sort_by_key(|game| format!("{:?}", game));
        games
    }

    fn plan(out: PathBuf) -> DatagenPlan {
        let settings = Settings::default();
        let (rules, openings) = (TrainingRules::best(SoftNodes::all(60)), Openings::Standard);
        DatagenPlan { out, games: 3, rules, threads: 2, seed: 1, openings, settings }
    }

    fn generated(threads: usize, seed: u64) -> Vec<GameRecord> {
        let directory = tempfile::tempdir().unwrap();
        let plan = DatagenPlan { games: 12, seed, ..plan(directory.path().to_owned()) };
        let mut reported = 0;
        generate(vec![OnePly; threads], &plan, |_| reported += 1).unwrap();
        assert_eq!(reported, 12);
        games_in(directory.path())
    }

    #[test]
    fn the_number_of_threads_does_not_change_the_games() {
        let alone = generated(1, 5);
        assert_eq!(alone.len(), 12);
        assert_eq!(alone, generated(3, 5));
        assert_ne!(alone, generated(1, 6));
    }

    /// A thread that got no game once left an empty shard.
    #[test]
    fn no_shard_is_empty() {
        let directory = tempfile::tempdir().unwrap();
        run(&DatagenPlan { games: 2, threads: 5, ..plan(directory.path().to_owned()) }, |_| {}).unwrap();
        let shards = shard::list(directory.path()).unwrap();
        assert_eq!(shards.len(), 2);
        assert!(shards.iter().all(|shard| shard.metadata().unwrap().len() > 0));
    }

    #[test]
    fn endgames_with_a_limit_of_their_own_are_not_stored() {
        let directory = tempfile::tempdir().unwrap();
        let nodes = SoftNodes { endgame: 10, endgame_pieces: 20, ..SoftNodes::all(60) };
        let rules = TrainingRules::best(nodes);
        let report = run(&DatagenPlan { rules, ..plan(directory.path().to_owned()) }, |_| {}).unwrap();
        let games = games_in(directory.path());
        assert_eq!((games.len(), report.games()), (3, 3));
        let mut positions = 0;
        for game in &games {
            game.for_each(|board, _| {
                assert!(board.occupied().count() > 20);
                positions += 1;
            });
        }
        assert_eq!(positions, report.positions);
        assert!(positions > 30, "{positions}");
    }

    #[test]
    fn varied_games_follow_from_the_seed_and_tell_what_teaches() {
        let play = || {
            let directory = tempfile::tempdir().unwrap();
            let nodes = SoftNodes { fast: Some(10), ..SoftNodes::all(60) };
            let rules = TrainingRules { nodes, random_moves: 10 };
            let report = run(&DatagenPlan { rules, ..plan(directory.path().to_owned()) }, |_| {}).unwrap();
            (report, games_in(directory.path()))
        };
        let (report, games) = play();
        assert_eq!(play(), (report, games.clone()));
        let labels = games.iter().map(|game| game.labels() as u64).sum::<u64>();
        assert_eq!(labels, report.labels);
        assert!((report.positions / 3..2 * report.positions / 3).contains(&labels), "{report:?}");
        assert!(games.iter().any(|game| (1..=game.plies.len()).contains(&game.result_from)));
    }

    #[test]
    fn the_engine_plays_whole_games_into_a_directory() {
        let directory = tempfile::tempdir().unwrap();
        let plan = plan(directory.path().join("new"));
        let mut reported = Vec::new();
        let report = run(&plan, |report| reported.push(*report)).unwrap();
        let games = |report: &DatagenReport| report.results.iter().sum();
        assert_eq!(reported.iter().map(games).collect::<Vec<u64>>(), [0, 1, 2, 3]);
        assert_eq!(reported.last(), Some(&report));
        let first = games_in(&plan.out);
        assert_eq!(first.len(), 3);
        assert_eq!(first.iter().map(|game| game.plies.len() as u64).sum::<u64>(), report.positions);
        // A second run in the same directory adds other games, and no game is lost.
        run(&plan, |_| {}).unwrap();
        let both = games_in(&plan.out);
        assert_eq!(both.len(), 6);
        assert!(first.iter().all(|game| both.contains(game)));
        assert_eq!(both.iter().filter(|game| first.contains(game)).count(), 3);
    }
}
