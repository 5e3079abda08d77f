//! The tables as the evaluation reads them: material and square in one lookup.
//!
//! Built at compile time from [`super::tables`], which holds what the fit wrote.

use super::frame::{Frames, RELATIONS, role_index};
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
pub fn worth(frames: &Frames, piece: Piece, square: Square) -> Tapered {
    let frame = frames.get(piece.color);
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
    use crate::board::Board;
    use crate::eval::tapered::FULL_PHASE;

    #[test]
    fn each_color_reads_the_text_from_its_own_side() {
        let board = Board::from_fen("6k1/8/8/8/8/8/8/6K1 w - - 0 1").unwrap().0;
        let frames = Frames::of(&board);
        for role in Role::ALL {
            // The text's second row is the seventh rank, its third square the c-file.
            let seventh = usize::from(role == Role::Pawn) * 8 + 2;
            let square = if role == Role::Pawn { Square::C7 } else { Square::C8 };
            let text = &tables::SQUARES[0][role_index(role)];
            let material = tables::MATERIAL[role_index(role)];
            let expected = Tapered::new(
                material[0] + i32::from(text[0][seventh]),
                material[1] + i32::from(text[1][seventh]),
            );
            assert_eq!(worth(&frames, role.of(Color::White), square), expected, "{role:?}");
            assert_eq!(worth(&frames, role.of(Color::Black), square.flip_vertical()), -expected, "{role:?}");
        }
    }

    #[test]
    fn a_full_set_of_pieces_has_the_full_phase() {
        let side = 2 * (phase(Role::Knight) + phase(Role::Bishop) + phase(Role::Rook)) + phase(Role::Queen);
        assert_eq!(2 * side, FULL_PHASE);
    }
}
