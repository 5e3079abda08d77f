//! Simultaneous perturbation stochastic approximation (Spall 1992), with the schedule that Stockfish's testers use.
//!
//! One opponent has all parameters moved at once, each up or down by the toss of a coin. The other opponent has them
//! moved the opposite way. Then the values move a little toward the winner. The noise of single games averages out
//! over thousands of them. The cost does not depend on the number of parameters.

use crate::base::random::Random;
use crate::engine::params::{Declaration, Params};

const ALPHA: f64 = 0.602;
const GAMMA: f64 = 0.101;
/// Damps the step size of the early pairs: this share of all pairs is added to the number of played pairs.
const STABILITY: f64 = 0.1;

/// The current values of the parameters, and the progress of the tuning.
#[derive(Clone, Debug, PartialEq)]
pub struct Spsa {
    declarations: Vec<&'static Declaration>,
    /// The parameters that are not tuned.
    base: Params,
    values: Vec<f64>,
    /// The number of pairs of games whose results have been used.
    done: u64,
    /// The number of pairs of the schedule.
    total: u64,
    /// The learning rate at the end, relative to a squared step.
    rate: f64,
    /// How far each parameter is moved at the end.
    steps: Vec<f64>,
}

/// A perturbation: the direction and the distance by which each parameter is moved.
#[derive(Clone, Debug, PartialEq)]
pub struct Perturbation {
    shifts: Vec<f64>,
    /// The two opponents' parameters.
    pub players: [Params; 2],
}

impl Spsa {
    /// A tuning of `declarations` from `start` over `total` pairs, with `factor` times their declared steps. With fewer
    /// pairs the opponents should differ more.
    pub fn new(
        declarations: Vec<&'static Declaration>,
        start: &Params,
        total: u64,
        rate: f64,
        factor: f64,
    ) -> Spsa {
        let steps = declarations.iter().map(|declaration| f64::from(declaration.step) * factor).collect();
        let values = declarations.iter().map(|declaration| f64::from(start.get(declaration.name))).collect();
        Spsa { declarations, base: start.clone(), values, done: 0, total, rate, steps }
    }

    /// Continues from the log of an earlier run.
    pub fn resume(&mut self, done: u64, values: Vec<f64>) {
        assert_eq!(values.len(), self.values.len());
        (self.done, self.values) = (done, values);
    }

    /// The number of pairs whose results have been used.
    pub fn done(&self) -> u64 {
        self.done
    }

    /// The current values, in the order of [`Spsa::declarations`].
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The parameters that are tuned.
    pub fn declarations(&self) -> &[&'static Declaration] {
        &self.declarations
    }

    /// All parameters: the current values of the tuned ones, and the others unchanged.
    pub fn params(&self) -> Params {
        self.rounded(&self.values)
    }

    fn rounded(&self, values: &[f64]) -> Params {
        let mut params = self.base.clone();
        for (declaration, value) in self.declarations.iter().zip(values) {
            let value = (value.round() as i32).clamp(declaration.min, declaration.max);
            params.set(declaration.name, value);
        }
        params
    }

    /// Draws two opponents around the current values.
    pub fn perturb(&self, random: &mut Random) -> Perturbation {
        let decay = (self.total as f64 / (self.done + 1) as f64).max(1.0).powf(GAMMA);
        let shifts: Vec<f64> = (self.steps.iter())
            .map(|step| step * decay * if random.below(2) == 0 { 1.0 } else { -1.0 })
            .collect();
        let moved = |sign: f64| -> Vec<f64> {
            self.values.iter().zip(&shifts).map(|(value, shift)| value + sign * shift).collect()
        };
        let players = [self.rounded(&moved(1.0)), self.rounded(&moved(-1.0))];
        Perturbation { shifts, players }
    }

    /// Moves the values by the result of a pair. `difference` is the points of the first opponent of `perturbation`
    /// minus those of the second, -2 to 2.
    pub fn learn(&mut self, perturbation: &Perturbation, difference: f64) {
        let (total, done) = (self.total as f64, self.done as f64);
        let damped = STABILITY * total;
        let step = self.rate * ((damped + total) / (damped + done + 1.0)).powf(ALPHA);
        // Both schedules are relative to the step `s`: a = rate * s^2 * .., c = s * ... The values move by a / c.
        let decay = (total / (done + 1.0)).max(1.0).powf(GAMMA);
        let steps = self.steps.iter().zip(&self.declarations);
        for ((value, shift), (size, declaration)) in
            self.values.iter_mut().zip(&perturbation.shifts).zip(steps)
        {
            *value += step * size / decay * difference * shift.signum();
            *value = value.clamp(f64::from(declaration.min), f64::from(declaration.max));
        }
        self.done += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declarations(names: &[&str]) -> Vec<&'static Declaration> {
        Params::ALL.iter().filter(|declaration| names.contains(&declaration.name)).collect()
    }

    #[test]
    fn opponents_lie_on_both_sides_and_within_their_ranges() {
        let spsa = Spsa::new(Params::ALL.iter().collect(), &Params::default(), 100, 0.002, 1.0);
        let perturbation = spsa.perturb(&mut Random::stream(1, 1));
        for declaration in Params::ALL {
            let [up, down] = [0, 1].map(|player| perturbation.players[player].get(declaration.name));
            assert_ne!(up, down, "{}", declaration.name);
            assert!([up, down].iter().all(|value| (declaration.min..=declaration.max).contains(value)));
        }
    }

    #[test]
    fn spsa_finds_the_maximum_of_a_quadratic() {
        // The opponent that is nearer to the optimum usually wins.
        let top = [("razor_base", 300.0), ("probcut_margin", 140.0)];
        let tuned = declarations(&["razor_base", "probcut_margin"]);
        let mut spsa = Spsa::new(tuned, &Params::default(), 20_000, 0.02, 1.0);
        let mut random = Random::stream(7, 0);
        let distance = |params: &Params| -> f64 {
            top.iter().map(|&(name, best)| ((f64::from(params.get(name)) - best) / 25.0).powi(2)).sum()
        };
        let before = distance(&spsa.params());
        for _ in 0..20_000 {
            let perturbation = spsa.perturb(&mut random);
            let lead = distance(&perturbation.players[1]) - distance(&perturbation.players[0]);
            let chance = 1.0 / (1.0 + (-lead / 20.0).exp());
            spsa.learn(&perturbation, if random.unit() < chance { 1.0 } else { -1.0 });
        }
        assert_eq!(spsa.done(), 20_000);
        assert!(distance(&spsa.params()) < before / 4.0, "{before} {:?}", spsa.values());
    }
}
