//! Two sets of parameters play each other at a fixed number of nodes.

use crate::board::{Game, Move};
use crate::datagen::opening::Openings;
use crate::datagen::play::{self, Adjudication, Player};
use crate::engine::{Settings, Solo};
use crate::params::Params;
use crate::random::Random;
use crate::search::Limits;
use crate::tt::TableError;
use crate::types::Score;

/// Size of each side's table in MiB.
const TABLE_MEBIBYTES: usize = 2;

/// Two searchers that play each other.
pub(super) struct Opponents([Opponent; 2]);

struct Opponent {
    solo: Solo,
    limits: Limits,
}

/// Makes opponents for each thread. There are at most as many threads as `pairs` to play.
pub(super) fn for_threads(
    pairs: u64,
    threads: usize,
    nodes: u64,
    settings: &Settings,
) -> Result<Vec<Opponents>, TableError> {
    (0..pairs.min(threads as u64)).map(|_| Opponents::new(nodes, settings)).collect()
}

impl Opponents {
    pub fn new(nodes: u64, settings: &Settings) -> Result<Opponents, TableError> {
        let searcher = || {
            let solo = Solo::new(Settings { hash: TABLE_MEBIBYTES, ..settings.clone() })?;
            // Both have exactly this number of nodes. If iterations could be finished, a tree that grows faster would
            // have an advantage.
            Ok(Opponent { solo, limits: Limits::nodes(nodes) })
        };
        Ok(Opponents([searcher()?, searcher()?]))
    }

    /// Plays a random opening with both colors. Returns the points of the first opponent minus those of the second.
    pub fn play_pair(&mut self, params: &[Params; 2], random: &mut Random) -> f64 {
        for (searcher, params) in self.0.iter_mut().zip(params) {
            searcher.solo.set_params(params);
        }
        loop {
            let Some(start) = play::start(&Openings::Standard, random) else { continue };
            if let Some(games) = play::play_pair(&mut self.0, &start, Adjudication::TRAINING) {
                let [with_white, with_black] = games.map(|game| 2.0 * game.result.white_share() - 1.0);
                return with_white - with_black;
            }
        }
    }
}

impl Player for Opponent {
    fn new_game(&mut self) {
        self.solo.new_game();
    }

    fn choose(&mut self, game: &Game) -> (Move, Score) {
        let found = self.solo.search(game.clone(), self.limits.clone());
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
