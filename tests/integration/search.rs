//! Tests of the search through the facade: mates, draws, limits, threads, and repeatability.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use enfilade::chess::board::{Board, Move};
use enfilade::chess::types::{Bound, Score};
use enfilade::engine::run::leaf::Kind;
use enfilade::engine::run::{Level, Limits, Line, Observer, Outcome, Strength, Telemetry};
use enfilade::engine::{Engine, Settings};

use crate::dialogue::game;

pub fn engine(threads: usize) -> Engine {
    Engine::new(Settings { hash: 4, threads, ..Settings::default() }).expect("an engine of this size")
}

pub fn search(engine: &mut Engine, fen: &str, limits: Limits) -> Outcome {
    engine.set_game(game(fen, ""));
    engine.search(limits)
}

fn text(mv: Option<Move>) -> String {
    mv.map_or("(none)".to_string(), |mv| mv.to_uci(false).to_string())
}

/// Plays a line. Fails at the first illegal move.
pub fn replay(board: &Board, line: &Line) -> Board {
    line.pv.iter().fold(board.clone(), |board, &mv| {
        assert!(board.can_play(mv), "{mv:?} of {:?}", line.pv);
        board.after(mv)
    })
}

#[test]
fn short_mates_are_found_and_proven() {
    let mut engine = engine(1);
    // No move is pruned within the requested number of moves. So with this node limit all mates in one and two are
    // found, and nearly all mates in three.
    let mut found = [0; 4];
    for row in include_str!("../data/mates.epd").lines().filter(|row| !row.starts_with('#')) {
        let (fen, moves) = row.split_once("; ").expect("position and length");
        let moves: i32 = moves.parse().expect("a number of moves");
        engine.new_game();
        let limits = Limits { mate: Some(moves as u32), ..Limits::nodes(300_000) };
        let outcome = search(&mut engine, fen, limits);
        let score = outcome.lines[0].score;
        assert!(score.mate_moves().is_none_or(|m| m >= moves), "{fen}: {score} is too good");
        if score.mate_moves() == Some(moves) {
            found[moves as usize] += 1;
            replay(engine.game().board(), &outcome.lines[0]);
        }
    }
    assert_eq!(found[..3], [0, 12, 12]);
    assert!(found[3] >= 11, "{} of 12 mates in three", found[3]);
}

#[test]
fn a_game_that_is_over_has_no_move() {
    let mut engine = engine(1);
    let mated =
        search(&mut engine, "rnb1kbnr/pppp1ppp/4p3/8/5PPq/8/PPPPP2P/RNBQKBNR w KQkq - 1 3", Limits::depth(5));
    assert_eq!((mated.best_move, mated.lines[0].score), (None, Score::mated_in(0)));
    let stalemated = search(&mut engine, "k7/3N4/1K6/1B6/8/8/8/8 b - - 99 1", Limits::depth(5));
    assert_eq!((stalemated.best_move, stalemated.lines[0].score), (None, Score::ZERO));
}

#[test]
fn a_perpetual_check_that_began_in_the_game_is_a_draw() {
    let mut engine = engine(1);
    engine.set_game(game("q4kb1/3Q2nq/8/r3PpK1/2n5/7q/8/q7 w - f6 0 1", "d7c8 f8f7 c8d7 f7f8 d7d8 f8f7"));
    let outcome = engine.search(Limits::depth(12));
    assert_eq!(outcome.lines[0].score, Score::ZERO);
    assert_eq!(text(outcome.best_move), "d8d7");
}

#[test]
fn a_second_occurrence_of_a_game_position_is_not_a_draw() {
    let mut engine = engine(1);
    engine.set_game(game("7k/8/5K2/7Q/8/8/8/8 b - - 0 1", "h8g8 h5g5 g8h8 g5h5"));
    // Black's only move leads to a position that occurred once before. Black is still lost.
    let outcome = engine.search(Limits::depth(8));
    assert!(outcome.lines[0].score.is_loss(), "{}", outcome.lines[0].score);
}

#[test]
fn mate_takes_precedence_over_the_fifty_move_rule() {
    let mut engine = engine(1);
    let drawn = search(&mut engine, "8/8/8/1r3KR1/5B2/8/8/k7 w - - 99 122", Limits::depth(6));
    assert_eq!(drawn.lines[0].score, Score::ZERO);
    let mate = search(&mut engine, "k7/8/1K6/8/8/8/8/7R w - - 99 120", Limits::depth(4));
    assert_eq!(mate.lines[0].score, Score::mate_in(1));
}

#[test]
fn en_passant_mates() {
    let mut engine = engine(1);
    let outcome = search(&mut engine, "5K2/8/2qk4/2nPp3/3r4/6B1/B7/3R4 w - e6 0 1", Limits::depth(8));
    assert_eq!((text(outcome.best_move), outcome.lines[0].score), ("d5e6".to_string(), Score::mate_in(1)));
}

#[test]
fn search_moves_restrict_the_root() {
    let mut engine = engine(1);
    let fen = "8/5R2/2K1P3/4k3/8/b1PPpp1B/5p2/8 w - - 0 1";
    let only = game(fen, "").parse_uci("c6d7").expect("a legal move");
    let outcome = search(&mut engine, fen, Limits { search_moves: vec![only], ..Limits::depth(8) });
    assert_eq!(outcome.best_move, Some(only));
    assert_eq!(outcome.lines[0].score.mate_moves(), Some(2));
}

#[test]
fn a_search_can_be_repeated_node_for_node() {
    let mut engine = engine(1);
    let fen = "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9";
    // The limits are not smaller, because the first iteration is always finished and needs a few hundred nodes.
    for nodes in [500, 1_000, 7_777, 50_000] {
        engine.new_game();
        let first = search(&mut engine, fen, Limits::nodes(nodes));
        engine.new_game();
        let second = search(&mut engine, fen, Limits::nodes(nodes));
        assert_eq!(first.nodes, nodes, "one thread stops at the exact node");
        let line = |outcome: &Outcome| {
            (outcome.nodes, outcome.best_move, outcome.lines[0].score, outcome.lines[0].pv.clone())
        };
        assert_eq!(line(&first), line(&second));
    }
}

#[test]
fn every_quiescence_kind_wins_a_hanging_queen() {
    for kind in Kind::ALL {
        let mut engine = Engine::new(Settings {
            hash: 4,
            quiescence: kind,
            telemetry: Telemetry::Report,
            ..Settings::default()
        })
        .expect("an engine");
        // White can win a queen at once. There are pawns, because networks know little about a rook alone.
        let outcome = search(&mut engine, "4k3/ppp5/8/3q4/8/8/PPP5/3RK3 w - - 0 1", Limits::depth(4));
        assert_eq!(text(outcome.best_move), "d1d5", "{kind}");
        assert!(outcome.lines[0].score > Score::new(200), "{kind}: {}", outcome.lines[0].score);
    }
}

#[test]
fn several_lines_are_distinct_and_ordered() {
    let mut engine = engine(2);
    engine.update(|settings| settings.multi_pv = 4);
    let outcome = search(
        &mut engine,
        "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9",
        Limits::depth(7),
    );
    assert_eq!(outcome.lines.len(), 4);
    for (rank, pair) in outcome.lines.windows(2).enumerate() {
        assert!(pair[0].score >= pair[1].score);
        assert_ne!(pair[0].pv[0], pair[1].pv[0]);
        assert_eq!(pair[0].multi_pv, rank + 1);
    }
    for line in &outcome.lines {
        replay(engine.game().board(), line);
    }
}

#[test]
fn multi_pv_beyond_the_number_of_moves_gives_one_line_for_each_move() {
    let mut engine = engine(1);
    engine.update(|settings| settings.multi_pv = 50);
    let outcome = search(&mut engine, "7k/8/8/8/8/8/8/K7 w - - 0 1", Limits::depth(3));
    assert_eq!(outcome.lines.len(), 3);
}

#[test]
fn many_threads_search_and_stop_together() {
    for threads in [2, 8, 64] {
        let mut engine = engine(threads);
        let outcome = engine.search(Limits::move_time(Duration::from_millis(60)));
        let last = replay(&Board::startpos(), &outcome.lines[0]);
        assert_ne!(last.key(), Board::startpos().key());
        assert_eq!(outcome.best_move, Some(outcome.lines[0].pv[0]));
        assert!(outcome.nodes > 0);
    }
}

#[test]
fn a_node_limit_holds_for_all_threads_together() {
    let mut engine = engine(4);
    let outcome = engine.search(Limits::nodes(40_000));
    // Each thread publishes its count every 512 nodes.
    assert!((40_000..60_000).contains(&outcome.nodes), "{}", outcome.nodes);
}

#[test]
fn the_number_of_threads_can_change_between_searches() {
    let mut engine = engine(1);
    for threads in [3, 1, 16, 2] {
        engine.set_threads(threads).expect("a few threads");
        assert_eq!(engine.settings().threads, threads);
        assert!(engine.search(Limits::depth(4)).best_move.is_some());
    }
}

#[test]
fn the_table_can_be_resized_between_searches() {
    let mut engine = engine(2);
    engine.search(Limits::depth(5));
    engine.set_hash(9).expect("nine mebibytes");
    assert_eq!(engine.settings().hash, 9);
    assert!(engine.set_hash(usize::MAX / (1 << 21)).is_err(), "more than any machine has");
    assert_eq!(engine.settings().hash, 9, "the old table stays");
    assert!(engine.search(Limits::depth(5)).best_move.is_some());
}

/// An observer that counts its calls.
#[derive(Default)]
struct Counter {
    lines: AtomicUsize,
    finished: AtomicUsize,
}

impl Observer for Counter {
    fn line(&self, _line: &Line) {
        assert_eq!(self.finished.load(Ordering::SeqCst), 0, "a line after the end");
        self.lines.fetch_add(1, Ordering::SeqCst);
    }
    fn current_move(&self, _depth: i32, _mv: Move, _number: usize) {}
    fn message(&self, _text: &str) {}
    fn finished(&self, _outcome: &Outcome) {
        self.finished.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn an_infinite_search_without_anything_to_search_waits_for_stop() {
    let mut engine = engine(2);
    for fen in
        ["7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "7k/8/5KQ1/8/8/8/8/8 w - - 0 1", "7k/8/8/8/8/8/8/K7 w - - 0 1"]
    {
        engine.set_game(game(fen, ""));
        let counter = Arc::new(Counter::default());
        engine.go(Limits { infinite: true, ..Limits::default() }, counter.clone());
        std::thread::sleep(Duration::from_millis(30));
        assert!(engine.is_searching(), "{fen}");
        assert_eq!(counter.finished.load(Ordering::SeqCst), 0);
        engine.stop();
        engine.wait();
        assert_eq!(counter.finished.load(Ordering::SeqCst), 1);
        assert!(counter.lines.load(Ordering::SeqCst) > 0);
    }
}

/// If the first move fails low, its score is a bound until a better move is found. This also holds if the search ends
/// there.
#[test]
fn a_search_stopped_after_a_fail_low_reports_an_upper_bound() {
    let mut engine = engine(1);
    let fen = "r1bq1r1k/p1pnbpp1/1p2p3/6p1/3PB3/5N2/PPPQ1PPP/2KR3R w - - 0 1";
    let bounds = (1..150).map(|step| search(&mut engine, fen, Limits::nodes(200 * step)).lines[0].bound);
    let upper = bounds.filter(|bound| *bound == Bound::Upper).count();
    assert!(upper > 0);
}

/// An observer that no longer listens after the third line.
#[derive(Default)]
struct Leaver(AtomicUsize);

impl Observer for Leaver {
    fn line(&self, _line: &Line) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
    fn current_move(&self, _depth: i32, _mv: Move, _number: usize) {}
    fn message(&self, _text: &str) {}
    fn finished(&self, _outcome: &Outcome) {}
    fn is_lost(&self) -> bool {
        self.0.load(Ordering::SeqCst) >= 3
    }
}

#[test]
fn a_search_ends_when_its_observer_is_lost() {
    let mut engine = engine(2);
    let outcome =
        engine.search_with(Limits { infinite: true, ..Limits::default() }, Arc::new(Leaver::default()));
    assert!(outcome.best_move.is_some());
}

#[test]
fn pondering_ends_by_the_hit_or_by_stop() {
    let mut engine = engine(1);
    let counter = Arc::new(Counter::default());
    let limits = Limits { ponder: true, ..Limits::move_time(Duration::from_millis(20)) };
    engine.go(limits.clone(), counter.clone());
    std::thread::sleep(Duration::from_millis(60));
    assert!(engine.is_searching(), "no limit ends a search before the hit");
    engine.ponder_hit();
    engine.wait();
    assert_eq!(counter.finished.load(Ordering::SeqCst), 1);

    let counter = Arc::new(Counter::default());
    engine.go(limits, counter.clone());
    engine.stop();
    engine.wait();
    assert_eq!(counter.finished.load(Ordering::SeqCst), 1);
}

#[test]
fn stop_right_after_go_yields_a_considered_move() {
    let mut engine = engine(4);
    for _ in 0..50 {
        let counter = Arc::new(Counter::default());
        engine.go(Limits { infinite: true, ..Limits::default() }, counter.clone());
        engine.stop();
        engine.wait();
        assert_eq!(counter.finished.load(Ordering::SeqCst), 1);
        assert!(counter.lines.load(Ordering::SeqCst) > 0);
    }
}

#[test]
fn a_mate_limit_ends_the_search_at_the_mate() {
    let mut engine = engine(1);
    let limits = Limits { mate: Some(2), ..Limits::default() };
    let outcome = search(&mut engine, "8/5R2/2K1P3/4k3/8/b1PPpp1B/5p2/8 w - - 0 1", limits);
    assert_eq!(outcome.lines[0].score.mate_moves(), Some(2));
}

#[test]
fn limited_play_repeats_only_if_deterministic() {
    let strength = Strength { limited: true, elo: Level::MIN, analysis: false };
    let mut engine = Engine::new(Settings { hash: 1, threads: 3, strength, ..Settings::default() }).unwrap();
    let mut played = |deterministic, games| -> Vec<_> {
        engine.update(|settings| settings.deterministic = deterministic);
        let mut play = || {
            engine.new_game();
            let outcome = engine.search(Limits { infinite: false, ..Limits::default() });
            assert_eq!(outcome.lines.len(), 1);
            assert_eq!(outcome.lines[0].pv.first().copied(), outcome.best_move);
            outcome.best_move
        };
        (0..games).map(|_| play()).collect()
    };
    let repeated = played(true, 5);
    assert!(repeated.iter().all(|mv| *mv == repeated[0]));
    let free = played(false, 40);
    assert!(free.iter().any(|mv| *mv != free[0]), "40 games begin alike");
}

#[test]
fn analysis_is_never_limited() {
    let strength = Strength { limited: true, elo: 1, analysis: true };
    let settings = |strength| Settings { hash: 1, strength, ..Settings::default() };
    let nodes = |strength| Engine::new(settings(strength)).unwrap().search(Limits::nodes(20_000)).nodes;
    assert_eq!(nodes(strength), nodes(Strength::default()));
    assert!(nodes(Strength { analysis: false, ..strength }) < 5_000);
}
