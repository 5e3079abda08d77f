//! The value of a leaf: the seed texts' `Evaluate`, or a quiescence search in its place.

use std::sync::Arc;

use crate::chess::board::Board;
use crate::chess::types::{Score, Window};
use crate::engine::eval;
use crate::engine::eval::network::Network;
use crate::engine::search::oracle::LeafSearcher;

/// Judges the positions where the full-width search ends. It is only asked about positions in which the game goes on.
pub trait LeafValue {
    /// The value of `board` for the side to move, `ply` plies from the root: exact within `window`, a bound outside of
    /// it.
    ///
    /// NegaMax and alpha-beta agree only if the value depends on the window in no other way. The static search, for
    /// example, cuts moves off at alpha that a lower alpha would have kept.
    fn value(&mut self, board: &Board, ply: usize, window: Window) -> Score;

    /// Nodes visited below the leaves so far.
    fn nodes_below(&self) -> u64 {
        0
    }
}

/// The value of a leaf is its static evaluation by a network.
#[derive(Clone, Debug)]
pub struct StaticLeaf(pub Arc<Network>);

impl Default for StaticLeaf {
    /// The leaf value of the embedded network.
    fn default() -> StaticLeaf {
        StaticLeaf(Network::embedded())
    }
}

impl LeafValue for StaticLeaf {
    fn value(&mut self, board: &Board, _ply: usize, _window: Window) -> Score {
        eval::evaluate_with(&self.0, board)
    }
}

/// The value of a leaf is the score of the quiescence search.
impl LeafValue for LeafSearcher {
    fn value(&mut self, board: &Board, ply: usize, window: Window) -> Score {
        self.quiescence(board, window, ply).score
    }

    fn nodes_below(&self) -> u64 {
        LeafSearcher::nodes_below(self)
    }
}
