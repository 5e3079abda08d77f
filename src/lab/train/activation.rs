//! The activation function of the units: the sum is clipped to 0 to 1 and squared.

use super::weights::{FloatLine, WIDTH};

/// The activations of one line of sums.
#[inline(always)]
pub(super) fn activate(sums: FloatLine) -> FloatLine {
    let mut units = FloatLine::ZERO;
    for lane in 0..WIDTH {
        let unit = sums.0[lane].clamp(0.0, 1.0);
        units.0[lane] = unit * unit;
    }
    units
}

/// The derivatives of the activations of one line of sums. Outside of 0 to 1 the derivative is 0.
#[inline(always)]
pub(super) fn activation_derivative(sums: FloatLine) -> FloatLine {
    let mut derivatives = FloatLine::ZERO;
    for lane in 0..WIDTH {
        let sum = sums.0[lane];
        let unit = sum.clamp(0.0, 1.0);
        derivatives.0[lane] = if sum == unit { 2.0 * unit } else { 0.0 };
    }
    derivatives
}
