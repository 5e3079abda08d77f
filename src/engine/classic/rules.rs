//! The rules of the game as every classic search applies them.

use crate::chess::board::{Board, FIFTY_MOVES};
use crate::chess::types::Score;

/// Whether the position is a draw: by the fifty-move rule, unless the last move mates, or because the material allows
/// no mate. No side has to claim the draw.
pub(super) fn is_drawn(board: &Board) -> bool {
    let is_mate = || board.in_check() && board.legal_moves().is_empty();
    board.is_insufficient_material() || (board.halfmove_clock() >= FIFTY_MOVES && !is_mate())
}

/// The score of a side without a legal move, `ply` plies from the root: it is mated or stalemated.
pub(super) fn no_move(board: &Board, ply: usize) -> Score {
    if board.in_check() { Score::mated_in(ply) } else { Score::ZERO }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(fen: &str) -> Board {
        Board::from_fen(fen).expect("a valid position").0
    }

    #[test]
    fn mate_on_the_hundredth_ply_wins() {
        assert!(!is_drawn(&board("R5k1/5ppp/8/8/8/8/8/6K1 b - - 100 99")));
        assert!(is_drawn(&board("R5k1/5pp1/8/8/8/8/8/6K1 b - - 100 99")));
        assert!(!is_drawn(&board("R5k1/5pp1/8/8/8/8/8/6K1 b - - 99 99")));
    }

    #[test]
    fn insufficient_material_is_a_draw() {
        assert!(is_drawn(&board("6k1/8/8/8/8/8/8/3B2K1 w - - 0 1")));
        assert!(!is_drawn(&board("6k1/7p/8/8/8/8/8/3B2K1 w - - 0 1")));
    }

    #[test]
    fn without_a_move_it_is_mate_or_stalemate() {
        assert_eq!(no_move(&board("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1"), 3), Score::mated_in(3));
        assert_eq!(no_move(&board("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), 3), Score::ZERO);
    }
}
