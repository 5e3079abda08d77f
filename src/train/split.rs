//! Divides the games into a training set and a validation set.
//!
//! Whole games are split, not positions: positions of one game share the result and much of the pawn structure, so the
//! validation would be too good. The split depends only on a seed and the game. So a game stays in its set when data
//! are added.

use crate::datagen::record::GameRecord;
use crate::random::Random;

/// Whether `game` belongs to the validation set, which takes the share `validation` of all games; and the random
/// numbers that choose among the game's positions.
pub fn draw(game: &GameRecord, validation: f64, seed: u64) -> (bool, Random) {
    let mut random = Random::stream(seed, fingerprint(game));
    (random.unit() < validation, random)
}

/// A hash of the game. Two different games hardly ever have the same hash.
fn fingerprint(game: &GameRecord) -> u64 {
    let plies = game.plies.iter().map(|ply| u64::from(ply.mv.bits()) << 16 | u64::from(ply.score as u16));
    plies.fold(game.start.key(), |hash, ply| Random::stream(hash, ply).bits())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::datagen::record::{GameResult, Ply};

    #[test]
    fn the_share_is_kept_and_each_game_stays_on_its_side() {
        let start = Board::startpos();
        let mv = start.parse_uci("e2e4").unwrap();
        let games: Vec<GameRecord> = (0..2_000)
            .map(|score| GameRecord {
                start: start.clone(),
                plies: vec![Ply { mv, score }],
                result: GameResult::Draw,
            })
            .collect();
        let sides: Vec<bool> = games.iter().map(|game| draw(game, 0.25, 7).0).collect();
        let judging = sides.iter().filter(|&&side| side).count();
        assert!((400..600).contains(&judging), "{judging}");
        assert!(games.iter().zip(&sides).all(|(game, &side)| draw(game, 0.25, 7).0 == side));
        assert!(games.iter().zip(&sides).any(|(game, &side)| draw(game, 0.25, 8).0 != side));
        assert!(games.iter().all(|game| !draw(game, 0.0, 7).0));
    }
}
