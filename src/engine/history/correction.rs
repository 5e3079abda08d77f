//! Correction history: how much the search's score differed from the static evaluation in earlier positions with the
//! same pawn structure, minor pieces, or pieces of one color, or after the same two moves.
//!
//! The idea comes from Caissa's author (Michał Witanowski, 2024). Entries are in 256ths of a centipawn, averaged with a
//! weight that grows with depth.

use super::placement::{Continuations, PLACEMENTS};
use super::table::{HistoryRow, HistoryTable};
use crate::chess::board::{Board, Color};

const SIZE: usize = 16_384;
/// Number of entries of the tables by pawns and pieces.
pub(super) const POSITIONS: usize = 8 * SIZE;
/// Number of entries of the table by the last two moves.
pub(super) const LINES: usize = 2 * SIZE;
const GRAIN: i32 = 256;
const FULL_WEIGHT: i32 = 256;

/// The table slots of one position: four by its pawns and pieces, and the last one by the last two moves.
#[derive(Clone, Copy, Debug)]
pub struct CorrectionKeys([usize; 5]);

impl CorrectionKeys {
    /// The slots for a board and the moves that led to it.
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
            // The multiplication by an odd number near 2^64 over the golden ratio spreads lines that differ in few
            // bits.
            side + slot(line.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40),
        ])
    }
}

/// The weights of the tables, in 128ths.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CorrectionWeights {
    /// The weight of the pawns' table.
    pub pawns: i32,
    /// The weight of the minor pieces' table.
    pub minors: i32,
    /// The weight of each color's table of pieces.
    pub pieces: i32,
    /// The weight of the last two moves' table.
    pub moves: i32,
}

/// Corrections of the static evaluation, by pawns, minor pieces, the pieces of each color, and the last two moves.
pub struct Correction {
    /// By pawns and pieces.
    pub(super) positions: HistoryTable,
    /// By the last two moves.
    pub(super) lines: HistoryTable,
}

impl Default for Correction {
    fn default() -> Correction {
        Correction { positions: HistoryTable::new(POSITIONS), lines: HistoryTable::new(LINES) }
    }
}

impl Correction {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.positions.clear();
        self.lines.clear();
    }

    /// Prefetches what [`Correction::get`] reads. The tables are too large for the nearest cache.
    #[inline]
    pub fn prefetch(&self, keys: CorrectionKeys) {
        let [positions @ .., line] = keys.0;
        let (by_position, by_line) = self.rows();
        positions.into_iter().for_each(|slot| by_position.prefetch(slot % POSITIONS));
        by_line.prefetch(line % LINES);
    }

    /// The tables as rows. With arrays of a known length, a remainder that changes nothing takes the place of a check
    /// of each slot.
    #[inline]
    fn rows(&self) -> (HistoryRow<'_, POSITIONS>, HistoryRow<'_, LINES>) {
        (self.positions.row(0), self.lines.row(0))
    }

    /// The correction to add to the static evaluation, in centipawns, within +-`limit`: the sum of the tables' entries,
    /// each with its weight in 128ths.
    #[inline]
    pub fn get(&self, keys: CorrectionKeys, weights: &CorrectionWeights, limit: i32) -> i32 {
        let &CorrectionWeights { pawns, minors, pieces, moves } = weights;
        let [positions @ .., line] = keys.0;
        let weights = [pawns, minors, pieces, pieces];
        let (by_position, by_line) = self.rows();
        let sum: i32 =
            positions.iter().zip(weights).map(|(&slot, w)| by_position.get(slot % POSITIONS) * w).sum();
        ((sum + by_line.get(line % LINES) * moves) / (128 * GRAIN)).clamp(-limit, limit)
    }

    /// Learns that a search found a score that lies `difference` centipawns above the static evaluation. The entries
    /// move `weight` 256ths of the way there.
    pub fn update(&mut self, keys: CorrectionKeys, weight: i32, difference: i32) {
        let target = (difference * GRAIN).clamp(-i32::from(i16::MAX), i32::from(i16::MAX));
        let learned = |value| (value * (FULL_WEIGHT - weight) + target * weight) / FULL_WEIGHT;
        let [positions @ .., line] = keys.0;
        for slot in positions {
            self.positions.update(slot, learned);
        }
        self.lines.update(line, learned);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_correction_grows_with_repeated_errors_up_to_its_limit() {
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
