//! What the classic searches share: leaves, counters, lines, and deepening.

use super::leaf::LeafValue;
use super::node_counter::{LimitReached, NodeCounter, NodeLimit};
use super::rules;
use crate::chess::board::{Board, Move};
use crate::chess::types::{Score, Window};
use crate::engine::run::pv::PvLine;

/// The result of a finished search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassicResult {
    /// The score for the side to move at the root.
    pub score: Score,
    /// The principal variation; empty if there is no legal move.
    pub line: PvLine,
    /// Depth of the search in plies.
    pub depth: i32,
}

/// Runs the classic searches. Each of them has a file of its own.
#[derive(Debug)]
pub struct ClassicSearcher<L> {
    pub(super) leaf: L,
    pub(super) counter: NodeCounter,
}

impl<L: LeafValue> ClassicSearcher<L> {
    /// A searcher whose `limit` holds for all its searches together.
    pub fn new(leaf: L, limit: NodeLimit) -> ClassicSearcher<L> {
        ClassicSearcher { leaf, counter: NodeCounter::new(limit) }
    }

    /// Positions visited, including those of the leaf searches.
    pub fn nodes(&self) -> u64 {
        self.counter.nodes + self.leaf.nodes_below()
    }

    /// Positions at the horizon that were given to the leaf search.
    pub fn leaves(&self) -> u64 {
        self.counter.leaves
    }

    /// Whether a search reached the limit.
    pub fn was_stopped(&self) -> bool {
        self.counter.is_at_limit
    }

    /// Counts a node.
    pub(super) fn enter(&mut self) -> Result<(), LimitReached> {
        self.counter.enter(self.leaf.nodes_below())
    }

    /// The value of a leaf in which the game goes on.
    pub(super) fn leaf_value(&mut self, board: &Board, ply: usize, window: Window) -> Score {
        self.counter.leaves += 1;
        self.leaf.value(board, ply, window)
    }

    /// Searches deeper and deeper, to `max_depth` plies or until the limit is reached. The last finished iteration is
    /// the answer. `search` gets the result of the previous iteration. After a win no deeper search follows.
    pub(super) fn deepen(
        &mut self,
        max_depth: i32,
        mut search: impl FnMut(&mut Self, i32, Option<&ClassicResult>) -> Result<ClassicResult, LimitReached>,
    ) -> Option<ClassicResult> {
        let mut best: Option<ClassicResult> = None;
        for depth in 1..=max_depth {
            match search(self, depth, best.as_ref()) {
                Ok(found) => best = Some(found),
                Err(LimitReached) => break,
            }
            if best.as_ref().is_some_and(|found| found.score >= Score::MATE_BOUND) {
                break;
            }
        }
        best
    }
}

/// The score of a node that the rules of the game decide before anything is searched. The root is searched even if it
/// is drawn, because the caller wants a move.
pub(super) fn drawn_score(board: &Board, ply: usize) -> Option<Score> {
    (ply > 0 && rules::is_drawn(board)).then_some(Score::ZERO)
}

/// Writes the line of a node: its best move `mv`, then `rest` (`LineSave` of the seed text on principal variations).
pub(super) fn save_line(mv: Move, rest: &[Move], line: &mut PvLine) {
    line.clear();
    line.push(mv);
    let room = line.remaining_capacity();
    line.extend(rest.iter().copied().take(room));
}
