//! Captures-only quiescence search: the side to move may stand pat or capture, until no capture is left.
//!
//! [`Worker::captures`] is the classic form: it tries every capture and ignores checks. [`Worker::captures_see`] is
//! what most engines do: it leaves out captures that lose material, and a side in check tries all evasions.

use super::best::Best;
use super::gain::Threshold;
use super::ordering::{Choice, LeafMoves};
use crate::chess::board::Board;
use crate::chess::types::{MAX_PLY, Score, Window};
use crate::engine::history::CorrectionKeys;
use crate::engine::search::worker::Worker;
use crate::engine::tt::{Draft, LeafClass, Record};

impl Worker {
    pub(super) fn captures(&mut self, board: &Board, window: Window, ply: usize) -> Score {
        self.pv.clear(ply);
        self.enter_node(ply);
        let stand = self.evaluator.evaluate(board);
        if self.stopped || ply >= MAX_PLY - 1 || stand >= window.beta {
            return stand;
        }
        let mut best = Best::new(window, stand);
        let mut candidates = LeafMoves::new();
        self.candidates(board, ply, Choice::Noisy, Threshold::Unlimited, None, &mut candidates);
        for candidate in &candidates {
            let mut child = board.clone();
            self.make(&mut child, ply, candidate.mv);
            let score = -self.captures(&child, -best.window, ply + 1);
            self.unmake();
            if self.stopped || best.raise(&mut self.pv, ply, candidate.mv, score).is_break() {
                break;
            }
        }
        best.score
    }

    pub(super) fn captures_see(&mut self, board: &Board, window: Window, ply: usize) -> Score {
        self.pv.clear(ply);
        self.enter_node(ply);
        let in_check = board.in_check();
        if self.stopped || ply >= MAX_PLY - 1 {
            return if in_check { Score::ZERO } else { self.evaluator.evaluate(board) };
        }
        if self.is_drawn_leaf(board, ply) {
            return Score::ZERO;
        }
        let entry = self.table.probe(board.key());
        if let Some(hit) = entry
            && window.is_null()
            && self.job.rules.selectivity.table
        {
            let score = hit.score.from_table(ply);
            if window.is_decided_by(score, hit.bound) {
                return score;
            }
        }
        let mut raw_eval = None;
        let mut stand = -Score::INFINITE;
        if !in_check {
            let raw = entry.and_then(|hit| hit.static_eval).unwrap_or_else(|| self.evaluator.evaluate(board));
            raw_eval = Some(raw);
            stand = self.corrected(raw, CorrectionKeys::of(board, &self.continuations(ply)));
            if stand >= window.beta {
                return stand;
            }
        }
        let mut best = Best::new(window, stand);
        let choice = if in_check { Choice::All } else { Choice::Noisy };
        let tt_move = entry.and_then(|hit| hit.mv);
        let mut candidates = LeafMoves::new();
        self.candidates(board, ply, choice, Threshold::Unlimited, tt_move, &mut candidates);
        if in_check && candidates.is_empty() {
            return Score::mated_in(ply);
        }
        for candidate in &candidates {
            let mv = candidate.mv;
            if !in_check && !board.see_ge(mv, 0) {
                continue;
            }
            self.prefetch_after(board, mv);
            let mut child = board.clone();
            self.make(&mut child, ply, mv);
            let score = -self.captures_see(&child, -best.window, ply + 1);
            self.unmake();
            if self.stopped {
                return best.score;
            }
            if best.raise(&mut self.pv, ply, mv, score).is_break() {
                break;
            }
        }
        let record = Record {
            mv: best.mv,
            score: best.score.to_table(ply),
            static_eval: raw_eval,
            draft: Draft::leaf(0, LeafClass::Resolved),
            bound: window.bound(best.score),
            pv: !window.is_null() || entry.is_some_and(|hit| hit.pv),
        };
        self.table.store(board.key(), record);
        best.score
    }
}
