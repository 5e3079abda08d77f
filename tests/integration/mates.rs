//! Tests of the search for a mate in a number of moves (`go mate`), through the facade and the dialogue.

use crate::dialogue::{Dialogue, best, check_search, deterministic_engine, game, reports};
use enfilade::chess::board::Game;
use enfilade::engine::run::{Limits, Line, Outcome};
use enfilade::engine::{Engine, Settings};
use shakmaty::Position;

/// Positions with the number of moves to the mate, negative if the side to move is mated. They come from mates2000 of
/// the matetrack project.
const MATES: [(&str, i32); 14] = [
    ("2b1B3/6pN/4k2p/8/3K2p1/B2p2Np/3rp2r/8 w - - 0 1", 4),
    ("2r5/5p2/3N4/2p4B/p7/K1Bkp2p/2NP4/6R1 b - - 0 1", -4),
    ("8/4B3/8/6R1/7k/8/5rPK/6N1 b - - 0 1", -4),
    ("4b3/1R5n/3R3K/2p2kpN/2p1p3/r3p2P/6PB/bq3Nr1 w - - 0 1", 5),
    ("rq1B4/np3R2/3p3p/2bPp2p/P1p4p/rp3PkP/P3P1B1/3N3K w - - 0 1", 5),
    ("2k5/8/4r2p/2Q3p1/8/6P1/3pqP1P/R5K1 b - - 0 1", -5),
    ("8/2R1p2b/p2p4/Pkp2r2/2N2p2/1P6/2NKP3/8 b - - 0 1", -5),
    ("R7/5N2/8/6p1/3BP1p1/2KB2p1/5pp1/6k1 b - - 0 1", -5),
    ("1r4n1/7b/1r6/3p1pQP/2pPkpn1/5N2/3PK3/8 w - - 0 1", 6),
    ("8/2p5/2P5/3pP3/8/p2p4/p2P2pp/R1BRK1kb w Q - 0 1", 6),
    ("1k2r1r1/pp6/4N3/P3Q3/6q1/8/8/4K3 b - - 0 1", -6),
    ("3K1k2/R6p/1p2Bp1n/3p4/2b3n1/p7/5r2/2B5 b - - 0 1", -6),
    ("5k2/4NpN1/5K2/3R4/8/4pBp1/8/5r2 b - - 0 1", -6),
    ("8/3p4/8/1B1R4/8/1p4pp/1p2R1pk/bK5b b - - 0 1", -6),
];
/// Every 21st mate in four to six moves of mates2000, whether it is found or not.
const MORE_MATES: [(&str, i32); 27] = [
    ("4K2b/B3P2N/1Q1PP1N1/1R1p3r/1r1pk1B1/6P1/b1P1PP2/n7 w - - 0 1", 4),
    ("2RR1K1n/1rP1p2N/1pp1k3/qp3p2/rp3P2/3N4/P1PB4/5B2 b - - 0 1", -4),
    ("7R/8/4Qp2/1p2b3/3rkR2/6P1/1P2P3/6K1 b - - 0 1", -4),
    ("rq1B4/np4R1/3p3p/2bPp2p/P1p4p/rp3PkP/P3P1B1/3N3K b - - 0 1", -4),
    ("8/1B3N2/8/K1k3B1/R7/8/4r3/8 w - - 0 1", 5),
    ("1bB5/1P2p2r/8/2RRp3/1p2k1pB/3NP1K1/n2PpP2/4rb2 b - - 0 1", -5),
    ("3B4/7p/6pP/6Pk/1p2R2p/3K1b1P/1P3p2/5B2 b - - 0 1", -5),
    ("K7/1n2p1p1/3p4/6p1/6N1/6pk/3nQ1N1/8 b - - 0 1", -5),
    ("r7/4b3/b4p2/1p6/2p1B3/8/p3KR2/B6k b - - 0 1", -5),
    ("4B2K/4B1p1/1p2R1pk/rr5p/3b2pP/2p5/1p3R2/qb6 w - - 0 1", 6),
    ("8/8/8/8/8/2BBNN2/2K2k2/8 w - - 0 1", 6),
    ("1B1b4/8/3NB1K1/r2P4/4k3/6P1/2N1P3/1n6 b - - 0 1", -6),
    ("1k4nr/p5pp/B1brP3/1QR2p2/8/5N2/PP4qP/K7 b - - 0 1", -6),
    ("2B5/n7/1r2pB1p/b3N2k/b1p2K2/prp1P1p1/4N1Pp/8 b - - 0 1", -6),
    ("2n5/1p4pp/3p4/4N3/2B2P2/6Pk/5K1p/7r b - - 0 1", -6),
    ("4BKn1/1p3N1b/1R3p2/P1k4r/R1p1pP2/3P4/1br1N1n1/8 b - - 0 1", -6),
    ("5K2/8/8/8/2N5/1pp5/1R6/kN6 b - - 0 1", -6),
    ("5rQk/R3nP2/1b4PP/6n1/5K2/8/8/8 b - - 0 1", -6),
    ("7K/8/8/8/6P1/1P6/R6P/5k2 b - - 0 1", -6),
    ("8/1N1p1p2/1b3p2/pb1P1N2/r1kp2R1/pR1pp3/K7/8 b - - 0 1", -6),
    ("8/3KQ3/3ppp2/3pkp2/3ppp2/P7/4P3/8 b - - 0 1", -6),
    ("8/5p2/6Rp/5p1p/7k/7p/5K1P/4B3 b - - 0 1", -6),
    ("8/8/5Npp/3q2pk/5nb1/2Q4p/3NnPP1/7K b - - 0 1", -6),
    ("8/8/8/8/3p4/3P1BN1/4K3/6k1 b - - 0 1", -6),
    ("8/r4r2/1k2N3/pp1Q4/3B4/1N1Kb3/5q2/1R6 b - - 0 1", -6),
    ("b1rkr3/2bQpn2/R2p4/2p1Pp2/N2P1P1p/1N2q1pP/6P1/3B1K2 b - - 0 1", -6),
    ("k7/p2N4/Pp6/8/8/7p/6r1/4K2B b - - 0 1", -6),
];
const NODES: u64 = 20_000;

fn search(engine: &mut Engine, fen: &str, limits: Limits) -> Outcome {
    engine.new_game();
    engine.set_game(game(fen, ""));
    engine.search(limits)
}

fn mate(moves: u32) -> Limits {
    Limits { mate: Some(moves), ..Limits::nodes(NODES) }
}

/// Plays a line with shakmaty's rules. It must end in mate, after the announced number of moves.
fn replay_mate(game: &Game, line: &Line) {
    let moves = line.score.mate_moves().expect("a mate");
    let plies = if moves > 0 { 2 * moves - 1 } else { -2 * moves };
    assert_eq!(line.pv.len(), plies as usize, "{line:?}");
    let mut board = game.board().clone();
    let mut position = board.to_chess();
    for &mv in &line.pv {
        position = position.play(board.move_to_shakmaty(mv)).expect("a legal move");
        board = board.after(mv);
    }
    assert!(position.is_checkmate(), "{line:?}");
}

#[test]
fn go_mate_finds_more_mates_than_a_plain_search_of_the_same_nodes() {
    let mut engine = deterministic_engine(1);
    let (mut plain, mut asked) = (0, 0);
    for (fen, moves) in MATES.into_iter().chain(MORE_MATES) {
        let score = search(&mut engine, fen, Limits::nodes(NODES)).lines[0].score;
        plain += u32::from(score.is_mate());
        let outcome = search(&mut engine, fen, mate(moves.unsigned_abs()));
        if let Some(found) = outcome.lines[0].score.mate_moves() {
            assert!(found.signum() == moves.signum() && found.abs() >= moves.abs(), "{fen}: mate {found}");
            if found.abs() == moves.abs() {
                replay_mate(engine.game(), &outcome.lines[0]);
                asked += 1;
            }
        }
        assert!(outcome.nodes <= NODES, "{} nodes", outcome.nodes);
    }
    // The evaluation decides how many a plain search finds: 17 of 41 since it has one unit in all phases, because less
    // is pruned in endings. `go mate` finds at least a third as many again.
    assert!(asked >= 24 && 3 * asked >= 4 * plain, "{asked} by go mate, {plain} by a plain search");
}

#[test]
fn go_mate_finds_mates_shorter_than_requested() {
    let mut engine = deterministic_engine(1);
    let (fen, moves) = MATES[0];
    let outcome = search(&mut engine, fen, mate(12));
    let found = outcome.lines[0].score.mate_moves();
    assert!(found.is_some_and(|found| (moves..=12).contains(&found)), "{found:?}");
    replay_mate(engine.game(), &outcome.lines[0]);
}

#[test]
fn go_mate_mates_only_with_search_moves() {
    let mut engine = deterministic_engine(1);
    let (fen, moves) = MATES[0];
    let outcome = search(&mut engine, fen, mate(moves as u32));
    let key = outcome.best_move.expect("a move");
    let all = engine.game().board().legal_moves();
    let others: Vec<_> = all.iter().copied().filter(|&mv| mv != key).collect();
    let limits = Limits { search_moves: others, ..mate(moves as u32) };
    let outcome = search(&mut engine, fen, limits);
    assert!(outcome.best_move != Some(key) && !outcome.lines[0].score.is_mate(), "{outcome:?}");
    let limits = Limits { search_moves: vec![key], ..mate(moves as u32) };
    assert_eq!(search(&mut engine, fen, limits).lines[0].score.mate_moves(), Some(moves));
}

/// All replies lose, so each line tells the number of moves to its own mate.
#[test]
fn go_mate_orders_several_lines_of_the_mated_side() {
    let settings = Settings { hash: 4, multi_pv: 3, deterministic: true, ..Settings::default() };
    let mut engine = Engine::new(settings).expect("an engine of this size");
    let (fen, moves) = MATES[12];
    let outcome = search(&mut engine, fen, mate(moves.unsigned_abs()));
    let scores: Vec<_> = outcome.lines.iter().map(|line| line.score).collect();
    assert!(scores.len() == 3 && scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    for line in &outcome.lines {
        replay_mate(engine.game(), line);
    }
}

/// The vote prefers threads with better scores, but only the main thread runs the mate search.
#[test]
fn helpers_do_not_outvote_a_mate_of_the_mate_search() {
    let mut engine = deterministic_engine(3);
    let (fen, moves) = MATES[12];
    let limits = Limits { mate: Some(moves.unsigned_abs()), ..Limits::nodes(4 * NODES) };
    let outcome = search(&mut engine, fen, limits);
    assert_eq!(outcome.lines[0].score.mate_moves(), Some(moves));
}

#[test]
fn stop_ends_go_mate_at_once() {
    let mut engine = Dialogue::small();
    for go in ["go mate 100", "go mate 3", "go ponder mate 9", "go mate 9 infinite"] {
        engine.send("position startpos");
        engine.send(go);
        engine.until("info depth 5 ");
        engine.send("stop");
        let lines = engine.until("bestmove ");
        assert_ne!(best(&lines), "(none)", "{lines:#?}");
    }
}

#[test]
fn go_mate_ends_at_its_node_limit_and_reports_the_nodes() {
    let mut engine = Dialogue::small();
    engine.send(&format!("position fen {}", MATES[9].0));
    let lines = engine.go("go mate 3 nodes 5000");
    check_search(&game(MATES[9].0, ""), &lines);
    assert!(reports(&lines).last().is_some_and(|line| line.contains(" nodes 5000 ")), "{lines:#?}");
}

/// For a move the table may hold a longer mate than the true one. Only a move that really delays the mate longest may
/// be shown.
#[test]
fn the_line_of_the_mated_side_delays_the_mate_longest() {
    let mut engine = deterministic_engine(1);
    let fen = "8/p7/p7/P7/6BK/8/2N3k1/8 b - - 0 1";
    let limits = Limits { mate: Some(8), ..Limits::nodes(100_000) };
    let outcome = search(&mut engine, fen, limits);
    replay_mate(engine.game(), &outcome.lines[0]);
    assert_eq!(outcome.lines[0].score.mate_moves(), Some(-8));
}
