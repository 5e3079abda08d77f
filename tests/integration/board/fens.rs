//! FENs from outside are read, repaired or refused. They never cause a crash.

use enfilade::chess::board::{Board, FenRepair};

use crate::walk::random_games;

#[test]
fn positions_are_read_back_from_their_fens() {
    random_games(41, 150, |board, _, _| {
        for chess960 in [false, true] {
            let fen = board.fen(chess960);
            let (read, repairs) = Board::from_fen(&fen).unwrap();
            assert!(repairs.is_empty(), "{fen}: {repairs:?}");
            assert!(read == *board, "{fen}");
        }
    });
}

#[test]
fn en_passant_squares_are_kept_where_a_capture_is_legal() {
    for line in include_str!("../../data/en_passant.tsv").lines() {
        let (given, expected) = line.split_once('\t').unwrap();
        assert_eq!(Board::from_fen(given).unwrap().0.fen(false), expected);
    }
}

fn verdict(text: &str) -> String {
    match Board::from_fen(text) {
        Err(error) => format!("error: {error}"),
        Ok((board, repairs)) => {
            assert!(board == Board::from_chess(&board.to_chess()), "{text}");
            assert!(board.flip().flip() == board, "{text}");
            assert!(board.perft(2) < 50_000, "{text}");
            let notes: Vec<String> = repairs.iter().map(|repair| format!("{repair:?} ")).collect();
            format!("{}{}", notes.concat(), board.fen(board.has_chess960_castling()))
        }
    }
}

/// The file holds lines that crashed or misled other programs, and the expected result of each.
#[test]
fn hostile_fens_are_read_repaired_or_refused() {
    let mut failures = String::new();
    for line in include_str!("../../data/fens.tsv").lines() {
        let (given, expected) = line.split_once('\t').unwrap();
        let actual = verdict(given);
        if actual != expected {
            failures += &format!("{given}\t{actual}\n");
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}

#[test]
fn a_fen_may_lack_its_tail_and_have_odd_spaces() {
    let full = Board::from_fen("8/8/1k6/8/4Q3/7K/8/8 w - - 0 1").unwrap().0;
    for text in ["8/8/1k6/8/4Q3/7K/8/8 w", " 8/8/1k6/8/4Q3/7K/8/8   w -", "8/8/1k6/8/4Q3/7K/8/8\tw - -"] {
        let (board, repairs) = Board::from_fen(text).unwrap();
        assert!(board == full, "{text}");
        let short = text.split_whitespace().count() < 4;
        assert_eq!(repairs, if short { vec![FenRepair::MissingFields] } else { vec![] });
    }
}

#[test]
fn castling_letters_come_in_three_kinds() {
    // The inner rook may castle. Only its file letter can express this.
    let inner = "4k3/8/8/8/8/8/8/R1R1K2R w CH - 3 9";
    let (board, repairs) = Board::from_fen(inner).unwrap();
    assert!(repairs.is_empty() && board.has_chess960_castling());
    assert_eq!(board.fen(true), "4k3/8/8/8/8/8/8/R1R1K2R w HC - 3 9");
    assert_eq!(board.fen(false), "4k3/8/8/8/8/8/8/R1R1K2R w KC - 3 9");
    let (standard, _) = Board::from_fen("r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1").unwrap();
    assert!(!standard.has_chess960_castling());
    assert_eq!(standard.fen(false), "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
}

#[test]
fn the_diagram_names_fen_key_and_checkers() {
    let text = Board::from_fen("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1").unwrap().0.to_string();
    assert!(
        text.starts_with(" +---+---+---+---+---+---+---+---+\n |   |   |   |   | k |   |   |   | 8\n"),
        "{text}"
    );
    assert!(text.contains("Fen: 4k3/8/8/8/8/8/4r3/4K3 w - - 0 1\nKey: "), "{text}");
    assert!(text.ends_with("Checkers: E2"), "{text}");
}
