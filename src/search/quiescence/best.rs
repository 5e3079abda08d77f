//! The best move of a node so far, in the classic leaf searches.

use crate::board::Move;
use crate::search::worker::Worker;
use crate::types::{Score, Window};

/// What a node has found so far.
pub(super) struct Best {
    /// The window for the moves that are left.
    pub window: Window,
    pub score: Score,
    /// The move that raised alpha last.
    pub mv: Option<Move>,
}

impl Best {
    /// The beginning of a node: a `stand` above alpha raises it.
    pub fn new(window: Window, stand: Score) -> Best {
        Best { window: Window::new(window.alpha.max(stand), window.beta), score: stand, mv: None }
    }
}

impl Worker {
    /// Notes that `mv` has this score. Returns whether it cuts the node off.
    pub(super) fn is_cut_by(&mut self, best: &mut Best, ply: usize, mv: Move, score: Score) -> bool {
        best.score = best.score.max(score);
        if score > best.window.alpha {
            best.window.alpha = score;
            best.mv = Some(mv);
            self.pv.extend(ply, mv);
        }
        score >= best.window.beta
    }
}
