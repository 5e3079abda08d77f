//! Lambda returns: each ply's score mixed with those of the plies that follow it in the game.
//!
//! The search of a few hundred nodes that judged a position misses much of what the next ones see. So its target may
//! be, as in the TD(lambda) of temporal difference learning (Sutton 1988), a mean of all later scores of the game with
//! weights that fall by a factor with each ply. Scores are mixed as chances, so that a mate does not outweigh
//! everything before it.

use super::target::sigmoid;
use crate::datagen::record::Ply;

/// The returns of a game's plies: White's scores in centipawns, `lambda` of each that of the plies after it, 0 to 1.
/// `scale` is the number of centipawns for each e-fold of the odds.
pub fn returns(plies: &[Ply], lambda: f64, scale: f64) -> Vec<i16> {
    let mut scores: Vec<i16> = plies.iter().map(|ply| ply.score).collect();
    if lambda == 0.0 {
        return scores;
    }
    let (lambda, scale) = (lambda as f32, scale as f32);
    let mut ahead = None;
    for score in scores.iter_mut().rev() {
        let own = sigmoid(f32::from(*score) / scale);
        let mixed = ahead.map_or(own, |ahead| own + lambda * (ahead - own));
        ahead = Some(mixed);
        // Beyond these odds a chance cannot be turned back into a score.
        let bounded = mixed.clamp(1e-6, 1.0 - 1e-6);
        *score = (scale * (bounded / (1.0 - bounded)).ln()).round() as i16;
    }
    scores
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;

    fn plies(scores: &[i16]) -> Vec<Ply> {
        let mv = Board::startpos().parse_uci("e2e4").unwrap();
        scores.iter().map(|&score| Ply { mv, score }).collect()
    }

    #[test]
    fn without_a_weight_each_score_is_its_own() {
        assert_eq!(returns(&plies(&[3, -200, 31_000]), 0.0, 400.0), [3, -200, 31_000]);
    }

    #[test]
    fn later_scores_count_less_with_each_ply() {
        // Chances of 1/2, 1/2 and sigmoid(1).
        let mixed = returns(&plies(&[0, 0, 400]), 0.5, 400.0);
        let chance = |share: f32| {
            let chance = 0.5 + share * (sigmoid(1.0) - 0.5);
            (400.0 * (chance / (1.0 - chance)).ln()).round() as i16
        };
        assert_eq!(mixed, [chance(0.25), chance(0.5), 400]);
    }

    #[test]
    fn a_mate_is_as_good_as_a_certain_win() {
        let mixed = returns(&plies(&[0, -31_000]), 0.5, 400.0);
        assert_eq!(mixed[0], (400.0 * (0.25f32 / 0.75).ln()).round() as i16);
        assert!(mixed[1] < -5_000, "{mixed:?}");
    }
}
