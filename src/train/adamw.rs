//! The optimizer AdamW: Adam with a weight decay that is not part of the gradient (Loshchilov and Hutter, "Decoupled
//! weight decay regularization", 2019). It also keeps the weights within the limits of the quantized network.
//!
//! With several king zones it is also the *factorizer*. A weight of a zone stands for the sum of two numbers: one that
//! all zones share, and the zone's difference from it. Both are learned, so that a zone with few positions still learns
//! from those of the others. The gradient of the shared number is the sum of the zones' gradients, and the gradient of
//! a difference is that of its zone. Only the sums are stored, and nothing is lost by that: how far Adam moves a number
//! depends on its gradients alone, and the decay takes the same share of both numbers. So a step moves each sum by what
//! it would move both numbers. What has to be kept are the moments of the shared numbers.
//!
//! The differences move more slowly than all other numbers. Each of them sees only some of the positions, and Adam's
//! steps are as long for few positions as for many.

use rayon::prelude::*;

use super::weights::{FloatLine, WIDTH, WeightGroup, Weights, zone_lines};
use crate::eval::network::Shape;

/// Share of the past in the running mean of the gradient.
const MEAN_DECAY: f32 = 0.9;
/// Share of the past in the running mean of the squared gradient.
const SQUARE_DECAY: f32 = 0.999;
/// Prevents a division by zero for a number whose gradient has always been zero.
const EPSILON: f32 = 1e-8;

/// The greatest absolute value of the hidden units' weights and biases. The sum over 32 pieces, all of which hang
/// except the kings, then still fits into 16 bits.
pub const HIDDEN_BOUND: f32 = 1.98;
/// The greatest absolute value of a weight of the second hidden layer.
pub const SECOND_BOUND: f32 = 1.98;

/// The number of lines that one task of a thread updates.
const TASK: usize = 256;

/// How far a step may move the weights.
#[derive(Clone, Copy, Debug)]
pub struct StepSize {
    /// About the length of the step of each weight.
    pub rate: f32,
    /// The length of the step of a difference between king zones, as a share of `rate`.
    pub zone_rate: f32,
    /// This number times the rate is the share of each weight that the step takes away.
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
    /// Running means of the gradient of the weights that all king zones share. With one zone there are none.
    pub shared_means: Vec<FloatLine>,
    /// Running means of the squared gradient of the weights that all king zones share.
    pub shared_squares: Vec<FloatLine>,
    /// The number of steps taken.
    pub steps: u64,
}

impl AdamW {
    /// An optimizer for a network of this shape.
    pub fn new(shape: Shape) -> AdamW {
        let shared = vec![FloatLine::ZERO; if shape.zones > 1 { zone_lines(shape) } else { 0 }];
        AdamW {
            means: Weights::zero(shape),
            squares: Weights::zero(shape),
            shared_means: shared.clone(),
            shared_squares: shared,
            steps: 0,
        }
    }

    /// Moves `weights` against the mean gradient. `gradients` are sums over `positions` positions altogether. They are
    /// always added in the same order, whatever the threads do.
    pub fn step(&mut self, weights: &mut Weights, gradients: &[&Weights], positions: usize, size: StepSize) {
        let StepSize { rate, zone_rate, decay, output_bound } = size;
        self.steps += 1;
        let steps = self.steps.min(i32::MAX as u64) as i32;
        let step = Step {
            share: 1.0 / positions as f32,
            rate: rate / (1.0 - MEAN_DECAY.powi(steps)),
            square_bias: 1.0 / (1.0 - SQUARE_DECAY.powi(steps)),
            zone_rate,
            kept: 1.0 - rate * decay,
            output_bound,
            gradients,
        };
        let shape = weights.shape();
        let mut rest = LineRun {
            first: 0,
            weights: weights.lines_mut(),
            means: self.means.lines_mut(),
            squares: self.squares.lines_mut(),
        };
        let zones = if shape.zones > 1 { shape.zones } else { 0 };
        let mut zones: Vec<_> =
            (0..zones).map(|_| rest.split_off_first(zone_lines(shape)).chunks()).collect();
        let shared = self.shared_means.chunks_mut(TASK).zip(self.shared_squares.chunks_mut(TASK));
        let mut tasks: Vec<StepTask<'_>> = shared
            .map(|shared| StepTask {
                runs: zones.iter_mut().filter_map(Iterator::next).collect(),
                shared: Some(shared),
            })
            .collect();
        tasks.extend(rest.chunks().map(|run| StepTask { runs: vec![run], shared: None }));
        tasks.into_par_iter().for_each(|task| step.take(task, shape));
    }
}

/// Lines that follow each other, with their moments.
struct LineRun<'a> {
    /// The number of the first line.
    first: usize,
    weights: &'a mut [FloatLine],
    means: &'a mut [FloatLine],
    squares: &'a mut [FloatLine],
}

impl<'a> LineRun<'a> {
    /// Takes this number of lines off the beginning.
    fn split_off_first(&mut self, count: usize) -> LineRun<'a> {
        let first = |lines: &mut &'a mut [FloatLine]| lines.split_off_mut(..count).expect("enough lines");
        let run = LineRun {
            first: self.first,
            weights: first(&mut self.weights),
            means: first(&mut self.means),
            squares: first(&mut self.squares),
        };
        self.first += count;
        run
    }

    /// The lines in runs of [`TASK`], of which the last may be shorter.
    fn chunks(mut self) -> impl Iterator<Item = LineRun<'a>> {
        std::iter::from_fn(move || {
            let count = self.weights.len().min(TASK);
            (count > 0).then(|| self.split_off_first(count))
        })
    }
}

/// What one thread updates at a time.
struct StepTask<'a> {
    /// The weights of the same inputs in each king zone, or other numbers in a single run.
    runs: Vec<LineRun<'a>>,
    /// The means and squares of the weights that the zones share.
    shared: Option<(&'a mut [FloatLine], &'a mut [FloatLine])>,
}

/// The values of one step that are the same for all numbers.
struct Step<'a> {
    share: f32,
    rate: f32,
    zone_rate: f32,
    square_bias: f32,
    kept: f32,
    output_bound: f32,
    gradients: &'a [&'a Weights],
}

impl Step<'_> {
    fn bound(&self, group: WeightGroup) -> f32 {
        match group {
            WeightGroup::Hidden => HIDDEN_BOUND,
            WeightGroup::Output => self.output_bound,
            WeightGroup::Second => SECOND_BOUND,
            WeightGroup::Free => f32::INFINITY,
        }
    }

    /// Updates the lines of `task`, one place after the other.
    fn take(&self, mut task: StepTask<'_>, shape: Shape) {
        let places = task.runs.first().map_or(0, |run| run.weights.len());
        for place in 0..places {
            let shared_way = task.shared.as_mut().map(|(means, squares)| {
                let zones = task.runs.iter().map(|run| run.first + place);
                self.way(&mut means[place], &mut squares[place], &self.gradient(zones))
            });
            for run in &mut task.runs {
                let line = run.first + place;
                let gradient = self.gradient([line]);
                let mut way = self.way(&mut run.means[place], &mut run.squares[place], &gradient);
                if let Some(shared_way) = shared_way {
                    for lane in 0..WIDTH {
                        way.0[lane] = self.zone_rate * way.0[lane] + shared_way.0[lane];
                    }
                }
                self.walk(&mut run.weights[place], &way, self.bound(WeightGroup::of(line, shape)));
            }
        }
    }

    /// The sum of all parts' gradients over these lines.
    #[inline]
    fn gradient(&self, lines: impl IntoIterator<Item = usize>) -> FloatLine {
        let mut sum = FloatLine::ZERO;
        for line in lines {
            for part in self.gradients {
                add(&mut sum, &part.lines()[line]);
            }
        }
        sum
    }

    /// Updates the moments, and returns how far the step moves the numbers.
    #[inline]
    fn way(&self, mean: &mut FloatLine, square: &mut FloatLine, gradient: &FloatLine) -> FloatLine {
        let mut way = FloatLine::ZERO;
        for lane in 0..WIDTH {
            let slope = gradient.0[lane] * self.share;
            mean.0[lane] = MEAN_DECAY * mean.0[lane] + (1.0 - MEAN_DECAY) * slope;
            square.0[lane] = SQUARE_DECAY * square.0[lane] + (1.0 - SQUARE_DECAY) * slope * slope;
            way.0[lane] = self.rate * mean.0[lane] / ((square.0[lane] * self.square_bias).sqrt() + EPSILON);
        }
        way
    }

    /// Moves the weights against their gradient.
    #[inline]
    fn walk(&self, weight: &mut FloatLine, way: &FloatLine, bound: f32) {
        for lane in 0..WIDTH {
            weight.0[lane] = (weight.0[lane] * self.kept - way.0[lane]).clamp(-bound, bound);
        }
    }
}

#[inline]
fn add(sum: &mut FloatLine, other: &FloatLine) {
    for lane in 0..WIDTH {
        sum.0[lane] += other.0[lane];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Shape = Shape { hidden: 32, zones: 1, hanging: false, buckets: 2, deep: true };

    fn size(rate: f32, decay: f32, output_bound: f32) -> StepSize {
        StepSize { rate, zone_rate: 0.25, decay, output_bound }
    }

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
            adam.step(&mut weights, &[&gradient, &gradient], 4, size(rate, 0.0, 2.0));
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
            adam.step(&mut weights, &[&gradient], 1, size(0.1, 0.0, 1.25));
        }
        let parts = weights.parts::<1>();
        assert!(parts.features.iter().all(|block| block[0].0 == [HIDDEN_BOUND; WIDTH]));
        assert!(parts.biases.iter().all(|block| block[0].0 == [HIDDEN_BOUND; WIDTH]));
        assert!(parts.outputs.iter().all(|block| block[0].0 == [1.25; WIDTH]));
        assert!(parts.output_biases.iter().all(|&bias| bias > 5.0));
    }

    /// The factorizer by its definition: shared weights and differences are numbers of their own, each with its own
    /// moments, and the network has their sums.
    #[test]
    fn a_step_with_zones_is_that_of_shared_weights_and_differences() {
        let shape = Shape { hidden: 32, zones: 3, hanging: true, buckets: 1, deep: false };
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
            let mut gradients = [seed, seed + 100].map(|seed| Weights::random(shape, seed));
            for gradient in &mut gradients {
                gradient.lines_mut()[zone..2 * zone].iter_mut().for_each(|line| line.0.reverse());
                gradient.lines_mut()[2 * zone..3 * zone].fill(FloatLine::ZERO);
            }
            let whole = size(0.01, 0.1, 2.0);
            adam.step(&mut weights, &gradients.each_ref(), 7, whole);
            let parts = [0, 1, 2].map(|number| {
                let mut part = Weights::zero(single);
                for gradient in &gradients {
                    let lines = &gradient.lines()[number * zone..][..zone];
                    part.lines_mut().iter_mut().zip(lines).for_each(|(sum, line)| add(sum, line));
                }
                part
            });
            shared_adam.step(&mut shared, &parts.each_ref(), 7, whole);
            for ((adam, difference), part) in difference_adams.iter_mut().zip(&mut differences).zip(&parts) {
                // The decay is the same, although the steps are shorter.
                let (rate, decay) = (whole.rate * whole.zone_rate, whole.decay / whole.zone_rate);
                adam.step(difference, &[part], 7, StepSize { rate, decay, ..whole });
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

    /// The step is the plain one of Adam to the bit.
    #[test]
    fn one_zone_has_no_factorizer() {
        let mut adam = AdamW::new(SMALL);
        assert!(adam.shared_means.is_empty() && adam.shared_squares.is_empty());
        let (mut weights, gradient) = (Weights::random(SMALL, 1), Weights::random(SMALL, 2));
        let before = weights.clone();
        let (rate, decay) = (0.01, 0.1);
        adam.step(&mut weights, &[&gradient], 2, size(rate, decay, 2.0));
        for ((weight, before), gradient) in weights.numbers().zip(before.numbers()).zip(gradient.numbers()) {
            let slope = gradient * 0.5;
            let mean = (1.0 - MEAN_DECAY) * slope;
            let square = (1.0 - SQUARE_DECAY) * slope * slope;
            let root = (square * (1.0 / (1.0 - SQUARE_DECAY))).sqrt() + EPSILON;
            assert_eq!(weight, before * (1.0 - rate * decay) - rate / (1.0 - MEAN_DECAY) * mean / root);
        }
    }

    #[test]
    fn weights_without_slopes_decay() {
        let mut weights = Weights::random(SMALL, 2);
        let before = weights.clone();
        AdamW::new(SMALL).step(&mut weights, &[&Weights::zero(SMALL)], 1, size(0.1, 0.5, 2.0));
        for (weight, before) in weights.numbers().zip(before.numbers()) {
            assert!((weight - 0.95 * before).abs() < 1e-6);
        }
    }
}
