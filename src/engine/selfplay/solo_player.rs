//! The search of one thread as a player of games of the engine against itself.

use serde::{Deserialize, Serialize};

use super::play::Player;
use crate::chess::board::{Board, Game, Move};
use crate::chess::types::Score;
use crate::engine::eval::unit;
use crate::engine::facade::{Settings, Solo};
use crate::engine::run::Limits;
use crate::engine::tt::TableError;

/// The size of each player's table in MiB. It is small for the sake of the processor's caches, and large enough for the
/// 24,000 nodes of a game with 200 nodes a move.
pub const TABLE_MEBIBYTES: usize = 2;

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
}

impl SoftNodes {
    /// The same limit for all moves.
    pub fn all(nodes: u64) -> SoftNodes {
        SoftNodes { usual: nodes, endgame: nodes, endgame_pieces: 0 }
    }

    /// Whether a player can have these limits.
    pub fn are_valid(self) -> bool {
        self.usual > 0 && self.endgame > 0
    }

    /// The greatest number of nodes of a move.
    pub fn most(self) -> u64 {
        hard_limit(self.usual.max(self.endgame))
    }

    fn limits(self, board: &Board) -> Limits {
        let few = board.occupied().count() <= self.endgame_pieces;
        let soft = if few { self.endgame } else { self.usual };
        Limits { soft_nodes: Some(soft), nodes: Some(hard_limit(soft)), ..Limits::default() }
    }
}

fn hard_limit(soft: u64) -> u64 {
    soft.saturating_mul(HARD_FACTOR)
}

/// The search as a player. Its moves depend only on its settings and on the positions since the last
/// [`Player::new_game`].
pub struct SoloPlayer {
    solo: Solo,
    nodes: SoftNodes,
}

impl SoloPlayer {
    /// Makes a player with these limits and a table of `hash` MiB.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn new(nodes: SoftNodes, hash: usize, settings: &Settings) -> Result<SoloPlayer, TableError> {
        let settings = Settings { hash, deterministic: false, ..settings.for_measuring() };
        Ok(SoloPlayer { solo: Solo::new(settings)?, nodes })
    }
}

impl Player for SoloPlayer {
    fn new_game(&mut self) {
        self.solo.new_game();
    }

    fn choose(&mut self, game: &Game) -> (Move, Score) {
        let found = self.solo.search(game.clone(), self.nodes.limits(game.board()));
        let (mv, score) = found.expect("a game that is not over has a move");
        (mv, unit::to_network(score, game.board().material()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Otherwise each network would learn the unit of the search, and the search would convert it again.
    #[test]
    fn scores_are_in_the_unit_of_the_network() {
        let game = Game::new(Board::from_fen("8/5k2/6p1/8/8/1P6/PK6/8 w - - 0 1").unwrap().0);
        let mut player = SoloPlayer::new(SoftNodes::all(2_000), 1, &Settings::default()).unwrap();
        let settings = Settings { hash: 1, ..Settings::default() };
        let (best, found) =
            Solo::new(settings).unwrap().search(game.clone(), player.nodes.limits(game.board())).unwrap();
        let (chosen, learned) = player.choose(&game);
        assert_eq!(chosen, best);
        let [learned, searched] = [learned, found].map(Score::value);
        assert!(2 * learned > 5 * searched && searched > 50, "{learned} {searched}");
    }

    #[test]
    fn endgames_have_a_limit_of_their_own() {
        let nodes = SoftNodes { usual: 50, endgame: 3, endgame_pieces: 16 };
        let soft = |fen| nodes.limits(&Board::from_fen(fen).unwrap().0).soft_nodes;
        assert_eq!(soft("4k3/pppppppp/8/8/8/8/PPPPPPP1/4K3 w - - 0 1"), Some(50), "17 pieces");
        assert_eq!(soft("4k3/ppppppp1/8/8/8/8/PPPPPPP1/4K3 w - - 0 1"), Some(3), "16 pieces");
        assert_eq!((nodes.most(), SoftNodes::all(7).most()), (400, 56));
        assert!(nodes.are_valid() && !SoftNodes { endgame: 0, ..nodes }.are_valid());
    }
}
