//! Positions that can be played but not reached, with up to sixteen men of any kind on each side. They were refused
//! once, while Stockfish and python-chess's `is_valid` accept them. The other tests of this folder also use random
//! positions of this kind.

use enfilade::base::random::Random;
use enfilade::chess::board::{Board, MAX_MOVES};
use shakmaty::{Chess, Position};

use crate::walk::crowded;

/// The position with the most moves that a search over placements of fifteen queens and a king found: 227 pseudo-legal
/// moves. Two of them move into check.
const MOST_MOVES: &str = "2QQ1Q2/Q6Q/Q5Q1/4Q3/KQ5Q/3Q1Q1Q/k7/2Q3Q1 w - - 0 1";

fn perft(chess: &Chess, depth: u32) -> u64 {
    let moves = chess.legal_moves();
    if depth == 1 {
        return moves.len() as u64;
    }
    moves.into_iter().map(|mv| perft(&chess.clone().play(mv).expect("a legal move"), depth - 1)).sum()
}

#[test]
fn perft_equals_shakmatys() {
    for (fen, depth) in [
        (MOST_MOVES, 3),
        ("qqqqkqqq/qqqqqqqq/8/8/8/8/QQQQQQQQ/QQQQKQQQ w - - 0 1", 3),
        ("4k3/8/qqqqqqqq/qqqqqqq1/1QQQQQQQ/QQQQQQQQ/8/4K3 b - - 0 1", 3),
        ("nnnnknnn/nnnnnnnn/8/8/8/8/NNNNNNNN/NNNNKNNN w - - 0 1", 4),
        ("4k3/pppppppp/ppppppp1/8/8/1PPPPPPP/PPPPPPPP/4K3 w - - 0 1", 5),
        ("nnnn4/PPPPPPPP/PP6/7k/K7/6pp/pppppppp/4NNNN w - - 0 1", 4),
        ("r3k2r/rrrrrrrr/8/8/8/8/RRRRRRRR/R3K2R w KQkq - 0 1", 4),
    ] {
        let (board, repairs) = Board::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
        assert!(repairs.is_empty(), "{fen}: {repairs:?}");
        assert_eq!(board.perft(depth), perft(&board.to_chess(), depth), "{fen}");
    }
}

#[test]
fn perft_of_random_positions_equals_shakmatys() {
    let mut random = Random::of_state(21);
    for _ in 0..400 {
        let chess = crowded(&mut random);
        let board = Board::from_chess(&chess);
        assert_eq!(board.perft(2), perft(&chess, 2), "{board:?}");
    }
}

/// The number of moves is above 218, which was once taken for the maximum of all positions.
#[test]
fn move_lists_hold_more_moves_than_any_game_has() {
    let board = Board::from_fen(MOST_MOVES).unwrap().0;
    assert_eq!(board.legal_moves().len(), 225);
    assert!(board.legal_moves().capacity() == MAX_MOVES && MAX_MOVES > 15 * 27 + 8);
}

#[test]
fn a_mate_with_fourteen_queens_is_found() {
    let board = Board::from_fen("QQQQQQQk/QQQQQQQ1/8/8/8/8/8/K7 b - - 0 1").unwrap().0;
    assert!(board.in_check() && board.legal_moves().is_empty());
}

#[test]
fn exchanges_among_sixteen_pieces_a_side_are_evaluated() {
    let mut random = Random::of_state(22);
    for _ in 0..400 {
        let board = Board::from_chess(&crowded(&mut random));
        for mv in board.legal_moves() {
            // A move that reaches a threshold also reaches all lower thresholds.
            let worth: Vec<bool> = (-10..=10).map(|step| board.see_ge(mv, 250 * step)).collect();
            assert!(worth.is_sorted_by(|low, high| low >= high), "{mv:?} in {board:?}");
            assert!(worth[0] && !board.see_ge(mv, 2_000), "{mv:?} in {board:?}");
        }
    }
}
