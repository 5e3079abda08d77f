//! The forward and backward pass of the second and third hidden layers. Their activation function is the same as the
//! first layer's.

use super::activation::{activated, steepness};
use super::vector::Vector;
use super::weights::{FloatLine, THIRD_LINES, TailWeights, TailWeightsMut, WIDTH};
use crate::eval::network::{HIDDEN_LIMIT, SECOND};

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
    for (unit, weights) in activated(pass.second).0.into_iter().zip(tail.thirds) {
        for (third, weights) in third.iter_mut().zip(weights) {
            *third = third.plus_product(V::splat(unit), V::load(weights));
        }
    }
    let mut output = V::splat(0.0);
    for ((third, sums), weights) in third.iter().zip(&mut pass.third).zip(tail.outputs) {
        third.store(sums);
        output = output.plus_product(V::load(&activated(*sums)), V::load(weights));
    }
    output.total()
}

/// Adds the derivatives of the tail's numbers to the gradient, and those of the first layer's units to `pulls`. `slope`
/// is the derivative of the output.
#[inline(always)]
pub fn backward<V: Vector>(
    tail: &TailWeights<'_>,
    slope: f32,
    pass: &ForwardPass,
    slopes: &mut TailWeightsMut<'_>,
    pulls: &mut [FloatLine],
) {
    let (zero, one, slope) = (V::splat(0.0), V::splat(1.0), V::splat(slope));
    let add = |sum: &mut FloatLine, one: V, other: V| V::load(sum).plus_product(one, other).store(sum);
    let mut third = [zero; THIRD_LINES];
    for (line, third) in third.iter_mut().enumerate() {
        add(&mut slopes.outputs[line], slope, V::load(&activated(pass.third[line])));
        let pull = zero.plus_product(slope, V::load(&tail.outputs[line]));
        *third = zero.plus_product(pull, V::load(&steepness(pass.third[line])));
        add(&mut slopes.third_biases[line], *third, one);
    }
    let units = activated(pass.second);
    let mut second = FloatLine::ZERO;
    for unit in 0..SECOND {
        let mut pull = zero;
        for (line, third) in third.iter().enumerate() {
            add(&mut slopes.thirds[unit][line], V::splat(units.0[unit]), *third);
            pull = pull.plus_product(V::load(&tail.thirds[unit][line]), *third);
        }
        second.0[unit] = pull.total();
    }
    let shares = zero.plus_product(V::load(&second), V::load(&steepness(pass.second)));
    shares.store(&mut second);
    add(slopes.second_biases, shares, one);
    let rows = tail.seconds.iter().zip(slopes.seconds.iter_mut());
    for ((weights, slopes), (units, pull)) in rows.zip(pass.first.iter().zip(pulls)) {
        let units = V::load(units);
        let mut sum = V::load(pull);
        for row in 0..SECOND {
            let share = V::splat(second.0[row]);
            add(&mut slopes[row], share, units);
            sum = sum.plus_product(share, V::load(&weights[row]));
        }
        sum.store(pull);
    }
}
