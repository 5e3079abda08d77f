//! The instruction sets that the training's computations are compiled for.
//!
//! Each lane has a sum of its own, and the same multiplications are fused with additions. So all variants give exactly
//! the same numbers.

#[cfg(target_arch = "x86_64")]
use super::avx2::Avx2;
#[cfg(target_arch = "x86_64")]
use super::avx512::Avx512;
use super::vector::Vector;
use super::weights::WIDTH;

/// Work that is compiled for each instruction set.
pub trait Task {
    /// The result of the work.
    type Output;

    /// Does the work with vectors of this type. Implementations must be marked as `inline(always)`: only so they are
    /// compiled with the instructions of the function that calls them.
    fn run<V: Vector>(self) -> Self::Output;
}

/// The instruction set of the computation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kernel(Instructions);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Instructions {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Kernel {
    /// All instruction sets that this processor can run, the fastest first.
    pub fn available() -> Vec<Kernel> {
        let mut kernels = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            let has_words = is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vl");
            if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq") && has_words {
                kernels.push(Kernel(Instructions::Avx512));
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                kernels.push(Kernel(Instructions::Avx2));
            }
        }
        kernels.push(Kernel(Instructions::Portable));
        kernels
    }

    /// The fastest instruction set of this processor.
    pub fn fastest() -> Kernel {
        Kernel::available()[0]
    }

    /// Does the work with these instructions.
    #[inline]
    pub fn run<T: Task>(self, task: T) -> T::Output {
        match self.0 {
            Instructions::Portable => task.run::<[f32; WIDTH]>(),
            // SAFETY: `available` makes this value only if the processor has the instructions. They made an earlier
            // form of the training 1.5 times as fast as the portable build (128 hidden units, one thread).
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => unsafe { run_avx2(task) },
            // SAFETY: as above. These made it faster by another factor of 1.3.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => unsafe { run_avx512(task) },
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn run_avx2<T: Task>(task: T) -> T::Output {
    task.run::<Avx2>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn run_avx512<T: Task>(task: T) -> T::Output {
    task.run::<Avx512>()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::engine::eval::network::features::FEATURES;
    use crate::engine::eval::network::{HIDDEN_LIMIT, LANES, SECOND, Shape, THIRD};
    use crate::engine::eval::unit::Unit;
    use crate::lab::train::batch::Batch;
    use crate::lab::train::half::UNIT;
    use crate::lab::train::position::TrainingPosition;
    use crate::lab::train::position::tests::random_positions;
    use crate::lab::train::target::Target;
    use crate::lab::train::weights::{FloatLine, OUTPUTS, THIRD_BIASES, THIRDS, Weights, product_parts};

    const TARGET: Target = Target { wdl: 0.3, scale: 300.0, unit: Unit::SEARCH };

    fn positions(count: usize, seed: u64) -> Vec<TrainingPosition> {
        random_positions(count, seed).into_iter().map(|(_, position)| position).collect()
    }

    /// The output for one position, computed by the definition in double precision.
    pub fn plain_output(weights: &Weights, position: &TrainingPosition) -> f64 {
        let parts = weights.parts::<1>();
        let lines = parts.biases.len();
        let shape = weights.shape();
        let inputs = position.inputs(shape);
        let bucket = shape.bucket(inputs.count());
        let wide =
            |blocks: &[[FloatLine; 1]], unit: usize| f64::from(blocks[unit / WIDTH][0].0[unit % WIDTH]);
        let mut output = f64::from(parts.output_biases[bucket]);
        let mut products = Vec::new();
        for (side, list) in inputs.lists().into_iter().enumerate() {
            let unit = |unit: usize| {
                let row = |input: &u16| wide(&parts.features[usize::from(*input) * lines..], unit);
                (wide(parts.biases, unit) + list.iter().map(row).sum::<f64>()).clamp(0.0, 1.0)
            };
            if shape.products {
                let half = shape.hidden / 2;
                products.extend((0..half).map(|index| unit(index) * unit(index + half)));
            } else {
                let outputs = &parts.outputs[(2 * bucket + side) * lines..];
                output +=
                    (0..shape.hidden).map(|index| unit(index).powi(2) * wide(outputs, index)).sum::<f64>();
            }
        }
        if shape.products { output + plain_tail(weights, bucket, &products) } else { output }
    }

    /// What the layers behind the products add to the output.
    fn plain_tail(weights: &Weights, bucket: usize, products: &[f64]) -> f64 {
        let shape = weights.shape();
        let (seconds, _, tails) = product_parts(shape, weights.head());
        let (seconds, tail) = (&seconds[bucket * shape.hidden / WIDTH..], &tails[bucket]);
        let number = |lines: &[FloatLine], index: usize| f64::from(lines[index / WIDTH].0[index % WIDTH]);
        let activated = |sum: f64| sum.clamp(0.0, 1.0).powi(2);
        let second = (0..SECOND).map(|unit| {
            let weight = |input: usize| number(&seconds[input / WIDTH][unit..], input % WIDTH);
            let products = products.iter().enumerate().map(|(input, product)| product * weight(input));
            activated(number(tail, unit) + products.sum::<f64>())
        });
        let second: Vec<f64> = second.collect();
        let third = (0..THIRD).map(|unit| {
            let weight = |input: usize| number(&tail[THIRDS..], input * THIRD + unit);
            let products = second.iter().enumerate().map(|(input, second)| second * weight(input));
            activated(number(&tail[THIRD_BIASES..], unit) + products.sum::<f64>())
        });
        third.enumerate().map(|(unit, third)| third * number(&tail[OUTPUTS..], unit)).sum()
    }

    fn plain_loss(weights: &Weights, position: &TrainingPosition, target: &Target) -> f64 {
        let odds = f64::from(target.odds(position)) * plain_output(weights, position);
        let prediction = 1.0 / (1.0 + (-odds).exp());
        (prediction - f64::from(target.expected_score(position))).powi(2)
    }

    #[test]
    fn the_gradient_is_the_derivative_of_the_plain_loss() {
        let shape = Shape { hidden: LANES, zones: 2, hanging: true, buckets: 2, products: false };
        assert_gradient(shape);
        // Of some positions four are computed together, of others each on its own.
        let products = Shape { hidden: 2 * LANES, products: true, ..shape };
        assert_gradient(products);
    }

    fn assert_gradient(shape: Shape) {
        let positions = positions(7, 3);
        let mut weights = Weights::random(shape, 4);
        // A training begins with equal zones. Here they differ, so that it shows if one is taken for the other.
        let second_zone = FEATURES * shape.hidden..2 * FEATURES * shape.hidden;
        weights
            .numbers_mut()
            .skip(second_zone.start)
            .take(second_zone.len())
            .for_each(|weight| *weight *= -0.5);
        // The first layer's weights are whole, so that rounding changes nothing.
        let unit = UNIT as f32;
        weights
            .numbers_mut()
            .take(shape.hidden_numbers())
            .for_each(|weight| *weight = (*weight * unit).round() / unit);
        let mut batch = Batch::new(shape, Kernel::fastest());
        let indices: Vec<u32> = (0..7).collect();
        let sum = batch.differentiate(&weights, &positions, &indices, &TARGET);
        let gradient = (0..weights.lines().len()).flat_map(|line| batch.gradient().line(line).0);
        let plain = |weights: &Weights| -> f64 {
            positions.iter().map(|position| plain_loss(weights, position, &TARGET)).sum()
        };
        assert!((sum - plain(&weights)).abs() < 1e-5, "{sum}");
        let mut nonzero = 0;
        let mut moved = weights.clone();
        for (number, found) in gradient.enumerate() {
            // The test checks the biases and all numbers behind them, and some weights of the inputs.
            if number < shape.inputs() * shape.hidden && number % 37 != 0 {
                continue;
            }
            let place = (number / WIDTH, number % WIDTH);
            let set = |weights: &mut Weights, number| weights.lines_mut()[place.0].0[place.1] = number;
            let before = weights.lines()[place.0].0[place.1];
            let step = 1e-4_f32;
            let [above, below] = [before + step, before - step].map(|value| {
                set(&mut moved, value);
                (plain(&moved), f64::from(value))
            });
            set(&mut moved, before);
            let derivative = (above.0 - below.0) / (above.1 - below.1);
            // The gradients of the sums have eight bits. A unit may cross 0 or 1 between the two points. Then its
            // derivative is wrong by as much as the step.
            assert!(
                (derivative - f64::from(found)).abs() < 2e-4 + 0.005 * derivative.abs(),
                "number {number}: {derivative}, not {found}"
            );
            nonzero += usize::from(derivative.abs() > 1e-3);
        }
        assert!(nonzero > 100, "only {nonzero} derivatives were not zero");
    }

    #[test]
    fn all_instruction_sets_compute_the_same_bits() {
        let positions = positions(100, 5);
        let indices: Vec<u32> = (0..100).rev().collect();
        for (hidden, zones) in [(LANES, 1), (2 * LANES, 4), (3 * LANES, 2), (HIDDEN_LIMIT, 1)] {
            let (hanging, products) = (zones > 1, hidden > 3 * LANES || zones == 4);
            let shape = Shape { hidden, zones, hanging, buckets: 8, products };
            let weights = Weights::random(shape, 6);
            let run = |kernel: Kernel| {
                let mut batch = Batch::new(shape, kernel);
                let sum = batch.differentiate(&weights, &positions, &indices, &TARGET);
                let line = |index| *batch.gradient().line(index);
                let gradient: Vec<FloatLine> = (0..weights.lines().len()).map(line).collect();
                (sum, gradient, batch.losses(&weights, &positions, 100, &TARGET))
            };
            let expected = run(Kernel(Instructions::Portable));
            assert!((expected.0 - expected.2[0]).abs() < 1e-9);
            for kernel in Kernel::available() {
                assert!(run(kernel) == expected, "{kernel:?} with {hidden} units");
            }
        }
    }
}
