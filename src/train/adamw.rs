//! The optimizer AdamW: Adam with a weight decay that is not part of the gradient (Loshchilov and Hutter, "Decoupled
//! weight decay regularization", 2019). It also keeps the weights within the limits of the quantized network.

use rayon::prelude::*;

use super::weights::{FloatLine, WIDTH, WeightGroup, Weights};
use crate::eval::network::Shape;

/// Share of the past in the running mean of the gradient.
const MEAN_DECAY: f32 = 0.9;
/// Share of the past in the running mean of the squared gradient.
const SQUARE_DECAY: f32 = 0.999;
/// Prevents a division by zero for a number whose gradient has always been zero.
const EPSILON: f32 = 1e-8;

/// The greatest absolute value of the hidden units' weights and biases. The sum over 32 pieces then easily fits into 16
/// bits. No learned value comes near this bound.
pub const HIDDEN_BOUND: f32 = 1.98;
/// The greatest absolute value of a weight of the second hidden layer.
pub const SECOND_BOUND: f32 = 1.98;

/// The number of lines that one task of a thread updates.
const TASK: usize = 256;

/// The moments of the gradient of each number.
#[derive(Clone, PartialEq, Debug)]
pub struct AdamW {
    /// Running means of the gradient.
    pub means: Weights,
    /// Running means of the squared gradient.
    pub squares: Weights,
    /// The number of steps taken.
    pub steps: u64,
}

impl AdamW {
    /// An optimizer for a network of this shape.
    pub fn new(shape: Shape) -> AdamW {
        AdamW { means: Weights::zero(shape), squares: Weights::zero(shape), steps: 0 }
    }

    /// Moves `weights` against the mean gradient. `gradients` are sums over `positions` positions altogether. `rate` is
    /// about the length of a step. A step takes away the share `decay * rate` of each weight. `output_bound` is the
    /// greatest absolute value of an output weight. The gradients are always added in the same order, whatever the
    /// threads do.
    pub fn step(
        &mut self,
        weights: &mut Weights,
        gradients: &[&Weights],
        positions: usize,
        rate: f32,
        decay: f32,
        output_bound: f32,
    ) {
        self.steps += 1;
        let steps = self.steps.min(i32::MAX as u64) as i32;
        let step = Step {
            share: 1.0 / positions as f32,
            rate: rate / (1.0 - MEAN_DECAY.powi(steps)),
            square_bias: 1.0 / (1.0 - SQUARE_DECAY.powi(steps)),
            kept: 1.0 - rate * decay,
            output_bound,
        };
        let shape = weights.shape();
        let tasks = weights.lines_mut().par_chunks_mut(TASK);
        let moments = self.means.lines_mut().par_chunks_mut(TASK);
        let moments = moments.zip(self.squares.lines_mut().par_chunks_mut(TASK));
        tasks.zip(moments).enumerate().for_each(|(task, (weights, (means, squares)))| {
            let numbers = weights.iter_mut().zip(means.iter_mut().zip(squares));
            for (line, (weight, (mean, square))) in (task * TASK..).zip(numbers) {
                let mut gradient = FloatLine::ZERO;
                for part in gradients {
                    let part = &part.lines()[line];
                    for lane in 0..WIDTH {
                        gradient.0[lane] += part.0[lane];
                    }
                }
                step.take(weight, mean, square, &gradient, step.bound(WeightGroup::of(line, shape)));
            }
        });
    }
}

/// The values of one step that are the same for all numbers.
struct Step {
    share: f32,
    rate: f32,
    square_bias: f32,
    kept: f32,
    output_bound: f32,
}

impl Step {
    fn bound(&self, group: WeightGroup) -> f32 {
        match group {
            WeightGroup::Hidden => HIDDEN_BOUND,
            WeightGroup::Output => self.output_bound,
            WeightGroup::Second => SECOND_BOUND,
            WeightGroup::Free => f32::INFINITY,
        }
    }

    #[inline]
    fn take(
        &self,
        weight: &mut FloatLine,
        mean: &mut FloatLine,
        square: &mut FloatLine,
        gradient: &FloatLine,
        bound: f32,
    ) {
        for lane in 0..WIDTH {
            let slope = gradient.0[lane] * self.share;
            mean.0[lane] = MEAN_DECAY * mean.0[lane] + (1.0 - MEAN_DECAY) * slope;
            square.0[lane] = SQUARE_DECAY * square.0[lane] + (1.0 - SQUARE_DECAY) * slope * slope;
            let way = self.rate * mean.0[lane] / ((square.0[lane] * self.square_bias).sqrt() + EPSILON);
            weight.0[lane] = (weight.0[lane] * self.kept - way).clamp(-bound, bound);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Shape = Shape { hidden: 32, buckets: 2, deep: true };

    #[test]
    fn a_bowl_is_descended_to_its_bottom() {
        let mut weights = Weights::random(SMALL, 1);
        let mut adam = AdamW::new(SMALL);
        let mut gradient = Weights::zero(SMALL);
        for step in 0..2_000 {
            for (slope, weight) in gradient.numbers_mut().zip(weights.numbers()) {
                *slope = 8.0 * (weight - 0.5);
            }
            let rate = 0.01 * (1.0 - step as f32 / 2_000.0);
            adam.step(&mut weights, &[&gradient, &gradient], 4, rate, 0.0, 2.0);
        }
        assert!(weights.numbers().all(|weight| (weight - 0.5).abs() < 0.01));
        assert_eq!(adam.steps, 2_000);
    }

    #[test]
    fn weights_stay_within_their_bounds() {
        let mut weights = Weights::zero(SMALL);
        let mut adam = AdamW::new(SMALL);
        let mut gradient = Weights::zero(SMALL);
        gradient.numbers_mut().for_each(|slope| *slope = -1.0);
        for _ in 0..100 {
            adam.step(&mut weights, &[&gradient], 1, 0.1, 0.0, 1.25);
        }
        let parts = weights.parts::<1>();
        assert!(parts.features.iter().all(|block| block[0].0 == [HIDDEN_BOUND; WIDTH]));
        assert!(parts.biases.iter().all(|block| block[0].0 == [HIDDEN_BOUND; WIDTH]));
        assert!(parts.outputs.iter().all(|block| block[0].0 == [1.25; WIDTH]));
        assert!(parts.output_biases.iter().all(|&bias| bias > 5.0));
    }

    #[test]
    fn weights_without_slopes_decay() {
        let mut weights = Weights::random(SMALL, 2);
        let before = weights.clone();
        AdamW::new(SMALL).step(&mut weights, &[&Weights::zero(SMALL)], 1, 0.1, 0.5, 2.0);
        for (weight, before) in weights.numbers().zip(before.numbers()) {
            assert!((weight - 0.95 * before).abs() < 1e-6);
        }
    }
}
