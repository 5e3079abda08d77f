//! The search as a player of training games.

use super::play::Player;
use crate::board::{Game, Move};
use crate::engine::{Settings, Solo};
use crate::eval::unit;
use crate::params::Params;
use crate::run::Limits;
use crate::tt::TableError;
use crate::types::Score;

/// The size of each player's table in MiB. It is small for the sake of the processor's caches, and large enough for the
/// 24,000 nodes of a game with 200 nodes a move.
pub const TABLE_MEBIBYTES: usize = 2;

/// A search stops in the middle of an iteration when it has visited this many times its soft node limit.
const HARD_FACTOR: u64 = 8;

/// The search as a player, with a soft node limit. Its moves depend only on its settings and on the positions since the
/// last [`Player::new_game`].
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
        SoloPlayer::with_limits(limits, settings)
    }

    /// Makes a player that searches each move with the same `limits`.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn with_limits(limits: Limits, settings: Settings) -> Result<SoloPlayer, TableError> {
        Ok(SoloPlayer { solo: Solo::new(settings)?, limits })
    }

    /// Changes the parameters of the search.
    pub fn set_params(&mut self, params: &Params) {
        self.solo.set_params(params);
    }
}

/// The greatest number of nodes of a move with this soft limit.
pub fn most_nodes(nodes: u64) -> u64 {
    nodes.saturating_mul(HARD_FACTOR)
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
        let limits = Limits::nodes(2_000);
        let settings = Settings { hash: 1, ..Settings::default() };
        let (mv, searched) =
            Solo::new(settings.clone()).unwrap().search(game.clone(), limits.clone()).unwrap();
        let (chosen, learned) = SoloPlayer::with_limits(limits, settings).unwrap().choose(&game);
        assert_eq!(chosen, mv);
        assert!(2 * learned.value() > 5 * searched.value() && searched.value() > 50, "{learned} {searched}");
    }
}
