//! The search as a player of games of the engine against itself.

use super::allowance::{Allowance, Purse};
use super::play::Player;
use crate::board::{Game, Move};
use crate::engine::{Settings, Solo, SoloChoice};
use crate::eval::unit;
use crate::params::Params;
use crate::tt::TableError;
use crate::types::Score;

/// The size of each player's table in MiB. It is small for the sake of the processor's caches, and large enough for the
/// 24,000 nodes of a game with 200 nodes a move.
pub const TABLE_MEBIBYTES: usize = 2;

/// The search as a player. Its moves depend only on its settings and on the positions since the last
/// [`Player::new_game`].
pub struct SoloPlayer {
    solo: Solo,
    allowance: Allowance,
    purse: Purse,
}

impl SoloPlayer {
    /// Makes a player with a soft limit of `nodes` and a table of `hash` MiB.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn new(nodes: u64, hash: usize, settings: &Settings) -> Result<SoloPlayer, TableError> {
        let settings = Settings { hash, deterministic: false, ..settings.for_measuring() };
        SoloPlayer::with_allowance(Allowance::SoftMove(nodes), settings)
    }

    /// Makes a player that may search as much as `allowance` says.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn with_allowance(allowance: Allowance, settings: Settings) -> Result<SoloPlayer, TableError> {
        Ok(SoloPlayer { solo: Solo::new(settings)?, allowance, purse: Purse::new(allowance) })
    }

    /// Changes the parameters of the search.
    pub fn set_params(&mut self, params: &Params) {
        self.solo.set_params(params);
    }
}

impl Player for SoloPlayer {
    fn new_game(&mut self) {
        self.solo.new_game();
        self.purse = Purse::new(self.allowance);
    }

    fn choose(&mut self, game: &Game) -> (Move, Score) {
        let found = self.solo.search(game.clone(), self.purse.limits());
        let SoloChoice { mv, score, nodes } = found.expect("a game that is not over has a move");
        self.purse.pay(nodes);
        (mv, unit::to_network(score, game.board().material()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::run::Limits;

    /// Otherwise each network would learn the unit of the search, and the search would convert it again.
    #[test]
    fn scores_are_in_the_unit_of_the_network() {
        let game = Game::new(Board::from_fen("8/5k2/6p1/8/8/1P6/PK6/8 w - - 0 1").unwrap().0);
        let settings = Settings { hash: 1, ..Settings::default() };
        let found = Solo::new(settings.clone()).unwrap().search(game.clone(), Limits::nodes(2_000)).unwrap();
        let mut player = SoloPlayer::with_allowance(Allowance::Move(2_000), settings).unwrap();
        let (chosen, learned) = player.choose(&game);
        assert_eq!(chosen, found.mv);
        let [learned, searched] = [learned, found.score].map(Score::value);
        assert!(2 * learned > 5 * searched && searched > 50, "{learned} {searched}");
    }

    #[test]
    fn a_player_with_a_clock_decides_when_to_stop() {
        let settings = Settings { hash: 1, ..Settings::default() };
        let control = Allowance::Clock("20000+100".parse().unwrap());
        let mut player = SoloPlayer::with_allowance(control, settings.clone()).unwrap();
        let clock = settings.budget(&player.purse.limits(), 1).unwrap();
        let mut game = Game::startpos();
        let mut left = 20_000;
        for _ in 0..4 {
            game.play(player.choose(&game).0);
            let now = player.purse.limits().clock.unwrap().remaining.as_millis();
            let spent = left + 100 - now;
            assert!((100..=clock.hard.as_millis()).contains(&spent), "{spent} of {left}");
            left = now;
        }
        player.new_game();
        assert_eq!(player.purse.limits().clock.unwrap().remaining.as_millis(), 20_000);
    }
}
