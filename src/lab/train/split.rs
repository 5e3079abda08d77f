//! Divides the games into a training set and a validation set.
//!
//! Whole games are split, not positions: positions of one game share the result and much of the pawn structure, so the
//! validation would be too good. The split depends only on a seed and the game. So a game stays in its set when data
//! are added.

use crate::base::random::Random;
use crate::engine::selfplay::record::GameRecord;

/// Whether the game with this fingerprint belongs to the validation set, a share of `validation` of all games; and the
/// random numbers with which to choose among its positions.
pub fn draw(fingerprint: u64, validation: f64, seed: u64) -> (bool, Random) {
    let mut random = Random::stream(seed, fingerprint);
    (random.unit() < validation, random)
}

/// A hash of the game.
pub fn fingerprint(game: &GameRecord) -> u64 {
    let plies = game.plies.iter().map(|ply| u64::from(ply.mv.bits()) << 16 | u64::from(ply.score as u16));
    plies.fold(game.start.key(), |hash, ply| Random::stream(hash, ply).bits())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::board::Board;
    use crate::engine::selfplay::record::{GameResult, Ply};

    #[test]
    fn the_split_has_the_configured_share_and_depends_only_on_seed_and_game() {
        let start = Board::startpos();
        let mv = start.parse_uci("e2e4").unwrap();
        let games: Vec<u64> = (0..2_000)
            .map(|score| GameRecord::new(start.clone(), vec![Ply::new(mv, score)], GameResult::Draw))
            .map(|game| fingerprint(&game))
            .collect();
        let sides: Vec<bool> = games.iter().map(|game| draw(*game, 0.25, 7).0).collect();
        let validation = sides.iter().filter(|&&side| side).count();
        assert!((400..600).contains(&validation), "{validation}");
        assert!(games.iter().zip(&sides).all(|(game, &side)| draw(*game, 0.25, 7).0 == side));
        assert!(games.iter().zip(&sides).any(|(game, &side)| draw(*game, 0.25, 8).0 != side));
        assert!(games.iter().all(|game| !draw(*game, 0.0, 7).0));
    }
}
