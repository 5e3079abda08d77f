//! Two sets of parameters play each other with equal numbers of nodes.

use crate::engine::Settings;
use crate::params::Params;
use crate::random::Random;
use crate::selfplay::allowance::Allowance;
use crate::selfplay::opening::Openings;
use crate::selfplay::play::{self, Adjudication};
use crate::selfplay::solo_player::{SoloPlayer, TABLE_MEBIBYTES};
use crate::tt::TableError;

/// Two searchers that play each other.
pub(super) struct Opponents([SoloPlayer; 2]);

/// Makes opponents for each thread. There are at most as many threads as `pairs` to play.
pub(super) fn for_threads(
    pairs: u64,
    threads: usize,
    allowance: Allowance,
    settings: &Settings,
) -> Result<Vec<Opponents>, TableError> {
    (0..pairs.min(threads as u64)).map(|_| Opponents::new(allowance, settings)).collect()
}

impl Opponents {
    pub fn new(allowance: Allowance, settings: &Settings) -> Result<Opponents, TableError> {
        let searcher = || {
            let settings = Settings { hash: TABLE_MEBIBYTES, ..settings.clone() };
            SoloPlayer::with_allowance(allowance, settings)
        };
        Ok(Opponents([searcher()?, searcher()?]))
    }

    /// Plays a random opening with both colors. Returns the points of the first opponent minus those of the second.
    pub fn play_pair(&mut self, params: &[Params; 2], random: &mut Random) -> f64 {
        for (searcher, params) in self.0.iter_mut().zip(params) {
            searcher.set_params(params);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_opponents_share_a_pair() {
        // Deterministic players with equal parameters play the same game twice.
        let mut opponents = Opponents::new(Allowance::Move(40), &Settings::default()).unwrap();
        let equal = [Params::default(), Params::default()];
        assert_eq!(opponents.play_pair(&equal, &mut Random::stream(5, 5)), 0.0);
    }
}
