//! The search of one thread as a player of games of the engine against itself.

use super::play::Player;
use crate::board::{Game, Move};
use crate::engine::{Settings, Solo};
use crate::eval::unit;
use crate::run::Limits;
use crate::tt::TableError;
use crate::types::Score;

/// The size of each player's table in MiB. It is small for the sake of the processor's caches, and large enough for the
/// 24,000 nodes of a game with 200 nodes a move.
pub const TABLE_MEBIBYTES: usize = 2;

/// A search stops in the middle of an iteration when it has visited this many times its soft node limit.
const HARD_FACTOR: u64 = 8;

/// The greatest number of nodes of a move with a soft limit of `nodes`.
pub fn most_nodes(nodes: u64) -> u64 {
    nodes.saturating_mul(HARD_FACTOR)
}

/// The search as a player. Its moves depend only on its settings and on the positions since the last
/// [`Player::new_game`].
pub struct SoloPlayer {
    solo: Solo,
    limits: Limits,
}

impl SoloPlayer {
    /// Makes a player with a soft limit of `nodes` and a table of `hash` MiB.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn new(nodes: u64, hash: usize, settings: &Settings) -> Result<SoloPlayer, TableError> {
        let settings = Settings { hash, deterministic: false, ..settings.for_measuring() };
        let limits = Limits { soft_nodes: Some(nodes), nodes: Some(most_nodes(nodes)), ..Limits::default() };
        Ok(SoloPlayer { solo: Solo::new(settings)?, limits })
    }
}

impl Player for SoloPlayer {
    fn new_game(&mut self) {
        self.solo.new_game();
    }

    fn choose(&mut self, game: &Game) -> (Move, Score) {
        let found = self.solo.search(game.clone(), self.limits.clone());
        let (mv, score) = found.expect("a game that is not over has a move");
        (mv, unit::to_network(score, game.board().material()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;

    /// Otherwise each network would learn the unit of the search, and the search would convert it again.
    #[test]
    fn scores_are_in_the_unit_of_the_network() {
        let game = Game::new(Board::from_fen("8/5k2/6p1/8/8/1P6/PK6/8 w - - 0 1").unwrap().0);
        let mut player = SoloPlayer::new(2_000, 1, &Settings::default()).unwrap();
        let settings = Settings { hash: 1, ..Settings::default() };
        let (best, found) = Solo::new(settings).unwrap().search(game.clone(), player.limits.clone()).unwrap();
        let (chosen, learned) = player.choose(&game);
        assert_eq!(chosen, best);
        let [learned, searched] = [learned, found].map(Score::value);
        assert!(2 * learned > 5 * searched && searched > 50, "{learned} {searched}");
    }
}
