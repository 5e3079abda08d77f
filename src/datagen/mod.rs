//! Games that Enfilade plays against itself, for its evaluation to learn from:
//! `enfilade datagen`.
//!
//! Each thread searches by itself, with a table of its own, and takes the next game's number from a
//! counter. A game follows from the seed, the run and its number alone: number of threads and
//! speed of the machine change only the order in which games are stored.

pub mod book;
pub mod opening;
pub mod play;
pub mod record;
pub mod shard;
pub mod viriformat;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use clap::Args;
use indicatif::{HumanDuration, ProgressBar, ProgressStyle};
use thiserror::Error;

use crate::board::{Game, Move};
use crate::engine::{Settings, Solo};
use crate::file::FileError;
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
    #[arg(long)]
    pub games: u64,
    /// Nodes for each move after which no deeper iteration begins
    #[arg(long, default_value_t = 2_500, value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: u64,
    /// Games played at the same time
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: u16,
    /// Of the openings; the same seed in another directory gives the same games
    #[arg(long, default_value_t = 1)]
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
}

/// Plays and stores the games, with a progress bar on standard error. Network, parameters and the like are those of the
/// settings.
pub fn run(arguments: &Arguments, settings: &Settings) -> Result<(), DatagenError> {
    // Before anything is written: a wrong book leaves no trace.
    let openings = match &arguments.book {
        Some(path) => Openings::Book(book::read(path)?),
        None if arguments.chess960 => Openings::Chess960,
        None => Openings::Standard,
    };
    let (run, first_writer) = Run::claim(&arguments.out, arguments.seed)?;
    let mut workers = vec![(first_writer, SoloPlayer::new(arguments.nodes, settings)?)];
    for thread in 1..usize::from(arguments.threads) {
        workers.push((run.writer(thread)?, SoloPlayer::new(arguments.nodes, settings)?));
    }
    let progress = Progress::new(arguments.games);
    let seed = run_seed(arguments.seed, run.number());
    let result = generate(workers, &openings, seed, arguments.games, |game| progress.count(game));
    progress.finish(result.is_ok());
    Ok(result?)
}

/// Runs of one seed in one directory must not play the same games again.
fn run_seed(seed: u64, run: u32) -> u64 {
    Random::stream(seed, u64::from(run)).bits()
}

/// Has each worker play and store games until `games` are taken. The first error ends all
/// workers after the games in play.
fn generate<P: Player + Send>(
    workers: Vec<(ShardWriter, P)>,
    openings: &Openings,
    seed: u64,
    games: u64,
    report: impl Fn(&GameRecord) + Sync,
) -> Result<(), FileError> {
    let next_game = AtomicU64::new(0);
    let is_over = AtomicBool::new(false);
    let work = |(mut writer, mut player): (ShardWriter, P)| {
        while !is_over.load(Ordering::Relaxed) {
            let number = next_game.fetch_add(1, Ordering::Relaxed);
            if number >= games {
                break;
            }
            let game = play::play(&mut player, openings, &mut Random::stream(seed, number));
            let stored = writer.append(&game);
            if stored.is_err() {
                is_over.store(true, Ordering::Relaxed);
                return stored;
            }
            report(&game);
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = workers.into_iter().map(|worker| scope.spawn(|| work(worker))).collect();
        let results = threads.into_iter().map(|thread| match thread.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        results.collect::<Vec<_>>().into_iter().collect()
    })
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
struct Progress {
    bar: ProgressBar,
    positions: AtomicU64,
    /// White's wins, draws, Black's wins.
    results: [AtomicU64; 3],
    /// Minutes gone at the last line.
    minutes: AtomicU64,
}

impl Progress {
    fn new(games: u64) -> Progress {
        let style = "{bar:30} {pos}/{len} games, {msg}, {elapsed} gone, {eta} left";
        let bar = ProgressBar::new(games);
        bar.set_style(ProgressStyle::with_template(style).expect("the template is well-formed"));
        bar.enable_steady_tick(Duration::from_secs(1));
        Progress {
            bar,
            positions: AtomicU64::new(0),
            results: Default::default(),
            minutes: AtomicU64::new(0),
        }
    }

    fn count(&self, game: &GameRecord) {
        let positions = game.plies.len() as u64;
        let positions = self.positions.fetch_add(positions, Ordering::Relaxed) + positions;
        self.results[game.result.index()].fetch_add(1, Ordering::Relaxed);
        let seconds = self.bar.elapsed().as_secs_f64().max(1e-3);
        let [wins, draws, losses] = [0, 1, 2].map(|result| self.results[result].load(Ordering::Relaxed));
        self.bar.set_message(format!(
            "{positions} positions, {:.0} a second, +{wins} ={draws} -{losses} for White",
            positions as f64 / seconds
        ));
        self.bar.inc(1);
        let minutes = self.bar.elapsed().as_secs() / 60;
        if self.bar.is_hidden() && self.minutes.fetch_max(minutes, Ordering::Relaxed) < minutes {
            self.line();
        }
    }

    /// What stands in place of the bar where there is no terminal.
    fn line(&self) {
        let (done, left) = (self.bar.position(), HumanDuration(self.bar.eta()));
        eprintln!("{done} games, {}, about {left} left", self.bar.message());
    }

    /// Leaves the last line for the record, on a terminal or not.
    fn finish(&self, is_complete: bool) {
        // To finish an indicatif bar would count all games as played.
        if is_complete {
            self.bar.finish()
        } else {
            self.bar.abandon()
        }
        if self.bar.is_hidden() {
            self.line();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use play::tests::OnePly;
    use std::path::Path;
    use std::sync::atomic::AtomicUsize;

    fn games_in(directory: &Path) -> Vec<GameRecord> {
        let mut games = Vec::new();
        for shard in shard::list(directory).unwrap() {
            assert!(shard::read(&shard, |game| games.push(game)).unwrap().is_empty());
        }
        games.sort_by_key(|game| format!("{:?}", game));
        games
    }

    fn generated(threads: usize, seed: u64) -> Vec<GameRecord> {
        let directory = tempfile::tempdir().unwrap();
        let (run, first) = Run::claim(directory.path(), seed).unwrap();
        let mut workers = vec![(first, OnePly)];
        for thread in 1..threads {
            workers.push((run.writer(thread).unwrap(), OnePly));
        }
        let reported = AtomicUsize::new(0);
        generate(workers, &Openings::Standard, run_seed(seed, run.number()), 12, |_| {
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

    #[test]
    fn the_engine_plays_whole_games_into_a_directory() {
        let directory = tempfile::tempdir().unwrap();
        let out = directory.path().join("new");
        let arguments =
            Arguments { out, games: 3, nodes: 60, threads: 2, seed: 1, book: None, chess960: false };
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
