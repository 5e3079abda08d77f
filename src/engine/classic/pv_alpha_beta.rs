//! Plain alpha-beta with principal variations, after the seed text on the main variation (`TLine`, `AlphaBeta` and
//! `IterativDeep`).
//!
//! A node's line is kept if its score falls inside the window. Only such a score is exact for this node and, step by
//! step, for all nodes above it up to the root. The next iteration searches that line first. The seed's extensions are
//! left out, so that with a leaf value that does not depend on the window the score is NegaMax's.

use std::cmp::Reverse;

use super::leaf::LeafValue;
use super::node_counter::LimitReached;
use super::rules;
use super::searcher::{ClassicResult, ClassicSearcher, drawn_score, save_line};
use crate::chess::board::{Board, Move, MoveList, Role};
use crate::chess::types::{MAX_PLY, Score, Window};
use crate::engine::run::pv::PvLine;

impl<L: LeafValue> ClassicSearcher<L> {
    /// Searches to `depth` plies. The moves of `lead` come first.
    ///
    /// # Errors
    /// If the limit does not suffice.
    pub fn alpha_beta(
        &mut self,
        board: &Board,
        depth: i32,
        lead: &[Move],
    ) -> Result<ClassicResult, LimitReached> {
        let mut line = PvLine::new();
        let score = self.alpha_beta_node(board, Window::FULL, depth, 0, lead, &mut line)?;
        Ok(ClassicResult { score, line, depth })
    }

    /// Deepens to `max_depth` plies, until the limit is reached, or until a win is found. Each iteration begins with
    /// the line of the previous one. `None` if no iteration was finished.
    pub fn alpha_beta_deepening(&mut self, board: &Board, max_depth: i32) -> Option<ClassicResult> {
        self.deepen(max_depth, |searcher, depth, last| {
            searcher.alpha_beta(board, depth, last.map_or(&[], |found| &found.line))
        })
    }

    /// Fail-hard except at its leaves, as in the seed: a score outside of the window comes back as the window's edge.
    fn alpha_beta_node(
        &mut self,
        board: &Board,
        mut window: Window,
        depth: i32,
        ply: usize,
        lead: &[Move],
        line: &mut PvLine,
    ) -> Result<Score, LimitReached> {
        line.clear();
        self.enter()?;
        if let Some(score) = drawn_score(board, ply) {
            return Ok(score);
        }
        let mut moves = board.legal_moves();
        if moves.is_empty() {
            return Ok(rules::no_move(board, ply));
        }
        if depth <= 0 || ply >= MAX_PLY {
            return Ok(self.leaf_value(board, ply, window));
        }
        sort(board, &mut moves, lead.first().copied());
        let mut child_line = PvLine::new();
        for mv in moves {
            let child_lead = match lead {
                [first, rest @ ..] if *first == mv => rest,
                _ => &[],
            };
            let child = board.after(mv);
            let score =
                -self.alpha_beta_node(&child, -window, depth - 1, ply + 1, child_lead, &mut child_line)?;
            if score > window.alpha {
                window.alpha = score;
                if window.is_empty() {
                    break;
                }
                save_line(mv, &child_line, line);
            }
        }
        Ok(window.alpha)
    }
}

/// Sorts the moves: the leading move first, then captures by the most valuable victim and the least valuable attacker,
/// then the rest.
fn sort(board: &Board, moves: &mut MoveList, lead: Option<Move>) {
    moves.sort_by_key(|&mv| {
        let rank = |role: Role| usize::from(role) as i32;
        let capture = board.captured(mv).map(|victim| 8 * rank(victim) - rank(board.moved_role(mv)));
        Reverse((Some(mv) == lead, capture.unwrap_or(-1)))
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::classic::{NodeLimit, StaticLeaf};

    const ENDGAME: &str = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1";

    fn board(fen: &str) -> Board {
        Board::from_fen(fen).expect("a valid position").0
    }

    #[test]
    fn alpha_beta_finds_the_negamax_score_with_fewer_nodes() {
        let board = board(ENDGAME);
        let mut full = ClassicSearcher::new(StaticLeaf::default(), NodeLimit::UNLIMITED);
        let mut pruned = ClassicSearcher::new(StaticLeaf::default(), NodeLimit::UNLIMITED);
        let expected = full.negamax(&board, 4).unwrap();
        let found = pruned.alpha_beta(&board, 4, &[]).unwrap();
        assert_eq!(found.score, expected.score);
        assert!(pruned.nodes() * 4 < full.nodes(), "{} against {}", pruned.nodes(), full.nodes());
    }

    #[test]
    fn captures_are_sorted_by_victim_after_the_leading_move() {
        let board = board("4k3/8/8/2p1q3/1Q1P4/8/8/6K1 w - - 0 1");
        let texts = |lead| {
            let mut moves = board.legal_moves();
            sort(&board, &mut moves, lead);
            moves.iter().take(3).map(|mv| mv.to_uci(false).to_string()).collect::<Vec<_>>()
        };
        assert_eq!(texts(None)[..2], ["d4e5", "d4c5"]);
        let quiet = board.parse_uci("b4a4").unwrap();
        assert_eq!(texts(Some(quiet)), ["b4a4", "d4e5", "d4c5"]);
    }

    #[test]
    fn deepening_returns_the_last_finished_line() {
        let board = board(ENDGAME);
        let mut reference = ClassicSearcher::new(StaticLeaf::default(), NodeLimit::UNLIMITED);
        let depth_3 = reference.alpha_beta_deepening(&board, 3).unwrap();
        let nodes = reference.nodes();
        let mut searcher = ClassicSearcher::new(StaticLeaf::default(), NodeLimit::nodes(nodes + 50));
        assert_eq!(searcher.alpha_beta_deepening(&board, 9), Some(depth_3));
    }
}
