//! Games that Enfilade plays against itself, for its evaluation to learn from:
//! `enfilade datagen`.
//!
//! Each thread searches by itself, with a table of its own, and takes the next game's number from a
//! counter. A game follows from the seed, the run and its number alone: number of threads and
//! speed of the machine change only the order in which games are stored.

pub mod book;
pub mod genfens;
pub mod opening;
pub mod play;
pub mod record;
pub mod shard;
pub mod viriformat;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use clap::Args;
use thiserror::Error;

use crate::board::{Game, Move};
use crate::console::{Progress, short};
use crate::crew::{self, ThreadsRefused};
use crate::engine::{Settings, Solo};
use crate::file::FileError;
use crate::number;
use crate::random::Random;
use crate::search::Limits;
use crate::tt::TableError;
use crate::types::Score;
use book::BookError;
use opening::Openings;
use play::Player;
use record::GameRecord;
use shard::{Run, ShardWriter};

/// Size of each thread's table in MiB: small enough to stay in the caches' neighborhood, and enough for the
/// 24,000 nodes of a game at 200 a move.
const TABLE_MEBIBYTES: usize = 2;

/// How far an iteration may overrun the soft node limit before it is cut off.
const HARD_FACTOR: u64 = 8;

/// What `enfilade datagen` is asked to do.
#[derive(Args, Clone, Debug)]
pub struct Arguments {
    /// Directory for the games; made if it is not there, and added to if it is
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Games to play
    #[arg(long, value_parser = number::from(1u64))]
    pub games: u64,
    /// Nodes for each move after which no deeper iteration begins
    #[arg(long, default_value_t = 2_500, value_parser = number::from(1u64))]
    pub nodes: u64,
    /// Games played at the same time
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: u16,
    /// Of the openings; the same seed in another directory gives the same games
    #[arg(long, default_value_t = 1, value_parser = number::from(0u64))]
    pub seed: u64,
    /// Begin from the positions of an EPD file, or from the ends of the lines of a PGN file
    #[arg(long, value_name = "FILE")]
    pub book: Option<PathBuf>,
    /// Begin from the starting positions of Chess960
    #[arg(long, conflicts_with = "book")]
    pub chess960: bool,
}

/// Why the games were not all played.
#[derive(Debug, Error)]
pub enum DatagenError {
    /// A file or directory.
    #[error(transparent)]
    Shard(#[from] FileError),
    /// Memory for a table.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The openings.
    #[error(transparent)]
    Book(#[from] BookError),
    /// A book of games that are over.
    #[error("no game can be begun from the positions of the book")]
    NoOpening,
    /// Threads.
    #[error(transparent)]
    Threads(#[from] ThreadsRefused),
}

/// Plays and stores the games, with a progress bar on standard error. Network, parameters and the like are those of the
/// settings.
pub fn run(arguments: &Arguments, settings: &Settings) -> Result<(), DatagenError> {
    let openings = match &arguments.book {
        Some(path) => Openings::Book(book::read(path)?),
        None if arguments.chess960 => Openings::Chess960,
        None => Openings::Standard,
    };
    let players = (0..arguments.games.min(arguments.threads.into()))
        .map(|_| SoloPlayer::new(arguments.nodes, settings))
        .collect::<Result<Vec<SoloPlayer>, TableError>>()?;
    let tally = Tally::new(arguments.games);
    let (directory, seed) = (&arguments.out, arguments.seed);
    let result = generate(players, &openings, directory, seed, arguments.games, |game| tally.count(game));
    tally.progress.finish();
    result
}

/// Runs of one seed in one directory must not play the same games again.
fn run_seed(seed: u64, run: u32) -> u64 {
    Random::stream(seed, u64::from(run)).bits()
}

/// Has the players, of whom there are not more than `games`, play and store that many. The first error ends all of them after the
/// games in play.
fn generate<P: Player + Send>(
    players: Vec<P>,
    openings: &Openings,
    directory: &Path,
    seed: u64,
    games: u64,
    report: impl Fn(&GameRecord) + Sync,
) -> Result<(), DatagenError> {
    // Each player begins with the game of its own number: no shard stays empty.
    let next_game = AtomicU64::new(players.len() as u64);
    let is_over = AtomicBool::new(false);
    let threads = players.len();
    // Nothing is written before all that can be refused is there: a run that cannot begin leaves no trace.
    let equip = || {
        let (run, first) = Run::claim(directory, seed)?;
        let seed = run_seed(seed, run.number());
        let others = (1..threads).map(|thread| run.writer(thread));
        let writers = std::iter::once(Ok(first)).chain(others).collect::<Result<Vec<_>, _>>()?;
        Ok((0..).zip(writers).map(|(first_game, writer)| (writer, seed, first_game)).collect())
    };
    let work = |mut player: P, (mut writer, seed, first_game): (ShardWriter, u64, u64)| {
        let mut number = first_game;
        while number < games && !is_over.load(Ordering::Relaxed) {
            let game = play::play(&mut player, openings, &mut Random::stream(seed, number));
            if let Err(error) = writer.append(&game) {
                is_over.store(true, Ordering::Relaxed);
                return Err(error);
            }
            report(&game);
            number = next_game.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    };
    let results = crew::work_with::<_, _, _, DatagenError>(players, equip, work)?;
    Ok(results.into_iter().collect::<Result<(), FileError>>()?)
}

/// The search as a player, with a soft node limit.
struct SoloPlayer {
    solo: Solo,
    limits: Limits,
}

impl SoloPlayer {
    fn new(nodes: u64, settings: &Settings) -> Result<SoloPlayer, TableError> {
        let settings = Settings { hash: TABLE_MEBIBYTES, ..settings.clone() };
        let limits = Limits {
            soft_nodes: Some(nodes),
            nodes: Some(nodes.saturating_mul(HARD_FACTOR)),
            ..Limits::default()
        };
        Ok(SoloPlayer { solo: Solo::new(settings)?, limits })
    }
}

impl Player for SoloPlayer {
    fn new_game(&mut self) {
        self.solo.new_game();
    }

    fn choose(&mut self, game: &Game) -> (Move, Score) {
        self.solo.search(game.clone(), self.limits.clone()).expect("a game that is not over has a move")
    }
}

/// Counts games, positions and results for the user.
struct Tally {
    progress: Progress,
    positions: AtomicU64,
    /// White's wins, draws, Black's wins.
    results: [AtomicU64; 3],
}

impl Tally {
    fn new(games: u64) -> Tally {
        let progress = Progress::new("games", 0, games);
        Tally { progress, positions: AtomicU64::new(0), results: Default::default() }
    }

    fn count(&self, game: &GameRecord) {
        let positions = game.plies.len() as u64;
        let positions = self.positions.fetch_add(positions, Ordering::Relaxed) + positions;
        self.results[game.result.index()].fetch_add(1, Ordering::Relaxed);
        let results = [0, 1, 2].map(|result| self.results[result].load(Ordering::Relaxed));
        self.progress.advance(details(positions, self.progress.rate(positions), results));
    }
}

/// What stands behind the count of games: positions, how many of them a second, and the shares of White's wins, draws and
/// losses in percent.
fn details(positions: u64, speed: f64, results: [u64; 3]) -> String {
    let games: u64 = results.iter().sum();
    let [wins, draws, losses] = results.map(|count| 100.0 * count as f64 / games.max(1) as f64);
    let (positions, speed) = (short(positions), short(speed as u64));
    format!("{positions} positions, {speed}/s, White +{wins:.0} ={draws:.0} -{losses:.0}%")
}

#[cfg(test)]
mod tests {
    use super::*;
    use play::tests::OnePly;
    use std::sync::atomic::AtomicUsize;

    fn games_in(directory: &Path) -> Vec<GameRecord> {
        let mut games = Vec::new();
        for shard in shard::list(directory).unwrap() {
            assert!(shard::read(&shard, |game| games.push(game)).unwrap().is_empty());
        }
        games.sort_by_key(|game| format!("{:?}", game));
        games
    }

    fn arguments(out: PathBuf) -> Arguments {
        Arguments { out, games: 3, nodes: 60, threads: 2, seed: 1, book: None, chess960: false }
    }

    fn generated(threads: usize, seed: u64) -> Vec<GameRecord> {
        let directory = tempfile::tempdir().unwrap();
        let reported = AtomicUsize::new(0);
        generate(vec![OnePly; threads], &Openings::Standard, directory.path(), seed, 12, |_| {
            reported.fetch_add(1, Ordering::Relaxed);
        })
        .unwrap();
        assert_eq!(reported.into_inner(), 12);
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
        let arguments = Arguments { games: 2, threads: 5, ..arguments(directory.path().to_owned()) };
        run(&arguments, &Settings::default()).unwrap();
        let shards = shard::list(directory.path()).unwrap();
        assert_eq!(shards.len(), 2);
        assert!(shards.iter().all(|shard| shard.metadata().unwrap().len() > 0));
    }

    /// It once took 150 columns.
    #[test]
    fn the_line_of_progress_keeps_to_80_columns() {
        let most = details(120_000_000_000, 1_200_000.0, [0, 1, 0]);
        assert_eq!(most, "120.0G positions, 1.2M/s, White +0 =100 -0%");
        let most = details(120_000_000_000, 923_076.9, [34, 33, 33]);
        assert_eq!(most, "120.0G positions, 923076/s, White +34 =33 -33%");
        let line = format!("999.9M/999.9M games, {most}, 99d left");
        assert!(line.len() <= 80, "{line}");
    }

    #[test]
    fn the_engine_plays_whole_games_into_a_directory() {
        let directory = tempfile::tempdir().unwrap();
        let arguments = arguments(directory.path().join("new"));
        run(&arguments, &Settings::default()).unwrap();
        let first = games_in(&arguments.out);
        assert_eq!(first.len(), 3);
        // Again into the same directory: other games are added, none is lost.
        run(&arguments, &Settings::default()).unwrap();
        let both = games_in(&arguments.out);
        assert_eq!(both.len(), 6);
        assert!(first.iter().all(|game| both.contains(game)));
        assert_eq!(both.iter().filter(|game| first.contains(game)).count(), 3);
    }
}
