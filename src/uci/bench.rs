//! The benchmark: fixed positions to a fixed depth. With one thread the node count is the same
//! on every machine, and changes exactly when the search does: it is the signature by which a
//! version is known.
//!
//! The positions are taken from public test suites (Bratko-Kopec, Kaufman, CCR, LCT II, Arasan,
//! STS, the zugzwang suites) and from perft lists: openings, middle games, endings of many
//! kinds, mates, Chess960, and two roots without a move.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::error::InputError;
use super::reporter::nodes_per_second;
use crate::board::Game;
use crate::config::range::{HASH, THREADS};
use crate::engine::{Engine, EngineError, Settings};
use crate::search::Limits;

/// The positions, as FEN.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Table size in MiB.
    pub hash: usize,
    /// Threads; only with one is the node count reproducible.
    pub threads: usize,
    /// Plies.
    pub depth: i32,
}

impl Default for Plan {
    /// The plan whose node count is the signature.
    fn default() -> Plan {
        Plan { hash: 16, threads: 1, depth: 13 }
    }
}

impl Plan {
    /// With the numbers of a `bench` command, in its order, where it has them.
    ///
    /// # Errors
    /// If the table's size or the number of threads is out of its range.
    pub(super) fn typed(
        hash: Option<i64>,
        threads: Option<i64>,
        depth: Option<i32>,
    ) -> Result<Plan, InputError> {
        let mut plan = Plan::default();
        if let Some(hash) = hash {
            plan.hash = HASH.check(hash).map_err(InputError::BenchRange)?;
        }
        if let Some(threads) = threads {
            plan.threads = THREADS.check(threads).map_err(InputError::BenchRange)?;
        }
        if let Some(depth) = depth {
            plan.depth = depth.max(1);
        }
        Ok(plan)
    }
}

/// What a benchmark measured. Displayed as people and test frameworks are used to: Stockfish's
/// lines, then the one that OpenBench reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Total {
    /// Nodes of all positions.
    pub nodes: u64,
    /// Time of the searches.
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

/// Searches the positions with an engine of its own, set as `settings` says but for the plan;
/// `say` hears a line for each position.
///
/// # Errors
///
/// When that engine cannot be had.
pub fn run(settings: &Settings, plan: Plan, mut say: impl FnMut(&str)) -> Result<Total, EngineError> {
    let Plan { hash, threads, depth } = plan;
    // Whoever compares node counts need not have the same tablebases.
    let tablebases = Arc::default();
    let settings = Settings { hash, threads, tablebases, ..settings.for_measuring() };
    let mut engine = Engine::new(settings)?;
    let mut total = Total::default();
    for (index, fen) in POSITIONS.iter().enumerate() {
        let (game, _) = Game::from_fen(fen).expect("the positions are tested");
        // Each position for itself: one whose count changes does not change the others'.
        engine.new_game();
        engine.set_game(game);
        let outcome = engine.search(Limits::depth(depth));
        let mv = outcome.best_move.map_or("(none)".to_owned(), |mv| mv.to_uci(false).to_string());
        say(&format!("{:>2}/{} {:>9} nodes {mv:<6} {fen}", index + 1, POSITIONS.len(), outcome.nodes));
        total.nodes += outcome.nodes;
        total.time += outcome.time;
    }
    Ok(total)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Strength;

    #[test]
    fn every_position_is_sound() {
        for fen in POSITIONS {
            let (_, repairs) = Game::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
            assert!(repairs.is_empty(), "{fen}: {repairs:?}");
        }
    }

    #[test]
    fn no_position_comes_twice() {
        let mut fens = POSITIONS.to_vec();
        fens.sort_unstable();
        fens.dedup();
        assert_eq!(fens.len(), POSITIONS.len());
    }

    #[test]
    fn the_totals_are_printed_as_test_frameworks_read_them() {
        let text = Total { nodes: 1_500_000, time: Duration::from_millis(1500) }.to_string();
        assert!(text.contains("\nNodes searched  : 1500000\nNodes/second    : 1000000\n"));
        assert_eq!(text.lines().last(), Some("1500000 nodes 1000000 nps"));
    }

    #[test]
    fn one_thread_counts_the_same_nodes_again() {
        let plan = Plan { hash: 1, threads: 1, depth: 2 };
        let count = |settings| run(&settings, plan, |_| {}).unwrap().nodes;
        let first = count(Settings::default());
        assert_eq!(count(Settings::default()), first);
        let strength = Strength { limited: true, ..Strength::default() };
        assert_eq!(count(Settings { keep_hash: true, strength, ..Settings::default() }), first);
    }
}
