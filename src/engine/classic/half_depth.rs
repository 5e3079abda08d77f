//! The half-depth selective search, after `Search_One_Move` and `Root_Search` of the seed text on NegaMax. A NegaMax of
//! half the depth estimates every move. Then the moves are searched fully in the order of the estimates, until the next
//! estimate does not beat the best score.
//!
//! Only one move of a node is sure to be searched. So the score is exact for the tree that was searched, and a guess
//! for the position. The search sees about twice as deep as NegaMax does. The seed's sketch is read as it was meant:
//! the best of the sorted estimates comes first, an estimate is really shallower than the search that it replaces, and
//! a driver deepens and keeps the last finished line.

use std::cmp::Reverse;

use super::leaf::LeafValue;
use super::node_counter::LimitReached;
use super::rules;
use super::searcher::{ClassicResult, ClassicSearcher, drawn_score, save_line};
use crate::chess::board::{Board, Move};
use crate::chess::types::Score;
use crate::engine::run::pv::PvLine;

/// Up to this depth in plies, every move is searched. An estimate of half this depth would see nothing.
const FULL_WIDTH_DEPTH: i32 = 3;

/// The depth of the estimates at a node of `depth` plies: half of it and at least three, but always less than the
/// `depth - 1` plies of the full search of a move.
const fn estimate_depth(depth: i32) -> i32 {
    let half = if depth / 2 > FULL_WIDTH_DEPTH { depth / 2 } else { FULL_WIDTH_DEPTH };
    if half < depth - 1 { half } else { depth - 2 }
}

impl<L: LeafValue> ClassicSearcher<L> {
    /// Searches to `depth` plies those moves that look promising at half the depth.
    ///
    /// # Errors
    /// If the limit does not suffice.
    pub fn half_depth(&mut self, board: &Board, depth: i32) -> Result<ClassicResult, LimitReached> {
        let mut line = PvLine::new();
        let score = self.half_depth_node(board, depth, 0, &mut line)?;
        Ok(ClassicResult { score, line, depth })
    }

    /// Deepens to `max_depth` plies, until the limit is reached, or until a win is found. `None` if no iteration was
    /// finished.
    ///
    /// It begins at depth 1, where the seed's driver begins at 3. The first iterations cost nothing, and with them an
    /// early end still leaves a move.
    pub fn half_depth_deepening(&mut self, board: &Board, max_depth: i32) -> Option<ClassicResult> {
        self.deepen(max_depth, |searcher, depth, _| searcher.half_depth(board, depth))
    }

    fn half_depth_node(
        &mut self,
        board: &Board,
        depth: i32,
        ply: usize,
        line: &mut PvLine,
    ) -> Result<Score, LimitReached> {
        if depth <= FULL_WIDTH_DEPTH {
            return self.negamax_node(board, depth, ply, line);
        }
        line.clear();
        self.enter()?;
        if let Some(score) = drawn_score(board, ply) {
            return Ok(score);
        }
        let estimates = self.estimates(board, estimate_depth(depth), ply)?;
        if estimates.is_empty() {
            return Ok(rules::no_move(board, ply));
        }
        let mut best = -Score::INFINITE;
        let mut child_line = PvLine::new();
        for (estimate, mv) in estimates {
            // The moves after this one promise even less.
            if estimate <= best {
                break;
            }
            let score = -self.half_depth_node(&board.after(mv), depth - 1, ply + 1, &mut child_line)?;
            if score > best {
                best = score;
                save_line(mv, &child_line, line);
            }
        }
        Ok(best)
    }

    /// All legal moves with their estimates by a NegaMax of `depth` plies, the best first.
    fn estimates(
        &mut self,
        board: &Board,
        depth: i32,
        ply: usize,
    ) -> Result<Vec<(Score, Move)>, LimitReached> {
        let mut unused = PvLine::new();
        let mut estimates = board
            .legal_moves()
            .into_iter()
            .map(|mv| Ok((-self.negamax_node(&board.after(mv), depth, ply + 1, &mut unused)?, mv)))
            .collect::<Result<Vec<_>, LimitReached>>()?;
        estimates.sort_by_key(|&(score, _)| Reverse(score));
        Ok(estimates)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::classic::{NodeLimit, StaticLeaf};

    #[test]
    fn estimates_are_shallower_than_the_searches_that_they_replace() {
        for depth in FULL_WIDTH_DEPTH + 1..60 {
            let estimate = estimate_depth(depth);
            assert!(estimate >= 2 && estimate < depth - 1, "{depth}: {estimate}");
        }
        assert_eq!([4, 5, 6, 8, 12].map(estimate_depth), [2, 3, 3, 4, 6]);
    }

    #[test]
    fn a_shallow_search_is_negamax() {
        let board = Board::from_fen("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1").unwrap().0;
        let search = || ClassicSearcher::new(StaticLeaf::default(), NodeLimit::UNLIMITED);
        assert_eq!(search().half_depth(&board, 3), search().negamax(&board, 3));
    }

    #[test]
    fn half_depth_needs_fewer_nodes_than_negamax() {
        let board = Board::from_fen("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1").unwrap().0;
        let mut selective = ClassicSearcher::new(StaticLeaf::default(), NodeLimit::UNLIMITED);
        let mut full = ClassicSearcher::new(StaticLeaf::default(), NodeLimit::UNLIMITED);
        selective.half_depth(&board, 4).unwrap();
        full.negamax(&board, 4).unwrap();
        assert!(selective.nodes() * 2 < full.nodes(), "{} against {}", selective.nodes(), full.nodes());
    }

    #[test]
    fn an_interrupted_iteration_does_not_replace_the_finished_one() {
        let board = Board::from_fen("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1").unwrap().0;
        let mut searcher = ClassicSearcher::new(StaticLeaf::default(), NodeLimit::UNLIMITED);
        let finished = searcher.half_depth(&board, 3).unwrap();
        let mut searcher = ClassicSearcher::new(StaticLeaf::default(), NodeLimit::nodes(6_000));
        let found = searcher.half_depth_deepening(&board, 9);
        assert_eq!(searcher.nodes(), 6_000);
        assert_eq!(found, Some(finished));
        let mut searcher = ClassicSearcher::new(StaticLeaf::default(), NodeLimit::nodes(3));
        assert_eq!(searcher.half_depth_deepening(&board, 9), None);
    }

    #[test]
    fn deepening_stops_at_a_win() {
        let board = Board::from_fen("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1").unwrap().0;
        let mut searcher = ClassicSearcher::new(StaticLeaf::default(), NodeLimit::UNLIMITED);
        let found = searcher.half_depth_deepening(&board, 9).unwrap();
        assert_eq!((found.score, found.depth), (Score::mate_in(1), 1));
    }
}
