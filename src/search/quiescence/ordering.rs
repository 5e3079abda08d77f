//! The one order in which all leaf searches try moves: the table's first, then captures and queen promotions, the most
//! valuable victim first and among equals the least valuable attacker, then quiet moves by history.

use std::cmp::Reverse;

use arrayvec::ArrayVec;

use super::gain::{Threshold, gain};
use crate::board::{Board, Move, MoveList};
use crate::history::Threats;
use crate::search::worker::Worker;

/// Far above what a move's own merits are worth: the table's move comes first.
const TABLE_MOVE: i32 = 100_000;
/// Captures that cost a level come before all others.
const COSTS_A_LEVEL: i32 = 20_000;
/// Next come those that would, were their target not protected.
const PROTECTED: i32 = 10_000;
/// Quiet moves, whose histories are divided by so much, come last.
const HISTORY_DIVISOR: i32 = 64;
/// What puts the best history behind the least capture.
const QUIET: i32 = -2_000;

/// Which moves a node tries.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Choice {
    /// Captures and queen promotions.
    Noisy,
    /// All of them.
    All,
}

/// A move of a leaf search.
pub(super) struct Candidate {
    pub mv: Move,
    order: i32,
    /// It gains no more than the opponent's last move did.
    pub is_extended: bool,
}

/// The moves of one node, in order.
pub(super) type Candidates = ArrayVec<Candidate, 256>;

impl Worker {
    /// The legal moves of the node at `ply` in the order in which they are tried, where the opponent's last move has left
    /// `threshold`.
    pub(super) fn candidates(
        &self,
        board: &Board,
        ply: usize,
        choice: Choice,
        threshold: Threshold,
        tt_move: Option<Move>,
    ) -> Candidates {
        let mut moves = MoveList::new();
        board.noisy_moves(&mut moves);
        let noisy = moves.len();
        let quiets = (choice == Choice::All).then(|| {
            board.quiet_moves(&mut moves);
            self.history.quiets(board, Threats::of(board), &self.continuations(ply))
        });
        let mut candidates = Candidates::new();
        for (index, &mv) in moves.iter().enumerate() {
            if !board.is_legal(mv) {
                continue;
            }
            let mut is_extended = true;
            let mut order = if index < noisy {
                let victim = board.material_gain(mv);
                let mut order = victim - usize::from(board.moved_role(mv)) as i32;
                if victim > threshold.value() {
                    is_extended = gain(board, mv) <= threshold.value();
                    order += if is_extended { PROTECTED } else { COSTS_A_LEVEL };
                }
                order
            } else {
                quiets.as_ref().map_or(0, |quiets| quiets.of(mv)) / HISTORY_DIVISOR + QUIET
            };
            if Some(mv) == tt_move {
                order += TABLE_MOVE;
            }
            candidates.push(Candidate { mv, order, is_extended });
        }
        candidates.sort_unstable_by_key(|candidate| Reverse(candidate.order));
        candidates
    }
}
