//! Static search: all moves for two plies, checks for free, and the static cut-off; then
//! captures only.
//!
//! A move that gives no check and after which the static evaluation, for the side that made
//! it, does not exceed alpha is taken to be worth alpha: the opponent will find some move that
//! does not harm it.

use crate::board::{Board, Move, MoveList};
use crate::search::worker::Worker;
use crate::types::{MAX_PLY, Score};

/// Plies of all moves; checks cost none.
pub(super) const DEPTH: i32 = 2;

/// Free checks end this far below the leaf, in plies: a perpetual check would not.
const MAX_EXTRA_PLIES: usize = 12;

impl Worker {
    pub(super) fn static_search(
        &mut self,
        board: &Board,
        alpha: Score,
        beta: Score,
        ply: usize,
        depth: i32,
    ) -> Score {
        self.static_node(board, alpha, beta, ply, depth, ply + MAX_EXTRA_PLIES)
    }

    fn static_node(
        &mut self,
        board: &Board,
        mut alpha: Score,
        beta: Score,
        ply: usize,
        depth: i32,
        horizon: usize,
    ) -> Score {
        if depth <= 0 || ply >= horizon.min(MAX_PLY - 1) {
            // A quiet move may have led here, and so to a draw.
            if self.is_drawn_leaf(board, ply) {
                self.pv.clear(ply);
                return Score::ZERO;
            }
            return self.captures(board, alpha, beta, ply);
        }
        self.pv.clear(ply);
        self.enter_node(ply);
        if self.stopped || self.is_draw(board, ply) {
            return Score::ZERO;
        }
        let moves = static_order(board);
        if moves.is_empty() {
            return if board.in_check() { Score::mated_in(ply) } else { Score::ZERO };
        }
        let mut best = -Score::INFINITE;
        for mv in moves {
            let gives_check = board.gives_check(mv);
            let child = self.make(board, ply, mv);
            let after = -self.evaluator.evaluate(&child);
            let score = if !gives_check && after <= alpha {
                alpha
            } else {
                let next = if gives_check { depth } else { depth - 1 };
                -self.static_node(&child, -beta, -alpha, ply + 1, next, horizon)
            };
            self.unmake();
            if self.stopped {
                return best;
            }
            if score > best {
                best = score;
                if score > alpha {
                    alpha = score;
                    self.pv.extend(ply, mv);
                }
                if score >= beta {
                    break;
                }
            }
        }
        best
    }
}

/// All legal moves, captures by victim first.
pub(super) fn static_order(board: &Board) -> MoveList {
    let mut moves = board.legal_moves();
    moves.sort_by_key(|&mv: &Move| {
        let value = if board.is_noisy(mv) { 16 * super::gain::victim_value(board, mv) } else { 0 };
        std::cmp::Reverse(if value > 0 { value - usize::from(board.moved_role(mv)) as i32 } else { 0 })
    });
    moves
}
