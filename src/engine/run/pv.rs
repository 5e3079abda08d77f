//! Principal variations: a triangular array that the search itself fills.
//!
//! A node's line is the move that raised alpha, followed by the line of the child after it. Nothing is taken from the
//! table, because another thread may have written there since.

use arrayvec::ArrayVec;

use crate::chess::board::Move;
use crate::chess::types::MAX_PLY;

/// A line of play.
pub type PvLine = ArrayVec<Move, MAX_PLY>;

/// One line for each ply of the search.
pub struct PvTable {
    lines: Box<[PvLine]>,
}

impl Default for PvTable {
    fn default() -> PvTable {
        PvTable { lines: vec![PvLine::new(); MAX_PLY + 2].into_boxed_slice() }
    }
}

impl PvTable {
    /// Empties the line of a node that begins.
    #[inline]
    pub fn clear(&mut self, ply: usize) {
        self.lines[ply].clear();
    }

    /// Sets the line at `ply` to `mv`, the best move so far, followed by the child's line.
    pub fn extend(&mut self, ply: usize, mv: Move) {
        let (parents, children) = self.lines.split_at_mut(ply + 1);
        let (line, child) = (&mut parents[ply], &children[0]);
        line.clear();
        line.push(mv);
        let room = line.remaining_capacity();
        line.extend(child.iter().copied().take(room));
    }

    /// The line of the node at `ply`.
    #[inline]
    pub fn line(&self, ply: usize) -> &PvLine {
        &self.lines[ply]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::board::Board;

    #[test]
    fn a_line_is_the_move_and_the_childs_line() {
        let moves = Board::startpos().legal_moves();
        let mut table = PvTable::default();
        table.clear(2);
        table.extend(1, moves[3]);
        table.extend(0, moves[5]);
        assert_eq!(table.line(0).as_slice(), [moves[5], moves[3]]);
        table.clear(1);
        table.extend(0, moves[7]);
        assert_eq!(table.line(0).as_slice(), [moves[7]]);
    }

    #[test]
    fn the_longest_line_fits() {
        let mv = Board::startpos().legal_moves()[0];
        let mut table = PvTable::default();
        for ply in (0..=MAX_PLY).rev() {
            table.extend(ply, mv);
        }
        assert_eq!(table.line(0).len(), MAX_PLY);
    }
}
