//! Chooses the positions of a game that the training uses.
//!
//! The filter keeps positions whose score a static evaluation could know. By default it leaves out positions in check,
//! positions whose best move is a capture or a promotion, the first plies, decided positions, and endings with very few
//! pieces. The search evaluates no positions in check. It evaluates positions before a capture, but there the score
//! tells what the search found after the capture, and not what stands on the board.
//!
//! A limit for the difference between the search's score and the embedded network's evaluation leaves out positions
//! whose score comes from tactics. It also hides the errors of the network that is to be improved, so no recipe uses
//! it. It remains for one experiment that shows how much it hides, and then it goes.

use serde::{Deserialize, Serialize};

use super::range::share;
use super::target::sigmoid;
use crate::base::random::Random;
use crate::chess::board::{Board, Color};
use crate::engine::eval::network::{Network, SCALE};
use crate::engine::selfplay::record::Ply;

/// The conditions for positions. In a configuration file every key of this table is optional.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Filter {
    /// The number of searched plies to leave out at the beginning of each game.
    pub skip_plies: usize,
    /// Positions with a greater absolute score, in centipawns, are left out.
    pub max_score: u16,
    /// Positions with fewer pieces, kings and pawns counted, are left out.
    pub min_pieces: usize,
    /// Whether positions in check are used.
    pub keep_checks: bool,
    /// Whether positions are used whose best move captures or promotes.
    pub keep_noisy: bool,
    /// Positions are left out if the expected scores by the search and by the embedded network differ by more than
    /// this, from 0 to 1. With 1, none is left out. Only for an experiment (see above).
    #[serde(deserialize_with = "share")]
    pub max_difference: f64,
    /// The share of the remaining positions that are used, from 0 to 1.
    #[serde(deserialize_with = "share")]
    pub sample: f64,
}

impl Default for Filter {
    fn default() -> Filter {
        Filter {
            skip_plies: 4,
            max_score: 2_000,
            min_pieces: 4,
            keep_checks: false,
            keep_noisy: false,
            max_difference: 1.0,
            sample: 1.0,
        }
    }
}

impl Filter {
    /// Whether the position at searched ply `number` of a game, counted from 0, may be used.
    pub fn admits(&self, board: &Board, number: usize, ply: &Ply) -> bool {
        number >= self.skip_plies
            && ply.score.unsigned_abs() <= self.max_score
            && board.occupied().count() >= self.min_pieces
            && (self.keep_checks || !board.in_check())
            && (self.keep_noisy || !(board.is_noisy(ply.mv) || ply.mv.is_promotion()))
            && (self.max_difference >= 1.0 || difference(board, ply) <= self.max_difference)
    }

    /// Like [`Filter::admits`], but `random` also draws the share [`Filter::sample`] of the positions.
    pub fn draws(&self, board: &Board, number: usize, ply: &Ply, random: &mut Random) -> bool {
        self.admits(board, number, ply) && random.unit() < self.sample
    }
}

/// The difference between the expected scores by the search and by the embedded network, in the network's unit.
fn difference(board: &Board, ply: &Ply) -> f64 {
    let network = Network::embedded();
    let output = network.evaluate(board);
    let evaluation = if board.turn() == Color::White { output } else { -output };
    let score = f64::from(ply.score) / f64::from(network.unit().share(board.material()));
    let chance = |score: f64| sigmoid((score / f64::from(SCALE)) as f32);
    f64::from((chance(evaluation.into()) - chance(score)).abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::selfplay::record::{GameRecord, GameResult};

    const ALL: Filter = Filter {
        skip_plies: 0,
        max_score: u16::MAX,
        min_pieces: 0,
        keep_checks: true,
        keep_noisy: true,
        max_difference: 1.0,
        sample: 1.0,
    };

    /// The scores of the positions that pass the filter. The game has checks, captures and a large score.
    fn admitted(filter: &Filter) -> Vec<i16> {
        let moves = [
            ("e2e4", 10),
            ("d7d5", 0),
            ("e4d5", 20), // a capture
            ("d8d5", 30), // another
            ("b1c3", 2_500),
            ("d5e5", 40),
            ("d1e2", 50), // in check
            ("e5e2", 60), // a capture
        ];
        let mut board = Board::startpos();
        let mut plies = Vec::new();
        for (text, score) in moves {
            let mv = board.parse_uci(text).unwrap();
            plies.push(Ply::new(mv, score));
            board = board.after(mv);
        }
        let game = GameRecord::new(Board::startpos(), plies, GameResult::White);
        let (mut scores, mut number) = (Vec::new(), 0);
        game.for_each(|board, ply| {
            if filter.admits(board, number, ply) {
                scores.push(ply.score);
            }
            number += 1;
        });
        scores
    }

    #[test]
    fn each_condition_removes_its_positions() {
        assert_eq!(admitted(&ALL), [10, 0, 20, 30, 2_500, 40, 50, 60]);
        assert_eq!(admitted(&Filter { skip_plies: 6, ..ALL }), [50, 60]);
        assert_eq!(admitted(&Filter { max_score: 39, ..ALL }), [10, 0, 20, 30]);
        assert_eq!(admitted(&Filter { keep_noisy: false, ..ALL }), [10, 0, 2_500, 40, 50]);
        assert_eq!(admitted(&Filter { keep_checks: false, ..ALL }), [10, 0, 20, 30, 2_500, 40, 60]);
        assert_eq!(admitted(&Filter { min_pieces: 31, ..ALL }), [10, 0, 20, 30]);
        // The position with the score 2,500 is about even.
        assert_eq!(admitted(&Filter { max_difference: 0.3, ..ALL }), [10, 0, 20, 30, 40, 50, 60]);
        assert_eq!(admitted(&Filter { skip_plies: 0, ..Filter::default() }), [10, 0, 40]);
    }
}
