//! The best move of a node so far, in the classic leaf searches.

use std::ops::ControlFlow;

use crate::chess::board::Move;
use crate::chess::types::{Score, Window};
use crate::engine::run::pv::PvTable;

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

    /// Takes over the score of `mv`. A score above alpha raises alpha, and the node's line then begins with `mv`. A
    /// cut-off breaks off the node.
    pub fn raise(&mut self, pv: &mut PvTable, ply: usize, mv: Move, score: Score) -> ControlFlow<()> {
        self.score = self.score.max(score);
        if score > self.window.alpha {
            self.window.alpha = score;
            self.mv = Some(mv);
            pv.extend(ply, mv);
        }
        if score >= self.window.beta { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
