//! Fits the model of wins and draws ([`WinModel`]) to the scores and results of games.
//!
//! The fit maximizes the likelihood by Fisher scoring: Newton's method with the expected curvature. A step that would
//! lower the likelihood is halved.

use crate::base::plot::{Chart, Series, SeriesStyle};
use crate::chess::types::{WinModel, wdl};
use crate::engine::selfplay::record::GameRecord;

/// Scores beyond this, in centipawns, do not count. They say nothing about the middle of the curve.
const MAX_SCORE: i32 = 1_500;
/// Width of a class of scores, in centipawns.
const SCORE_STEP: i32 = 10;
const SCORES: usize = (2 * MAX_SCORE / SCORE_STEP + 1) as usize;
const MATERIALS: usize = (WinModel::RANGE[1] - WinModel::RANGE[0] + 1) as usize;

/// The greatest number of steps of the fit. It converges in about ten.
const STEPS: usize = 60;
/// The least gain of a step in the logarithm of the likelihood, per position.
const LEAST_GAIN: f64 = 1e-12;
const PARAMETERS: usize = 8;

/// The start of the fit: no dependence on material.
const START: WinModel = WinModel { center: [200.0, 0.0, 0.0, 0.0], width: [80.0, 0.0, 0.0, 0.0] };

/// Wins, draws and losses of White by material and White's score.
#[derive(Clone, Debug)]
pub struct Results {
    counts: Vec<[u64; 3]>,
}

impl Default for Results {
    fn default() -> Results {
        Results { counts: vec![[0; 3]; MATERIALS * SCORES] }
    }
}

impl Results {
    /// Counts all positions of a game whose absolute scores are at most 15 pawns and about which the result tells
    /// something. Plies without a label do not count.
    pub fn add(&mut self, game: &GameRecord) {
        let mut number = 0;
        game.for_each(|board, ply| {
            let result = game.result_at(number).filter(|_| ply.is_label);
            number += 1;
            let score = i32::from(ply.score);
            if let Some(result) = result.filter(|_| score.abs() <= MAX_SCORE) {
                self.counts[index(board.material(), score)][result.index()] += 1;
            }
        });
    }

    /// The number of counted positions.
    pub fn positions(&self) -> u64 {
        self.counts.iter().flatten().sum()
    }

    /// The classes with at least one position: material, score, counts.
    fn classes(&self) -> impl Iterator<Item = (i32, f64, &[u64; 3])> + '_ {
        self.counts.iter().enumerate().filter(|(_, counts)| counts.iter().any(|&count| count > 0)).map(
            |(index, counts)| {
                let material = WinModel::RANGE[0] + (index / SCORES) as i32;
                let score = (index % SCORES) as i32 * SCORE_STEP - MAX_SCORE;
                (material, f64::from(score), counts)
            },
        )
    }

    /// The logarithm of the likelihood of the results, per position.
    pub fn log_likelihood(&self, model: &WinModel) -> f64 {
        let sum: f64 = self
            .classes()
            .map(|(material, score, counts)| {
                let chances = chances(model, score, material);
                counts.iter().zip(chances).map(|(&count, chance)| count as f64 * chance.ln()).sum::<f64>()
            })
            .sum();
        sum / self.positions().max(1) as f64
    }

    /// The most likely model. `None` if there is nothing to fit, or if for some amount of material the score with an
    /// even chance to win would not be positive.
    pub fn fit(&self) -> Option<WinModel> {
        let mut model = START;
        let mut likelihood = self.log_likelihood(&model);
        for _ in 0..STEPS {
            let step = self.step(&model)?;
            let candidates = (0..20).map(|halvings| moved(&model, &step, 0.5f64.powi(halvings)));
            let mut better = candidates
                .map(|next| (next, self.log_likelihood(&next)))
                .filter(|(_, reached)| reached - likelihood > LEAST_GAIN)
                .peekable();
            // No step raises the likelihood, so this is the maximum.
            if better.peek().is_none() {
                break;
            }
            (model, likelihood) = better.find(|(next, _)| is_sound(next))?;
        }
        (self.positions() > 0).then_some(model)
    }

    /// The step of Newton's method from `model`.
    fn step(&self, model: &WinModel) -> Option<[f64; PARAMETERS]> {
        let mut gradient = [0.0; PARAMETERS];
        let mut curvature = [[0.0; PARAMETERS]; PARAMETERS];
        for (material, score, counts) in self.classes() {
            let total = counts.iter().sum::<u64>() as f64;
            let (center, width) = (model.center(material), model.width(material));
            let [win, draw, loss] = chances(model, score, material);
            // The derivatives of the chances of win and loss by center and width.
            let derivatives = |chance: f64, score: f64| {
                let by_center = -chance * (1.0 - chance) / width;
                [by_center, by_center * (score - center) / width]
            };
            let (by_win, by_loss) = (derivatives(win, score), derivatives(loss, -score));
            let mut powers = [1.0; 4];
            for degree in 1..4 {
                powers[degree] = powers[degree - 1] * wdl::share(material);
            }
            for (chance, &count, sign) in [
                (win, &counts[0], [1.0, 0.0]),
                (draw, &counts[1], [-1.0, -1.0]),
                (loss, &counts[2], [0.0, 1.0]),
            ] {
                let derivative: [f64; PARAMETERS] = std::array::from_fn(|parameter| {
                    let (curve, degree) = (parameter / 4, parameter % 4);
                    (sign[0] * by_win[curve] + sign[1] * by_loss[curve]) * powers[degree]
                });
                for row in 0..PARAMETERS {
                    gradient[row] += count as f64 / chance * derivative[row];
                    for column in 0..PARAMETERS {
                        curvature[row][column] += total / chance * derivative[row] * derivative[column];
                    }
                }
            }
        }
        solve(curvature, gradient)
    }

    /// Draws how the model fits the results: White's share of wins by normalized score, for three ranges of material.
    /// Dots are the counts, lines are the model.
    pub fn plot(&self, model: &WinModel) -> String {
        const SHOWN: f64 = 3.0;
        const STEP: f64 = 0.1;
        let mut series = Vec::new();
        for (color, range) in [[10, 29], [30, 54], [55, 78]].into_iter().enumerate() {
            let mut sums = vec![[0.0; 3]; (2.0 * SHOWN / STEP) as usize + 1];
            for (material, score, counts) in
                self.classes().filter(|class| (range[0]..=range[1]).contains(&class.0))
            {
                let shown = score / model.center(material);
                if shown.abs() < SHOWN {
                    let sum = &mut sums[((shown + SHOWN) / STEP).round() as usize];
                    let total = counts.iter().sum::<u64>() as f64;
                    sum[0] += total;
                    sum[1] += counts[0] as f64;
                    sum[2] += total * model.win(score, material);
                }
            }
            let points = |column: usize| {
                let score = |index: usize| index as f64 * STEP - SHOWN;
                let counted = sums.iter().enumerate().filter(|(_, sum)| sum[0] >= 50.0);
                counted.map(|(index, sum)| (score(index), sum[column] / sum[0])).collect()
            };
            let name = format!("material {}-{}", range[0], range[1]);
            series.push(Series { name, points: points(2), style: SeriesStyle::Line, color });
            series.push(Series { name: String::new(), points: points(1), style: SeriesStyle::Points, color });
        }
        Chart {
            title: "White's wins: results (points) and model (lines)".to_owned(),
            labels: ["score in pawns, normalized".to_owned(), "share of wins".to_owned()],
            x: [-SHOWN, SHOWN],
            y: [0.0, 1.0],
            series,
        }
        .svg()
    }
}

fn index(material: i32, score: i32) -> usize {
    let material = (material.clamp(WinModel::RANGE[0], WinModel::RANGE[1]) - WinModel::RANGE[0]) as usize;
    let score = (score + MAX_SCORE + SCORE_STEP / 2).div_euclid(SCORE_STEP) as usize;
    material * SCORES + score.min(SCORES - 1)
}

/// The chances of win, draw and loss. None of them is exactly zero.
fn chances(model: &WinModel, score: f64, material: i32) -> [f64; 3] {
    let (win, loss) = (model.win(score, material), model.win(-score, material));
    [win, 1.0 - win - loss, loss].map(|chance| chance.max(1e-9))
}

/// Whether a draw always has a chance, and a better score always means a better chance.
fn is_sound(model: &WinModel) -> bool {
    let [low, high] = WinModel::RANGE;
    (low..=high).all(|material| model.center(material) >= 1.0 && model.width(material) >= 1.0)
}

fn moved(model: &WinModel, step: &[f64; PARAMETERS], scale: f64) -> WinModel {
    WinModel {
        center: std::array::from_fn(|degree| model.center[degree] + scale * step[degree]),
        width: std::array::from_fn(|degree| model.width[degree] + scale * step[4 + degree]),
    }
}

/// Solves a system of linear equations by elimination; `None` if there is no unique solution.
fn solve(
    mut matrix: [[f64; PARAMETERS]; PARAMETERS],
    mut right: [f64; PARAMETERS],
) -> Option<[f64; PARAMETERS]> {
    for column in 0..PARAMETERS {
        let pivot = (column..PARAMETERS)
            .max_by(|&a, &b| matrix[a][column].abs().total_cmp(&matrix[b][column].abs()))?;
        if matrix[pivot][column].abs() < 1e-12 {
            return None;
        }
        matrix.swap(column, pivot);
        right.swap(column, pivot);
        for row in column + 1..PARAMETERS {
            let factor = matrix[row][column] / matrix[column][column];
            let pivot_row = matrix[column];
            for (value, pivot) in matrix[row].iter_mut().zip(pivot_row) {
                *value -= factor * pivot;
            }
            right[row] -= factor * right[column];
        }
    }
    for row in (0..PARAMETERS).rev() {
        for column in row + 1..PARAMETERS {
            right[row] -= matrix[row][column] * right[column];
        }
        right[row] /= matrix[row][row];
    }
    Some(right)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;
    use crate::chess::board::Board;
    use crate::engine::selfplay::record::{GameResult, Ply};

    /// Random results of a model with known parameters.
    fn drawn(model: &WinModel, positions: u64) -> Results {
        let mut results = Results::default();
        let mut random = Random::stream(3, 0);
        for _ in 0..positions {
            let material = 10 + random.below(69) as i32;
            let score = random.below(1_200) as i32 - 600;
            let [win, draw, _] = chances(model, f64::from(score), material);
            let drawn = random.below(1_000_000) as f64 / 1e6;
            let result = if drawn < win {
                0
            } else if drawn < win + draw {
                1
            } else {
                2
            };
            results.counts[index(material, score)][result] += 1;
        }
        results
    }

    #[test]
    fn the_fit_finds_the_parameters_that_made_the_results() {
        let truth = WinModel { center: [120.0, 150.0, -60.0, 10.0], width: [70.0, 20.0, 5.0, -5.0] };
        let results = drawn(&truth, 400_000);
        assert_eq!(results.positions(), 400_000);
        let found = results.fit().unwrap();
        for material in 10..=78 {
            let (expected, got) = (truth.center(material), found.center(material));
            assert!((expected - got).abs() < 0.05 * expected, "{material}: {expected} {got}");
            let (expected, got) = (truth.width(material), found.width(material));
            assert!((expected - got).abs() < 0.1 * expected, "{material}: {expected} {got}");
        }
        assert!(results.log_likelihood(&found) >= results.log_likelihood(&truth));
    }

    #[test]
    fn only_labels_with_a_result_count() {
        let start = Board::startpos();
        let mut board = start.clone();
        let plies = ["e2e4", "e7e5", "g1f3", "b8c6"].map(|text| {
            let mv = board.parse_uci(text).unwrap();
            board = board.after(mv);
            Ply { is_label: text != "g1f3", ..Ply::new(mv, 40) }
        });
        let game = GameRecord::new(start, plies.to_vec(), GameResult::White);
        let positions = |result_from| {
            let mut results = Results::default();
            results.add(&GameRecord { result_from, ..game.clone() });
            assert_eq!(results.counts[index(78, 40)], [results.positions(), 0, 0]);
            results.positions()
        };
        assert_eq!([0, 1, 3, 4].map(positions), [3, 2, 1, 0]);
    }

    #[test]
    fn without_games_there_is_no_model() {
        assert_eq!(Results::default().fit(), None);
    }

    /// Without draws the center is at 0, which is not allowed. The fit once returned the model at which it had stopped.
    #[test]
    fn without_draws_there_is_no_model() {
        let truth = WinModel { center: [0.0; 4], width: [70.0, 0.0, 0.0, 0.0] };
        assert_eq!(drawn(&truth, 100_000).fit(), None);
    }

    #[test]
    fn the_plot_has_a_line_and_points_for_each_range() {
        let truth = WinModel { center: [120.0, 80.0, 0.0, 0.0], width: [70.0, 0.0, 0.0, 0.0] };
        let text = drawn(&truth, 100_000).plot(&truth);
        assert_eq!(text.matches("<polyline").count(), 3);
        assert!(text.matches("<circle").count() > 100);
    }
}
