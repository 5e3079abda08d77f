//! Steps 6 to 9 and 11: nodes and moves that are given up without a full search.

use super::node::{Node, NonPv};
use super::picker::MovePicker;
use super::worker::Worker;
use crate::board::Move;
use crate::tt::{Draft, Record};
use crate::types::{Bound, Score};

/// Children cut off beyond which a node's moves are taken to be refuted easily.
const FEW_CUTOFFS: i32 = 2;

/// What is to become of a move.
pub(super) enum Verdict {
    /// It is searched.
    Search,
    /// It is left out.
    SkipMove,
    /// It and all quiet moves after it are left out.
    SkipQuiets,
}

impl Worker {
    /// Steps 6 to 9: a score for a zero-window node that needs no move loop.
    pub(super) fn prune_node(&mut self, node: &Node<'_>, alpha: Score, beta: Score) -> Option<Score> {
        self.razor(node, alpha, beta)
            .or_else(|| self.reverse_futility(node, beta))
            .or_else(|| self.null_move(node, beta))
            .or_else(|| if self.stopped { None } else { self.probcut(node, beta) })
    }

    /// Step 6. Razoring: far below alpha near the horizon, the quiescence search decides
    /// whether any capture helps. Not when alpha is a mate: a quiet move may be what averts it.
    /// Without it 0 +- 31.
    fn razor(&mut self, node: &Node<'_>, alpha: Score, beta: Score) -> Option<Score> {
        let params = self.params();
        let margin = params.razor_base + params.razor_slope * node.depth * node.depth;
        if node.depth > params.razor_depth || alpha.is_decisive() || node.eval + margin >= alpha {
            return None;
        }
        let score = self.leaf(node.board, alpha, beta, node.ply, false).score;
        // Stopped, the node is left at once: a node limit is exact with one thread.
        (self.stopped || score <= alpha && !score.is_decisive()).then_some(score)
    }

    /// Step 7. Reverse futility (static null move): so far above beta that one quiet reply
    /// will not change it. Not against mate scores, which an evaluation cannot judge. Without it
    /// -111 +- 33.
    fn reverse_futility(&self, node: &Node<'_>, beta: Score) -> Option<Score> {
        let params = self.params();
        if node.tt_pv
            || node.depth > params.reverse_futility_depth
            || beta.is_loss()
            || node.eval.is_win()
            || node.tt_move.is_some_and(|mv| !node.board.is_noisy(mv) && node.tt_score < beta)
        {
            return None;
        }
        let margin = params.reverse_futility_slope * node.depth
            - if node.improving { params.reverse_futility_improving } else { 0 };
        (node.eval - margin >= beta).then(|| Score::new((node.eval.value() + beta.value()) / 2))
    }

    /// Step 8. Null move (Beal; Donninger): if passing still fails high, a move will. Not
    /// twice in a row and not without pieces, where zugzwang is the rule; deep cut-offs are
    /// verified by a search in which the side that passed may not pass (Tabibi and Netanyahu).
    /// Without it 0 +- 30, as reverse futility takes most of its nodes.
    fn null_move(&mut self, node: &Node<'_>, beta: Score) -> Option<Score> {
        let params = self.params();
        let &Node { board, ply, depth, eval, .. } = node;
        let static_eval = self.frames[ply].static_eval?;
        if depth < params.null_depth
            || eval < beta
            || static_eval + params.null_eval_slope * (depth - 10).min(0).abs() < beta
            || beta.is_loss()
            || ply == 0
            || self.frames[ply - 1].current_move.is_none()
            || ply < self.null_verify_until
            || !board.has_non_pawn_material(board.turn())
            || node.tt.is_some_and(|hit| hit.bound == Bound::Upper && node.tt_score < beta)
        {
            return None;
        }
        let by_score = ((eval - beta) * 1024 / params.null_score_divisor).min(params.null_score_limit);
        let reduction = (params.null_base + depth * params.null_depth_slope + by_score) / 1024;
        let verify_depth = params.null_verify_depth;

        let child = self.make_null(board, ply);
        let score =
            -self.search::<NonPv>(&child, -beta, -beta + 1, depth - reduction, ply + 1, !node.cut_node);
        self.unmake();
        if self.stopped || score < beta {
            return None;
        }
        // A mate after a pass is no mate.
        let score = if score.is_win() { beta } else { score };
        if depth < verify_depth || self.null_verify_until > 0 {
            return Some(score);
        }
        self.null_verify_until = ply + 3 * (depth - reduction).max(1) as usize / 4 + 1;
        let verified = self.search::<NonPv>(board, beta - 1, beta, depth - reduction, ply, false);
        self.null_verify_until = 0;
        (verified >= beta && !self.stopped).then_some(score)
    }

    /// Step 9. ProbCut (Buro): a capture that beats beta by a margin in a much shallower
    /// search will beat beta in a full one. Without it +9 +- 29.
    fn probcut(&mut self, node: &Node<'_>, beta: Score) -> Option<Score> {
        let params = self.params();
        let &Node { board, ply, depth, .. } = node;
        let raised = beta + params.probcut_margin;
        let static_eval = self.frames[ply].static_eval?;
        if depth < params.probcut_depth
            || beta.is_decisive()
            || (node.tt.is_some() && node.tt_depth >= depth - 3 && node.tt_score < raised)
        {
            return None;
        }
        let tt_move = node.tt_move.filter(|&mv| board.is_noisy(mv));
        let mut picker = MovePicker::noisy_only(tt_move, raised - static_eval);
        while let Some(mv) = picker.next(self, board) {
            self.prefetch_after(board, mv);
            let child = self.make(board, ply, mv);
            let mut score = -self.leaf(&child, -raised, -raised + 1, ply + 1, false).score;
            if score >= raised && !self.stopped {
                score =
                    -self.search::<NonPv>(&child, -raised, -raised + 1, depth - 4, ply + 1, !node.cut_node);
            }
            self.unmake();
            if self.stopped {
                return None;
            }
            if score >= raised {
                let record = Record {
                    mv: Some(mv),
                    score: score.to_table(ply),
                    static_eval: node.raw_eval,
                    draft: Draft::main(depth - 3),
                    bound: Bound::Lower,
                    pv: node.tt_pv,
                };
                self.store(board.key(), record);
                return Some(if score.is_decisive() { score } else { score - (raised - beta) });
            }
        }
        None
    }

    /// Step 11. Late move pruning (without it -2 +- 29), history pruning (0 +- 28), futility
    /// (+2 +- 31) and SEE pruning (of quiets -12 +- 31, of captures -22 +- 30) of one move. Never the
    /// first move, so that a node always has a score of its own.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn prune_move(
        &self,
        node: &Node<'_>,
        mv: Move,
        alpha: Score,
        count: usize,
        reduced_depth: i32,
        is_noisy: bool,
        gives_check: bool,
        history: i32,
    ) -> Verdict {
        if count <= 1 {
            return Verdict::Search;
        }
        let params = self.params();
        let &Node { board, depth, in_check, improving, .. } = node;
        if is_noisy {
            return if board.see_ge(mv, -params.see_noisy_slope * depth) {
                Verdict::Search
            } else {
                Verdict::SkipMove
            };
        }
        let share = if improving { 100 } else { params.late_move_not_improving };
        let allowed = (params.late_move_base + params.late_move_slope * depth * depth) * share / 10_000;
        if count as i32 > allowed.max(2) {
            return Verdict::SkipQuiets;
        }
        if reduced_depth <= params.history_pruning_depth && history < -params.history_pruning_slope * depth {
            return Verdict::SkipMove;
        }
        if !in_check
            && !gives_check
            && reduced_depth <= params.futility_depth
            && node.eval
                + params.futility_base
                + params.futility_slope * reduced_depth
                + history / params.futility_history
                <= alpha
        {
            return Verdict::SkipQuiets;
        }
        if !board.see_ge(mv, -params.see_quiet_slope * reduced_depth * reduced_depth) {
            return Verdict::SkipMove;
        }
        Verdict::Search
    }

    /// The reduction of a late move, in 1024ths of a ply: from the table, then by what else is
    /// known of the node and the move. Without each: principal variation +6 +- 29, cut node -24 +- 31,
    /// not improving -9 +- 27, check +6 +- 31, cut-offs +12 +- 32, history -5 +- 30.
    pub(super) fn adjust_reduction(
        &self,
        node: &Node<'_>,
        reduction: i32,
        mv: Move,
        is_noisy: bool,
        gives_check: bool,
        history: i32,
    ) -> i32 {
        let params = self.params();
        let mut reduction = reduction;
        if node.tt_pv {
            reduction -= params.reduction_pv;
        }
        if node.cut_node {
            reduction += params.reduction_cut_node;
        }
        if !node.improving {
            reduction += params.reduction_not_improving;
        }
        if gives_check {
            reduction -= params.reduction_check;
        }
        if self.frames[node.ply].killers.contains(&Some(mv)) {
            reduction -= params.reduction_killer;
        }
        if node.tt_move.is_some_and(|mv| node.board.is_noisy(mv)) && !is_noisy {
            reduction += params.reduction_noisy_table_move;
        }
        if self.frames[node.ply + 1].cutoffs > FEW_CUTOFFS {
            reduction += params.reduction_cutoffs;
        }
        let scale = if is_noisy { params.reduction_noisy_history } else { params.reduction_history };
        reduction + self.extra_reduction - history * 1024 / scale
    }
}
