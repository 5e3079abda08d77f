//! The search of one thread as a player of games of the engine against itself.

use super::pace::{Pace, SoftNodes};
use super::play::Player;
use crate::chess::board::{Game, Move};
use crate::chess::types::Score;
use crate::engine::facade::{Settings, Solo};
use crate::engine::tt::TableError;

/// The size of each player's table in MiB. It is small for the sake of the processor's caches, and large enough for the
/// 24,000 nodes of a game with 200 nodes a move.
pub const TABLE_MEBIBYTES: usize = 2;

/// The search as a player. Evaluations do not fade: the scores are labels for a network, and the search will fade what
/// that network says. To undo the fades afterwards would only be a guess, because a score comes from a leaf with
/// another clock and other material. Games suffer little: in a screening of 769 pairs, the three parts of the fades
/// were worth -4, 9 and 2 Elo, each +- 12. Its moves depend only on its settings and on the positions since the last
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
        let settings = Settings { hash, deterministic: false, fades: false, ..settings.for_measuring() };
        Ok(SoloPlayer { solo: Solo::new(settings)?, nodes })
    }
}

impl Player for SoloPlayer {
    fn new_game(&mut self) {
        self.solo.new_game();
    }

    fn choose(&mut self, game: &Game, pace: Pace) -> (Move, Score) {
        let found = self.solo.search(game.clone(), self.nodes.limits(game.board(), pace));
        found.expect("a game that is not over has a move")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::board::Board;

    /// Otherwise each network would learn the fades, and the search would fade its scores once more.
    #[test]
    fn scores_are_those_of_the_search_without_fades() {
        let game = Game::new(Board::from_fen("2b5/5k2/6p1/8/8/PP2B3/P1K5/8 w - - 20 60").unwrap().0);
        let mut player = SoloPlayer::new(SoftNodes::all(500), 1, &Settings::default()).unwrap();
        let learned = player.choose(&game, Pace::Full);
        let found = |fades| {
            let settings = Settings { hash: 1, fades, ..Settings::default() };
            let limits = player.nodes.limits(game.board(), Pace::Full);
            Solo::new(settings).unwrap().search(game.clone(), limits).unwrap()
        };
        assert_eq!(learned, found(false));
        let [learned, faded] = [learned.1, found(true).1].map(Score::value);
        assert!(2 * learned > 3 * faded && faded > 20, "{learned} {faded}");
    }
}
