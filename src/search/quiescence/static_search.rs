//! Static and selective search: all moves for two plies, checks for free; then captures only.
//!
//! A move that gives no check and promises nothing is taken to be worth alpha: the opponent will find some move that
//! does not harm it. The two searches differ in whom they ask for the promise.

use crate::board::{Board, Move, MoveList};
use crate::search::worker::Worker;
use crate::types::{MAX_PLY, Score};

/// Plies of all moves; checks cost none.
const DEPTH: i32 = 2;
/// Plies that the null-move search is shorter.
const NULL_REDUCTION: i32 = 4;
/// Free checks end this far below the leaf, in plies: a perpetual check would not.
const MAX_EXTRA_PLIES: usize = 12;

/// What promises that a move may be worth more than alpha.
#[derive(Clone, Copy)]
pub(super) enum Promise {
    /// Static search: the static evaluation after it does.
    Evaluation,
    /// Selective search: a null-move search does, in which its side may move twice.
    NullMove,
}

/// What holds for a whole search.
#[derive(Clone, Copy)]
struct Terms {
    promise: Promise,
    /// The ply at which free checks end.
    horizon: usize,
}

impl Worker {
    pub(super) fn static_search(
        &mut self,
        board: &Board,
        alpha: Score,
        beta: Score,
        ply: usize,
        promise: Promise,
    ) -> Score {
        // Two plies of room for a move and a null move.
        let horizon = (ply + MAX_EXTRA_PLIES).min(MAX_PLY - 2);
        self.static_node(board, alpha, beta, ply, DEPTH, Terms { promise, horizon })
    }

    fn static_node(
        &mut self,
        board: &Board,
        mut alpha: Score,
        beta: Score,
        ply: usize,
        depth: i32,
        terms: Terms,
    ) -> Score {
        if depth <= 0 || ply >= terms.horizon {
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
            let score = if gives_check || self.is_promising(&child, alpha, beta, ply, depth, terms) {
                let next = if gives_check { depth } else { depth - 1 };
                -self.static_node(&child, -beta, -alpha, ply + 1, next, terms)
            } else {
                alpha
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

    /// Whether the move that led from a node at `ply` to `child` may be worth more than `alpha`.
    fn is_promising(
        &mut self,
        child: &Board,
        alpha: Score,
        beta: Score,
        ply: usize,
        depth: i32,
        terms: Terms,
    ) -> bool {
        match terms.promise {
            Promise::Evaluation => -self.evaluator.evaluate(child) > alpha,
            Promise::NullMove => {
                let again = self.make_null(child, ply + 1);
                let twice = self.static_node(&again, alpha, beta, ply + 2, depth - NULL_REDUCTION, terms);
                self.unmake();
                twice > alpha
            }
        }
    }
}

/// All legal moves, captures by victim first.
fn static_order(board: &Board) -> MoveList {
    let mut moves = board.legal_moves();
    moves.sort_by_key(|&mv: &Move| {
        let value = if board.is_noisy(mv) { 16 * super::gain::victim_value(board, mv) } else { 0 };
        std::cmp::Reverse(if value > 0 { value - usize::from(board.moved_role(mv)) as i32 } else { 0 })
    });
    moves
}
