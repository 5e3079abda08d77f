//! Two sets of parameters that play each other, at a fixed number of nodes.

use crate::board::{Color, Game, Move};
use crate::datagen::opening::Openings;
use crate::datagen::play::{self, Player};
use crate::datagen::record::GameResult;
use crate::engine::{Settings, Solo};
use crate::params::Params;
use crate::random::Random;
use crate::search::Limits;
use crate::tt::TableError;
use crate::types::Score;

/// Size of each side's table in MiB.
const TABLE_MEBIBYTES: usize = 2;

/// Two searchers that play each other.
pub(super) struct Opponents {
    searchers: [Solo; 2],
    /// Which of them has White.
    white: usize,
    limits: Limits,
}

/// Opponents for each thread, of which no more are needed than there are `pairs` to play.
pub(super) fn players(
    pairs: u64,
    threads: u16,
    nodes: u64,
    settings: &Settings,
) -> Result<Vec<Opponents>, TableError> {
    (0..pairs.min(threads.into())).map(|_| Opponents::new(nodes, settings)).collect()
}

impl Opponents {
    pub fn new(nodes: u64, settings: &Settings) -> Result<Opponents, TableError> {
        let searcher = || Solo::new(Settings { hash: TABLE_MEBIBYTES, ..settings.clone() });
        // Exactly so many for both: to finish iterations would reward trees that grow faster.
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        Ok(Opponents { searchers: [searcher()?, searcher()?], white: 0, limits })
    }

    /// Plays one random opening with both colors: points of the first less those of the second.
    pub fn play_pair(&mut self, params: &[Params; 2], random: &mut Random) -> f64 {
        for (searcher, params) in self.searchers.iter_mut().zip(params) {
            searcher.set_params(params);
        }
        loop {
            let Some(start) = play::start(&Openings::Standard, random) else { continue };
            let mut difference = 0.0;
            let mut is_fair = true;
            for white in [0, 1] {
                self.white = white;
                self.new_game();
                match play::play_from(self, start.clone()) {
                    Some(record) => difference += points_of_white(record.result) * [1.0, -1.0][white],
                    None => is_fair = false,
                }
            }
            if is_fair {
                return difference;
            }
        }
    }
}

fn points_of_white(result: GameResult) -> f64 {
    match result {
        GameResult::White => 1.0,
        GameResult::Draw => 0.0,
        GameResult::Black => -1.0,
    }
}

impl Player for Opponents {
    fn new_game(&mut self) {
        self.searchers.iter_mut().for_each(Solo::new_game);
    }

    fn choose(&mut self, game: &Game) -> (Move, Score) {
        let player = if game.board().turn() == Color::White { self.white } else { 1 - self.white };
        let found = self.searchers[player].search(game.clone(), self.limits.clone());
        found.expect("a game that is not over has a move")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_opponents_share_a_pair() {
        // Deterministic players with equal parameters play the same game twice.
        let mut opponents = Opponents::new(40, &Settings::default()).unwrap();
        let equal = [Params::default(), Params::default()];
        assert_eq!(opponents.play_pair(&equal, &mut Random::stream(5, 5)), 0.0);
    }
}
