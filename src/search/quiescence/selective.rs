//! Selective search: as the static search, but whether a move that gives no check promises anything is
//! asked of a null-move search instead of the evaluation: if its side, allowed to move twice,
//! does not exceed alpha even so, the move is worth no more than alpha.

use super::static_search::static_order;
use crate::board::Board;
use crate::search::worker::Worker;
use crate::types::{MAX_PLY, Score};

/// Plies of all moves; checks cost none.
pub(super) const DEPTH: i32 = 2;
/// Plies that the null-move search is shorter.
const NULL_REDUCTION: i32 = 4;
/// Free checks end this far below the leaf, in plies.
const MAX_EXTRA_PLIES: usize = 12;

impl Worker {
    pub(super) fn selective_search(
        &mut self,
        board: &Board,
        alpha: Score,
        beta: Score,
        ply: usize,
        depth: i32,
    ) -> Score {
        self.selective_node(board, alpha, beta, ply, depth, ply + MAX_EXTRA_PLIES)
    }

    fn selective_node(
        &mut self,
        board: &Board,
        mut alpha: Score,
        beta: Score,
        ply: usize,
        depth: i32,
        horizon: usize,
    ) -> Score {
        if depth <= 0 || ply >= horizon.min(MAX_PLY - 2) {
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
            let promises_nothing = !gives_check && {
                let again = self.make_null(&child, ply + 1);
                let twice =
                    self.selective_node(&again, alpha, beta, ply + 2, depth - NULL_REDUCTION, horizon);
                self.unmake();
                twice <= alpha
            };
            let score = if promises_nothing {
                alpha
            } else {
                let next = if gives_check { depth } else { depth - 1 };
                -self.selective_node(&child, -beta, -alpha, ply + 1, next, horizon)
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
