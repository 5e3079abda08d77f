//! Static and selective search: all moves for two plies, where checks are free, then captures only.
//!
//! A move that gives no check and promises no gain gets the score alpha. The search assumes that the opponent has some
//! reply that does no harm. The two searches differ in what makes the promise.

use super::best::Best;
use super::gain::Threshold;
use super::ordering::{Choice, LeafMoves};
use crate::board::Board;
use crate::search::worker::Worker;
use crate::types::{MAX_PLY, Score, Window};

/// Depth in plies to which all moves are searched. Checks cost no depth.
const DEPTH: i32 = 2;
/// Plies by which the null-move search is shorter.
const NULL_REDUCTION: i32 = 4;
/// Plies below the leaf at which free checks end. A perpetual check would not end otherwise.
const MAX_EXTRA_PLIES: usize = 12;

/// What promises that a move may be worth more than alpha.
#[derive(Clone, Copy)]
pub(super) enum Promise {
    /// Static search: the static evaluation after the move.
    Evaluation,
    /// Selective search: a null-move search, in which the side of the move moves twice.
    NullMove,
}

/// What holds for a whole leaf search.
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
        window: Window,
        ply: usize,
        promise: Promise,
    ) -> Score {
        // Leaves room for two more plies: a move and a null move.
        let horizon = (ply + MAX_EXTRA_PLIES).min(MAX_PLY - 2);
        self.static_node(board, window, ply, DEPTH, Terms { promise, horizon })
    }

    fn static_node(&mut self, board: &Board, window: Window, ply: usize, depth: i32, terms: Terms) -> Score {
        if depth <= 0 || ply >= terms.horizon {
            // A quiet move may have led here, so the position may be a draw.
            if self.is_drawn_leaf(board, ply) {
                self.pv.clear(ply);
                return Score::ZERO;
            }
            return self.captures(board, window, ply);
        }
        self.pv.clear(ply);
        self.enter_node(ply);
        if self.stopped || self.is_draw(board, ply) {
            return Score::ZERO;
        }
        let mut candidates = LeafMoves::new();
        self.candidates(board, ply, Choice::All, Threshold::Unlimited, None, &mut candidates);
        if candidates.is_empty() {
            return if board.in_check() { Score::mated_in(ply) } else { Score::ZERO };
        }
        let mut best = Best::new(window, -Score::INFINITE);
        for candidate in &candidates {
            let mv = candidate.mv;
            let gives_check = board.gives_check(mv);
            let mut child = board.clone();
            self.make(&mut child, ply, mv);
            let score = if gives_check || self.is_promising(&child, best.window, ply, depth, terms) {
                let next = if gives_check { depth } else { depth - 1 };
                -self.static_node(&child, -best.window, ply + 1, next, terms)
            } else {
                best.window.alpha
            };
            self.unmake();
            if self.stopped || self.is_cut_by(&mut best, ply, mv, score) {
                break;
            }
        }
        best.score
    }

    /// Whether the move that led from a node at `ply` to `child` may be worth more than alpha.
    fn is_promising(&mut self, child: &Board, window: Window, ply: usize, depth: i32, terms: Terms) -> bool {
        match terms.promise {
            Promise::Evaluation => -self.evaluator.evaluate(child) > window.alpha,
            Promise::NullMove => {
                let again = self.make_null(child, ply + 1);
                let twice = self.static_node(&again, window, ply + 2, depth - NULL_REDUCTION, terms);
                self.unmake();
                twice > window.alpha
            }
        }
    }
}
