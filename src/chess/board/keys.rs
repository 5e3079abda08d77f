//! Zobrist keys: one random number for each feature of a position, combined by exclusive or.
//!
//! The numbers come from [`Random`] at compile time, so keys are the same in every build and on every machine. Castling
//! rights have keys by the rook's square, as Chess960 needs. The en passant file has a key only if a capture is legal,
//! so equal keys mean repetition as the laws define it. Source: Zobrist, "A New Hashing Method with Application for
//! Game Playing", 1970.

use super::{Bitboard, Color, File, Piece, Role, Square};
use crate::base::random::Random;

struct KeyTables {
    pieces: [[u64; 64]; 12],
    castling: [u64; 16],
    en_passant: [u64; 8],
    black_to_move: u64,
}

static TABLES: KeyTables = tables();

const fn fill<const N: usize>(random: &mut Random) -> [u64; N] {
    let mut numbers = [0; N];
    let mut i = 0;
    while i < N {
        numbers[i] = random.bits();
        i += 1;
    }
    numbers
}

const fn tables() -> KeyTables {
    let mut random = Random::of_state(0x656e_6669_6c61_6465);
    let mut pieces = [[0; 64]; 12];
    let mut i = 0;
    while i < 12 {
        pieces[i] = fill(&mut random);
        i += 1;
    }
    KeyTables {
        pieces,
        castling: fill(&mut random),
        en_passant: fill(&mut random),
        black_to_move: random.bits(),
    }
}

/// The number of a piece on a square.
#[inline]
pub fn piece(color: Color, role: Role, square: Square) -> u64 {
    TABLES.pieces[color as usize * 6 + role as usize - 1][square as usize]
}

/// The number of a [`Piece`] on a square.
#[inline]
pub fn piece_of(piece_: Piece, square: Square) -> u64 {
    piece(piece_.color, piece_.role, square)
}

/// The number of a set of castling rights: the low byte holds the files of White's castling rooks, the high byte those
/// of Black's.
#[inline]
pub(super) fn castling(mut rights: u16) -> u64 {
    let mut key = 0;
    while rights != 0 {
        key ^= TABLES.castling[rights.trailing_zeros() as usize & 15];
        rights &= rights - 1;
    }
    key
}

/// Castling rooks, all on the back ranks, as a byte of files for each color.
#[inline]
pub(super) fn fold_rights(rooks: Bitboard) -> u16 {
    (rooks.0 & 0xff) as u16 | ((rooks.0 >> 56) << 8) as u16
}

/// The number of the castling rights of some rooks on the back ranks.
pub fn castling_of(rooks: Bitboard) -> u64 {
    castling(fold_rights(rooks))
}

/// The number of a legal en passant capture on a file.
#[inline]
pub fn en_passant(file: File) -> u64 {
    TABLES.en_passant[file as usize]
}

/// The number that stands for Black to move.
#[inline]
pub fn black_to_move() -> u64 {
    TABLES.black_to_move
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn all_key_numbers_differ_and_none_is_zero() {
        let mut numbers: Vec<u64> = TABLES.pieces.as_flattened().to_vec();
        numbers.extend(TABLES.castling);
        numbers.extend(TABLES.en_passant);
        numbers.push(TABLES.black_to_move);
        let distinct: HashSet<u64> = numbers.iter().copied().filter(|&n| n != 0).collect();
        assert_eq!(distinct.len(), numbers.len());
    }
}
