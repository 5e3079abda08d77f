//! The evaluation as a logistic model of the result, with its gradient.
//!
//! A position's winning chance is the logistic function of its evaluation, and the loss is the
//! cross-entropy between that and a target mixed from the game's result and the search's own
//! score (Peter Österlund's way of tuning Texel, with scores added). The evaluation is linear
//! in its terms once phase and scaling are known, so the loss is convex but for the sign of
//! the lead, and there is one place for the fit to go.

use rayon::prelude::*;

use super::dataset::{Dataset, Sample};
use super::parameters::{BISHOP_PAIR, FIRST_DEVIATION, PLACES, Parameters, TEMPO, material, places};

/// Positions that one task of the thread pool takes: the sums do not depend on how many
/// threads there are.
const CHUNK: usize = 4_096;

/// What the fit aims at.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Aim {
    /// Centipawns for each e-fold of the odds.
    pub scale: f64,
    /// Weight of the game's result against the search's score, from 0 to 1.
    pub result_weight: f64,
}

impl Aim {
    /// White's winning chance with an advantage of `centipawns`.
    pub fn chance(&self, centipawns: f64) -> f64 {
        1.0 / (1.0 + (-centipawns / self.scale).exp())
    }

    fn target(&self, sample: &Sample) -> f64 {
        let by_score = self.chance(f64::from(sample.score));
        self.result_weight * f64::from(sample.result) + (1.0 - self.result_weight) * by_score
    }
}

/// The parameters with material and deviations added up: one pair for each place.
#[derive(Clone, Debug)]
pub struct Worths {
    tempo: [f64; 2],
    bishop_pair: [f64; 2],
    places: Vec<[f64; 2]>,
}

impl Worths {
    /// Adds up `parameters`.
    pub fn of(parameters: &Parameters) -> Worths {
        let worth = |(number, (_, role, _))| {
            let (base, deviation) =
                (parameters.get(material(role)), parameters.get(FIRST_DEVIATION + number));
            [base[0] + deviation[0], base[1] + deviation[1]]
        };
        Worths {
            tempo: parameters.get(TEMPO),
            bishop_pair: parameters.get(BISHOP_PAIR),
            places: places().enumerate().map(worth).collect(),
        }
    }

    fn zero() -> Worths {
        Worths { tempo: [0.0; 2], bishop_pair: [0.0; 2], places: vec![[0.0; 2]; PLACES] }
    }

    /// The evaluation of a position from White's point of view, in centipawns, and what
    /// remained of the lead in it.
    pub fn evaluate(&self, dataset: &Dataset, sample: &Sample) -> (f64, f64) {
        let tempo = f64::from(sample.tempo);
        let pair = f64::from(sample.bishop_pair);
        let mut sum = [0.0; 2];
        add_times(&mut sum, tempo, self.tempo);
        add_times(&mut sum, pair, self.bishop_pair);
        for (place, sign) in dataset.places(sample) {
            add_times(&mut sum, sign, self.places[place]);
        }
        let midgame = f64::from(sample.midgame);
        let lead = midgame * sum[0] + (1.0 - midgame) * sum[1];
        let share = f64::from(sample.shares[usize::from(lead < 0.0)]);
        (share * lead, share)
    }

    /// Adds a position's gradient, which is `slope` for its unscaled evaluation.
    fn accumulate(&mut self, dataset: &Dataset, sample: &Sample, slope: f64) {
        let midgame = f64::from(sample.midgame);
        let slopes = [slope * midgame, slope * (1.0 - midgame)];
        add_times(&mut self.tempo, f64::from(sample.tempo), slopes);
        add_times(&mut self.bishop_pair, f64::from(sample.bishop_pair), slopes);
        for (place, sign) in dataset.places(sample) {
            add_times(&mut self.places[place], sign, slopes);
        }
    }

    fn add(&mut self, other: &Worths) {
        add_times(&mut self.tempo, 1.0, other.tempo);
        add_times(&mut self.bishop_pair, 1.0, other.bishop_pair);
        for (sum, term) in self.places.iter_mut().zip(&other.places) {
            add_times(sum, 1.0, *term);
        }
    }

    /// The gradient of the parameters from the gradient of their sums.
    fn pull_back(self, weight: f64) -> Parameters {
        let mut gradient = Parameters::zero();
        *gradient.get_mut(TEMPO) = self.tempo;
        *gradient.get_mut(BISHOP_PAIR) = self.bishop_pair;
        for (number, (_, role, _)) in places().enumerate() {
            let slope = self.places[number];
            *gradient.get_mut(FIRST_DEVIATION + number) = slope;
            add_times(gradient.get_mut(material(role)), 1.0, slope);
        }
        for value in gradient.flat_mut() {
            *value *= weight;
        }
        gradient
    }
}

/// Adds a multiple of a midgame and endgame pair to another.
fn add_times(sum: &mut [f64; 2], factor: f64, pair: [f64; 2]) {
    sum[0] += factor * pair[0];
    sum[1] += factor * pair[1];
}

/// Mean loss over the samples with these indices, and its gradient.
pub fn loss_and_gradient(
    parameters: &Parameters,
    dataset: &Dataset,
    indices: &[u32],
    aim: Aim,
) -> (f64, Parameters) {
    let worths = Worths::of(parameters);
    let parts: Vec<(f64, Worths)> = indices
        .par_chunks(CHUNK)
        .map(|chunk| {
            let mut loss = 0.0;
            let mut gradient = Worths::zero();
            for &index in chunk {
                let sample = &dataset.samples()[index as usize];
                let (value, share) = worths.evaluate(dataset, sample);
                let target = aim.target(sample);
                loss += cross_entropy(target, value / aim.scale);
                let slope = (aim.chance(value) - target) / aim.scale;
                gradient.accumulate(dataset, sample, slope * share);
            }
            (loss, gradient)
        })
        .collect();
    let mut total = 0.0;
    let mut sum = Worths::zero();
    for (loss, gradient) in &parts {
        total += loss;
        sum.add(gradient);
    }
    let weight = 1.0 / indices.len().max(1) as f64;
    (total * weight, sum.pull_back(weight))
}

/// Mean loss over the whole of `dataset`.
pub fn loss(parameters: &Parameters, dataset: &Dataset, aim: Aim) -> f64 {
    let worths = Worths::of(parameters);
    mean_loss(dataset, |sample| (aim.target(sample), worths.evaluate(dataset, sample).0 / aim.scale))
}

/// The scale with which the searches' scores predict the results best, in centipawns for each
/// e-fold of the odds: found by halving the interval in which the slope changes its sign.
pub fn best_scale(dataset: &Dataset) -> f64 {
    let loss_at =
        |scale: f64| mean_loss(dataset, |sample| (f64::from(sample.result), f64::from(sample.score) / scale));
    let (mut low, mut high) = (20.0_f64, 2_000.0_f64);
    while high - low > 0.1 {
        let middle = (low + high) / 2.0;
        if loss_at(middle - 0.01) < loss_at(middle + 0.01) { high = middle } else { low = middle }
    }
    (low + high) / 2.0
}

fn mean_loss(dataset: &Dataset, target_and_odds: impl Fn(&Sample) -> (f64, f64) + Sync) -> f64 {
    let parts: Vec<f64> = dataset
        .samples()
        .par_chunks(CHUNK)
        .map(|chunk| {
            chunk.iter().map(&target_and_odds).map(|(target, odds)| cross_entropy(target, odds)).sum()
        })
        .collect();
    parts.iter().sum::<f64>() / dataset.len().max(1) as f64
}

/// Cross-entropy of a chance given by its logarithmic odds; written so that no odds overflow.
fn cross_entropy(target: f64, odds: f64) -> f64 {
    (-odds.abs()).exp().ln_1p() + odds.max(0.0) - target * odds
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::datagen::random::Random;
    use crate::eval;

    const AIM: Aim = Aim { scale: 180.0, result_weight: 0.4 };

    fn random_positions(count: usize, random: &mut Random) -> Vec<Board> {
        let mut boards = Vec::new();
        while boards.len() < count {
            let mut board = Board::startpos();
            for _ in 0..random.below(150) {
                let moves = board.legal_moves();
                if moves.is_empty() {
                    break;
                }
                board = board.after(moves[random.below(moves.len())]);
            }
            boards.push(board);
        }
        boards
    }

    fn random_dataset(count: usize) -> Dataset {
        let mut random = Random::stream(3, 0);
        let mut dataset = Dataset::default();
        for board in random_positions(count, &mut random) {
            dataset.push(&board, random.below(600) as i16 - 300, random.below(3) as f64 / 2.0);
        }
        dataset
    }

    #[test]
    fn the_model_is_the_evaluation() {
        let worths = Worths::of(&Parameters::of_the_engine());
        for board in random_positions(500, &mut Random::stream(4, 0)) {
            let mut dataset = Dataset::default();
            dataset.push(&board, 0, 0.5);
            let (value, _) = worths.evaluate(&dataset, &dataset.samples()[0]);
            let played = f64::from(eval::evaluate(&board).value() * board.turn().fold_wb(1, -1));
            // The engine rounds toward zero three times.
            assert!((value - played).abs() < 3.0, "{value} {played} {board:?}");
        }
    }

    #[test]
    fn the_gradient_is_the_slope_of_the_loss() {
        let dataset = random_dataset(200);
        let indices: Vec<u32> = (0..200).collect();
        let parameters = Parameters::of_the_engine();
        let (_, gradient) = loss_and_gradient(&parameters, &dataset, &indices, AIM);
        let mut checked = 0;
        for number in 0..parameters.flat().len() {
            // Every term that is not a deviation, and a scattering of those.
            if number >= 2 * FIRST_DEVIATION && number % 13 != 0 {
                continue;
            }
            let step = 1e-3;
            let [above, below] = [step, -step].map(|step| {
                let mut moved = parameters.clone();
                moved.flat_mut()[number] += step;
                loss(&moved, &dataset, AIM)
            });
            let slope = (above - below) / (2.0 * step);
            assert!((slope - gradient.flat()[number]).abs() < 1e-8, "parameter {number}");
            checked += usize::from(slope.abs() > 1e-6);
        }
        assert!(checked > 40, "only {checked} parameters had a slope to check");
    }

    #[test]
    fn the_scale_that_made_the_results_is_found() {
        let mut random = Random::stream(8, 0);
        let truth = Aim { scale: 240.0, result_weight: 0.0 };
        let mut dataset = Dataset::default();
        for _ in 0..40_000 {
            let score = random.below(1_600) as i16 - 800;
            let result = if random.unit() < truth.chance(f64::from(score)) { 1.0 } else { 0.0 };
            dataset.push(&Board::startpos(), score, result);
        }
        assert!((best_scale(&dataset) - 240.0).abs() < 10.0, "{}", best_scale(&dataset));
    }

    #[test]
    fn extreme_odds_have_finite_losses() {
        assert_eq!(cross_entropy(1.0, 1e6), 0.0);
        assert_eq!(cross_entropy(0.0, 1e6), 1e6);
        assert!((cross_entropy(0.5, 0.0) - 2f64.ln()).abs() < 1e-12);
    }
}
