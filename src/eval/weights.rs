//! The tables as the evaluation reads them: material and square in one lookup.
//!
//! Built at compile time from [`super::tables`], which holds what the fit wrote.

use super::frame::{Frame, RELATIONS, role_index};
use super::tables;
use super::tapered::Tapered;
use crate::board::{Color, Piece, Role, Square};

/// The side to move's bonus.
pub const TEMPO: Tapered = Tapered::new(tables::TEMPO[0], tables::TEMPO[1]);

/// The bonus for two bishops or more, whatever the colors of their squares.
pub const BISHOP_PAIR: Tapered = Tapered::new(tables::BISHOP_PAIR[0], tables::BISHOP_PAIR[1]);

/// By relation of the wings, role, and square from a1 in the color's frame; 6 KiB.
static PIECE_SQUARE: [[[Tapered; 64]; 6]; RELATIONS] = piece_square();

const fn piece_square() -> [[[Tapered; 64]; 6]; RELATIONS] {
    let mut built = [[[Tapered::new(0, 0); 64]; 6]; RELATIONS];
    let mut relation = 0;
    while relation < RELATIONS {
        let mut role = 0;
        while role < 6 {
            let material = tables::MATERIAL[role];
            let squares = &tables::SQUARES[relation][role];
            let mut square = 0;
            while square < 64 {
                // The text has the eighth rank on top, the index the first.
                let place = square ^ 56;
                let midgame = material[0] + squares[0][place] as i32;
                let endgame = material[1] + squares[1][place] as i32;
                built[relation][role][square] = Tapered::new(midgame, endgame);
                square += 1;
            }
            role += 1;
        }
        relation += 1;
    }
    built
}

/// A piece's worth on its square, from White's point of view: negative for Black's pieces.
#[inline]
pub fn worth(frames: &[Frame; 2], piece: Piece, square: Square) -> Tapered {
    let frame = frames[piece.color as usize];
    let worth = PIECE_SQUARE[frame.relation()][role_index(piece.role)][frame.index(square)];
    match piece.color {
        Color::White => worth,
        Color::Black => -worth,
    }
}

/// What a piece adds to the game's phase.
#[inline]
pub fn phase(role: Role) -> i32 {
    const PHASES: [i32; 6] = [0, 1, 1, 2, 4, 0];
    PHASES[role_index(role)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::tapered::FULL_PHASE;

    #[test]
    fn the_first_row_of_the_text_is_the_eighth_rank() {
        let frames = [
            Frame::new(Color::White, Square::G1, Square::G8),
            Frame::new(Color::Black, Square::G8, Square::G1),
        ];
        let expected = tables::MATERIAL[1][0] + i32::from(tables::SQUARES[0][1][0][2]);
        let knight = worth(&frames, Color::White.knight(), Square::C8);
        assert_eq!(knight.midgame(), expected);
        assert_eq!(worth(&frames, Color::Black.knight(), Square::C1), -knight);
    }

    #[test]
    fn a_full_set_of_pieces_has_the_full_phase() {
        let side = 2 * (phase(Role::Knight) + phase(Role::Bishop) + phase(Role::Rook)) + phase(Role::Queen);
        assert_eq!(2 * side, FULL_PHASE);
    }
}
