//! Virtual threads as a player of games of the engine against itself.

use super::allowance::{Allowance, Purse};
use super::pace::Pace;
use super::play::Player;
use crate::base::random::Random;
use crate::chess::board::{Game, Move};
use crate::chess::types::Score;
use crate::engine::facade::{EngineError, Laboratory, Settings};
use crate::engine::params::Params;
use crate::engine::run::Outcome;

/// The mean length of a thread's turn in nodes, unless the user asks for another.
pub const TURN: u64 = 96;

/// Virtual threads as a player. Its moves depend only on its settings, on the seed of [`VirtualPlayer::begin`], and on
/// the games since then.
pub struct VirtualPlayer {
    laboratory: Laboratory,
    allowance: Allowance,
    purse: Purse,
    /// The source of the games' seeds.
    random: Random,
}

impl VirtualPlayer {
    /// Makes a player whose threads may search together what `allowance` says. Their turns have `turn` nodes on
    /// average, at least 1.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn new(allowance: Allowance, settings: &Settings, turn: u64) -> Result<VirtualPlayer, EngineError> {
        Ok(VirtualPlayer {
            laboratory: Laboratory::new(settings, turn)?,
            allowance,
            purse: Purse::new(allowance),
            random: Random::stream(0, 0),
        })
    }

    /// Sets the seed of the next games. It determines the turns of the threads.
    pub fn begin(&mut self, seed: u64) {
        self.random = Random::stream(seed, 0);
    }

    /// Changes the parameters of the search.
    pub fn set_params(&mut self, params: &Params) {
        self.laboratory.set_params(params);
    }

    /// The threads and what they did in the last search.
    pub fn laboratory(&self) -> &Laboratory {
        &self.laboratory
    }

    /// Searches the game's position and pays for the nodes.
    pub fn search(&mut self, game: &Game) -> Outcome {
        let outcome = self.laboratory.search(game.clone(), self.purse.limits());
        self.purse.pay(outcome.nodes);
        outcome
    }
}

impl Player for VirtualPlayer {
    fn new_game(&mut self) {
        self.laboratory.new_game(self.random.bits());
        self.purse = Purse::new(self.allowance);
    }

    fn choose(&mut self, game: &Game, _: Pace) -> (Move, Score) {
        let outcome = self.search(game);
        choice(&outcome)
    }
}

/// The best move of a search, and its score.
pub fn choice(outcome: &Outcome) -> (Move, Score) {
    let mv = outcome.best_move.expect("a game that is not over has a move");
    (mv, outcome.lines[0].score)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn player(threads: usize, allowance: Allowance) -> VirtualPlayer {
        let settings = Settings { hash: 1, threads, ..Settings::default() };
        VirtualPlayer::new(allowance, &settings, TURN).unwrap()
    }

    #[test]
    fn a_player_with_a_clock_decides_when_to_stop() {
        for threads in [1, 3] {
            let control = Allowance::Clock("20000+100".parse().unwrap());
            let mut player = player(threads, control);
            let limits = player.purse.limits();
            let clock = player.laboratory.settings().budget(&limits, 1).unwrap();
            let mut game = Game::startpos();
            player.new_game();
            let mut left = 20_000;
            for _ in 0..4 {
                game.play(player.choose(&game, Pace::Full).0);
                let now = player.purse.limits().clock.unwrap().remaining.as_millis();
                let spent = left + 100 - now;
                // The threads look at the clock once in a while, so they may pass it by a few nodes.
                assert!((100..=clock.hard.as_millis() + 200).contains(&spent), "{spent} of {left}");
                left = now;
            }
            player.new_game();
            assert_eq!(player.purse.limits().clock.unwrap().remaining.as_millis(), 20_000);
        }
    }

    #[test]
    fn the_seed_and_the_parameters_decide_the_moves() {
        let mut player = player(3, Allowance::Move(3_000));
        let mut found = |seed, params: &Params| {
            player.set_params(params);
            player.begin(seed);
            player.new_game();
            let outcome = player.search(&Game::startpos());
            (format!("{:?}", outcome.lines[0].pv), player.laboratory().threads_of_last_search())
        };
        let first = found(1, &Params::default());
        assert_ne!(found(2, &Params::default()), first);
        let mut params = Params::default();
        params.set("late_move_base", 1_000);
        assert_ne!(found(1, &params), first);
        assert_eq!(found(1, &Params::default()), first);
    }
}
