//! Step 16 and what precedes the move loop: what the histories learn from a node.

use super::worker::Worker;
use crate::board::{Board, Move};
use crate::history::Threats;
use crate::types::Score;

/// Hindsight: plies of reduction from which one is taken back.
const MUCH_REDUCED: i32 = 3;
/// Hindsight: plies of reduction from which another may be added.
const REDUCED: i32 = 2;

/// The last of a node's moves that are punished when they are refuted.
const EARLY: usize = 2;

impl Worker {
    /// A quiet move is rewarded for what its side gains in static evaluation by it, and punished for what it loses, as
    /// soon as the position after it is evaluated (Stockfish). Without it -44 +- 30.
    pub(super) fn credit_last_move(&mut self, ply: usize, static_eval: Option<Score>) {
        let last = &self.frames[ply - 1];
        if let (Some(now), Some(earlier), Some(slot)) = (static_eval, last.static_eval, last.quiet_slot) {
            let params = self.params();
            let limit = params.eval_history_limit;
            // Each evaluation is of the side that is to move.
            let gain = -(now.value() + earlier.value());
            let bonus = (gain * params.eval_history_slope).clamp(-limit, limit);
            self.history.update_slot(slot, bonus);
        }
    }

    /// Hindsight: the depth for the node at `ply`, to which a late move reduction has led. It is taken back in part where
    /// the move did not worsen the lot of its side as expected, and increased where it more than did. Without it
    /// -3 +- 17 (1,000 games).
    pub(super) fn hindsight(&mut self, ply: usize, depth: i32, static_eval: Option<Score>) -> i32 {
        let last = &mut self.frames[ply - 1];
        let reduction = std::mem::take(&mut last.reduction);
        let (Some(now), Some(earlier)) = (static_eval, last.static_eval) else {
            return depth;
        };
        let loss = now.value() + earlier.value();
        if reduction >= MUCH_REDUCED && loss <= 0 {
            depth + 1
        } else if reduction >= REDUCED && depth >= 2 && loss > self.params().hindsight_margin {
            depth - 1
        } else {
            depth
        }
    }

    /// Nothing helped against the last move: it is rewarded if it was quiet. Without it -7 +- 30.
    pub(super) fn reward_last_move(&mut self, ply: usize, depth: i32) {
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

    /// The last move was refuted: it is punished if it was quiet and one of the first, which the histories had put there
    /// (Stockfish). Without it -35 +- 27.
    pub(super) fn blame_last_move(&mut self, ply: usize, depth: i32) {
        if ply == 0 {
            return;
        }
        let last = &self.frames[ply - 1];
        if let (Some(_), Some(placement), ..=EARLY) = (last.quiet_slot, last.placement, last.number) {
            let malus = self.history_malus(depth + 1);
            let continuations = self.continuations(ply - 1);
            self.history.update_continuations(&continuations, placement, -malus);
        }
    }

    /// What a cut-off at `depth` is worth in history units.
    pub(super) fn history_bonus(&self, depth: i32) -> i32 {
        let params = self.params();
        (params.history_slope * depth - params.history_offset).clamp(0, params.history_limit)
    }

    /// What it costs a move in history units to have been tried before one that cut off at `depth`.
    pub(super) fn history_malus(&self, depth: i32) -> i32 {
        let params = self.params();
        (params.malus_slope * depth - params.malus_offset).clamp(0, params.malus_limit)
    }

    /// A move cut off: it is rewarded, those tried before it are punished.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn reward(
        &mut self,
        board: &Board,
        ply: usize,
        best: Move,
        depth: i32,
        threats: Threats,
        quiets_tried: &[Move],
        noisy_tried: &[Move],
    ) {
        let (bonus, malus) = (self.history_bonus(depth), self.history_malus(depth));
        let continuations = self.continuations(ply);
        if board.is_noisy(best) {
            self.history.update_noisy(board, best, bonus);
        } else {
            let killers = &mut self.frames[ply].killers;
            if killers[0] != Some(best) {
                *killers = [Some(best), killers[0]];
            }
            self.history.update_quiet(board, threats, &continuations, best, bonus);
            for &mv in quiets_tried {
                self.history.update_quiet(board, threats, &continuations, mv, -malus);
            }
        }
        for &mv in noisy_tried {
            self.history.update_noisy(board, mv, -malus);
        }
        self.blame_last_move(ply, depth);
    }
}
