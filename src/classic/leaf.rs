//! What a leaf is worth: the seed texts' `Evaluate`, or a quiescence search in its place.

use std::sync::Arc;

use crate::board::Board;
use crate::eval;
use crate::eval::network::Network;
use crate::search::oracle::LeafSearcher;
use crate::types::{Score, Window};

/// Judges the positions where the full-width search ends. It is only asked about positions in
/// which the game goes on.
pub trait LeafValue {
    /// The worth of `board` for the side to move, `ply` plies from the root: exact within
    /// `window` and a bound outside of it.
    ///
    /// Only if it does not depend on the window for more than that do NegaMax and alpha-beta
    /// agree: the static search, for one, cuts at alpha what a lower alpha would have let live.
    fn value(&mut self, board: &Board, ply: usize, window: Window) -> Score;

    /// Nodes visited below the leaves so far.
    fn nodes_below(&self) -> u64 {
        0
    }
}

/// A leaf is worth its static evaluation by a network.
#[derive(Clone, Debug)]
pub struct StaticLeaf(pub Arc<Network>);

impl Default for StaticLeaf {
    /// By the embedded one.
    fn default() -> StaticLeaf {
        StaticLeaf(Network::embedded())
    }
}

impl LeafValue for StaticLeaf {
    fn value(&mut self, board: &Board, _ply: usize, _window: Window) -> Score {
        eval::evaluate_with(&self.0, board)
    }
}

/// A leaf is worth what the quiescence search makes of it.
impl LeafValue for LeafSearcher {
    fn value(&mut self, board: &Board, ply: usize, window: Window) -> Score {
        self.quiescence(board, window, ply).score
    }

    fn nodes_below(&self) -> u64 {
        LeafSearcher::nodes_below(self)
    }
}
