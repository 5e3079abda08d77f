//! Perft on 128 standard and 960 Chess960 positions. Only counts up to a bound are checked, so that a run takes
//! seconds. `ENFILADE_PERFT_NODES` sets the bound; 0 removes it.
//!
//! The data files hold a FEN and its counts from depth 1 on. Positions and counts are those of the suites that come
//! with Ethereal (AndyGrant/Ethereal). Many engines reproduce them.

use enfilade::chess::board::{Board, FenRepair, parallel_perft};
use rayon::prelude::*;

const DEFAULT_BOUND: u64 = 1_000_000;

fn bound() -> u64 {
    match std::env::var("ENFILADE_PERFT_NODES").ok().and_then(|text| text.parse().ok()) {
        None => DEFAULT_BOUND,
        Some(0) => u64::MAX,
        Some(nodes) => nodes,
    }
}

fn check_suite(suite: &str) {
    let lines: Vec<&str> = suite.lines().collect();
    let bound = bound();
    lines.par_iter().for_each(|line| {
        let (fen, counts) = line.split_once(';').expect("FEN and counts");
        let (board, repairs) = Board::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
        // One of the positions has a check that no move can have given.
        assert!(repairs.iter().all(|&repair| repair == FenRepair::ImpossibleCheck), "{fen}: {repairs:?}");
        for (depth, count) in (1..).zip(counts.split(',')) {
            let expected: u64 = count.parse().expect("a count");
            if depth > 1 && expected > bound {
                break;
            }
            assert_eq!(board.perft(depth), expected, "{fen} at depth {depth}");
        }
    });
}

#[test]
fn perft_counts_of_standard_positions_are_correct() {
    check_suite(include_str!("../data/perft_standard.epd"));
}

#[test]
fn perft_counts_of_chess960_positions_are_correct() {
    check_suite(include_str!("../data/perft_chess960.epd"));
}

#[test]
fn divide_and_threads_agree_with_the_plain_count() {
    let (board, _) =
        Board::from_fen("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1").unwrap();
    for depth in 1..=4 {
        let divided = board.divide(depth);
        assert_eq!(divided, parallel_perft(&board, depth, 3).unwrap());
        assert_eq!(divided.iter().map(|(_, count)| count).sum::<u64>(), board.perft(depth));
    }
    assert_eq!(board.perft(0), 1);
}
