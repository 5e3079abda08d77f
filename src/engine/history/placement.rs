//! What continuation history knows about a move: the piece that it brings to a square.

use crate::chess::board::{Piece, Square};

/// Placements of pieces: twelve pieces on 64 squares.
pub(super) const PLACEMENTS: usize = 12 * 64;

/// A piece on a square, as one index below `PLACEMENTS`. This is what continuation history knows about a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Placement(u16);

impl Placement {
    /// The piece that a move brings to its target square.
    #[inline]
    pub fn new(piece: Piece, square: Square) -> Placement {
        let piece_index = usize::from(piece.role) - 1 + if piece.color.is_white() { 0 } else { 6 };
        Placement((piece_index * 64 + usize::from(square)) as u16)
    }

    #[inline]
    pub(super) fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// The moves that led to a position, as continuation history sees them: those 1, 2 and 4 plies ago.
pub type Continuations = [Option<Placement>; 3];
