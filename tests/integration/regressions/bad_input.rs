//! Wrong input: lines that crashed, hung or misled public engines. The engine survives them and answers each `go` once.
//! It keeps its position, except after a `position` that it refuses.

use crate::dialogue::{Dialogue, best, check_search, game};

const KNOWN: &str = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3";
const KNOWN_LINE: &str = "position startpos moves e2e4 e7e5 g1f3 b8c6";

/// The answer to a `go` after a refused `position`.
const NO_POSITION: [&str; 2] =
    ["info string go: there is no position, the last one was refused", "bestmove (none)"];

/// Each of these positions crashed a public engine or library, or was misread by it. For example, Stockfish crashed if
/// a king was missing (#6786), if the side that had moved was in check (#1836), with too many men (#4768) and with
/// castling rights without rooks (#5982).
#[test]
fn hostile_fens_are_refused_or_played() {
    let mut engine = Dialogue::small();
    // Some of the positions have castling rights of Chess960.
    engine.send("setoption name UCI_Chess960 value true");
    for row in include_str!("../../data/fens.tsv").lines() {
        let (fen, verdict) = row.split_once('\t').expect("a FEN and its verdict");
        if fen.contains(" moves ") {
            // For the board's FEN parser this word is a part of the FEN. For UCI it begins a list of moves.
            continue;
        }
        engine.send(KNOWN_LINE);
        let said = engine.ask(&format!("position fen {fen}"));
        assert!(
            said.len() <= 1 && said.iter().all(|line| line.starts_with("info string position: ")),
            "{said:?}"
        );
        // A FEN with operations of EPD behind it is none, but `position` reads it.
        let has_operations = said.iter().any(|line| line.contains("operations of EPD were left out"));
        if has_operations {
            assert!(verdict.starts_with("error: "), "{fen}");
        } else if let Some(error) = verdict.strip_prefix("error: ") {
            assert_eq!(said.len(), 1, "{fen}");
            // Messages shorten long quotations.
            let start: String = error.chars().take(60).collect();
            assert!(said[0].contains(&start), "{fen}: {said:?}");
            assert_eq!(engine.go("go nodes 200"), NO_POSITION, "{fen}");
            continue;
        } else {
            let accepted = verdict.split_once(' ').expect("a FEN").1;
            assert!(verdict.ends_with(&engine.fen()), "{fen}: {accepted}");
        }
        let now = engine.fen();
        let lines = engine.go("go nodes 200");
        check_search(&game(&now, ""), &lines);
    }
}

/// Public engines failed at such lines. For example, Stockfish aborted at words that are no position (#6312) and
/// accepted a table above its maximum (#6263), and Lc0 accepted an illegal move in `position` (#2046).
#[test]
fn hostile_lines_change_nothing_except_that_a_bad_position_clears_it() {
    let mut engine = Dialogue::small();
    engine.send(KNOWN_LINE);
    let long = format!("position startpos moves {}", "e2e4 ".repeat(100_000));
    let deep = format!("position fen {}", "8/".repeat(50_000));
    for line in [
        "position",
        "position fen",
        "position fen 1",
        "position fen jsdhfksdjfhl",
        "position fen position fen rnbq1bnr/pp2p1p1/3p4/kPpP2pB/N3P2p/5Q2/P1P2PPP/R3K1NR w KQ c6 0 1",
        "position fen r4rk1/1R5p/3p1q2/p1pP4/P7/7P/6P1/1R1Q3K b - - 0 24 moves b8e8",
        "position startpos moves e2e5",
        "position startpos moves e2e4 e2e4",
        "position startpos moves e2e4 e7e5 O-O",
        "position startpos moves 0000",
        "position startpos moves (none)",
        "position startpos move e2e4",
        "position startpos e2e4",
        "position middlegame",
        "setoption",
        "setoption name",
        "setoption name Hash",
        "setoption name Hash value",
        "setoption name Hash value -1",
        "setoption name Hash value 0",
        "setoption name Hash value 33554433",
        "setoption name Hash value 99999999999999999999999999999999999999999999",
        "setoption name Threads value 999999999999",
        "setoption name Threads value 1025",
        "setoption name Threads value two",
        "setoption name Quiescence value best",
        "setoption name No Such Option value 1",
        "setoption Hash 16",
        "go perft",
        "go perft x",
        "go perft -1",
        "bench x",
        "debug",
        "debug maybe",
        "joho debug on",
        "quitt",
        "UCI",
        "\u{0}\u{1}\u{7f}",
        "\u{1b}[2J",
        "ąęć ♔♕♖",
        &"x".repeat(1 << 20),
        &long,
        &deep,
    ] {
        let said = engine.ask(line);
        let shown: String = line.chars().take(60).collect();
        assert_eq!(said.len(), 1, "{shown:?}: {said:#?}");
        assert!(said[0].starts_with("info string ") && said[0].len() < 600, "{shown:?}: {said:#?}");
        if line.starts_with("position") {
            assert_eq!(engine.go("go nodes 200"), NO_POSITION, "{shown:?}");
            engine.send(KNOWN_LINE);
        }
        assert_eq!(engine.fen(), KNOWN, "{shown:?}");
    }
    engine.send_bytes(b"\xf0\x28\x8c\x28\nsetoption name Hash value \xc3\x28\n");
    assert_eq!(engine.ask("").len(), 2);
    assert_eq!(engine.fen(), KNOWN);
    engine.send_bytes(b"position startpos moves \xff\xfe\x80\n");
    assert_eq!(engine.ask("").len(), 1);
    engine.send(KNOWN_LINE);
    assert_eq!(engine.ask("\n\r\n   \t \n# comment\ndebug on\nregister later\nstop\nponderhit"), [""; 0]);
    check_search(&game(KNOWN, ""), &engine.go("go nodes 300"));
    assert_eq!(engine.close().1.code(), Some(0));
}

/// A GUI sent this line to Stockfish, which crashed (#5982). The list of moves is empty, which is no error.
#[test]
fn an_empty_move_list_is_ignored() {
    let mut engine = Dialogue::small();
    assert_eq!(engine.ask("position fen 2k5/8/3K4/1p6/p7/P7/1B6/8 b - - 0 1 moves "), [""; 0]);
    assert_eq!(engine.fen(), "2k5/8/3K4/1p6/p7/P7/1B6/8 b - - 0 1");
}

/// Some engines ignored commands during a search and answered for the old game.
#[test]
fn a_search_of_the_old_game_does_not_answer_for_the_next() {
    let mut engine = Dialogue::small();
    engine.send(KNOWN_LINE);
    engine.send("go infinite");
    engine.send("ucinewgame");
    check_search(&game(KNOWN, ""), &engine.until("bestmove "));
    engine.send("position fen 6k1/5ppp/8/8/8/8/8/4R1K1 w - - 0 1");
    assert_eq!(best(&engine.go("go depth 3")), "e1e8");
}

/// An engine printed a move that it had never set, because the game was over by rule (Halogen #896). At these roots
/// there are legal moves, so the answer is one of them.
#[test]
fn drawn_roots_get_a_legal_move() {
    let mut engine = Dialogue::small();
    for fen in [
        "4k3/8/8/8/8/8/8/4KR2 w - - 100 90",
        "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
        "4k3/8/8/8/8/8/8/4KR2 w - - 500 50",
    ] {
        engine.send(&format!("position fen {fen}"));
        check_search(&game(fen, ""), &engine.go("go depth 4"));
    }
    let moves = "g1f3 g8f6 f3g1 f6g8 ".repeat(3);
    engine.send(&format!("position startpos moves {moves}"));
    check_search(
        &game("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", &moves),
        &engine.go("go depth 4"),
    );
}
