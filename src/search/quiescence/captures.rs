//! Captures-only quiescence: the side to move may stand pat or capture, to the end.
//!
//! [`Worker::captures`] is the classic form: every capture, the most valuable victim first and
//! among equals the least valuable attacker, and no regard to checks. [`Worker::captures_see`]
//! is what most engines do: captures that lose material are left out, and a side in check
//! tries all evasions.

use arrayvec::ArrayVec;

use super::gain::victim_value;
use crate::board::{Board, Move, MoveList};
use crate::search::worker::Worker;
use crate::tt::{Draft, LeafClass, Record};
use crate::types::{MAX_PLY, Score, Window};

impl Worker {
    pub(super) fn captures(&mut self, board: &Board, mut alpha: Score, beta: Score, ply: usize) -> Score {
        self.pv.clear(ply);
        self.enter_node(ply);
        let mut best = self.evaluator.evaluate(board);
        if self.stopped || ply >= MAX_PLY - 1 || best >= beta {
            return best;
        }
        alpha = alpha.max(best);
        for mv in ordered(board, None, false) {
            let child = self.make(board, ply, mv);
            let score = -self.captures(&child, -beta, -alpha, ply + 1);
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

    pub(super) fn captures_see(&mut self, board: &Board, alpha: Score, beta: Score, ply: usize) -> Score {
        self.pv.clear(ply);
        self.enter_node(ply);
        let in_check = board.in_check();
        if self.stopped || ply >= MAX_PLY - 1 {
            return if in_check { Score::ZERO } else { self.evaluator.evaluate(board) };
        }
        if self.is_drawn_leaf(board, ply) {
            return Score::ZERO;
        }
        let entry = self.probe(board.key());
        if let Some(hit) = entry
            && beta - alpha == 1
            && self.job.selectivity.table
        {
            let score = hit.score.from_table(ply);
            if Window::new(alpha, beta).is_decided_by(score, hit.bound) {
                return score;
            }
        }
        let mut raw_eval = None;
        let mut best = -Score::INFINITE;
        if !in_check {
            let raw = entry.and_then(|hit| hit.static_eval).unwrap_or_else(|| self.evaluator.evaluate(board));
            raw_eval = Some(raw);
            best = self.corrected(raw, crate::history::CorrectionKeys::of(board, &self.continuations(ply)));
            if best >= beta {
                return best;
            }
        }
        let mut raised = alpha.max(best);
        let mut best_move = None;
        let mut any = false;
        for mv in ordered(board, entry.and_then(|hit| hit.mv), in_check) {
            any = true;
            if !in_check && !board.see_ge(mv, 0) {
                continue;
            }
            self.prefetch_after(board, mv);
            let child = self.make(board, ply, mv);
            let score = -self.captures_see(&child, -beta, -raised, ply + 1);
            self.unmake();
            if self.stopped {
                return best;
            }
            if score > best {
                best = score;
                if score > raised {
                    raised = score;
                    best_move = Some(mv);
                    self.pv.extend(ply, mv);
                }
                if score >= beta {
                    break;
                }
            }
        }
        if in_check && !any {
            return Score::mated_in(ply);
        }
        let record = Record {
            mv: best_move,
            score: best.to_table(ply),
            static_eval: raw_eval,
            draft: Draft::leaf(0, LeafClass::Resolved),
            bound: Window::new(alpha, beta).bound(best),
            pv: beta - alpha > 1 || entry.is_some_and(|hit| hit.pv),
        };
        self.store(board.key(), record);
        best
    }
}

/// The legal captures and queen promotions, and in check (if `evasions`) all legal moves: the
/// table's first, then by victim and attacker.
fn ordered(board: &Board, tt_move: Option<Move>, evasions: bool) -> ArrayVec<Move, 256> {
    let mut moves = MoveList::new();
    board.noisy_moves(&mut moves);
    if evasions {
        board.quiet_moves(&mut moves);
    }
    moves.retain(|mv| board.is_legal(*mv));
    moves.sort_by_key(|&mv| {
        let attacker = usize::from(board.moved_role(mv)) as i32;
        let value = 16 * victim_value(board, mv) - if board.is_noisy(mv) { attacker } else { 0 };
        std::cmp::Reverse(if Some(mv) == tt_move { i32::MAX } else { value })
    });
    moves
}
