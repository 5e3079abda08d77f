//! The forward and backward pass of the second and third hidden layers. Their activation function is the same as the
//! first layer's.

use super::activation::{activate, activation_derivative};
use super::vector::Vector;
use super::weights::{FloatLine, THIRD_LINES, TailWeights, TailWeightsMut, WIDTH};
use crate::engine::eval::network::{HIDDEN_LIMIT, SECOND};

/// The greatest number of lines of the first layer's units, both sides together.
pub const FIRST: usize = 2 * HIDDEN_LIMIT / WIDTH;
/// The number of units of the second layer that are computed together. It is large enough that the processor need not
/// wait for one addition before it begins the next.
const ROWS: usize = 8;

/// The results of the forward pass that the backward pass needs.
#[derive(Clone, Copy)]
pub struct ForwardPass {
    /// Activations of the first layer.
    first: [FloatLine; FIRST],
    /// Sums of the second layer.
    second: FloatLine,
    /// Sums of the third layer.
    third: [FloatLine; THIRD_LINES],
}

impl ForwardPass {
    /// An empty pass.
    pub const EMPTY: ForwardPass = ForwardPass {
        first: [FloatLine::ZERO; FIRST],
        second: FloatLine::ZERO,
        third: [FloatLine::ZERO; THIRD_LINES],
    };
}

/// The tail's part of the output. `first` holds the sums of the first layer's units, line by line.
#[inline(always)]
pub fn forward<V: Vector>(tail: &TailWeights<'_>, first: &[FloatLine], pass: &mut ForwardPass) -> f32 {
    for (units, sums) in pass.first.iter_mut().zip(first) {
        let clipped = V::load(sums).clipped();
        V::splat(0.0).plus_product(clipped, clipped).store(units);
    }
    pass.second = *tail.second_biases;
    for (group, second) in pass.second.0.as_chunks_mut::<ROWS>().0.iter_mut().enumerate() {
        let mut totals = [V::splat(0.0); ROWS];
        for (weights, units) in tail.seconds.iter().zip(&pass.first) {
            let units = V::load(units);
            for (total, weights) in totals.iter_mut().zip(&weights.as_chunks::<ROWS>().0[group]) {
                *total = total.plus_product(units, V::load(weights));
            }
        }
        for (sum, total) in second.iter_mut().zip(totals) {
            *sum += total.total();
        }
    }
    let mut third = [0, 1].map(|line| V::load(&tail.third_biases[line]));
    for (unit, weights) in activate(pass.second).0.into_iter().zip(tail.thirds) {
        for (third, weights) in third.iter_mut().zip(weights) {
            *third = third.plus_product(V::splat(unit), V::load(weights));
        }
    }
    let mut output = V::splat(0.0);
    for ((third, sums), weights) in third.iter().zip(&mut pass.third).zip(tail.outputs) {
        third.store(sums);
        output = output.plus_product(V::load(&activate(*sums)), V::load(weights));
    }
    output.total()
}

/// Adds the gradient of the tail's weights to `tail_gradient`, and that of the first layer's activations to
/// `first_gradient`.
#[inline(always)]
pub fn backward<V: Vector>(
    tail: &TailWeights<'_>,
    output_gradient: f32,
    pass: &ForwardPass,
    tail_gradient: &mut TailWeightsMut<'_>,
    first_gradient: &mut [FloatLine],
) {
    let (zero, one, output_gradient) = (V::splat(0.0), V::splat(1.0), V::splat(output_gradient));
    let add = |sum: &mut FloatLine, left: V, right: V| V::load(sum).plus_product(left, right).store(sum);
    let mut third_gradient = [zero; THIRD_LINES];
    for (line, gradient) in third_gradient.iter_mut().enumerate() {
        add(&mut tail_gradient.outputs[line], output_gradient, V::load(&activate(pass.third[line])));
        let activation_gradient = zero.plus_product(output_gradient, V::load(&tail.outputs[line]));
        let derivative = V::load(&activation_derivative(pass.third[line]));
        *gradient = zero.plus_product(activation_gradient, derivative);
        add(&mut tail_gradient.third_biases[line], *gradient, one);
    }
    let units = activate(pass.second);
    let mut second_gradient = FloatLine::ZERO;
    for unit in 0..SECOND {
        let mut activation_gradient = zero;
        for (line, third) in third_gradient.iter().enumerate() {
            add(&mut tail_gradient.thirds[unit][line], V::splat(units.0[unit]), *third);
            activation_gradient = activation_gradient.plus_product(V::load(&tail.thirds[unit][line]), *third);
        }
        second_gradient.0[unit] = activation_gradient.total();
    }
    let derivative = V::load(&activation_derivative(pass.second));
    let sum_gradient = zero.plus_product(V::load(&second_gradient), derivative);
    sum_gradient.store(&mut second_gradient);
    add(tail_gradient.second_biases, sum_gradient, one);
    let rows = tail.seconds.iter().zip(tail_gradient.seconds.iter_mut());
    for ((weights, weight_gradients), (units, first)) in rows.zip(pass.first.iter().zip(first_gradient)) {
        let units = V::load(units);
        let mut gradient = V::load(first);
        for row in 0..SECOND {
            let second = V::splat(second_gradient.0[row]);
            add(&mut weight_gradients[row], second, units);
            gradient = gradient.plus_product(second, V::load(&weights[row]));
        }
        gradient.store(first);
    }
}
