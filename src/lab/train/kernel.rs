//! The forward pass and the backward pass, for one position after another.
//!
//! About forty of 1,536 inputs are active, so both passes add rows. The forward pass adds rows of weights to the
//! accumulators. The backward pass adds the gradient of the accumulators to the gradient row of each input. A row is
//! divided into blocks. A block stays in registers while the loop goes over a position's inputs. The remaining cost is
//! the traffic with the second-level cache. So a gradient and the weights should fit into this cache together.
//!
//! The code is plain Rust over fixed-size arrays and is compiled for several instruction sets. Each lane has a sum of
//! its own, and no multiplication is fused with an addition. So all variants give exactly the same numbers.

use super::activation::activation_derivative;
use super::position::{Inputs, TrainingPosition};
use super::tail::{self, ForwardPass};
use super::target::{Target, sigmoid};
use super::vector::Vector;
#[cfg(target_arch = "x86_64")]
use super::vector::{Avx2, Avx512};
use super::weights::{FloatLine, Parts, WIDTH, Weights};
use crate::engine::eval::network::{HIDDEN_LIMIT, LANES};

/// Lines of a block if the number of hidden units allows it: 64 floats. That is a quarter of AVX-512's registers and
/// half of AVX2's.
const WIDE: usize = 4;
/// Lines of a block that is possible with every network.
const NARROW: usize = LANES / WIDTH;

/// The number of positions that are fetched together. They lie at random places in memory. This way the processor waits
/// for many of them at once instead of for each of them.
const FETCHED: usize = 16;

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
            if is_x86_feature_detected!("avx512f") {
                kernels.push(Kernel(Instructions::Avx512));
            }
            if is_x86_feature_detected!("avx2") {
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

    /// Adds the gradient of the summed loss over the positions at `indices` to `gradient`, and returns the summed loss.
    /// A loss is the squared error of the predicted score of a game.
    pub fn accumulate(
        self,
        weights: &Weights,
        positions: &[TrainingPosition],
        indices: &[u32],
        target: &Target,
        gradient: &mut Weights,
    ) -> f64 {
        match self.0 {
            Instructions::Portable => {
                accumulate::<[f32; WIDTH]>(weights, positions, indices, target, gradient)
            }
            // SAFETY: `available` makes this value only if the processor has the instructions. They make training 1.5
            // times as fast as the portable build (128 hidden units, one thread).
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => unsafe { accumulate_avx2(weights, positions, indices, target, gradient) },
            // SAFETY: as above. These make training faster by another factor of 1.3.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => unsafe {
                accumulate_avx512(weights, positions, indices, target, gradient)
            },
        }
    }

    /// The sum of the losses over `positions`.
    pub fn loss(self, weights: &Weights, positions: &[TrainingPosition], target: &Target) -> f64 {
        match self.0 {
            Instructions::Portable => loss::<[f32; WIDTH]>(weights, positions, target),
            // SAFETY: `available` makes this value only if the processor has the instructions.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => unsafe { loss_avx2(weights, positions, target) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => unsafe { loss_avx512(weights, positions, target) },
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn accumulate_avx2(
    weights: &Weights,
    positions: &[TrainingPosition],
    indices: &[u32],
    target: &Target,
    gradient: &mut Weights,
) -> f64 {
    accumulate::<Avx2>(weights, positions, indices, target, gradient)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn accumulate_avx512(
    weights: &Weights,
    positions: &[TrainingPosition],
    indices: &[u32],
    target: &Target,
    gradient: &mut Weights,
) -> f64 {
    accumulate::<Avx512>(weights, positions, indices, target, gradient)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn loss_avx2(weights: &Weights, positions: &[TrainingPosition], target: &Target) -> f64 {
    loss::<Avx2>(weights, positions, target)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn loss_avx512(weights: &Weights, positions: &[TrainingPosition], target: &Target) -> f64 {
    loss::<Avx512>(weights, positions, target)
}

/// The compiler inlines this function into each variant, and so compiles it with that variant's instructions.
#[inline(always)]
fn accumulate<V: Vector>(
    weights: &Weights,
    positions: &[TrainingPosition],
    indices: &[u32],
    target: &Target,
    gradient: &mut Weights,
) -> f64 {
    if weights.shape().hidden.is_multiple_of(WIDE * WIDTH) {
        accumulate_blocks::<V, WIDE>(weights, positions, indices, target, gradient)
    } else {
        accumulate_blocks::<V, NARROW>(weights, positions, indices, target, gradient)
    }
}

#[inline(always)]
fn loss<V: Vector>(weights: &Weights, positions: &[TrainingPosition], target: &Target) -> f64 {
    if weights.shape().hidden.is_multiple_of(WIDE * WIDTH) {
        loss_blocks::<V, WIDE>(weights, positions, target)
    } else {
        loss_blocks::<V, NARROW>(weights, positions, target)
    }
}

/// The hidden units' sums of both perspectives. There is room for the largest network in the smallest blocks.
type HiddenSums<const N: usize> = [[FloatLine; N]; 2 * HIDDEN_LIMIT / LANES];

#[inline(always)]
fn accumulate_blocks<V: Vector, const N: usize>(
    weights: &Weights,
    positions: &[TrainingPosition],
    indices: &[u32],
    target: &Target,
    gradient: &mut Weights,
) -> f64 {
    let shape = weights.shape();
    let parts = weights.parts::<N>();
    let mut gradients = gradient.parts_mut::<N>();
    let blocks = parts.biases.len();
    let mut accumulators: HiddenSums<N> = [[FloatLine::ZERO; N]; 2 * HIDDEN_LIMIT / LANES];
    let mut hidden_gradient: HiddenSums<N> = [[FloatLine::ZERO; N]; 2 * HIDDEN_LIMIT / LANES];
    let mut pass = ForwardPass::EMPTY;
    let mut fetched = [positions[0]; FETCHED];
    let mut sum = 0.0;
    for group in indices.chunks(FETCHED) {
        for (position, &index) in fetched.iter_mut().zip(group) {
            *position = positions[index as usize];
        }
        for position in &fetched[..group.len()] {
            let inputs = position.inputs(shape);
            let bucket = shape.bucket(inputs.count());
            let prediction = sigmoid(forward::<V, N>(&parts, &inputs, bucket, &mut accumulators, &mut pass));
            let error = prediction - target.expected_score(position);
            sum += f64::from(error * error);
            let output_gradient = 2.0 * error * prediction * (1.0 - prediction);
            gradients.output_biases[bucket] += output_gradient;
            let outputs = 2 * blocks * bucket..2 * blocks * (bucket + 1);
            set_hidden_gradient::<V, N>(
                output_gradient,
                &parts.outputs[outputs.clone()],
                &mut hidden_gradient,
            );
            if let (Some(tail), Some(mut tail_gradient)) =
                (parts.tails.of(bucket), gradients.tails.of_mut(bucket))
            {
                let hidden_gradient = hidden_gradient.as_flattened_mut();
                tail::backward::<V>(&tail, output_gradient, &pass, &mut tail_gradient, hidden_gradient);
            }
            let weight_gradients = &mut gradients.outputs[outputs];
            for (side, list) in inputs.lists().into_iter().enumerate() {
                for block in 0..blocks {
                    let index = side * blocks + block;
                    let accumulator_gradient = backpropagate(
                        output_gradient,
                        &accumulators[index],
                        &hidden_gradient[index],
                        &mut weight_gradients[index],
                    );
                    add(&mut gradients.biases[block], &accumulator_gradient);
                    for &input in list {
                        let row = usize::from(input) * blocks;
                        add(&mut gradients.features[row + block], &accumulator_gradient);
                    }
                }
            }
        }
    }
    sum
}

#[inline(always)]
fn loss_blocks<V: Vector, const N: usize>(
    weights: &Weights,
    positions: &[TrainingPosition],
    target: &Target,
) -> f64 {
    let shape = weights.shape();
    let parts = weights.parts::<N>();
    let mut accumulators: HiddenSums<N> = [[FloatLine::ZERO; N]; 2 * HIDDEN_LIMIT / LANES];
    let mut pass = ForwardPass::EMPTY;
    let mut sum = 0.0;
    for position in positions {
        let inputs = position.inputs(shape);
        let bucket = shape.bucket(inputs.count());
        let prediction = sigmoid(forward::<V, N>(&parts, &inputs, bucket, &mut accumulators, &mut pass));
        let error = prediction - target.expected_score(position);
        sum += f64::from(error * error);
    }
    sum
}

/// Fills the accumulators and the tail's sums, and returns the output of `bucket`.
#[inline(always)]
fn forward<V: Vector, const N: usize>(
    parts: &Parts<'_, N>,
    inputs: &Inputs,
    bucket: usize,
    accumulators: &mut HiddenSums<N>,
    pass: &mut ForwardPass,
) -> f32 {
    let blocks = parts.biases.len();
    let mut sums = [FloatLine::ZERO; N];
    for (side, list) in inputs.lists().into_iter().enumerate() {
        for block in 0..blocks {
            let mut accumulator = parts.biases[block];
            for &input in list {
                add(&mut accumulator, &parts.features[usize::from(input) * blocks + block]);
            }
            let index = side * blocks + block;
            let outputs = &parts.outputs[2 * blocks * bucket + index];
            for line in 0..N {
                sums[line] = multiply_add(sums[line], accumulator[line], outputs[line]);
            }
            accumulators[index] = accumulator;
        }
    }
    let direct = parts.output_biases[bucket] + total::<V, N>(&sums);
    match parts.tails.of(bucket) {
        None => direct,
        Some(tail) => direct + tail::forward::<V>(&tail, accumulators.as_flattened(), pass),
    }
}

/// Returns `sum` plus the products of the units' activations and `factors`. Whole lines are passed by value here and
/// below, because otherwise the compiler works on one lane at a time.
#[inline(always)]
fn multiply_add(mut sum: FloatLine, accumulator: FloatLine, factors: FloatLine) -> FloatLine {
    for lane in 0..WIDTH {
        let unit = accumulator.0[lane].clamp(0.0, 1.0);
        sum.0[lane] += unit * unit * factors.0[lane];
    }
    sum
}

/// Sets the gradient of the first layer's activations to what the direct connections to the output contribute.
#[inline(always)]
fn set_hidden_gradient<V: Vector, const N: usize>(
    output_gradient: f32,
    outputs: &[[FloatLine; N]],
    hidden_gradient: &mut HiddenSums<N>,
) {
    let output_gradient = V::splat(output_gradient);
    for (gradients, weights) in hidden_gradient.iter_mut().zip(outputs) {
        for (gradient, weight) in gradients.iter_mut().zip(weights) {
            V::splat(0.0).plus_product(output_gradient, V::load(weight)).store(gradient);
        }
    }
}

/// Backpropagates through a block of hidden units. Returns the gradient of their accumulator, and adds the gradient of
/// their output weights to `weight_gradient`.
#[inline(always)]
fn backpropagate<const N: usize>(
    output_gradient: f32,
    accumulator: &[FloatLine; N],
    hidden_gradient: &[FloatLine; N],
    weight_gradient: &mut [FloatLine; N],
) -> [FloatLine; N] {
    let output_gradient = FloatLine([output_gradient; WIDTH]);
    let mut accumulator_gradient = [FloatLine::ZERO; N];
    for line in 0..N {
        weight_gradient[line] = multiply_add(weight_gradient[line], accumulator[line], output_gradient);
        accumulator_gradient[line] = activation_gradient(hidden_gradient[line], accumulator[line]);
    }
    accumulator_gradient
}

/// Backpropagates one line through the activation function.
#[inline(always)]
fn activation_gradient(hidden_gradient: FloatLine, accumulator: FloatLine) -> FloatLine {
    let mut gradient = activation_derivative(accumulator);
    for lane in 0..WIDTH {
        gradient.0[lane] *= hidden_gradient.0[lane];
    }
    gradient
}

#[inline(always)]
fn add<const N: usize>(sum: &mut [FloatLine; N], other: &[FloatLine; N]) {
    for line in 0..N {
        for lane in 0..WIDTH {
            sum[line].0[lane] += other[line].0[lane];
        }
    }
}

/// The sum of all lanes, always in the same order.
#[inline(always)]
fn total<V: Vector, const N: usize>(lines: &[FloatLine; N]) -> f32 {
    let one = V::splat(1.0);
    lines[1..].iter().fold(V::load(&lines[0]), |sum, line| sum.plus_product(V::load(line), one)).total()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::engine::eval::network::features::FEATURES;
    use crate::engine::eval::network::{SECOND, Shape, THIRD};
    use crate::lab::train::position::tests::random_positions;

    const TARGET: Target = Target { wdl: 0.3, scale: 300.0 };

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
        let mut first = Vec::new();
        for (side, list) in inputs.lists().into_iter().enumerate() {
            for unit in 0..shape.hidden {
                let row = |input: &u16| wide(&parts.features[usize::from(*input) * lines..], unit);
                let sum = wide(parts.biases, unit) + list.iter().map(row).sum::<f64>();
                let activation = sum.clamp(0.0, 1.0).powi(2);
                output += activation * wide(&parts.outputs[(2 * bucket + side) * lines..], unit);
                first.push(activation);
            }
        }
        if let Some(tail) = parts.tails.of(bucket) {
            let number = |line: &FloatLine, lane: usize| f64::from(line.0[lane]);
            let layer = |width: usize, sum: &dyn Fn(usize) -> f64| -> Vec<f64> {
                (0..width).map(|unit| sum(unit).clamp(0.0, 1.0).powi(2)).collect()
            };
            let second = layer(SECOND, &|unit| {
                let products = first.iter().enumerate();
                let weight = |input: usize| number(&tail.seconds[input / WIDTH][unit], input % WIDTH);
                number(tail.second_biases, unit) + products.map(|(i, x)| x * weight(i)).sum::<f64>()
            });
            let third = layer(THIRD, &|unit| {
                let weight = |input: usize| number(&tail.thirds[input][unit / WIDTH], unit % WIDTH);
                let products = second.iter().enumerate();
                number(&tail.third_biases[unit / WIDTH], unit % WIDTH)
                    + products.map(|(i, x)| x * weight(i)).sum::<f64>()
            });
            let weight = |unit: usize| number(&tail.outputs[unit / WIDTH], unit % WIDTH);
            output += third.iter().enumerate().map(|(unit, x)| x * weight(unit)).sum::<f64>();
        }
        output
    }

    fn plain_loss(weights: &Weights, position: &TrainingPosition, target: &Target) -> f64 {
        let prediction = 1.0 / (1.0 + (-plain_output(weights, position)).exp());
        (prediction - f64::from(target.expected_score(position))).powi(2)
    }

    #[test]
    fn the_gradient_is_the_derivative_of_the_plain_loss() {
        let positions = positions(6, 3);
        let shape =
            Shape { hidden: LANES, zones: 2, hanging: true, threats: true, buckets: 2, products: false };
        let mut weights = Weights::random(shape, 4);
        // A training begins with equal zones. Here they differ, so that it shows if one is taken for the other.
        let second_zone = FEATURES * LANES..2 * FEATURES * LANES;
        weights
            .numbers_mut()
            .skip(second_zone.start)
            .take(second_zone.len())
            .for_each(|weight| *weight *= -0.5);
        let mut gradient = Weights::zero(shape);
        let indices: Vec<u32> = (0..6).collect();
        let sum = Kernel::fastest().accumulate(&weights, &positions, &indices, &TARGET, &mut gradient);
        let plain = |weights: &Weights| -> f64 {
            positions.iter().map(|position| plain_loss(weights, position, &TARGET)).sum()
        };
        assert!((sum - plain(&weights)).abs() < 1e-5, "{sum}");
        let used = weights.numbers().count() - (WIDTH - 1);
        let mut nonzero = 0;
        for (number, found) in gradient.numbers().enumerate().take(used) {
            // The test checks all biases and output weights, which come last, and some weights of the inputs.
            if number < used - 3 * LANES && number % 7 != 0 {
                continue;
            }
            let step = 1e-4_f32;
            let [above, below] = [step, -step].map(|step| {
                let mut moved = weights.clone();
                *moved.numbers_mut().nth(number).unwrap() += step;
                let value = moved.numbers().nth(number).unwrap();
                (plain(&moved), f64::from(value))
            });
            let derivative = (above.0 - below.0) / (above.1 - below.1);
            // A unit may cross 0 or 1 between the two. Then its derivative is wrong by as much as the step.
            assert!(
                (derivative - f64::from(found)).abs() < 1e-4,
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
            let (hanging, threats) = (zones > 1, zones > 2);
            let shape = Shape { hidden, zones, hanging, threats, buckets: 8, products: false };
            let weights = Weights::random(shape, 6);
            let run = |kernel: Kernel| {
                let mut gradient = Weights::zero(shape);
                let sum = kernel.accumulate(&weights, &positions, &indices, &TARGET, &mut gradient);
                (sum, gradient, kernel.loss(&weights, &positions, &TARGET))
            };
            let expected = run(Kernel(Instructions::Portable));
            assert!((expected.0 - expected.2).abs() < 1e-9);
            for kernel in Kernel::available() {
                assert_eq!(run(kernel), expected, "{kernel:?} with {hidden} units");
            }
        }
    }
}
