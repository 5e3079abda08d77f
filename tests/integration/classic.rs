//! The classic searches are oracles. The production search without its judgment must return NegaMax's score, and so
//! must plain alpha-beta.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, OnceLock};

use enfilade::chess::board::{Board, Game, Move};
use enfilade::chess::types::Score;
use enfilade::engine::classic::{ClassicResult, ClassicSearcher, NodeLimit};
use enfilade::engine::eval;
use enfilade::engine::run::job::Selectivity;
use enfilade::engine::run::{Limits, Line, Observer, Outcome};
use enfilade::engine::{Engine, Settings};
use rayon::prelude::*;

use crate::dialogue::board;
use crate::remembered::RememberedEvaluation;

/// A position and what NegaMax finds in it.
struct Oracle {
    board: Board,
    /// The depth (`acd`) to which NegaMax is fast enough.
    depth: i32,
    results: OnceLock<Vec<ClassicResult>>,
}

impl Oracle {
    fn read(line: &str) -> Oracle {
        let (fen, depth) = line.split_once(" acd ").expect("an acd operation");
        let depth = depth.trim_end_matches(';').parse().expect("a depth");
        Oracle { board: board(&format!("{fen} 0 1")), depth, results: OnceLock::new() }
    }

    /// The results of NegaMax from depth 1 on. The first test that asks has them computed.
    fn results(&self) -> &[ClassicResult] {
        self.results.get_or_init(|| {
            let mut negamax = classic();
            (1..=self.depth).map(|depth| negamax.negamax(&self.board, depth).expect("no limit")).collect()
        })
    }

    fn at(&self, depth: i32) -> &ClassicResult {
        &self.results()[depth as usize - 1]
    }
}

/// The positions, one for each line of the file.
static ORACLES: LazyLock<Vec<Oracle>> =
    LazyLock::new(|| include_str!("../data/oracle_positions.epd").lines().map(Oracle::read).collect());

fn classic() -> ClassicSearcher<RememberedEvaluation> {
    ClassicSearcher::new(RememberedEvaluation::default(), NodeLimit::UNLIMITED)
}

/// Plays a line to its end and returns the score of the last position for the side to move at the root. It uses only
/// the rules of the game and the static evaluation.
fn replay(root: &Board, line: &[Move], depth: i32) -> Score {
    let mut board = root.clone();
    for &mv in line {
        assert!(board.legal_moves().contains(&mv), "{mv:?} is illegal in {}", board.fen(false));
        board = board.after(mv);
    }
    let has_move = !board.legal_moves().is_empty();
    let score = if !has_move && board.in_check() {
        Score::mated_in(line.len())
    } else if !has_move || board.is_insufficient_material() {
        Score::ZERO
    } else {
        assert_eq!(line.len() as i32, depth, "the line ends early: {}", root.fen(false));
        eval::evaluate(&board)
    };
    if line.len().is_multiple_of(2) { score } else { -score }
}

/// Keeps the line of each iteration.
#[derive(Default)]
struct Iterations(Mutex<Vec<Line>>);

impl Observer for Iterations {
    fn line(&self, line: &Line) {
        self.0.lock().unwrap().push(line.clone());
    }

    fn current_move(&self, _depth: i32, _mv: Move, _number: usize) {}
    fn message(&self, _text: &str) {}
    fn finished(&self, _outcome: &Outcome) {}
}

fn unselective(table: bool) -> Engine {
    let selectivity = Selectivity { pruning: false, table, repetition: false, quiescence: false };
    Engine::new(Settings { hash: 4, selectivity, ..Settings::default() }).expect("an engine")
}

#[test]
fn the_production_search_without_pruning_returns_the_negamax_score() {
    let searches = AtomicUsize::new(0);
    let failures: Vec<String> = ORACLES[..]
        .par_chunks(10)
        .flat_map_iter(|chunk| {
            let mut engines = [(unselective(true), "with"), (unselective(false), "without")];
            let mut failures = Vec::new();
            for oracle in chunk {
                let (Oracle { board, depth, .. }, expected) = (oracle, oracle.results());
                for (engine, table) in &mut engines {
                    engine.set_game(Game::new(board.clone()));
                    let iterations = Arc::new(Iterations::default());
                    engine.search_with(Limits::depth(*depth), Arc::clone(&iterations) as Arc<dyn Observer>);
                    let lines = iterations.0.lock().unwrap();
                    assert_eq!(lines.len(), expected.len(), "{}", board.fen(false));
                    for (line, expected) in lines.iter().zip(expected) {
                        searches.fetch_add(1, Ordering::Relaxed);
                        if line.score != expected.score {
                            failures.push(format!(
                                "{} depth {}, {table} the table: {} {:?}, NegaMax has {} {:?}",
                                board.fen(false),
                                line.depth,
                                line.score,
                                line.pv,
                                expected.score,
                                expected.line
                            ));
                        }
                    }
                }
            }
            failures
        })
        .collect();
    println!("{} scores compared", searches.into_inner());
    assert!(
        failures.is_empty(),
        "{} differ:\n{}",
        failures.len(),
        failures[..failures.len().min(8)].join("\n")
    );
    assert!(ORACLES.iter().filter(|oracle| oracle.depth >= 5).count() >= 200);
}

#[test]
fn alpha_beta_returns_the_negamax_score_and_a_line_that_leads_to_it() {
    ORACLES[..].par_iter().for_each(|oracle| {
        let (board, depth) = (&oracle.board, oracle.depth.min(4));
        let expected = oracle.at(depth);
        let mut searcher = classic();
        let found = searcher.alpha_beta(board, depth, &[]).expect("no limit");
        assert_eq!(found.score, expected.score, "{}", board.fen(false));
        for line in [&found.line, &expected.line] {
            assert_eq!(replay(board, line, depth), expected.score, "{}", board.fen(false));
        }
        // Iterative deepening begins each iteration with the previous line. It may end early at a win.
        let deepened = searcher.alpha_beta_deepening(board, depth).expect("no limit");
        if deepened.depth == depth {
            assert_eq!(deepened.score, expected.score, "{}", board.fen(false));
        } else {
            assert!(deepened.score >= Score::MATE_BOUND && expected.score >= deepened.score);
        }
    });
}

#[test]
fn the_half_depth_search_returns_a_legal_line_that_leads_to_its_score() {
    ORACLES[..].par_iter().step_by(4).for_each(|Oracle { board, .. }| {
        let leaf = RememberedEvaluation::default();
        let unlimited = || ClassicSearcher::new(leaf.clone(), NodeLimit::UNLIMITED);
        let mut finished = Vec::new();
        for depth in 1..=5 {
            let found = unlimited().half_depth(board, depth).expect("no limit");
            assert_eq!(replay(board, &found.line, depth), found.score, "{}", board.fen(false));
            finished.push(found);
        }
        // Wherever the search is stopped, it returns the result of a finished iteration.
        for nodes in [1, 100, 3_000, 20_000] {
            let mut searcher = ClassicSearcher::new(leaf.clone(), NodeLimit::nodes(nodes));
            if let Some(found) = searcher.half_depth_deepening(board, 6) {
                let expected = match finished.get(found.depth as usize - 1) {
                    Some(finished) => finished.clone(),
                    None => unlimited().half_depth(board, found.depth).expect("no limit"),
                };
                assert_eq!(expected, found);
            }
            assert!(searcher.nodes() <= nodes);
        }
    });
}

#[test]
fn all_classic_searches_find_a_mate_in_two() {
    for fen in MATES_IN_TWO {
        let board = board(fen);
        let mate = Score::mate_in(3);
        let leaf = RememberedEvaluation::default();
        let classic = || ClassicSearcher::new(leaf.clone(), NodeLimit::UNLIMITED);
        let full = classic().negamax(&board, 3).expect("no limit");
        let mut found = vec![
            full,
            classic().half_depth(&board, 3).expect("no limit"),
            classic().half_depth(&board, 4).expect("no limit"),
            classic().half_depth_deepening(&board, 6).expect("no limit"),
            classic().alpha_beta(&board, 3, &[]).expect("no limit"),
            classic().alpha_beta_deepening(&board, 6).expect("no limit"),
        ];
        let whole = Engine::new(Settings { hash: 4, ..Settings::default() }).expect("an engine");
        let until_found = Limits { mate: Some(2), ..Limits::depth(16) };
        for (mut engine, limits) in [
            (unselective(true), Limits::depth(4)),
            (unselective(false), Limits::depth(4)),
            (whole, until_found),
        ] {
            engine.set_game(Game::new(board.clone()));
            let line = engine.search(limits).lines.swap_remove(0);
            found.push(ClassicResult {
                score: line.score,
                line: line.pv.into_iter().collect(),
                depth: line.depth,
            });
        }
        for (number, found) in found.iter().enumerate() {
            assert_eq!(found.score, mate, "search {number} of {fen}");
            assert_eq!(found.line.len(), 3, "search {number} of {fen}: {:?}", found.line);
            assert_eq!(replay(&board, &found.line, 3), mate, "search {number} of {fen}");
        }
    }
}

/// The solutions are a bait for an en passant capture, a mate by a pawn, a quiet move, and three sacrifices.
const MATES_IN_TWO: [&str; 6] = [
    "8/8/p7/k1K5/p7/8/1P3pp1/5R2 w - - 0 1",
    "8/5p1p/5K1k/6Np/7b/5P2/8/8 w - - 0 1",
    "1k6/3K4/P7/8/4B3/B5bp/4p3/5b2 w - - 0 1",
    "6R1/5r1k/p6b/1pB1p2q/1P6/5rQP/5P1K/6R1 w - - 0 1",
    "2R5/4rppk/7p/1p2Q1n1/1P4Bq/4P2P/5PP1/6K1 w - - 0 1",
    "1nbk1b1r/1r6/p2P2pp/1B2PpN1/2p2P2/2P1B3/7P/R3K2R w - - 0 1",
];
