//! Draws inside the search: repetition, the fifty-move rule, dead material.

use super::worker::Worker;
use crate::board::Board;

impl Worker {
    /// Whether the node at `ply` is drawn by rule. A position that occurs for the second
    /// time within the search counts as a draw, for whoever could repeat once can do so
    /// again; one that occurred in the game before must occur for the third time.
    pub(super) fn is_draw(&self, board: &Board, ply: usize) -> bool {
        if board.halfmove_clock() >= 100 && (!board.in_check() || !board.legal_moves().is_empty()) {
            return true;
        }
        board.is_insufficient_material()
            || (self.job.selectivity.repetition && self.is_repetition(board, ply))
    }

    fn is_repetition(&self, board: &Board, ply: usize) -> bool {
        let reach = (board.halfmove_clock() as usize).min(self.keys.len());
        let key = board.key();
        let mut seen = 0;
        for distance in (4..=reach).step_by(2) {
            if self.keys[self.keys.len() - distance] == key {
                seen += 1;
                if distance <= ply || seen == 2 {
                    return true;
                }
            }
        }
        false
    }
}
