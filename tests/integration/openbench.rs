//! Tests of what OpenBench's workers need besides UCI: a benchmark, and openings for data generation. Both are asked
//! for by arguments. Like its client (Client/genfens.py and Client/bench.py at
//! <https://github.com/AndyGrant/OpenBench>), the tests also read standard error.

use std::collections::HashSet;
use std::fs;

use enfilade::chess::board::Board;

use crate::program::{run, text};

/// The positions in the answer to `genfens` with these words, as a worker reads them.
fn openings(words: &str) -> Vec<String> {
    let output = run(&[&format!("genfens {words}"), "quit"]);
    assert!(output.status.success() && output.stderr.is_empty(), "{words}");
    let said = String::from_utf8(output.stdout).unwrap();
    said.lines().map(|line| line.strip_prefix("info string genfens ").expect(line).to_owned()).collect()
}

#[test]
fn openings_are_generated_for_openbench() {
    let fens = openings("20 seed 123456789 book None ");
    assert_eq!(fens.len(), 20);
    assert_eq!(fens.iter().collect::<HashSet<_>>().len(), 20);
    for fen in &fens {
        // The worker needs both move counters.
        assert_eq!(fen.split(' ').count(), 6, "{fen}");
        let (board, repairs) = Board::from_fen(fen).unwrap();
        assert!(repairs.is_empty() && !board.legal_moves().is_empty(), "{fen}");
    }
    assert_eq!(openings("20 seed 123456789 book None"), fens, "they follow from the seed");
    assert_ne!(openings("20 seed 123456790 book None"), fens);
    assert!(openings("0 seed 1 book None").is_empty());
}

#[test]
fn openings_are_drawn_from_a_book() {
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("book.epd");
    // The first line has the form of OpenBench's own books, the second that of most books. The second is a Chess960
    // position.
    let lines = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - hmvc 2; fmvn 3;\n\
                 bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9\n";
    fs::write(&book, lines).unwrap();
    let fens = openings(&format!("12 seed 5 book {} ", text(&book)));
    assert_eq!(fens.len(), 12);
    let is_960 = |fen: &String| fen.split(' ').nth(2).unwrap().contains(['H', 'F', 'h', 'f']);
    assert!(fens.iter().any(is_960) && !fens.iter().all(is_960), "{fens:#?}");
    assert!(fens.iter().all(|fen| Board::from_fen(fen).is_ok()), "{fens:#?}");
    for (words, reason) in [
        (format!("2 seed 5 book {}x", text(&book)), "genfens: "),
        ("many".to_owned(), "genfens: expected how many positions"),
        ("2 seed 5 book None chess960".to_owned(), "genfens: expected seed, book or the end of the line"),
    ] {
        let output = run(&[&format!("genfens {words}"), "quit"]);
        assert_eq!(output.status.code(), Some(1), "{words}");
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(said.starts_with(&format!("info string {reason}")), "{said}");
    }
}
