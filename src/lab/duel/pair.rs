//! A pair of games from one opening.

use super::contender::SearchTotals;
use crate::engine::selfplay::record::GameRecord;

/// Two games from one opening: A has White in the first, B in the second.
#[derive(Clone, Debug, PartialEq)]
pub struct GamePair {
    /// The games.
    pub games: [GameRecord; 2],
    /// The counts of A's and of B's searches.
    pub totals: [SearchTotals; 2],
}

impl GamePair {
    /// A's half points in each game, 0 to 2.
    pub fn half_points(&self) -> [usize; 2] {
        let [white, black] = self.games.each_ref().map(|game| (2.0 * game.result.white_share()) as usize);
        [white, 2 - black]
    }
}
