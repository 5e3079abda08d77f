//! The optimizer AdamW: Adam with a weight decay that is not part of the gradient (Loshchilov and Hutter, "Decoupled
//! weight decay regularization", 2019). It also keeps the weights within the limits of the quantized network.
//!
//! With several king zones it is also the *factorizer*. Each weight of a zone is the sum of two parameters: one that
//! all zones share, and the zone's difference from it. Both are trained, so a zone with few positions also learns from
//! the positions of the others. The gradient of the shared parameter is the sum of the zones' gradients, and the
//! gradient of a difference is that of its zone. In a network with products, the same goes for the buckets' weights
//! from the products to the second layer.
//!
//! Only the sums are stored as weights. Adam's update of a parameter depends on its gradients alone, and the decay
//! takes the same share of both parameters. So one update of the sum equals the two updates of its parts. Besides the
//! sums, only the moments of the shared parameters are stored.
//!
//! The differences may have a lower learning rate than all other parameters. Each of them sees only some of the
//! positions, and Adam's updates are as large for few positions as for many.

use rayon::prelude::*;

use super::kernel::{Kernel, Task};
use super::vector::Vector;
use super::weights::{Factored, FloatLine, WeightGroup, Weights};
use crate::engine::eval::network::Shape;
use crate::engine::eval::network::tail::{SECOND_LIMIT, SECOND_UNIT};

/// Decay rate of the running mean of the gradient.
const BETA1: f32 = 0.9;
/// Decay rate of the running mean of the squared gradient.
const BETA2: f32 = 0.999;
/// Prevents a division by zero for a weight whose gradient has always been zero.
const EPSILON: f32 = 1e-8;

/// The greatest absolute value of the hidden units' weights and biases. The sum over 32 pieces, all of which hang
/// except the kings, then still fits into 16 bits.
pub const HIDDEN_BOUND: f32 = 1.98;

/// The greatest absolute value of a weight from the products to the second layer, which is a byte in the quantized
/// network.
pub const SECOND_BOUND: f32 = SECOND_LIMIT as f32 / SECOND_UNIT as f32;

/// The number of lines that one task of a thread updates.
const TASK: usize = 256;

/// The hyperparameters of one step.
#[derive(Clone, Copy, Debug)]
pub struct Hyperparameters {
    /// The learning rate.
    pub rate: f32,
    /// The learning rate of the differences, as a share of `rate`.
    pub zone_rate: f32,
    /// The weight decay. One step takes the share `rate * decay` away from each weight.
    pub decay: f32,
    /// The greatest absolute value of an output weight.
    pub output_bound: f32,
}

/// The moments of the gradient of each number.
#[derive(Clone, PartialEq, Debug)]
pub struct AdamW {
    /// Running means of the gradient.
    pub means: Weights,
    /// Running means of the squared gradient.
    pub squares: Weights,
    /// Running means of the gradient of the shared parameters, in the order of [`Factored::all`].
    pub shared_means: Vec<FloatLine>,
    /// Running means of the squared gradient of the shared parameters.
    pub shared_squares: Vec<FloatLine>,
    /// The number of steps taken.
    pub steps: u64,
}

impl AdamW {
    /// An optimizer for a network of this shape.
    pub fn new(shape: Shape) -> AdamW {
        let lines = Factored::all(shape).iter().map(|factored| factored.length).sum();
        let shared = vec![FloatLine::ZERO; lines];
        AdamW {
            means: Weights::zero(shape),
            squares: Weights::zero(shape),
            shared_means: shared.clone(),
            shared_squares: shared,
            steps: 0,
        }
    }

    /// Updates `weights` with the mean gradient. `gradient` gives the line with some index of [`Weights::lines`] of the
    /// sum over `positions` positions.
    pub fn step<'a>(
        &mut self,
        weights: &mut Weights,
        gradient: impl Fn(usize) -> &'a FloatLine + Copy + Send + Sync,
        positions: usize,
        hyperparameters: Hyperparameters,
        kernel: Kernel,
    ) {
        let Hyperparameters { rate, zone_rate, decay, output_bound } = hyperparameters;
        self.steps += 1;
        let steps = self.steps.min(i32::MAX as u64) as i32;
        let step = Step {
            shape: weights.shape(),
            gradient,
            per_position: 1.0 / positions as f32,
            corrected_rate: rate / (1.0 - BETA1.powi(steps)),
            square_correction: 1.0 / (1.0 - BETA2.powi(steps)),
            zone_rate,
            decay_factor: 1.0 - rate * decay,
            output_bound,
        };
        let mut rest = ParameterSlice {
            first_line: 0,
            weights: weights.lines_mut(),
            moments: Moments { means: self.means.lines_mut(), squares: self.squares.lines_mut() },
        };
        let mut shared = Moments { means: &mut self.shared_means, squares: &mut self.shared_squares };
        let mut tasks: Vec<UpdateTask<'_>> = Vec::new();
        for Factored { first, sets, length } in Factored::all(step.shape) {
            tasks.extend(rest.split_off_first(first - rest.first_line).tasks());
            let mut sets: Vec<_> = (0..sets).map(|_| rest.split_off_first(length).chunks()).collect();
            let shared = shared.split_off_first(length).chunks();
            tasks.extend(shared.map(|moments| UpdateTask {
                slices: sets.iter_mut().filter_map(Iterator::next).collect(),
                shared_moments: Some(moments),
            }));
        }
        tasks.extend(rest.tasks());
        tasks.into_par_iter().for_each(|update| kernel.run(UpdateLines { step: &step, update }));
    }
}

/// The moments of consecutive lines.
struct Moments<'a> {
    means: &'a mut [FloatLine],
    squares: &'a mut [FloatLine],
}

impl<'a> Moments<'a> {
    /// Takes this number of lines off the beginning.
    fn split_off_first(&mut self, count: usize) -> Moments<'a> {
        let first = |lines: &mut &'a mut [FloatLine]| lines.split_off_mut(..count).expect("enough lines");
        Moments { means: first(&mut self.means), squares: first(&mut self.squares) }
    }

    /// Slices of [`TASK`] lines, of which the last may be shorter.
    fn chunks(mut self) -> impl Iterator<Item = Moments<'a>> {
        std::iter::from_fn(move || {
            let count = self.means.len().min(TASK);
            (count > 0).then(|| self.split_off_first(count))
        })
    }
}

/// The weights of consecutive lines, with their moments.
struct ParameterSlice<'a> {
    /// The index of the first line in the network.
    first_line: usize,
    weights: &'a mut [FloatLine],
    moments: Moments<'a>,
}

impl<'a> ParameterSlice<'a> {
    /// Takes this number of lines off the beginning.
    fn split_off_first(&mut self, count: usize) -> ParameterSlice<'a> {
        let slice = ParameterSlice {
            first_line: self.first_line,
            weights: self.weights.split_off_mut(..count).expect("enough lines"),
            moments: self.moments.split_off_first(count),
        };
        self.first_line += count;
        slice
    }

    /// Slices of [`TASK`] lines, of which the last may be shorter.
    fn chunks(mut self) -> impl Iterator<Item = ParameterSlice<'a>> {
        std::iter::from_fn(move || {
            let count = self.weights.len().min(TASK);
            (count > 0).then(|| self.split_off_first(count))
        })
    }
}

impl<'a> ParameterSlice<'a> {
    /// Tasks for numbers that have no shared part.
    fn tasks(self) -> impl Iterator<Item = UpdateTask<'a>> {
        self.chunks().map(|slice| UpdateTask { slices: vec![slice], shared_moments: None })
    }
}

/// What one thread updates at a time.
struct UpdateTask<'a> {
    /// The same weights of each king zone or bucket, or a single slice of other weights.
    slices: Vec<ParameterSlice<'a>>,
    /// The moments of the shared parameters.
    shared_moments: Option<Moments<'a>>,
}

/// The values of one step that are the same for all weights.
struct Step<G> {
    shape: Shape,
    /// Gives a line of the gradient.
    gradient: G,
    /// This factor turns a sum over the batch into a mean.
    per_position: f32,
    /// The learning rate with the bias correction of the running mean.
    corrected_rate: f32,
    /// The bias correction of the running mean of the squared gradient.
    square_correction: f32,
    zone_rate: f32,
    /// The share of each weight that the weight decay leaves.
    decay_factor: f32,
    output_bound: f32,
}

/// The work of one task.
struct UpdateLines<'a, G> {
    step: &'a Step<G>,
    update: UpdateTask<'a>,
}

impl<'a, G: Fn(usize) -> &'a FloatLine> Task for UpdateLines<'_, G> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        self.step.update_weights::<V>(self.update);
    }
}

impl<'a, G: Fn(usize) -> &'a FloatLine> Step<G> {
    #[inline(always)]
    fn update_weights<V: Vector>(&self, mut task: UpdateTask<'_>) {
        let lines = task.slices.first().map_or(0, |slice| slice.weights.len());
        for index in 0..lines {
            let shared_update = task.shared_moments.as_mut().map(|moments| {
                let zones = task.slices.iter().map(|slice| slice.first_line + index);
                self.update::<V>(moments, index, self.gradient(zones))
            });
            for slice in &mut task.slices {
                let line = slice.first_line + index;
                let mut update: V = self.update(&mut slice.moments, index, self.gradient([line]));
                if let Some(shared_update) = shared_update {
                    update = shared_update.plus_product(V::splat(self.zone_rate), update);
                }
                self.apply_update(&mut slice.weights[index], update, self.bound(line));
            }
        }
    }

    /// The greatest absolute value of the weights of a line.
    fn bound(&self, line: usize) -> f32 {
        match WeightGroup::of(line, self.shape) {
            WeightGroup::Hidden => HIDDEN_BOUND,
            WeightGroup::Output => self.output_bound,
            WeightGroup::Second => SECOND_BOUND,
            WeightGroup::Free => f32::INFINITY,
        }
    }

    /// The mean gradient, summed over these lines.
    #[inline(always)]
    fn gradient<V: Vector>(&self, lines: impl IntoIterator<Item = usize>) -> V {
        let add = |sum: V, line| sum.plus(V::load((self.gradient)(line)));
        lines.into_iter().fold(V::splat(0.0), add).times(V::splat(self.per_position))
    }

    /// Adds the gradient to the moments at `index`, and returns Adam's update, which is to be subtracted from the
    /// weights.
    #[inline(always)]
    fn update<V: Vector>(&self, moments: &mut Moments<'_>, index: usize, gradient: V) -> V {
        let running_mean = |line: &mut FloatLine, new: V, beta: f32| {
            let mean = V::load(line).times(V::splat(beta)).plus_product(V::splat(1.0 - beta), new);
            mean.store(line);
            mean
        };
        let mean = running_mean(&mut moments.means[index], gradient, BETA1);
        let square = running_mean(&mut moments.squares[index], gradient.times(gradient), BETA2);
        let root = square.times(V::splat(self.square_correction)).root();
        mean.times(V::splat(self.corrected_rate)).divided_by(root.plus(V::splat(EPSILON)))
    }

    /// Applies the weight decay and the update, and clips the weights.
    #[inline(always)]
    fn apply_update<V: Vector>(&self, weight: &mut FloatLine, update: V, bound: f32) {
        let decayed = V::load(weight).times(V::splat(self.decay_factor));
        decayed.plus_product(update, V::splat(-1.0)).bounded(-bound, bound).store(weight);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::train::weights::{WIDTH, zone_lines};

    const SMALL: Shape = Shape { hidden: 32, zones: 1, hanging: false, buckets: 2, products: false };

    fn hyperparameters(rate: f32, decay: f32, output_bound: f32) -> Hyperparameters {
        Hyperparameters { rate, zone_rate: 0.25, decay, output_bound }
    }

    fn step(adam: &mut AdamW, weights: &mut Weights, gradient: &Weights, hyperparameters: Hyperparameters) {
        adam.step(weights, |line| &gradient.lines()[line], 2, hyperparameters, Kernel::fastest());
    }

    #[test]
    fn adamw_finds_the_minimum_of_a_quadratic() {
        let mut weights = Weights::random(SMALL, 1);
        let mut adam = AdamW::new(SMALL);
        let mut gradient = Weights::zero(SMALL);
        for number in 0..2_000 {
            for (gradient, weight) in gradient.numbers_mut().zip(weights.numbers()) {
                *gradient = 4.0 * (weight - 0.5);
            }
            let rate = 0.01 * (1.0 - number as f32 / 2_000.0);
            step(&mut adam, &mut weights, &gradient, hyperparameters(rate, 0.0, 2.0));
        }
        assert!(weights.numbers().all(|weight| (weight - 0.5).abs() < 0.01));
        assert_eq!(adam.steps, 2_000);
    }

    #[test]
    fn weights_stay_within_their_bounds() {
        let mut weights = Weights::zero(SMALL);
        let mut adam = AdamW::new(SMALL);
        let mut gradient = Weights::zero(SMALL);
        gradient.numbers_mut().for_each(|gradient| *gradient = -1.0);
        for _ in 0..100 {
            step(&mut adam, &mut weights, &gradient, hyperparameters(0.1, 0.0, 1.25));
        }
        let parts = weights.parts::<1>();
        assert!(parts.biases.iter().all(|block| block[0].0 == [HIDDEN_BOUND; WIDTH]));
        assert!(parts.outputs.iter().all(|block| block[0].0 == [1.25; WIDTH]));
        assert!(parts.output_biases.iter().all(|&bias| bias > 5.0));
        assert!(parts.features.iter().all(|block| block[0].0 == [HIDDEN_BOUND; WIDTH]));
    }

    /// The factorizer by its definition: shared weights and differences are parameters with moments of their own, and
    /// the network has their sums.
    #[test]
    fn a_step_with_zones_updates_shared_weights_and_differences() {
        let shape = Shape { hidden: 32, zones: 3, hanging: true, buckets: 1, products: false };
        let single = Shape { zones: 1, hanging: false, ..shape };
        let zone = zone_lines(shape);
        let mut weights = Weights::random(shape, 1);
        let mut adam = AdamW::new(shape);
        let mut shared = Weights::random(single, 1);
        let mut differences = [(); 3].map(|()| Weights::zero(single));
        let (mut shared_adam, mut difference_adams) =
            (AdamW::new(single), [(); 3].map(|()| AdamW::new(single)));
        for seed in 2..12 {
            // The zones' gradients differ, and the last zone has none.
            let mut gradient = Weights::random(shape, seed);
            gradient.lines_mut()[zone..2 * zone].iter_mut().for_each(|line| line.0.reverse());
            gradient.lines_mut()[2 * zone..3 * zone].fill(FloatLine::ZERO);
            let whole = hyperparameters(0.01, 0.1, 2.0);
            step(&mut adam, &mut weights, &gradient, whole);
            let mut sum = Weights::zero(single);
            let parts = [0, 1, 2].map(|number| {
                let mut part = Weights::zero(single);
                let lines = &gradient.lines()[number * zone..][..zone];
                part.lines_mut()[..zone].copy_from_slice(lines);
                sum.lines_mut().iter_mut().zip(lines).for_each(|(sum, line)| sum.add(line));
                part
            });
            step(&mut shared_adam, &mut shared, &sum, whole);
            for ((adam, difference), part) in difference_adams.iter_mut().zip(&mut differences).zip(&parts) {
                // The decay is the same, although the learning rate is lower.
                let (rate, decay) = (whole.rate * whole.zone_rate, whole.decay / whole.zone_rate);
                step(adam, difference, part, Hyperparameters { rate, decay, ..whole });
            }
        }
        for (number, difference) in differences.iter().enumerate() {
            let found = weights.lines()[number * zone..][..zone].iter().flat_map(|line| line.0);
            let sums =
                shared.numbers().zip(difference.numbers()).map(|(shared, difference)| shared + difference);
            for (found, expected) in found.zip(sums) {
                assert!((found - expected).abs() < 1e-5, "zone {number}: {found}, not {expected}");
            }
        }
        let found = adam.shared_means.iter().flat_map(|line| line.0);
        let close = |(found, expected): (f32, f32)| (found - expected).abs() < 1e-6;
        assert!(
            found.zip(shared_adam.means.numbers()).all(close),
            "the shared gradient is not the zones' sum"
        );
        let [first, .., last] = [0, 1, 2].map(|number| &weights.lines()[number * zone..][..zone]);
        assert!(first != last, "the zones learned no differences");
    }

    /// The update is the plain one of AdamW to the bit.
    #[test]
    fn one_zone_is_updated_without_a_factorizer() {
        let mut adam = AdamW::new(SMALL);
        assert!(adam.shared_means.is_empty() && adam.shared_squares.is_empty());
        let (mut weights, gradient) = (Weights::random(SMALL, 1), Weights::random(SMALL, 2));
        let before = weights.clone();
        let (rate, decay) = (0.01, 0.1);
        step(&mut adam, &mut weights, &gradient, hyperparameters(rate, decay, 2.0));
        for ((weight, before), gradient) in weights.numbers().zip(before.numbers()).zip(gradient.numbers()) {
            let gradient = gradient * 0.5;
            let mean = (1.0 - BETA1) * gradient;
            let square = (1.0 - BETA2) * (gradient * gradient);
            let root = (square * (1.0 / (1.0 - BETA2))).sqrt() + EPSILON;
            assert_eq!(weight, before * (1.0 - rate * decay) - rate / (1.0 - BETA1) * mean / root);
        }
    }

    #[test]
    fn weights_without_a_gradient_decay() {
        let mut weights = Weights::random(SMALL, 2);
        let before = weights.clone();
        let zero = Weights::zero(SMALL);
        step(&mut AdamW::new(SMALL), &mut weights, &zero, hyperparameters(0.1, 0.5, 2.0));
        for (weight, before) in weights.numbers().zip(before.numbers()) {
            assert!((weight - 0.95 * before).abs() < 1e-6);
        }
    }
}
