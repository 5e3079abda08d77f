//! Lambda returns: each ply's score is mixed with the scores of the later plies of the game.
//!
//! A search of a few hundred nodes misses much of what the searches of the next plies see. So the target of a position
//! may be a weighted mean of its own score and all later scores of the game. The weights fall by a factor with each
//! ply, as in TD(lambda) of temporal difference learning (Sutton 1988). Scores are mixed as chances, so that a mate
//! does not outweigh all earlier scores.

use super::target::sigmoid;

/// The lambda returns of a game's scores, in centipawns from White's point of view. `None` is a ply without a score.
/// `lambda` (0 to 1) is the weight of the later plies. `scale` is the number of centipawns that multiply the odds by e.
pub fn returns(mut scores: Vec<Option<i16>>, lambda: f64, scale: f64) -> Vec<Option<i16>> {
    if lambda == 0.0 {
        return scores;
    }
    let (lambda, scale) = (lambda as f32, scale as f32);
    let mut next = None;
    for score in scores.iter_mut().rev().flatten() {
        let own = sigmoid(f32::from(*score) / scale);
        let mixed = next.map_or(own, |next| own + lambda * (next - own));
        next = Some(mixed);
        // A chance too near to 0 or 1 cannot be turned back into a score.
        let bounded = mixed.clamp(1e-6, 1.0 - 1e-6);
        *score = (scale * (bounded / (1.0 - bounded)).ln()).round() as i16;
    }
    scores
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mixed(scores: &[i16], lambda: f64) -> Vec<i16> {
        let scores = scores.iter().map(|&score| Some(score)).collect();
        returns(scores, lambda, 400.0).into_iter().flatten().collect()
    }

    #[test]
    fn with_lambda_0_scores_do_not_change() {
        assert_eq!(mixed(&[3, -200, 31_000], 0.0), [3, -200, 31_000]);
    }

    #[test]
    fn the_weight_of_later_scores_falls_with_each_ply() {
        // Chances of 1/2, 1/2 and sigmoid(1).
        let mixed = mixed(&[0, 0, 400], 0.5);
        let chance = |share: f32| {
            let chance = 0.5 + share * (sigmoid(1.0) - 0.5);
            (400.0 * (chance / (1.0 - chance)).ln()).round() as i16
        };
        assert_eq!(mixed, [chance(0.25), chance(0.5), 400]);
    }

    #[test]
    fn plies_without_a_score_are_skipped() {
        let found = returns(vec![Some(0), None, Some(400), None], 0.5, 400.0);
        assert_eq!(found, [Some(mixed(&[0, 400], 0.5)[0]), None, Some(400), None]);
    }

    #[test]
    fn a_mate_score_counts_as_a_certain_win() {
        let mixed = mixed(&[0, -31_000], 0.5);
        assert_eq!(mixed[0], (400.0 * (0.25f32 / 0.75).ln()).round() as i16);
        assert!(mixed[1] < -5_000, "{mixed:?}");
    }
}
