//! Static and selective search: all moves for two plies, where checks are free, then captures only.
//!
//! A futile move gets the score alpha: it gives no check, and an estimate of its score is not above alpha. The search
//! assumes that the opponent has a harmless reply. The two searches differ in the estimate.

use super::best::Best;
use super::gain::Threshold;
use super::ordering::{Choice, LeafMoves};
use crate::chess::board::Board;
use crate::chess::types::{MAX_PLY, Score, Window};
use crate::engine::search::worker::Worker;

/// Depth in plies to which all moves are searched. Checks cost no depth.
const DEPTH: i32 = 2;
/// Plies by which the null-move search is shorter.
const NULL_REDUCTION: i32 = 4;
/// Plies below the leaf at which free checks end. A perpetual check would not end otherwise.
const MAX_EXTRA_PLIES: usize = 12;

/// What estimates whether a move is worth more than alpha.
#[derive(Clone, Copy)]
pub(super) enum FutilityTest {
    /// Static search: the static evaluation after the move.
    Evaluation,
    /// Selective search: a null-move search, in which the side of the move moves twice.
    NullMove,
}

/// What holds for a whole leaf search.
#[derive(Clone, Copy)]
struct StaticRules {
    futility: FutilityTest,
    /// The ply at which free checks end.
    horizon: usize,
}

impl Worker {
    pub(super) fn static_search(
        &mut self,
        board: &Board,
        window: Window,
        ply: usize,
        futility: FutilityTest,
    ) -> Score {
        // Leaves room for two more plies: a move and a null move.
        let horizon = (ply + MAX_EXTRA_PLIES).min(MAX_PLY - 2);
        self.static_node(board, window, ply, DEPTH, StaticRules { futility, horizon })
    }

    fn static_node(
        &mut self,
        board: &Board,
        window: Window,
        ply: usize,
        depth: i32,
        rules: StaticRules,
    ) -> Score {
        if depth <= 0 || ply >= rules.horizon {
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
            let is_searched =
                gives_check || self.estimate_move(&child, best.window, ply, depth, rules) > best.window.alpha;
            let score = if is_searched {
                let next = if gives_check { depth } else { depth - 1 };
                -self.static_node(&child, -best.window, ply + 1, next, rules)
            } else {
                best.window.alpha
            };
            self.unmake();
            if self.stopped || best.raise(&mut self.pv, ply, mv, score).is_break() {
                break;
            }
        }
        best.score
    }

    /// Estimates the score of the move that led from a node at `ply` to `child`.
    fn estimate_move(
        &mut self,
        child: &Board,
        window: Window,
        ply: usize,
        depth: i32,
        rules: StaticRules,
    ) -> Score {
        match rules.futility {
            FutilityTest::Evaluation => -self.evaluator.evaluate(child),
            FutilityTest::NullMove => {
                let again = self.make_null(child, ply + 1);
                let twice = self.static_node(&again, window, ply + 2, depth - NULL_REDUCTION, rules);
                self.unmake();
                twice
            }
        }
    }
}
