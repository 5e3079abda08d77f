//! The output by way of products: their forward and backward pass.
//!
//! The first layer's sums are clipped to 0 to 1. The first half of each side's units is multiplied by the second half.
//! The products lead to the output by two layers, whose sums are clipped to 0 to 1 and squared. Each bucket has its own
//! layers. Some positions are computed together, so that a weight is read once for all of them.

use super::first_layer::Tiling;
use super::half::{HALVES, HalfLine};
use super::kernel::Task;
use super::position::TrainingPosition;
use super::target::{Target, sigmoid};
use super::vector::Vector;
use super::weights::{
    FloatLine, OUTPUTS, THIRD_BIASES, THIRD_LINES, THIRDS, TailWeights, WIDTH, Weights, product_parts,
    product_parts_mut,
};
use crate::engine::eval::network::tail::PRODUCT_SHIFT;
use crate::engine::eval::network::{HIDDEN_LIMIT, QA, SECOND, Shape};

/// The number of positions that are computed together.
const GROUP: usize = 4;
/// The number of units of the second layer whose sums are computed together. With the positions of a group there are so
/// many sums that the processor need not wait for one addition before it begins the next.
const UNITS: usize = 4;

/// The products of a position: the side to move's, then those of the other side.
type Products = [FloatLine; HIDDEN_LIMIT / WIDTH];

/// What the pass over some positions needs. The fields are those of [`super::direct::DirectOutput`].
pub struct ProductsOutput<'a> {
    /// The network.
    pub weights: &'a Weights,
    /// The positions, in the order of their buckets.
    pub positions: &'a [TrainingPosition],
    /// What the network should learn of them.
    pub target: &'a Target,
    /// The first layer's sums. If there is a gradient, they become the gradients of the sums.
    pub halves: &'a mut [HalfLine],
    /// To this gradient of the lines behind the first layer that of the positions is added. Without it, only the loss
    /// is computed.
    pub gradient: Option<&'a mut [FloatLine]>,
    /// Whether the products lose the bits that the engine drops. Their gradients do not change.
    pub cuts_products: bool,
}

impl Task for ProductsOutput<'_> {
    /// The sum of the losses.
    type Output = f64;

    #[inline(always)]
    fn run<V: Vector>(mut self) -> f64 {
        let shape = self.weights.shape();
        let places = ProductPlaces { tiling: Tiling::new(shape), rows: 2 * self.positions.len() };
        let bucket = |position: &TrainingPosition| shape.bucket(position.pieces());
        let mut products = [[FloatLine::ZERO; HIDDEN_LIMIT / WIDTH]; GROUP];
        let (mut sum, mut number) = (0.0, 0);
        while number < self.positions.len() {
            let first = bucket(&self.positions[number]);
            let group = self.positions[number..].iter().take(GROUP);
            let count = group.take_while(|position| bucket(position) == first).count();
            if count == GROUP {
                sum += self.pass::<V, GROUP>(shape, places, first, number, &mut products);
                number += GROUP;
            } else {
                for number in number..number + count {
                    let products = products.first_chunk_mut().expect("a group has a position");
                    sum += self.pass::<V, 1>(shape, places, first, number, products);
                }
                number += count;
            }
        }
        sum
    }
}

/// Where the sums of positions lie.
#[derive(Clone, Copy)]
struct ProductPlaces {
    tiling: Tiling,
    /// The number of rows of each tile.
    rows: usize,
}

impl ProductPlaces {
    /// The index of a line of a row's sums.
    #[inline(always)]
    fn of(self, row: usize, line: usize) -> usize {
        let Tiling { lines, .. } = self.tiling;
        (line / lines * self.rows + row) * lines + line % lines
    }
}

impl ProductsOutput<'_> {
    /// Computes the positions from `number` on, which all have the same bucket. Returns the sum of their losses.
    #[inline(always)]
    fn pass<V: Vector, const G: usize>(
        &mut self,
        shape: Shape,
        places: ProductPlaces,
        bucket: usize,
        number: usize,
        products: &mut [Products; G],
    ) -> f64 {
        let (seconds, biases, tails) = product_parts(shape, self.weights.head());
        let width = shape.hidden / WIDTH;
        let (seconds, tail) = (&seconds[bucket * width..][..width], &tails[bucket]);
        for (position, products) in products.iter_mut().enumerate() {
            multiply::<V>(self.halves, shape, places, number + position, products);
            if self.cuts_products {
                products.iter_mut().take(width).for_each(cut);
            }
        }
        let sums = second_sums::<V, G>(seconds, &tail[0], products);
        let mut gradients = [[0.0; WIDTH]; G];
        let mut loss = 0.0;
        for (index, sums) in sums.iter().enumerate() {
            let position = &self.positions[number + index];
            let third = third_sums::<V>(tail, sums);
            let output = biases.0[bucket] + output::<V>(tail, &third);
            let odds = self.target.odds(position);
            let prediction = sigmoid(odds * output);
            let error = prediction - self.target.expected_score(position);
            loss += f64::from(error * error);
            if let Some(head) = self.gradient.as_deref_mut() {
                let output_gradient = 2.0 * error * prediction * (1.0 - prediction) * odds;
                let (_, bias_gradients, tail_gradients) = product_parts_mut(shape, head);
                bias_gradients.0[bucket] += output_gradient;
                let tail_gradient = &mut tail_gradients[bucket];
                gradients[index] = tail_backward::<V>(tail, output_gradient, sums, &third, tail_gradient);
            }
        }
        let Some(head) = self.gradient.as_deref_mut() else { return loss };
        let second_gradients = &mut product_parts_mut(shape, head).0[bucket * width..][..width];
        seconds_backward::<V, G>(seconds, &gradients, products, second_gradients);
        for (position, gradients) in products.iter().enumerate() {
            divide::<V>(self.halves, shape, places, number + position, gradients);
        }
        loss
    }
}

/// Sets the products of a position.
#[inline(always)]
fn multiply<V: Vector>(
    halves: &[HalfLine],
    shape: Shape,
    places: ProductPlaces,
    position: usize,
    products: &mut Products,
) {
    let lines = shape.hidden / HALVES / 2;
    for (index, pair) in products.as_chunks_mut::<2>().0.iter_mut().take(2 * lines).enumerate() {
        let (row, line) = (2 * position + index / lines, index % lines);
        let left = V::sums(&halves[places.of(row, line)]);
        let right = V::sums(&halves[places.of(row, line + lines)]);
        for part in 0..2 {
            left[part].clipped().times(right[part].clipped()).store(&mut pair[part]);
        }
    }
}

/// Takes away what the engine drops of these products.
#[inline(always)]
fn cut(products: &mut FloatLine) {
    /// What the engine has for a product of 1.
    const ONE: f32 = (QA * QA) as f32 / (1 << PRODUCT_SHIFT) as f32;
    // The products of whole numbers are whole, but the floats have errors.
    products.0 = products.0.map(|product| (product * ONE + 1e-4).floor() / ONE);
}

/// Replaces the sums of a position by their gradients, which follow from the `gradients` of the products.
#[inline(always)]
fn divide<V: Vector>(
    halves: &mut [HalfLine],
    shape: Shape,
    places: ProductPlaces,
    position: usize,
    gradients: &Products,
) {
    let lines = shape.hidden / HALVES / 2;
    for (index, pair) in gradients.as_chunks::<2>().0.iter().take(2 * lines).enumerate() {
        let (row, line) = (2 * position + index / lines, index % lines);
        let places = [places.of(row, line), places.of(row, line + lines)];
        let [left, right] = places.map(|place| V::sums(&halves[place]));
        let gradient = pair.each_ref().map(V::load);
        // The gradients of one half's sums.
        let of = |sums: [V; 2], other: [V; 2]| {
            V::half_line(std::array::from_fn(|part| {
                gradient[part].times(other[part].clipped()).where_inside(sums[part])
            }))
        };
        halves[places[0]] = of(left, right);
        halves[places[1]] = of(right, left);
    }
}

/// The sums of the second layer.
#[inline(always)]
fn second_sums<V: Vector, const G: usize>(
    seconds: &[[FloatLine; SECOND]],
    biases: &FloatLine,
    products: &[Products; G],
) -> [FloatLine; G] {
    let mut sums = [*biases; G];
    for first in (0..SECOND).step_by(UNITS) {
        let mut totals = [[V::splat(0.0); UNITS]; G];
        for (line, weights) in seconds.iter().enumerate() {
            let weights: [V; UNITS] = std::array::from_fn(|unit| V::load(&weights[first + unit]));
            for (totals, products) in totals.iter_mut().zip(products) {
                let products = V::load(&products[line]);
                for (total, weights) in totals.iter_mut().zip(weights) {
                    *total = total.plus_product(products, weights);
                }
            }
        }
        for (sums, totals) in sums.iter_mut().zip(totals) {
            for (unit, total) in totals.into_iter().enumerate() {
                sums.0[first + unit] += total.total();
            }
        }
    }
    sums
}

/// The activations for these sums.
#[inline(always)]
fn activate(sums: FloatLine) -> FloatLine {
    FloatLine(sums.0.map(|sum| sum.clamp(0.0, 1.0).powi(2)))
}

/// The derivatives of the activations for these sums.
#[inline(always)]
fn derivative(sums: FloatLine) -> FloatLine {
    FloatLine(sums.0.map(|sum| if sum == sum.clamp(0.0, 1.0) { 2.0 * sum } else { 0.0 }))
}

/// The sums of the third layer.
#[inline(always)]
fn third_sums<V: Vector>(tail: &TailWeights, second_sums: &FloatLine) -> [FloatLine; THIRD_LINES] {
    let mut sums: [V; THIRD_LINES] = std::array::from_fn(|line| V::load(&tail[THIRD_BIASES + line]));
    for (unit, activation) in activate(*second_sums).0.into_iter().enumerate() {
        for (line, sum) in sums.iter_mut().enumerate() {
            *sum = sum.plus_product(V::splat(activation), V::load(&tail[THIRDS + unit * THIRD_LINES + line]));
        }
    }
    let mut lines = [FloatLine::ZERO; THIRD_LINES];
    sums.into_iter().zip(&mut lines).for_each(|(sum, line)| sum.store(line));
    lines
}

/// The output without its bias.
#[inline(always)]
fn output<V: Vector>(tail: &TailWeights, third_sums: &[FloatLine; THIRD_LINES]) -> f32 {
    let mut output = V::splat(0.0);
    for (line, sums) in third_sums.iter().enumerate() {
        output = output.plus_product(V::load(&activate(*sums)), V::load(&tail[OUTPUTS + line]));
    }
    output.total()
}

/// Adds the gradient of the tail's weights, and returns that of the second layer's sums.
#[inline(always)]
fn tail_backward<V: Vector>(
    tail: &TailWeights,
    output_gradient: f32,
    second_sums: &FloatLine,
    third_sums: &[FloatLine; THIRD_LINES],
    tail_gradient: &mut TailWeights,
) -> [f32; SECOND] {
    let (zero, one, output_gradient) = (V::splat(0.0), V::splat(1.0), V::splat(output_gradient));
    let add = |sum: &mut FloatLine, left: V, right: V| V::load(sum).plus_product(left, right).store(sum);
    let mut third_gradients = [zero; THIRD_LINES];
    for (line, gradient) in third_gradients.iter_mut().enumerate() {
        add(&mut tail_gradient[OUTPUTS + line], output_gradient, V::load(&activate(third_sums[line])));
        let activation_gradient = zero.plus_product(output_gradient, V::load(&tail[OUTPUTS + line]));
        *gradient = zero.plus_product(activation_gradient, V::load(&derivative(third_sums[line])));
        add(&mut tail_gradient[THIRD_BIASES + line], *gradient, one);
    }
    let units = activate(*second_sums);
    let mut gradients = FloatLine::ZERO;
    for unit in 0..SECOND {
        let mut activation_gradient = zero;
        for (line, third) in third_gradients.iter().enumerate() {
            let place = THIRDS + unit * THIRD_LINES + line;
            add(&mut tail_gradient[place], V::splat(units.0[unit]), *third);
            activation_gradient = activation_gradient.plus_product(V::load(&tail[place]), *third);
        }
        gradients.0[unit] = activation_gradient.total();
    }
    let sum_gradients = zero.plus_product(V::load(&gradients), V::load(&derivative(*second_sums)));
    sum_gradients.store(&mut gradients);
    add(&mut tail_gradient[0], sum_gradients, one);
    gradients.0
}

/// Adds the gradient of the second layer's weights, and replaces the products by their gradients. `gradients` are those
/// of the second layer's sums.
#[inline(always)]
fn seconds_backward<V: Vector, const G: usize>(
    seconds: &[[FloatLine; SECOND]],
    gradients: &[[f32; SECOND]; G],
    products: &mut [Products; G],
    second_gradients: &mut [[FloatLine; SECOND]],
) {
    for (line, (weights, weight_gradients)) in seconds.iter().zip(second_gradients).enumerate() {
        let lines: [V; G] = std::array::from_fn(|position| V::load(&products[position][line]));
        let mut product_gradients = [V::splat(0.0); G];
        for unit in 0..SECOND {
            let weights = V::load(&weights[unit]);
            let mut weight_gradient = V::load(&weight_gradients[unit]);
            for position in 0..G {
                let gradient = V::splat(gradients[position][unit]);
                product_gradients[position] = product_gradients[position].plus_product(gradient, weights);
                weight_gradient = weight_gradient.plus_product(gradient, lines[position]);
            }
            weight_gradient.store(&mut weight_gradients[unit]);
        }
        for (products, gradients) in products.iter_mut().zip(product_gradients) {
            gradients.store(&mut products[line]);
        }
    }
}
