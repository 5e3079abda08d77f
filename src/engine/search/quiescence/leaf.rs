//! A leaf of the main search: it is searched with the kind of quiescence that the job asks for.

use super::static_search::FutilityTest;
use crate::chess::board::Board;
use crate::chess::types::{Score, Window};
use crate::engine::run::leaf::{Kind, Leaf};
use crate::engine::search::worker::Worker;

impl Worker {
    /// Searches a leaf of the main search with the kind of quiescence that the job asks for.
    pub(in crate::engine::search) fn quiescence(
        &mut self,
        board: &Board,
        window: Window,
        ply: usize,
        is_pv: bool,
    ) -> Leaf {
        if !self.job.rules.selectivity.quiescence {
            return self.plain_leaf(board, ply);
        }
        if self.is_drawn_leaf(board, ply) {
            self.pv.clear(ply);
            return Leaf::resolved(Score::ZERO);
        }
        self.leaf_cap = self.nodes + self.params().leaf_node_cap as u64;
        let leaf = match self.job.rules.quiescence {
            Kind::Bootstrap | Kind::BootstrapFull => self.bootstrap_leaf(board, window, ply, is_pv),
            Kind::Captures => Leaf::resolved(self.captures(board, window, ply)),
            Kind::CapturesSee => Leaf::resolved(self.captures_see(board, window, ply)),
            Kind::Static => Leaf::resolved(self.static_search(board, window, ply, FutilityTest::Evaluation)),
            Kind::Selective => Leaf::resolved(self.static_search(board, window, ply, FutilityTest::NullMove)),
        };
        if let Some(telemetry) = &mut self.table.telemetry {
            telemetry.count_leaf(leaf.validity);
        }
        leaf
    }

    /// Whether a node of the quiescence search is drawn by rule; `captures` asks only at its first node. A draw by
    /// repetition or by the fifty-move rule is possible only after an evasion or a quiet check. A capture can leave
    /// insufficient material.
    #[inline]
    pub(super) fn is_drawn_leaf(&self, board: &Board, ply: usize) -> bool {
        if board.halfmove_clock() == 0 { board.is_insufficient_material() } else { self.is_draw(board, ply) }
    }

    /// The leaf without a quiescence search: the evaluation, or the result if the game is over.
    fn plain_leaf(&mut self, board: &Board, ply: usize) -> Leaf {
        self.pv.clear(ply);
        self.enter_node(ply);
        if self.is_draw(board, ply) {
            return Leaf::resolved(Score::ZERO);
        }
        if board.legal_moves().is_empty() {
            return Leaf::resolved(if board.in_check() { Score::mated_in(ply) } else { Score::ZERO });
        }
        Leaf::resolved(self.evaluator.evaluate(board))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::search::oracle::{LeafSearcher, TableUse};

    #[test]
    fn insufficient_material_after_a_capture_is_a_draw_in_every_leaf_search() {
        let board = Board::from_fen("8/8/8/3k4/3N4/8/8/6K1 b - - 0 1").unwrap().0;
        for kind in Kind::ALL {
            let mut searcher = LeafSearcher::new(kind, TableUse::Ignored).unwrap();
            let leaf = searcher.quiescence(&board, Window::FULL, 3);
            assert_eq!(leaf, Leaf::resolved(Score::ZERO), "{kind}");
        }
    }
}
