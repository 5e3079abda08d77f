//! NegaMax, after the seed text of that name: MiniMax with one function for both sides, because a score for one side is
//! the negative score for the other.
//!
//! It visits every node of the tree. So its score is the definition that every cleverer search of the same depth must
//! meet, and its node count shows what they save.

use super::leaf::LeafValue;
use super::node_counter::LimitReached;
use super::rules;
use super::searcher::{ClassicResult, ClassicSearcher, drawn_score, save_line};
use crate::chess::board::Board;
use crate::chess::types::{MAX_PLY, Score, Window};
use crate::engine::run::pv::PvLine;

impl<L: LeafValue> ClassicSearcher<L> {
    /// Searches every line to `depth` plies.
    ///
    /// # Errors
    /// If the limit does not suffice.
    pub fn negamax(&mut self, board: &Board, depth: i32) -> Result<ClassicResult, LimitReached> {
        let mut line = PvLine::new();
        let score = self.negamax_node(board, depth, 0, &mut line)?;
        Ok(ClassicResult { score, line, depth })
    }

    pub(super) fn negamax_node(
        &mut self,
        board: &Board,
        depth: i32,
        ply: usize,
        line: &mut PvLine,
    ) -> Result<Score, LimitReached> {
        line.clear();
        self.enter()?;
        if let Some(score) = drawn_score(board, ply) {
            return Ok(score);
        }
        let moves = board.legal_moves();
        if moves.is_empty() {
            return Ok(rules::no_move(board, ply));
        }
        if depth <= 0 || ply >= MAX_PLY {
            return Ok(self.leaf_value(board, ply, Window::FULL));
        }
        let mut best = -Score::INFINITE;
        let mut child_line = PvLine::new();
        for mv in moves {
            let score = -self.negamax_node(&board.after(mv), depth - 1, ply + 1, &mut child_line)?;
            if score > best {
                best = score;
                save_line(mv, &child_line, line);
            }
        }
        Ok(best)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::classic::{NodeLimit, StaticLeaf};

    #[test]
    fn negamax_visits_every_node_of_the_tree() {
        let mut searcher = ClassicSearcher::new(StaticLeaf::default(), NodeLimit::UNLIMITED);
        let found = searcher.negamax(&Board::startpos(), 3).unwrap();
        assert_eq!(found.line.len(), 3);
        assert_eq!(searcher.leaves(), 8_902);
        assert_eq!(searcher.nodes(), 1 + 20 + 400 + 8_902);
    }

    #[test]
    fn negamax_at_depth_one_takes_the_most_valuable_piece() {
        let board = Board::from_fen("4k3/8/8/2p1q3/3P4/8/8/4K3 w - - 0 1").unwrap().0;
        let found =
            ClassicSearcher::new(StaticLeaf::default(), NodeLimit::UNLIMITED).negamax(&board, 1).unwrap();
        assert_eq!(found.line[0].to_uci(false).to_string(), "d4e5");
        assert_eq!(found.score, -crate::engine::eval::evaluate(&board.after(found.line[0])));
    }

    #[test]
    fn a_mated_root_has_a_score_and_no_line() {
        let mated = Board::from_fen("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1").unwrap().0;
        let found =
            ClassicSearcher::new(StaticLeaf::default(), NodeLimit::UNLIMITED).negamax(&mated, 3).unwrap();
        assert_eq!((found.score, found.line.len()), (Score::mated_in(0), 0));
    }

    #[test]
    fn negamax_has_no_result_if_the_node_limit_does_not_suffice() {
        let mut searcher = ClassicSearcher::new(StaticLeaf::default(), NodeLimit::nodes(8_000));
        assert_eq!(searcher.negamax(&Board::startpos(), 3), Err(LimitReached));
        assert_eq!(searcher.nodes(), 8_000);
    }
}
