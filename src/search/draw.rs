//! Draws inside the search: repetition, also one that is a move away, the fifty-move rule, dead material.

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

    /// Whether the side to move can repeat a position by one move, so that it need not lose. Asked before any move
    /// is made, it saves the search of everything else where a draw is enough.
    pub(super) fn can_repeat(&self, board: &Board, ply: usize) -> bool {
        let reach = (board.halfmove_clock() as usize).min(self.keys.len());
        if reach < 3 || !self.job.selectivity.repetition {
            return false;
        }
        // Over a null move there is no way back.
        let line = ply.saturating_sub(reach)..ply;
        let null = line.rev().position(|before| self.frames[before].current_move.is_none());
        let reach = null.unwrap_or(reach);
        let past = |distance: usize| self.keys[self.keys.len() - distance];
        (3..=reach).step_by(2).any(|distance| {
            let Some(squares) = board.reversible_move_to(past(distance)) else { return false };
            if distance < ply {
                return true;
            }
            // Before the root only what would be the third time counts, and not the opponent's way to here.
            let piece = squares.into_iter().find_map(|square| board.piece_at(square));
            piece.is_some_and(|piece| piece.color == board.turn())
                && (distance + 4..=reach).step_by(2).any(|earlier| past(earlier) == past(distance))
        })
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
