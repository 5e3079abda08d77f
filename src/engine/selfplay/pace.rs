//! How much a player searches for a move of a game.

use serde::{Deserialize, Serialize};

use crate::chess::board::Board;
use crate::engine::run::Limits;

/// How much a player searches for a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// As much as its limits allow.
    Full,
    /// Little, because the move only leads on.
    Fast,
}

/// A search stops in the middle of an iteration when it has visited this many times its soft node limit.
const HARD_FACTOR: u64 = 8;

/// The soft node limits of a player's moves: after this number of nodes no deeper iteration begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SoftNodes {
    /// The limit with more than `endgame_pieces` pieces.
    pub usual: u64,
    /// The limit with `endgame_pieces` pieces or fewer.
    pub endgame: u64,
    /// The greatest number of pieces, kings and pawns counted, with which the limit is `endgame`.
    pub endgame_pieces: usize,
    /// The limit of [`Pace::Fast`]; `None` if the player knows no such moves.
    pub fast: Option<u64>,
}

impl SoftNodes {
    /// The same limit for all moves.
    pub fn all(nodes: u64) -> SoftNodes {
        SoftNodes { usual: nodes, endgame: nodes, endgame_pieces: 0, fast: None }
    }

    /// The limit `nodes`, and other limits where they are given: of fast plies, and in endgames of at most
    /// `endgame_pieces` pieces.
    pub fn of(nodes: u64, fast: Option<u64>, endgame: Option<u64>, endgame_pieces: usize) -> SoftNodes {
        let same = SoftNodes { fast, ..SoftNodes::all(nodes) };
        endgame.map_or(same, |endgame| SoftNodes { endgame, endgame_pieces, ..same })
    }

    /// Whether a player can have these limits.
    pub fn are_valid(self) -> bool {
        self.usual > 0 && self.endgame > 0 && self.fast != Some(0)
    }

    /// The greatest number of nodes of a move.
    pub fn most(self) -> u64 {
        hard_limit(self.usual.max(self.endgame).max(self.fast.unwrap_or(0)))
    }

    /// The limits of a search of `board`.
    pub fn limits(self, board: &Board, pace: Pace) -> Limits {
        let few = board.occupied().count() <= self.endgame_pieces;
        let soft = match self.fast {
            _ if few => self.endgame,
            Some(fast) if pace == Pace::Fast => fast,
            _ => self.usual,
        };
        Limits { soft_nodes: Some(soft), nodes: Some(hard_limit(soft)), ..Limits::default() }
    }
}

fn hard_limit(soft: u64) -> u64 {
    soft.saturating_mul(HARD_FACTOR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endgames_have_a_limit_of_their_own() {
        let nodes = SoftNodes { usual: 50, endgame: 3, endgame_pieces: 16, fast: None };
        let soft = |fen| nodes.limits(&Board::from_fen(fen).unwrap().0, Pace::Fast).soft_nodes;
        assert_eq!(soft("4k3/pppppppp/8/8/8/8/PPPPPPP1/4K3 w - - 0 1"), Some(50), "17 pieces");
        assert_eq!(soft("4k3/ppppppp1/8/8/8/8/PPPPPPP1/4K3 w - - 0 1"), Some(3), "16 pieces");
        assert_eq!((nodes.most(), SoftNodes::all(7).most()), (400, 56));
        assert!(nodes.are_valid() && !SoftNodes { endgame: 0, ..nodes }.are_valid());
    }

    #[test]
    fn fast_moves_have_a_limit_of_their_own() {
        let nodes = SoftNodes { usual: 50, endgame: 3, endgame_pieces: 16, fast: Some(7) };
        let [many, few] = [Board::startpos(), Board::from_fen("4k3/8/8/8/8/8/P7/4K3 w - - 0 1").unwrap().0];
        let soft = |board, pace| nodes.limits(board, pace).soft_nodes;
        assert_eq!([soft(&many, Pace::Full), soft(&many, Pace::Fast)], [Some(50), Some(7)]);
        assert_eq!(soft(&few, Pace::Fast), Some(3));
        assert!(!SoftNodes { fast: Some(0), ..nodes }.are_valid());
    }
}
