//! What the network sees: every piece on its square, from each side's point of view.
//!
//! There are 768 inputs for each side: own and foreign pieces, six roles, 64 squares. The board is turned so that the
//! viewer plays up the board, and mirrored so that the viewer's king stands on files a to d. This halves what the
//! network must learn. In a published trial it was worth 37 Elo (`docs/networks.md`).

use crate::board::{Color, File, Piece, Square};

/// Inputs of one perspective.
pub const FEATURES: usize = 768;

/// How one side sees the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Perspective {
    color: Color,
    /// Turns a square of the board into the viewer's square, by exclusive or.
    flip: u8,
}

impl Perspective {
    /// The view of `color`, whose king stands on `king`.
    #[inline]
    pub fn new(color: Color, king: Square) -> Perspective {
        let mirror = if is_mirrored(king) { 7 } else { 0 };
        Perspective { color, flip: mirror ^ color.fold_wb(0, 56) }
    }

    /// The index of the input, below [`FEATURES`], for `piece` on `square`.
    #[inline]
    pub fn feature(self, piece: Piece, square: Square) -> usize {
        let side = usize::from(piece.color != self.color);
        (side * 6 + (piece.role as usize - 1)) * 64 + (square as usize ^ usize::from(self.flip))
    }
}

/// Whether the board is mirrored if the king stands on `king`.
#[inline]
pub fn is_mirrored(king: Square) -> bool {
    king.file() >= File::E
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Role};

    fn sorted(board: &Board, color: Color) -> Vec<usize> {
        let perspective = Perspective::new(color, board.king(color));
        let mut features: Vec<usize> = board
            .occupied()
            .into_iter()
            .map(|square| perspective.feature(board.piece_at(square).unwrap(), square))
            .collect();
        features.sort_unstable();
        features
    }

    #[test]
    fn both_sides_see_the_same_where_the_board_is_symmetrical() {
        let start = Board::startpos();
        assert_eq!(sorted(&start, Color::White), sorted(&start, Color::Black));
        let board = Board::from_fen("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1")
            .unwrap()
            .0;
        assert_eq!(sorted(&board, Color::White), sorted(&board.flip(), Color::Black));
        assert_eq!(sorted(&board, Color::Black), sorted(&board.flip(), Color::White));
    }

    #[test]
    fn features_are_distinct_and_in_range() {
        for king in [Square::A1, Square::E1, Square::H8] {
            for color in Color::ALL {
                let perspective = Perspective::new(color, king);
                let mut seen = vec![false; FEATURES];
                for piece in Role::ALL.into_iter().flat_map(|role| Color::ALL.map(|color| role.of(color))) {
                    for square in Square::ALL {
                        assert!(!std::mem::replace(&mut seen[perspective.feature(piece, square)], true));
                    }
                }
                assert!(seen.into_iter().all(|seen| seen));
            }
        }
    }

    #[test]
    fn a_king_on_the_right_wing_mirrors_the_board() {
        let left = Board::from_fen("4k3/8/8/8/8/8/6P1/1K6 w - - 0 1").unwrap().0;
        let right = Board::from_fen("3k4/8/8/8/8/8/1P6/6K1 w - - 0 1").unwrap().0;
        assert_eq!(sorted(&left, Color::White), sorted(&right, Color::White));
    }
}
