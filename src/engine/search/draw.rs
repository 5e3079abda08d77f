//! Draws within the search: repetition, also one that is a move away, the fifty-move rule, and insufficient material.

use super::worker::Worker;
use crate::chess::board::{Board, FIFTY_MOVES};

impl Worker {
    /// Whether the node at `ply` is drawn by rule. A position that occurs for the second time within the search counts
    /// as a draw, because a side that could repeat once can do so again. A position that occurred in the game must
    /// occur for the third time.
    pub(super) fn is_draw(&self, board: &Board, ply: usize) -> bool {
        if board.halfmove_clock() >= FIFTY_MOVES && (!board.in_check() || !board.legal_moves().is_empty()) {
            return true;
        }
        board.is_insufficient_material()
            || (self.job.rules.selectivity.repetition && self.is_repetition(board, ply))
    }

    /// Whether a single move leads to an earlier position, so that the side to move need not lose. The search asks this
    /// before it makes a move. If a draw is enough for a cut-off, this saves the search of all moves.
    ///
    /// Within the search, it may also be the opponent's move that leads from the earlier position to this one, as in
    /// Stockfish. Then nothing is repeated, but the moves in between have gained nothing either.
    pub(super) fn can_repeat(&self, board: &Board, ply: usize) -> bool {
        let reach = (board.halfmove_clock() as usize).min(self.keys.len());
        if reach < 3 || !self.job.rules.selectivity.repetition {
            return false;
        }
        let reach = reach.min(self.since_null(ply));
        let past = |distance: usize| self.keys[self.keys.len() - distance];
        (3..=reach).step_by(2).any(|distance| {
            let Some(squares) = board.reversible_move_to(past(distance)) else { return false };
            if distance < ply {
                return true;
            }
            // Before the root, only a third occurrence counts, and not the opponent's move to this position.
            let piece = squares.into_iter().find_map(|square| board.piece_at(square));
            piece.is_some_and(|piece| piece.color == board.turn())
                && (distance + 4..=reach).step_by(2).any(|earlier| past(earlier) == past(distance))
        })
    }

    /// Plies since the last null move. No game contains a null move, so no position repeats one from before it.
    fn since_null(&self, ply: usize) -> usize {
        (0..ply).rev().position(|before| self.frames[before].current_move.is_none()).unwrap_or(usize::MAX)
    }

    fn is_repetition(&self, board: &Board, ply: usize) -> bool {
        let reach = (board.halfmove_clock() as usize).min(self.keys.len());
        let key = board.key();
        let mut seen = 0;
        for distance in (4..=reach).step_by(2) {
            if self.keys[self.keys.len() - distance] == key {
                // Few positions come this far, and only these need to look for a null move.
                if distance > self.since_null(ply) {
                    return false;
                }
                seen += 1;
                if distance <= ply || seen == 2 {
                    return true;
                }
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::board::Game;
    use crate::engine::run::job::Job;
    use crate::engine::run::limits::Limits;
    /// Whether the position after these moves repeats an earlier one. `--` stands for a null move.
    fn repeats(fen: &str, moves: &[&str]) -> bool {
        let (game, _) = Game::from_fen(fen).unwrap();
        let mut board = game.board().clone();
        let job = Job::plain(game, Limits::default());
        let mut worker = Worker::ready(job);
        for (ply, &text) in moves.iter().enumerate() {
            match text {
                "--" => board = worker.make_null(&board, ply),
                _ => {
                    let mv = board.parse_uci(text).unwrap();
                    worker.make(&mut board, ply, mv);
                }
            }
        }
        worker.is_draw(&board, moves.len())
    }

    #[test]
    fn a_repetition_does_not_reach_back_across_a_null_move() {
        let fen = "r3k3/p7/8/8/8/8/P7/R3K3 w - - 10 40";
        assert!(repeats(fen, &["a1b1", "a8b8", "b1a1", "b8a8"]));
        assert!(!repeats(fen, &["--", "a8b8", "--", "b8a8"]));
        let after_null = ["--", "a8b8", "a1b1", "b8a8", "b1a1"];
        assert!(repeats(fen, &after_null), "the position after the null move");
    }
}
