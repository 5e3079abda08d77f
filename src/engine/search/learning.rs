//! Step 16 and the work before the move loop: what the histories learn from a node.

use arrayvec::ArrayVec;

use super::node::{Candidate, Node};
use super::picker::QuietContext;
use super::worker::Worker;
use crate::chess::board::Move;
use crate::chess::types::{Bound, Score};
use crate::engine::history::CorrectionKeys;

/// Moves that were searched and caused no cut-off.
#[derive(Default)]
pub(super) struct Tried {
    quiets: ArrayVec<Move, 64>,
    noisy: ArrayVec<Move, 32>,
}

impl Tried {
    /// Adds a move if there is room.
    #[inline]
    pub fn note(&mut self, candidate: &Candidate) {
        let _ = if candidate.is_noisy {
            self.noisy.try_push(candidate.mv)
        } else {
            self.quiets.try_push(candidate.mv)
        };
    }
}

impl Worker {
    /// Rewards a quiet move for what its side gains in static evaluation by it, and penalizes it for what its side
    /// loses. This happens as soon as the position after the move is evaluated (Stockfish).
    pub(super) fn update_history_by_eval(&mut self, ply: usize) {
        let last = &self.frames[ply - 1];
        if let (Some(now), Some(earlier), Some(slot)) =
            (self.frames[ply].static_eval, last.static_eval, last.quiet_slot)
        {
            let params = self.params();
            let limit = params.eval_history_limit;
            // Each evaluation is from the view of the side to move.
            let gain = -(now.value() + earlier.value());
            let bonus = (gain * params.eval_history_slope).clamp(-limit, limit);
            self.history.update_slot(slot, bonus);
        }
    }

    /// Hindsight: adjusts the depth of the node at `ply` if a late move reduction led to it. If the move did not worsen
    /// its side's evaluation, a ply of the reduction is taken back. If the move worsened it by more than a margin,
    /// another ply is taken off.
    pub(super) fn hindsight(&mut self, ply: usize, depth: i32) -> i32 {
        let static_eval = self.frames[ply].static_eval;
        let last = &mut self.frames[ply - 1];
        let reduction = std::mem::take(&mut last.reduction);
        let (Some(now), Some(earlier)) = (static_eval, last.static_eval) else {
            return depth;
        };
        let params = self.params();
        let loss = now.value() + earlier.value();
        if reduction >= params.hindsight_deeper && loss <= 0 {
            depth + 1
        } else if reduction >= params.hindsight_shallower
            && depth >= params.hindsight_depth
            && loss > params.hindsight_margin
        {
            depth - 1
        } else {
            depth
        }
    }

    /// No move helped against the last move. It is rewarded if it was quiet.
    pub(super) fn reward_prior_quiet(&mut self, ply: usize, depth: i32) {
        if ply == 0 {
            return;
        }
        let last = &self.frames[ply - 1];
        if let (Some(slot), Some(placement)) = (last.quiet_slot, last.placement) {
            let bonus = self.history_bonus(depth);
            let continuations = self.continuations(ply - 1);
            self.history.update_slot(slot, bonus);
            self.history.update_continuations(&continuations, placement, bonus);
        }
    }

    /// The last move was refuted. It is penalized if it was quiet and among the first moves, where the histories had
    /// put it (Stockfish).
    pub(super) fn penalize_refuted_quiet(&mut self, ply: usize, depth: i32) {
        if ply == 0 {
            return;
        }
        let last = &self.frames[ply - 1];
        let Some(placement) = last.placement.filter(|_| last.quiet_slot.is_some()) else { return };
        if last.number as i32 <= self.params().refuted_quiet_moves {
            let malus = self.history_malus(depth + 1);
            let continuations = self.continuations(ply - 1);
            self.history.update_continuations(&continuations, placement, -malus);
        }
    }

    /// The bonus for a cut-off at `depth`, in history units.
    pub(super) fn history_bonus(&self, depth: i32) -> i32 {
        let params = self.params();
        (params.history_slope * depth - params.history_offset).clamp(0, params.history_limit)
    }

    /// The penalty for a move that was tried before one that caused a cut-off at `depth`, in history units.
    pub(super) fn history_malus(&self, depth: i32) -> i32 {
        let params = self.params();
        (params.malus_slope * depth - params.malus_offset).clamp(0, params.malus_limit)
    }

    /// A move caused a cut-off. It is rewarded, and the moves that were tried before it are penalized.
    pub(super) fn reward(&mut self, node: &Node<'_>, context: &QuietContext, best: Move, tried: &Tried) {
        let &Node { board, ply, depth, .. } = node;
        let &QuietContext { continuations, threats, .. } = context;
        let (bonus, malus) = (self.history_bonus(depth), self.history_malus(depth));
        if board.is_noisy(best) {
            self.history.update_noisy(board, best, bonus);
        } else {
            let killers = &mut self.frames[ply].killers;
            if killers[0] != Some(best) {
                *killers = [Some(best), killers[0]];
            }
            self.history.update_quiet(board, threats, &continuations, best, bonus);
            for &mv in &tried.quiets {
                self.history.update_quiet(board, threats, &continuations, mv, -malus);
            }
        }
        for &mv in &tried.noisy {
            self.history.update_noisy(board, mv, -malus);
        }
        self.penalize_refuted_quiet(ply, depth);
    }

    /// The correction of the evaluation learns from a score if the best move is quiet. If it is a capture, the score
    /// says nothing about the position that was evaluated. A bound teaches only if it excludes the static evaluation.
    pub(super) fn correct_evaluation(
        &mut self,
        node: &Node<'_>,
        score: Score,
        bound: Bound,
        keys: CorrectionKeys,
    ) {
        let Some(static_eval) = self.frames[node.ply].static_eval else { return };
        let says_nothing = match bound {
            Bound::Lower => score <= static_eval,
            Bound::Upper => score >= static_eval,
            Bound::Exact => false,
        };
        if self.job.rules.selectivity.pruning && !score.is_decisive() && !says_nothing {
            let weight = (node.depth + 1).min(self.params().correction_rate_limit);
            self.history.correction.update(keys, weight, score - static_eval);
        }
    }
}
