//! Two sets of parameters play each other with equal numbers of nodes.

use crate::base::random::Random;
use crate::engine::facade::{EngineError, Settings};
use crate::engine::params::Params;
use crate::engine::selfplay::adjudication::Adjudication;
use crate::engine::selfplay::allowance::Allowance;
use crate::engine::selfplay::opening::Openings;
use crate::engine::selfplay::play;
use crate::engine::selfplay::solo_player::TABLE_MEBIBYTES;
use crate::engine::selfplay::virtual_player::{TURN, VirtualPlayer};

/// Two searchers that play each other.
pub(super) struct Opponents([VirtualPlayer; 2]);

/// Makes opponents for each of the `boards` on which games are played at the same time. There are at most as many
/// boards as `pairs` to play.
pub(super) fn for_boards(
    pairs: u64,
    boards: usize,
    allowance: Allowance,
    settings: &Settings,
) -> Result<Vec<Opponents>, EngineError> {
    (0..pairs.min(boards as u64)).map(|_| Opponents::new(allowance, settings)).collect()
}

impl Opponents {
    pub fn new(allowance: Allowance, settings: &Settings) -> Result<Opponents, EngineError> {
        // Each thread adds what a player of one thread has.
        let settings = Settings { hash: TABLE_MEBIBYTES * settings.threads, ..settings.clone() };
        let searcher = || VirtualPlayer::new(allowance, &settings, TURN);
        Ok(Opponents([searcher()?, searcher()?]))
    }

    /// Plays a random opening with both colors. Returns the points of the first opponent minus those of the second.
    pub fn play_pair(&mut self, params: &[Params; 2], random: &mut Random) -> f64 {
        for (searcher, params) in self.0.iter_mut().zip(params) {
            searcher.set_params(params);
        }
        loop {
            let Some(start) = play::start(&Openings::Standard, random) else { continue };
            // Equal parameters then play the same game twice.
            let seed = random.bits();
            self.0.iter_mut().for_each(|searcher| searcher.begin(seed));
            if let Some(games) = play::play_pair(&mut self.0, &start, Adjudication::COMPARISON) {
                let [with_white, with_black] = games.map(|game| 2.0 * game.result.white_share() - 1.0);
                return with_white - with_black;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_opponents_share_a_pair() {
        // Deterministic players with equal parameters play the same game twice.
        for threads in [1, 3] {
            let settings = Settings { threads, ..Settings::default() };
            let mut opponents = Opponents::new(Allowance::Move(40), &settings).unwrap();
            let equal = [Params::default(), Params::default()];
            assert_eq!(opponents.play_pair(&equal, &mut Random::stream(5, 5)), 0.0);
        }
    }
}
