//! The fit: mini-batches, a falling rate, and what happens to the values afterwards.

use super::adam::Adam;
use super::dataset::Dataset;
use super::model::{Aim, loss, loss_and_gradient};
use super::parameters::{FIRST_DEVIATION, Parameters, deviation, material, places};
use crate::board::Role;
use crate::datagen::random::Random;
use crate::eval::frame::RELATIONS;

/// How the fit goes about it.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Passes over the training set.
    pub epochs: u32,
    /// Positions for each step.
    pub batch: usize,
    /// Length of the first steps in centipawns; falls to zero along a cosine.
    pub rate: f64,
    /// How many observations of its square the prior of a deviation counts for.
    pub prior_weight: f64,
    /// Of the order in which positions are seen.
    pub seed: u64,
}

/// The losses at the end of an epoch.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Epoch {
    /// Counted from 1.
    pub number: u32,
    /// Mean over the epoch's steps, each before it was taken.
    pub training: f64,
    /// Over the whole validation set.
    pub validation: f64,
}

/// Fits the parameters to `training`, starting from `prior` and holding on to it where
/// `training` says little; `report` hears of each epoch.
pub fn fit(
    training: &Dataset,
    validation: &Dataset,
    prior: &Parameters,
    aim: Aim,
    plan: &Plan,
    mut report: impl FnMut(Epoch),
) -> Parameters {
    let mut parameters = prior.clone();
    let mut adam = Adam::new(parameters.flat().len());
    let mut order: Vec<u32> = (0..training.len() as u32).collect();
    let batches = order.len().div_ceil(plan.batch);
    let steps = f64::from(plan.epochs) * batches as f64;
    // One observation bends the loss by at most 1/(4 scale²), its variance at even chances.
    let hold = plan.prior_weight / (4.0 * aim.scale * aim.scale) / training.len().max(1) as f64;
    let mut step = 0.0;
    for number in 1..=plan.epochs {
        Random::stream(plan.seed, u64::from(number)).shuffle(&mut order);
        let mut sum = 0.0;
        for batch in order.chunks(plan.batch) {
            let (loss, mut gradient) = loss_and_gradient(&parameters, training, batch, aim);
            let held = gradient.flat_mut().iter_mut().zip(parameters.flat().iter().zip(prior.flat()));
            for (slope, (value, prior)) in held.skip(2 * FIRST_DEVIATION) {
                *slope += hold * (value - prior);
            }
            let rate = plan.rate * 0.5 * (1.0 + (std::f64::consts::PI * step / steps).cos());
            adam.step(parameters.flat_mut(), gradient.flat(), rate);
            sum += loss * batch.len() as f64;
            step += 1.0;
        }
        let training_loss = sum / training.len().max(1) as f64;
        report(Epoch { number, training: training_loss, validation: loss(&parameters, validation, aim) });
    }
    parameters
}

/// Brings fitted values into the form in which they are published, without changing what they
/// say: mean deviations move into the material, and the unit becomes a hundredth of a pawn's
/// worth in the midgame. The search's margins are in this unit; with the mean of midgame and
/// endgame for it, in which pawns are worth half as much again, all else shrinks by a fifth,
/// and the same fit won 60 Elo less against the prior (docs/evaluation.md). Returns the
/// factor that the values took.
pub fn anchor(parameters: &mut Parameters, dataset: &Dataset) -> f64 {
    let occupancy = occupancy(dataset);
    for role in Role::ALL {
        let sets: Vec<Vec<usize>> = if role == Role::King {
            // Both kings stand in the same relation: what all squares of one set share cancels.
            (0..RELATIONS).map(|relation| terms(role, relation..relation + 1)).collect()
        } else {
            vec![terms(role, 0..RELATIONS)]
        };
        for set in sets {
            let mean = weighted_mean(parameters, &occupancy, &set);
            for term in set {
                let pair = parameters.get_mut(term);
                *pair = if has_place(term) { [pair[0] - mean[0], pair[1] - mean[1]] } else { [0.0; 2] };
            }
            if role != Role::King {
                let base = parameters.get_mut(material(role));
                *base = [base[0] + mean[0], base[1] + mean[1]];
            }
        }
    }
    *parameters.get_mut(material(Role::King)) = [0.0; 2];
    let [midgame, _] = parameters.get(material(Role::Pawn));
    let factor = 100.0 / midgame;
    for value in parameters.flat_mut() {
        *value *= factor;
    }
    factor
}

fn terms(role: Role, relations: std::ops::Range<usize>) -> Vec<usize> {
    relations.flat_map(|relation| (0..64).map(move |square| deviation(relation, role, square))).collect()
}

/// Whether the square can be occupied: no pawn on the outer ranks, and no king on the wing from
/// which it is mirrored away.
fn has_place(term: usize) -> bool {
    places().nth(term - FIRST_DEVIATION).is_some_and(|(_, role, square)| match role {
        Role::Pawn => (8..56).contains(&square),
        Role::King => square % 8 >= 4,
        _ => true,
    })
}

/// How often each deviation counted, by phase.
fn occupancy(dataset: &Dataset) -> Parameters {
    let mut occupancy = Parameters::zero();
    for sample in dataset.samples() {
        let midgame = f64::from(sample.midgame);
        for (place, _) in dataset.places(sample) {
            let pair = occupancy.get_mut(FIRST_DEVIATION + place);
            *pair = [pair[0] + midgame, pair[1] + 1.0 - midgame];
        }
    }
    occupancy
}

fn weighted_mean(parameters: &Parameters, weights: &Parameters, terms: &[usize]) -> [f64; 2] {
    [0, 1].map(|phase| {
        let total: f64 = terms.iter().map(|&term| weights.get(term)[phase]).sum();
        let sum: f64 = terms.iter().map(|&term| weights.get(term)[phase] * parameters.get(term)[phase]).sum();
        if total > 0.0 { sum / total } else { 0.0 }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::train::model::Worths;
    use crate::train::parameters::{BISHOP_PAIR, TEMPO};
    use crate::train::prior::prior;

    const AIM: Aim = Aim { scale: 200.0, result_weight: 0.0 };

    /// Random positions scored by `truth`, exactly but for the rounding to centipawns.
    fn dataset_of(truth: &Parameters, count: usize, seed: u64) -> Dataset {
        let worths = Worths::of(truth);
        let mut random = Random::stream(seed, 0);
        let mut dataset = Dataset::default();
        while dataset.len() < count {
            let mut board = Board::startpos();
            for _ in 0..random.below(160) {
                let moves = board.legal_moves();
                if moves.is_empty() {
                    break;
                }
                board = board.after(moves[random.below(moves.len())]);
            }
            let mut single = Dataset::default();
            single.push(&board, 0, 0.5);
            let (value, _) = worths.evaluate(&single, &single.samples()[0]);
            if value.abs() < 800.0 {
                dataset.push(&board, value.round() as i16, 0.5);
            }
        }
        dataset
    }

    #[test]
    fn known_parameters_are_recovered() {
        let mut truth = prior();
        *truth.get_mut(TEMPO) = [31.0, 17.0];
        *truth.get_mut(BISHOP_PAIR) = [10.0, 80.0];
        *truth.get_mut(material(Role::Knight)) = [380.0, 290.0];
        *truth.get_mut(material(Role::Queen)) = [1_100.0, 1_000.0];
        let training = dataset_of(&truth, 6_000, 1);
        let validation = dataset_of(&truth, 500, 2);
        let plan = Plan { epochs: 60, batch: 600, rate: 6.0, prior_weight: 10.0, seed: 1 };
        let before = loss(&prior(), &validation, AIM);
        let mut last = f64::INFINITY;
        let fitted = fit(&training, &validation, &prior(), AIM, &plan, |epoch| last = epoch.validation);
        let floor = loss(&truth, &validation, AIM);
        assert!(last - floor < 0.02 * (before - floor), "{before} -> {last}, at best {floor}");
        for term in [TEMPO, BISHOP_PAIR, material(Role::Knight), material(Role::Queen), material(Role::Rook)]
        {
            for phase in 0..2 {
                let (found, expected) = (fitted.get(term)[phase], truth.get(term)[phase]);
                assert!((found - expected).abs() < 8.0, "term {term}: {found}, not {expected}");
            }
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_fit() {
        let training = dataset_of(&prior(), 300, 3);
        let plan = Plan { epochs: 2, batch: 64, rate: 2.0, prior_weight: 10.0, seed: 9 };
        let run = || fit(&training, &training, &prior(), AIM, &plan, |_| {});
        assert_eq!(run(), run());
    }

    #[test]
    fn anchoring_changes_the_unit_and_nothing_else() {
        let dataset = dataset_of(&prior(), 300, 4);
        let mut anchored = prior();
        let factor = anchor(&mut anchored, &dataset);
        assert!((anchored.get(material(Role::Pawn))[0] - 100.0).abs() < 1e-9);
        let (before, after) = (Worths::of(&prior()), Worths::of(&anchored));
        for sample in dataset.samples() {
            let (expected, _) = before.evaluate(&dataset, sample);
            let (found, _) = after.evaluate(&dataset, sample);
            assert!((found - factor * expected).abs() < 1e-6);
        }
        assert_eq!(anchored.get(deviation(0, Role::Pawn, 0)), [0.0; 2]);
    }
}
