//! The training target of a position: a mixture of the search's score and the game's result.
//!
//! Scores, and the network's outputs to compare with them, become chances by one logistic curve in the unit of the
//! search. There a score means about the same chance in all phases of the game. In the network's own unit it does not.

use super::position::TrainingPosition;
use crate::engine::eval::network::SCALE;
use crate::engine::eval::unit::Unit;

/// How scores and results become expected scores of a game, from 0 to 1.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Target {
    /// Weight of the game's result against the score, 0 to 1.
    pub wdl: f32,
    /// The number of the search's centipawns that multiply the odds by e (2.7).
    pub scale: f32,
    /// The unit of the network's outputs.
    pub unit: Unit,
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

    /// The logarithmic odds for an output of 1 in this position.
    #[inline]
    pub fn odds(&self, position: &TrainingPosition) -> f32 {
        SCALE as f32 * self.unit.share(position.material().into()) / self.scale
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
            Target { wdl, scale, unit: Unit::SEARCH }.expected_score(&position)
        };
        let drawn = |wdl, scale| expected(Some(GameResult::Draw), wdl, scale);
        assert_eq!(drawn(1.0, 400.0), 0.5);
        assert!((drawn(0.0, 400.0) - 0.731_058_6).abs() < 1e-6);
        assert!((drawn(0.0, 200.0) - 0.880_797_1).abs() < 1e-6);
        assert!((drawn(0.5, 400.0) - 0.615_529_3).abs() < 1e-6);
        assert_eq!(expected(None, 0.5, 400.0), drawn(0.0, 400.0));
    }

    #[test]
    fn outputs_are_converted_to_the_unit_of_the_search() {
        let odds = |fen: &str, unit| {
            let position = TrainingPosition::new(&Board::from_fen(fen).unwrap().0, 0, None);
            Target { wdl: 0.0, scale: 100.0, unit }.odds(&position)
        };
        let (full, rook) =
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "4k3/8/8/8/8/8/8/R3K3 w - - 0 1");
        let grown = Unit::new(40, 118).unwrap();
        assert_eq!(odds(full, grown), 4.0);
        assert_eq!(odds(rook, grown), 4.0 * (45.0 / 118.0));
        assert_eq!(odds(rook, Unit::SEARCH), 4.0);
    }
}
