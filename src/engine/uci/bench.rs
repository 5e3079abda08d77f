//! The benchmark searches positions to a limit. By default it searches fixed positions to a fixed depth with one
//! thread. The node count is then the same on every machine and changes only with the search. So it is the signature of
//! a version.
//!
//! The positions come from public test suites (Bratko-Kopec, Kaufman, CCR, LCT II, Arasan, STS, the zugzwang suites)
//! and from perft lists. There are openings, middle games, endings of many kinds, mates, Chess960 positions, and two
//! positions without a legal move.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use thiserror::Error;

use super::error::{Excerpt, InputError};
use super::evaluation;
use super::go::{milliseconds, whole_number};
use super::reporter::nodes_per_second;
use crate::base::file::{FileError, Limit, check_regular, read_text};
use crate::chess::board::{FenError, Game, parallel_perft};
use crate::engine::config::range::{HASH, THREADS};
use crate::engine::facade::{Engine, EngineError, Settings};
use crate::engine::run::{Limits, MAX_DEPTH};

/// The deepest perft, in plies. Each ply makes the tree about 30 times as large, so nobody waits for more.
pub(super) const DEEPEST_PERFT: u32 = 20;
/// The largest file of positions. It is enough for more than a hundred thousand positions.
const LIMIT: Limit = Limit { mebibytes: 16, of: "a file of positions" };

/// The default positions, as FEN.
pub const POSITIONS: [&str; 40] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "rnbqkb1r/pppp1ppp/5n2/4p3/4PP2/2N5/PPPP2PP/R1BQKBNR b KQkq - 0 3",
    "rn1qkb1r/pp2pppp/5n2/3p1b2/3P4/2N1P3/PP3PPP/R1BQKBNR w KQkq - 1 6",
    "r1bqkb1r/pp3ppp/2np1n2/4p1B1/3NP3/2N5/PPP2PPP/R2QKB1R w KQkq - 0 7",
    "r1bq1rk1/1pp2pbp/p1np1np1/3Pp3/2P1P3/2N1BP2/PP4PP/R1NQKB1R b KQ - 0 9",
    "rnbq1rk1/pppp1ppp/4pn2/8/1bPP4/P1N5/1PQ1PPPP/R1B1KBNR b KQ - 0 5",
    "r1bqrnk1/pp2bp1p/2p2np1/3p2B1/3P4/2NBPN2/PPQ2PPP/1R3RK1 w - - 0 12",
    "1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - 0 1",
    "3r1k2/4npp1/1ppr3p/p6P/P2PPPP1/1NR5/5K2/2R5 w - - 0 1",
    "2q1rr1k/3bbnnp/p2p1pp1/2pPp3/PpP1P1P1/1P2BNNP/2BQ1PRK/7R b - - 0 1",
    "r1b2rk1/2q1b1pp/p2ppn2/1p6/3QP3/1BN1B3/PPP3PP/R4RK1 w - - 0 1",
    "2kr1bnr/pbpq4/2n1pp2/3p3p/3P1P1B/2N2N1Q/PPP3PP/2KR1B1R w - - 0 1",
    "r2q1rk1/1ppnbppp/p2p1nb1/3Pp3/2P1P1P1/2N2N1P/PPB1QP2/R1B2RK1 b - - 0 1",
    "r2qnrnk/p2b2b1/1p1p2pp/2pPpp2/1PP1P3/PRNBB3/3QNPPP/5RK1 w - - 0 1",
    "2r2rk1/1bqnbpp1/1p1ppn1p/pP6/N1P1P3/P2B1N1P/1B2QPP1/R2R2K1 b - - 0 1",
    "1rbq1rk1/p1b1nppp/1p2p3/8/1B1pN3/P2B4/1P3PPP/2RQ1R1K w - - 0 1",
    "r3k2r/pbn2ppp/8/1P1pP3/P1qP4/5B2/3Q1PPP/R3K2R w KQkq - 0 1",
    "1r2r1k1/p4p1p/6pB/q7/8/3Q2P1/PbP2PKP/1R3R2 w - - 0 1",
    "q4rk1/1n1Qbppp/2p5/1p2p3/1P2P3/2P4P/6P1/2B1NRK1 b - - 0 1",
    "r1bq1r1k/p1pnbpp1/1p2p3/6p1/3PB3/5N2/PPPQ1PPP/2KR3R w - - 0 1",
    "1r2rbk1/1p1n1p2/p3b1p1/q2NpNPp/4P2Q/1P5R/6BP/5R1K w - h6 0 1",
    "2r1k2r/2pn1pp1/1p3n1p/p3PP2/4q2B/P1P5/2Q1N1PP/R4RK1 w - - 0 1",
    "r1b2rk1/1p2q1b1/1n4p1/pP1p4/3Pp3/6BN/P2QBPP1/2R1K2R w K - 0 1",
    "4n3/1p1b1pk1/8/rNR1n1p1/1p1Np3/1B2P1P1/PP3PK1/8 b - - 0 1",
    "8/p3b1k1/2p5/3qp2p/P2p3P/1P1Q1PP1/3NP1K1/8 w - - 0 1",
    "8/pp2r1k1/2p1p3/3pP2p/1P1P1P1P/P5KR/8/8 w - - 0 1",
    "8/3b4/5k2/2pPnp2/1pP4N/pP1B2P1/P3K3/8 b - - 0 1",
    "6k1/4pp1p/3p2p1/P1pPb3/R7/1r2P1PP/3B1P2/6K1 w - - 0 1",
    "5k2/7R/4P2p/5K2/p1r2P1p/8/8/8 b - - 0 1",
    "8/1p3pp1/7p/5P1P/2k3P1/8/2K2P2/8 w - - 0 1",
    "8/4p3/p2p4/2pP4/2P1P3/1P4k1/1P1K4/8 w - - 0 1",
    "8/5b2/p2k4/1p1p1p1p/1P1K1P1P/2P1PB2/8/8 w - - 0 1",
    "1B1b4/7K/1p6/1k6/8/8/8/8 w - - 0 1",
    "8/8/p1p5/1p5p/1P5p/8/PPP2K1p/4R1rk w - - 4 23",
    "4k3/8/8/3QK3/8/8/8/8 w - - 90 120",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9",
    "rnb1kbnr/pppp1ppp/4p3/8/5PPq/8/PPPPP2P/RNBQKBNR w KQkq - 1 3",
    "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
];

/// How a benchmark is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BenchPlan {
    /// Table size in MiB.
    pub hash: usize,
    /// The number of threads. The node count is reproducible with one thread, or with [`Settings::deterministic`].
    pub threads: usize,
    /// The work for each position.
    pub work: BenchWork,
    /// The positions of a benchmark.
    pub positions: Positions,
}

/// The work for each position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BenchWork {
    /// A search within these limits.
    Search(Limits),
    /// Count the leaves of the legal move tree to this depth, in plies.
    Perft(u32),
    /// The static evaluation.
    Eval,
}

/// The positions of a benchmark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Positions {
    /// [`POSITIONS`].
    Default,
    /// The current position.
    Current,
    /// The positions of a file with a FEN on each line.
    File(PathBuf),
}

impl Default for BenchPlan {
    /// The plan whose node count is the signature.
    fn default() -> BenchPlan {
        BenchPlan {
            hash: 16,
            threads: 1,
            work: BenchWork::Search(Limits::depth(13)),
            positions: Positions::Default,
        }
    }
}

impl BenchPlan {
    /// Reads the words after `bench`: table size in MiB, threads, limit, positions, and the kind of limit. The order
    /// and the words are those of Stockfish's `bench`. Missing words are as in [`BenchPlan::default`].
    ///
    /// # Errors
    /// If a word has no meaning at its place, or a number is out of its range.
    pub fn parse<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<BenchPlan, InputError> {
        let mut plan = BenchPlan::default();
        if let Some(hash) = number(words.next(), "a table size in MiB")? {
            plan.hash = HASH.check(saturated(hash)).map_err(InputError::BenchRange)?;
        }
        if let Some(threads) = number(words.next(), "a number of threads")? {
            plan.threads = THREADS.check(saturated(threads)).map_err(InputError::BenchRange)?;
        }
        let limit = words.next();
        let value = number(limit, "a limit")?;
        plan.positions = match words.next() {
            None | Some("default") => Positions::Default,
            Some("current") => Positions::Current,
            Some(path) => Positions::File(path.into()),
        };
        let within = |least: u64, greatest: u64| match value.map(u64::try_from) {
            None => Ok(None),
            Some(Ok(number)) if (least..=greatest).contains(&number) => Ok(Some(number)),
            Some(_) => Err(InputError::BenchLimit { least, greatest, found: Excerpt::of_next(limit) }),
        };
        let search = |limits| Some(BenchWork::Search(limits));
        let work = match words.next() {
            None | Some("depth") => {
                within(1, MAX_DEPTH as u64)?.and_then(|plies| search(Limits::depth(plies as i32)))
            }
            Some("nodes") => within(1, u64::MAX)?.and_then(|nodes| search(Limits::nodes(nodes))),
            Some("movetime") => {
                within(1, u64::MAX)?.and_then(|time| search(Limits::move_time(milliseconds(time))))
            }
            Some("perft") => within(0, DEEPEST_PERFT.into())?.map(|plies| BenchWork::Perft(plies as u32)),
            Some("eval") => Some(BenchWork::Eval),
            word => return Err(expected("depth, nodes, movetime, perft or eval", word)),
        };
        plan.work = work.unwrap_or(plan.work);
        match words.next() {
            None => Ok(plan),
            word => Err(expected("the end of the line", word)),
        }
    }

    /// The positions of the plan, each as a FEN and as a game.
    fn games(&self, current: Option<&Game>) -> Result<Vec<(String, Game)>, BenchError> {
        let of = |fen: &str| Ok((fen.to_owned(), Game::from_fen(fen)?.0));
        match &self.positions {
            Positions::Default => Ok(POSITIONS.map(|fen| of(fen).expect("the positions are tested")).into()),
            Positions::Current => {
                let game = current.ok_or(BenchError::NoPosition)?.clone();
                let board = game.board();
                Ok(vec![(board.fen(board.has_chess960_castling()), game)])
            }
            Positions::File(path) => {
                let path_of = |reason: String| BenchError::File { path: path.clone(), reason };
                let text = read(path).map_err(|error| path_of(error.reason().to_string()))?;
                let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
                let games = lines.map(|(index, fen)| {
                    of(fen).map_err(|error: FenError| path_of(format!("line {}: {error}", index + 1)))
                });
                let games: Vec<_> = games.collect::<Result<_, _>>()?;
                if games.is_empty() { Err(path_of("no position in it".to_owned())) } else { Ok(games) }
            }
        }
    }
}

/// Reads a word as a whole number, if there is a word.
fn number(word: Option<&str>, meaning: &'static str) -> Result<Option<i128>, InputError> {
    match word.map(whole_number) {
        None => Ok(None),
        Some(Some(number)) => Ok(Some(number)),
        Some(None) => Err(expected(meaning, word)),
    }
}

fn expected(expected: &'static str, found: Option<&str>) -> InputError {
    InputError::Expected { after: "bench", expected, found: Excerpt::of_next(found) }
}

fn saturated(number: i128) -> i64 {
    number.clamp(i64::MIN.into(), i64::MAX.into()) as i64
}

fn read(path: &Path) -> Result<String, FileError> {
    check_regular(path)?;
    read_text(path, LIMIT)
}

/// A benchmark cannot be run.
#[derive(Debug, Error)]
pub enum BenchError {
    /// The positions of a file cannot be used.
    #[error("bench: {}: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// There is no current position.
    #[error("bench: there is no current position, the last one was refused")]
    NoPosition,
    /// The engine cannot be started.
    #[error("bench: {0}")]
    Engine(#[from] EngineError),
    /// The threads for perft cannot be started.
    #[error("bench: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

/// The result of a benchmark. It is displayed as Stockfish's lines, which people and test frameworks know, and then the
/// line that OpenBench reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Total {
    /// The nodes of all positions.
    pub nodes: u64,
    /// The time of all searches.
    pub time: Duration,
}

impl fmt::Display for Total {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Total { nodes, time } = *self;
        let speed = nodes_per_second(nodes, time);
        writeln!(f, "===========================")?;
        writeln!(f, "Total time (ms) : {}", time.as_millis())?;
        writeln!(f, "Nodes searched  : {nodes}")?;
        writeln!(f, "Nodes/second    : {speed}")?;
        write!(f, "{nodes} nodes {speed} nps")
    }
}

/// Runs the plan with an engine of its own. The plan overrides `settings`. `current` is the current position. `print`
/// receives a line for each position.
///
/// # Errors
///
/// If the positions cannot be used or the engine cannot be started.
pub fn run(
    settings: &Settings,
    plan: &BenchPlan,
    current: Option<&Game>,
    mut print: impl FnMut(&str),
) -> Result<Total, BenchError> {
    let games = plan.games(current)?;
    // People who compare node counts may have different tablebases. So the benchmark uses none.
    let tablebases = Arc::default();
    let settings =
        Settings { hash: plan.hash, threads: plan.threads, tablebases, ..settings.for_measuring() };
    let mut engine = Engine::new(settings)?;
    let mut total = Total::default();
    let count = games.len();
    for (index, (fen, game)) in games.into_iter().enumerate() {
        let started = Instant::now();
        let (nodes, time, result) = match &plan.work {
            BenchWork::Eval => {
                print(&evaluation::text(&engine.settings().network, game.board()));
                (0, started.elapsed(), String::new())
            }
            BenchWork::Perft(depth) => {
                let nodes = perft(&game, *depth, plan.threads)?;
                (nodes, started.elapsed(), String::new())
            }
            BenchWork::Search(limits) => {
                // The engine is cleared before each position. So a change in one position's count does not change the
                // counts of the others.
                engine.new_game();
                engine.set_game(game);
                let outcome = engine.search(limits.clone());
                let mv = outcome.best_move.map_or("(none)".to_owned(), |mv| mv.to_uci(false).to_string());
                (outcome.nodes, outcome.time, mv)
            }
        };
        print(&format!("{:>2}/{count} {nodes:>9} nodes {result:<6} {fen}", index + 1));
        total.nodes += nodes;
        total.time += time;
    }
    Ok(total)
}

fn perft(game: &Game, depth: u32, threads: usize) -> Result<u64, rayon::ThreadPoolBuildError> {
    if depth == 0 {
        return Ok(1);
    }
    Ok(parallel_perft(game.board(), depth, threads)?.iter().map(|(_, count)| count).sum())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::engine::run::Strength;

    #[test]
    fn every_bench_position_is_valid() {
        for fen in POSITIONS {
            let (_, repairs) = Game::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
            assert!(repairs.is_empty(), "{fen}: {repairs:?}");
        }
    }

    #[test]
    fn no_bench_position_is_listed_twice() {
        let mut fens = POSITIONS.to_vec();
        fens.sort_unstable();
        fens.dedup();
        assert_eq!(fens.len(), POSITIONS.len());
    }

    #[test]
    fn the_totals_have_the_format_of_test_frameworks() {
        let text = Total { nodes: 1_500_000, time: Duration::from_millis(1500) }.to_string();
        assert!(text.contains("\nNodes searched  : 1500000\nNodes/second    : 1000000\n"));
        assert_eq!(text.lines().last(), Some("1500000 nodes 1000000 nps"));
    }

    #[test]
    fn one_thread_always_searches_the_same_nodes() {
        let plan = BenchPlan::parse("1 1 2".split(' ')).unwrap();
        let count = |settings| run(&settings, &plan, None, |_| {}).unwrap().nodes;
        let first = count(Settings::default());
        assert_eq!(count(Settings::default()), first);
        let strength = Strength { limited: true, ..Strength::default() };
        assert_eq!(count(Settings { keep_hash: true, strength, ..Settings::default() }), first);
    }

    fn parse(words: &str) -> Result<BenchPlan, String> {
        BenchPlan::parse(words.split_whitespace()).map_err(|error| error.to_string())
    }

    #[test]
    fn the_arguments_are_those_of_stockfish() {
        let plan = BenchPlan::default();
        assert_eq!(parse(""), Ok(plan.clone()));
        assert_eq!(parse("16 1 13 default depth"), Ok(plan.clone()));
        for (words, work) in [
            ("16 1 100 default nodes", BenchWork::Search(Limits::nodes(100))),
            ("16 1 100 default movetime", BenchWork::Search(Limits::move_time(Duration::from_millis(100)))),
            ("16 1 5", BenchWork::Search(Limits::depth(5))),
            ("16 1 4 default perft", BenchWork::Perft(4)),
            ("16 1 4 default eval", BenchWork::Eval),
        ] {
            assert_eq!(parse(words), Ok(BenchPlan { work, ..plan.clone() }), "{words}");
        }
        assert_eq!(parse("2 3 4 current").unwrap().positions, Positions::Current);
        assert_eq!(parse("2 3 4 some.epd nodes").unwrap().positions, Positions::File("some.epd".into()));
    }

    #[test]
    fn unknown_arguments_are_refused() {
        for (words, message) in [
            ("many", "bench: expected a table size in MiB, found \"many\""),
            ("1 1 x", "bench: expected a limit, found \"x\""),
            ("1 0", "bench: Threads must lie between 1 and 1024, not 0"),
            ("1 1 0", "bench: the limit must lie between 1 and 245, not \"0\""),
            ("1 1 21 default perft", "bench: the limit must lie between 0 and 20, not \"21\""),
            ("1 1 5 default plies", "bench: expected depth, nodes, movetime, perft or eval, found \"plies\""),
            ("1 1 5 default depth 6", "bench: expected the end of the line, found \"6\""),
        ] {
            assert_eq!(parse(words).unwrap_err(), message);
        }
    }

    #[test]
    fn positions_are_read_from_a_file_or_the_error_says_why_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("positions.txt");
        let done = |text: &str| {
            fs::write(&path, text).unwrap();
            let plan =
                BenchPlan { positions: Positions::File(path.clone()), ..parse("1 1 2 x perft").unwrap() };
            run(&Settings { hash: 1, ..Settings::default() }, &plan, None, |_| {})
                .map(|total| total.nodes)
                .map_err(|error| error.to_string())
        };
        assert_eq!(
            done(
                "4k3/8/8/8/8/8/8/4K3 w - - 0 1\n\nrnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n"
            ),
            Ok(25 + 400)
        );
        assert!(done("4k3/8/8/8/8/8/8/4K3 w - - 0 1\nnonsense\n").unwrap_err().contains(": line 2: FEN: "));
        assert!(done("\n").unwrap_err().ends_with(": no position in it"));
        let of = |path: &Path| {
            BenchPlan { positions: Positions::File(path.into()), ..BenchPlan::default() }.games(None)
        };
        assert!(of(folder.path()).unwrap_err().to_string().ends_with(": it is not a regular file"));
        assert!(of(&folder.path().join("none")).is_err());
    }
}
