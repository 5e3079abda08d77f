//! Correction history: by how much the search's score differed from the static evaluation
//! in earlier positions of the same pawn structure, minor pieces, or pieces of one color, or after the
//! same two moves.
//!
//! The idea is due to Caissa's author (Michał Witanowski, 2024). Entries are in 256ths of a centipawn,
//! averaged with a weight that grows with depth.

use super::placement::{Continuations, PLACEMENTS};
use super::table::HistoryTable;
use crate::board::{Board, Color};

const SIZE: usize = 16_384;
/// Entries of all tables together.
pub(super) const ENTRIES: usize = 10 * SIZE;
const GRAIN: i32 = 256;
const FULL_WEIGHT: i32 = 256;

/// The table slots of one position.
#[derive(Clone, Copy, Debug)]
pub struct CorrectionKeys([usize; 5]);

impl CorrectionKeys {
    /// The slots that speak for a board.
    #[inline]
    pub fn of(board: &Board, continuations: &Continuations) -> CorrectionKeys {
        let slot = |key: u64| key as usize % SIZE;
        let line = match continuations {
            [Some(last), Some(before), _] => (PLACEMENTS * last.index() + before.index()) as u64,
            _ => 0,
        };
        let side = usize::from(board.turn().is_black()) * SIZE;
        CorrectionKeys([
            side + slot(board.pawn_key()),
            side + slot(board.minor_key()) + 2 * SIZE,
            side + slot(board.non_pawn_key(Color::White)) + 4 * SIZE,
            side + slot(board.non_pawn_key(Color::Black)) + 6 * SIZE,
            // A multiplication by an odd number near 2^64 times the golden ratio spreads what few bits differ.
            side + slot(line.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) + 8 * SIZE,
        ])
    }
}

/// What the tables count, in 128ths.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CorrectionWeights {
    /// Of the pawns' table.
    pub pawns: i32,
    /// Of the minor pieces' table.
    pub minors: i32,
    /// Of each color's table of pieces.
    pub pieces: i32,
    /// Of the last two moves' table.
    pub moves: i32,
}

/// Corrections of the static evaluation, by pawn, minor and non-pawn keys.
pub struct Correction {
    entries: HistoryTable,
}

impl Default for Correction {
    fn default() -> Correction {
        Correction::of(HistoryTable::new(ENTRIES))
    }
}

impl Correction {
    /// With these entries.
    pub(super) fn of(entries: HistoryTable) -> Correction {
        Correction { entries }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// What to add to the static evaluation, in centipawns, within +-`limit`: the sum of what the tables say, each
    /// with its weight in 128ths.
    #[inline]
    pub fn get(&self, keys: CorrectionKeys, weights: &CorrectionWeights, limit: i32) -> i32 {
        let &CorrectionWeights { pawns, minors, pieces, moves } = weights;
        let weights = [pawns, minors, pieces, pieces, moves];
        let sum: i32 = keys.0.iter().zip(weights).map(|(&slot, w)| self.entries.get(slot) * w).sum();
        (sum / (128 * GRAIN)).clamp(-limit, limit)
    }

    /// Learns that a search found a score that lies `difference` centipawns above the static evaluation: `weight`
    /// 256ths of the way there.
    pub fn update(&mut self, keys: CorrectionKeys, weight: i32, difference: i32) {
        let target = (difference * GRAIN).clamp(-i32::from(i16::MAX), i32::from(i16::MAX));
        for slot in keys.0 {
            self.entries
                .update(slot, |value| (value * (FULL_WEIGHT - weight) + target * weight) / FULL_WEIGHT);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_error_is_learned_and_bounded() {
        let keys = CorrectionKeys::of(&Board::startpos(), &[None; 3]);
        let mut correction = Correction::default();
        let weights = CorrectionWeights { pawns: 32, minors: 32, pieces: 32, moves: 32 };
        assert_eq!(correction.get(keys, &weights, 100), 0);
        for _ in 0..500 {
            correction.update(keys, 11, 30);
        }
        let learned = correction.get(keys, &weights, 100);
        assert!((20..=100).contains(&learned), "{learned}");
        for _ in 0..500 {
            correction.update(keys, 11, 30_000);
        }
        assert_eq!(correction.get(keys, &weights, 100), 100);
        correction.clear();
        assert_eq!(correction.get(keys, &weights, 100), 0);
    }
}
