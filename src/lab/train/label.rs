//! The scores that the training learns from a game.

use super::target::sigmoid;
use crate::engine::selfplay::record::{GameRecord, Ply};

/// The score of the ply's search in the search's centipawns, from White's point of view. `None` if it is no label; the
/// training then leaves the position out.
fn score(ply: &Ply) -> Option<i16> {
    ply.is_label.then_some(ply.score)
}

/// The *lambda returns* of the game's plies: each score is mixed with the scores of the later plies.
///
/// A search of a few hundred nodes misses much of what the searches of the next plies see. So the target of a position
/// may be a weighted mean of its own score and all later scores of the game. The weights fall by a factor with each
/// ply, as in TD(lambda) of temporal difference learning (Sutton 1988). Scores are mixed as chances, so that a mate
/// does not outweigh all earlier scores.
///
/// The returns are in centipawns from White's point of view. `lambda` (0 to 1) is the weight of the later plies.
/// `scale` is the number of centipawns that multiply the odds by e. A ply without a score has no return, and a score is
/// not mixed with those of plies to which best play does not lead.
pub fn returns(game: &GameRecord, lambda: f64, scale: f64) -> Vec<Option<i16>> {
    let mut scores: Vec<Option<i16>> = game.plies.iter().map(score).collect();
    if lambda == 0.0 {
        return scores;
    }
    let (lambda, scale) = (lambda as f32, scale as f32);
    let mut next = None;
    for score in scores.iter_mut().skip(game.result_from).rev().flatten() {
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
    use crate::chess::board::Board;
    use crate::engine::selfplay::record::GameResult;

    fn mixed(scores: &[i16], lambda: f64) -> Vec<i16> {
        let mv = Board::startpos().parse_uci("e2e4").unwrap();
        let plies = scores.iter().map(|&score| Ply::new(mv, score)).collect();
        let game = GameRecord::new(Board::startpos(), plies, GameResult::Draw);
        returns(&game, lambda, 400.0).into_iter().flatten().collect()
    }

    #[test]
    fn with_lambda_0_scores_do_not_change() {
        assert_eq!(mixed(&[3, -200, 31_000], 0.0), [3, -200, 31_000]);
    }

    #[test]
    fn the_weight_of_later_scores_falls_with_each_ply() {
        // Chances of 1/2, 1/2 and sigmoid(1).
        let chance = |share: f32| {
            let chance = 0.5 + share * (sigmoid(1.0) - 0.5);
            (400.0 * (chance / (1.0 - chance)).ln()).round() as i16
        };
        assert_eq!(mixed(&[0, 0, 400], 0.5), [chance(0.25), chance(0.5), 400]);
    }

    #[test]
    fn a_mate_score_counts_as_a_certain_win() {
        let mixed = mixed(&[0, -31_000], 0.5);
        assert_eq!(mixed[0], (400.0 * (0.25f32 / 0.75).ln()).round() as i16);
        assert!(mixed[1] < -3_000, "{mixed:?}");
    }
}
