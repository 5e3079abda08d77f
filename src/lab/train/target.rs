//! The training target of a position: a mixture of the search's score and the game's result.

use super::position::TrainingPosition;

/// How scores and results become expected scores of a game, from 0 to 1.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Target {
    /// Weight of the game's result against the score, 0 to 1.
    pub wdl: f32,
    /// The number of centipawns that multiply the odds by e (2.7).
    pub scale: f32,
}

impl Target {
    /// The expected score that the network should predict. Where the result is unknown, the score alone counts.
    #[inline]
    pub fn expected_score(&self, position: &TrainingPosition) -> f32 {
        let from_search = sigmoid(f32::from(position.score()) / self.scale);
        match position.result() {
            Some(result) => self.wdl * result + (1.0 - self.wdl) * from_search,
            None => from_search,
        }
    }
}

/// The logistic function: the expected score for these logarithmic odds.
#[inline]
pub fn sigmoid(odds: f32) -> f32 {
    1.0 / (1.0 + (-odds).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::board::Board;
    use crate::engine::selfplay::record::GameResult;

    #[test]
    fn the_target_mixes_score_and_result() {
        let expected = |result, wdl, scale| {
            let position = TrainingPosition::new(&Board::startpos(), 400, result);
            Target { wdl, scale }.expected_score(&position)
        };
        let target = |wdl, scale| expected(Some(GameResult::Draw), wdl, scale);
        assert_eq!(expected(None, 0.5, 400.0), target(0.0, 400.0));
        assert_eq!(target(1.0, 400.0), 0.5);
        assert!((target(0.0, 400.0) - 0.731_058_6).abs() < 1e-6);
        assert!((target(0.0, 200.0) - 0.880_797_1).abs() < 1e-6);
        assert!((target(0.5, 400.0) - 0.615_529_3).abs() < 1e-6);
    }
}
