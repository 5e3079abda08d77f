//! Steps 6 to 9 and 11: nodes and moves that are pruned without a full search.

use super::node::{Candidate, Node, NonPv};
use super::picker::MovePicker;
use super::worker::Worker;
use crate::chess::board::Move;
use crate::chess::types::{Bound, Score, Window};
use crate::engine::history::Threats;
use crate::engine::tt::{Draft, Record};

/// What the move loop leaves out.
pub(super) enum Prune {
    /// Nothing: the move is searched.
    Nothing,
    /// This move.
    Move,
    /// This quiet move and all quiet moves after it.
    Quiets,
}

impl Worker {
    /// Steps 6 to 9: a score for a null-window node that needs no move loop. They do not apply in check, where the
    /// evaluation says nothing and every move may be forced, and not in a singular search, which asks about the moves.
    pub(super) fn prune_node(&mut self, node: &Node<'_>) -> Option<Score> {
        if node.in_check || node.excluded.is_some() || !self.job.rules.selectivity.pruning {
            return None;
        }
        self.razor(node)
            .or_else(|| self.reverse_futility(node))
            .or_else(|| self.null_move(node))
            .or_else(|| if self.stopped { None } else { self.probcut(node) })
    }

    /// Step 6. Razoring: if the evaluation is far below alpha near the horizon, the quiescence search decides whether
    /// any capture helps. It does not apply if alpha is a mate score, because the only defense may be a quiet move.
    fn razor(&mut self, node: &Node<'_>) -> Option<Score> {
        let params = self.params();
        let alpha = node.window.alpha;
        let margin = params.razor_base + params.razor_slope * node.depth * node.depth;
        if node.depth > params.razor_depth || alpha.is_decisive() || node.eval + margin >= alpha {
            return None;
        }
        let score = self.quiescence(node.board, node.window, node.ply, false).score;
        // A stopped search leaves the node at once: with one thread, a node limit is exact.
        (self.stopped || score <= alpha && !score.is_decisive()).then_some(score)
    }

    /// Step 7. Reverse futility pruning (static null move): the evaluation is so far above beta that one quiet reply
    /// will not change that. It does not apply to mate scores, which an evaluation cannot judge.
    fn reverse_futility(&self, node: &Node<'_>) -> Option<Score> {
        let params = self.params();
        let beta = node.window.beta;
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

    /// Step 8. Null move pruning (Beal; Donninger): if passing still fails high, some move will too. It does not apply
    /// twice in a row, nor without pieces, where zugzwang is common. At high depth a cut-off is verified by a search in
    /// which nobody may pass during the first plies (Tabibi and Netanyahu).
    fn null_move(&mut self, node: &Node<'_>) -> Option<Score> {
        let params = self.params();
        let &Node { board, ply, depth, eval, .. } = node;
        let beta = node.window.beta;
        if !self.may_pass(node) {
            return None;
        }
        let by_score = ((eval - beta) * 1024 / params.null_score_divisor).min(params.null_score_limit);
        let reduced = depth - (params.null_base + depth * params.null_depth_slope + by_score) / 1024;
        let verify_depth = params.null_verify_depth;
        let verify_plies = reduced.max(1) * params.null_verify_share / 1024 + 1;

        let child = self.make_null(board, ply);
        let window = Window::null_below(beta);
        let score = -self.search::<NonPv>(&child, -window, reduced, ply + 1, !node.cut_node);
        self.unmake();
        if self.stopped || score < beta {
            return None;
        }
        // A mate after a pass proves no mate.
        let score = if score.is_win() { beta } else { score };
        if depth < verify_depth || self.null_verify_until > 0 {
            return Some(score);
        }
        self.null_verify_until = ply + verify_plies as usize;
        let verified = self.search::<NonPv>(board, window, reduced, ply, false);
        self.null_verify_until = 0;
        (verified >= beta && !self.stopped).then_some(score)
    }

    /// Whether step 8 applies. Near the horizon the static evaluation must lie above beta by a margin. The margin falls
    /// with depth, and from depth 12 on the evaluation may lie below beta (Stockfish). With the two plies of step 10
    /// this gained 11 +- 11 Elo (1,504 games at 40,000 nodes a move, 2026-11-26) over the opposite rule, which let the
    /// evaluation lie below beta near the horizon only.
    fn may_pass(&self, node: &Node<'_>) -> bool {
        let params = self.params();
        let &Node { board, ply, depth, eval, .. } = node;
        let beta = node.window.beta;
        let Some(static_eval) = self.frames[ply].static_eval else { return false };
        let margin = params.null_margin_base - params.null_margin_slope * depth;
        let refutes = |bound| bound == Bound::Upper && node.tt_score < beta;
        depth >= params.null_depth
            && eval >= beta
            && static_eval >= beta + margin
            && !beta.is_loss()
            && ply > 0
            && self.frames[ply - 1].current_move.is_some()
            && ply >= self.null_verify_until
            && board.has_non_pawn_material(board.turn())
            && !node.tt.is_some_and(|hit| refutes(hit.bound))
    }

    /// Step 9. ProbCut (Buro): if a capture beats beta by a margin in a much shallower search, it will beat beta in a
    /// full search. It does not apply if the table's score contradicts it (Weiss #771).
    fn probcut(&mut self, node: &Node<'_>) -> Option<Score> {
        let params = self.params();
        let &Node { board, ply, depth, .. } = node;
        let beta = node.window.beta;
        let improving = if node.improving { params.probcut_improving } else { 0 };
        let raised = beta + params.probcut_margin - improving;
        let reduced = (depth - params.probcut_reduction).max(0);
        let static_eval = self.frames[ply].static_eval?;
        if depth < params.probcut_depth
            || beta.is_decisive()
            || (node.tt.is_some() && node.tt_depth > reduced && node.tt_score < raised)
        {
            return None;
        }
        let window = Window::null_below(raised);
        let tt_move = node.tt_move.filter(|&mv| board.is_noisy(mv));
        let mut picker = MovePicker::winning(board, tt_move, raised - static_eval);
        while let Some(mv) = picker.next(&self.history, &self.job.rules.params) {
            self.prefetch_after(board, mv);
            let mut child = board.clone();
            self.make(&mut child, ply, mv);
            let mut score = -self.quiescence(&child, -window, ply + 1, false).score;
            if score >= raised && !self.stopped {
                score = -self.search::<NonPv>(&child, -window, reduced, ply + 1, !node.cut_node);
            }
            self.unmake();
            if self.stopped {
                return None;
            }
            if score >= raised {
                self.store_probcut(node, mv, score, reduced + 1);
                return Some(if score.is_decisive() { score } else { score - (raised - beta) });
            }
        }
        None
    }

    /// Stores the score of a move in the table. `depth` includes the ply of the move itself.
    fn store_probcut(&mut self, node: &Node<'_>, mv: Move, score: Score, depth: i32) {
        let record = Record {
            mv: Some(mv),
            score: score.to_table(node.ply),
            static_eval: node.raw_eval,
            draft: Draft::main(depth),
            bound: Bound::Lower,
            pv: node.tt_pv,
        };
        self.table.store(node.board.key(), record);
    }

    /// Step 11. Late move pruning, history pruning, futility pruning and SEE pruning of one move. The first move is
    /// never pruned, so that a node always has a score of its own.
    pub(super) fn prune_move(
        &self,
        node: &Node<'_>,
        candidate: &Candidate,
        threats: Threats,
        alpha: Score,
        reduced_depth: i32,
    ) -> Prune {
        let &Node { board, depth, in_check, improving, .. } = node;
        let &Candidate { mv, is_noisy, gives_check, known_gain, history, number, .. } = candidate;
        if number <= 1 {
            return Prune::Nothing;
        }
        let params = self.params();
        if is_noisy {
            let least = -params.see_noisy_slope * depth;
            let is_sound = known_gain >= least || board.see_ge(mv, least);
            return if is_sound { Prune::Nothing } else { Prune::Move };
        }
        let share = if improving { 100 } else { params.late_move_not_improving };
        let allowed = (params.late_move_base + params.late_move_slope * depth * depth) * share / 10_000;
        if number as i32 > allowed.max(params.late_move_least) {
            return Prune::Quiets;
        }
        if reduced_depth <= params.history_pruning_depth && history < -params.history_pruning_slope * depth {
            return Prune::Move;
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
            return Prune::Quiets;
        }
        if !threats.spare(mv) && !board.see_ge(mv, -params.see_quiet_slope * reduced_depth * reduced_depth) {
            return Prune::Move;
        }
        Prune::Nothing
    }

    /// The reduction of a late move, in 1024ths of a ply: the base reduction, adjusted by what else is known about the
    /// node and the move.
    pub(super) fn adjusted_reduction(&self, node: &Node<'_>, candidate: &Candidate) -> i32 {
        let params = self.params();
        let &Candidate { mv, is_noisy, gives_check, history, .. } = candidate;
        let mut reduction = candidate.reduction;
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
        if self.frames[node.ply + 1].cutoffs > params.reduction_cutoffs_beyond {
            reduction += params.reduction_cutoffs;
        }
        let scale = if is_noisy { params.reduction_noisy_history } else { params.reduction_history };
        reduction + self.variation.reduction - history * 1024 / scale
    }
}
