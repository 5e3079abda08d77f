//! The output straight from the first layer: its forward and backward pass.
//!
//! The units' sums are clipped to 0 to 1 and squared. The number of pieces chooses the weights from there to the
//! output.

use super::first_layer::Tiling;
use super::half::HalfLine;
use super::kernel::Task;
use super::position::TrainingPosition;
use super::target::{Target, sigmoid};
use super::vector::Vector;
use super::weights::{FloatLine, WIDTH, Weights, blocks, blocks_mut};

/// Two lines of floats: those of a line of 16-bit numbers.
type Pair = [FloatLine; 2];

/// What the pass over some positions needs.
pub struct DirectOutput<'a> {
    /// The network.
    pub weights: &'a Weights,
    /// The positions.
    pub positions: &'a [TrainingPosition],
    /// What the network should learn of them.
    pub target: &'a Target,
    /// The first layer's sums. If there is a gradient, they become the gradients of the sums.
    pub halves: &'a mut [HalfLine],
    /// To this gradient of the lines behind the first layer that of the positions is added. Without it, only the loss
    /// is computed.
    pub gradient: Option<&'a mut [FloatLine]>,
}

impl Task for DirectOutput<'_> {
    /// The sum of the losses.
    type Output = f64;

    #[inline(always)]
    fn run<V: Vector>(mut self) -> f64 {
        let shape = self.weights.shape();
        let (outputs, biases) = self.weights.head().split_at(shape.output_weights() / WIDTH);
        let outputs = blocks::<2>(outputs);
        let length = outputs.len() / shape.buckets;
        let Tiling { tiles, lines, .. } = Tiling::new(shape);
        let rows = 2 * self.positions.len();
        let mut sum = 0.0;
        for (number, position) in self.positions.iter().enumerate() {
            let bucket = shape.bucket(position.pieces());
            let weights = &outputs[bucket * length..][..length];
            // The lines of both sides in one tile lie behind each other.
            let place = |tile: usize| (tile * rows + 2 * number) * lines;
            let mut totals = [V::splat(0.0); 2];
            for tile in 0..tiles {
                for side in 0..2 {
                    let sums = &self.halves[place(tile) + side * lines..][..lines];
                    let weights = &weights[side * length / 2 + tile * lines..][..lines];
                    for (sums, weights) in sums.iter().zip(weights) {
                        add_products(&mut totals, sums, weights);
                    }
                }
            }
            let total = totals[0].plus(totals[1]).total();
            let odds = self.target.odds(position);
            let prediction = sigmoid(odds * (biases[0].0[bucket] + total));
            let error = prediction - self.target.expected_score(position);
            sum += f64::from(error * error);
            let Some(gradient) = self.gradient.as_deref_mut() else { continue };
            let output_gradient = 2.0 * error * prediction * (1.0 - prediction) * odds;
            let (output_gradients, bias_gradients) = gradient.split_at_mut(2 * outputs.len());
            bias_gradients[0].0[bucket] += output_gradient;
            let output_gradient = V::splat(output_gradient);
            let weight_gradients = &mut blocks_mut::<2>(output_gradients)[bucket * length..][..length];
            for tile in 0..tiles {
                for side in 0..2 {
                    let halves = &mut self.halves[place(tile) + side * lines..][..lines];
                    let first = side * length / 2 + tile * lines;
                    let weights =
                        weights[first..][..lines].iter().zip(&mut weight_gradients[first..][..lines]);
                    for (half, (weights, weight_gradients)) in halves.iter_mut().zip(weights) {
                        *half = backward(half, output_gradient, weights, weight_gradients);
                    }
                }
            }
        }
        sum
    }
}

/// Adds the products of the units' activations and their weights.
#[inline(always)]
fn add_products<V: Vector>(totals: &mut [V; 2], sums: &HalfLine, weights: &Pair) {
    for (part, sums) in V::sums(sums).into_iter().enumerate() {
        let unit = sums.clipped();
        totals[part] = totals[part].plus_product(unit.times(unit), V::load(&weights[part]));
    }
}

/// Adds the gradient of the units' weights, and returns that of their sums. Outside of 0 to 1 it is 0.
#[inline(always)]
fn backward<V: Vector>(
    sums: &HalfLine,
    output_gradient: V,
    weights: &Pair,
    weight_gradients: &mut Pair,
) -> HalfLine {
    let sums = V::sums(sums);
    V::half_line(std::array::from_fn(|part| {
        let unit = sums[part].clipped();
        let weight_gradient = V::load(&weight_gradients[part]);
        weight_gradient.plus_product(unit.times(unit), output_gradient).store(&mut weight_gradients[part]);
        let gradient = output_gradient.times(V::load(&weights[part]));
        gradient.times(unit.plus(unit)).where_inside(sums[part])
    }))
}
