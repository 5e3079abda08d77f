//! Numbers of sixteen bits: rounded weights of the first layer, its sums, and their gradients.
//!
//! Half the bytes of floats take half the time to read, which is most of the first layer's work. Weights and sums are
//! integers. Gradients of sums need the range of floats, so they are floats without the lower half of their bits
//! (*bfloat16*). Each of these roundings is the same on every machine.

use super::weights::{FloatLine, WIDTH};
use crate::engine::eval::network::QA;

/// The rounded weight that stands for 1: four times the engine's, so that all weights of a finished network are whole.
/// The sums of weights saturate at 32, which is far from the range of the activation function.
pub const UNIT: i32 = 4 * QA;

/// The number of 16-bit numbers in a cache line.
pub const HALVES: usize = 2 * WIDTH;

/// Sums with this added have their integer in the lowest bits of the float.
const ROUNDING: f32 = 1.5 * (1 << 23) as f32;

/// A cache line of rounded weights.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub struct RoundedLine(pub [i16; HALVES]);

impl RoundedLine {
    /// A line of zeros.
    pub const ZERO: RoundedLine = RoundedLine([0; HALVES]);

    /// The nearest integers to these weights.
    #[inline(always)]
    pub fn of(weights: &[FloatLine; 2]) -> RoundedLine {
        let mut rounded = RoundedLine::ZERO;
        for (part, line) in weights.iter().enumerate() {
            for lane in 0..WIDTH {
                let number = line.0[lane] * UNIT as f32 + ROUNDING;
                rounded.0[part * WIDTH + lane] = number.to_bits() as i16;
            }
        }
        rounded
    }
}

/// A cache line of sums or of gradients. Each word has one number of the first half of the line in its lower bits, and
/// one of the second half in its upper bits. So both halves are converted without moving any number to another lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub struct HalfLine(pub [u32; WIDTH]);

impl HalfLine {
    /// A line of zeros.
    pub const ZERO: HalfLine = HalfLine([0; WIDTH]);

    /// A line of sums.
    #[inline(always)]
    pub fn of_sums(sums: &RoundedLine) -> HalfLine {
        let mut line = HalfLine::ZERO;
        for lane in 0..WIDTH {
            let (lower, upper) = (sums.0[lane] as u16, sums.0[lane + WIDTH] as u16);
            line.0[lane] = u32::from(lower) | u32::from(upper) << 16;
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::train::vector::Vector;

    type Plain = [f32; WIDTH];

    fn lines(number: impl Fn(usize) -> f32) -> [FloatLine; 2] {
        [0, WIDTH].map(|first| FloatLine(std::array::from_fn(|lane| number(first + lane))))
    }

    #[test]
    fn sums_of_whole_weights_are_exact() {
        let weights = lines(|index| (index as i32 - 16) as f32 * 100.0 / UNIT as f32);
        let rounded = RoundedLine::of(&weights);
        assert_eq!((rounded.0[0], rounded.0[16], rounded.0[31]), (-1_600, 0, 1_500));
        let sums = Plain::plus_integers(rounded, rounded);
        let found = Plain::sums(&HalfLine::of_sums(&sums));
        for (found, weights) in found.iter().zip(&weights) {
            assert!(found.iter().zip(&weights.0).all(|(found, weight)| (found - 2.0 * weight).abs() < 1e-6));
        }
        // Weights between two integers are rounded to the nearest one.
        let near = RoundedLine::of(&lines(|index| (index as f32 + 0.4) / UNIT as f32));
        assert_eq!(near.0, std::array::from_fn(|index| index as i16));
    }

    #[test]
    fn sums_saturate() {
        let sums = Plain::plus_integers(RoundedLine([i16::MAX - 3; HALVES]), RoundedLine([5; HALVES]));
        assert_eq!(sums.0, [i16::MAX; HALVES]);
    }

    #[test]
    fn gradients_keep_eight_bits_of_precision() {
        let gradients = lines(|index| (index as f32 - 15.5) * 1.234_567e-5).map(|line| line.0);
        let found = Plain::gradients(&Plain::half_line(gradients));
        for (found, expected) in found.iter().zip(&gradients) {
            for (found, expected) in found.iter().zip(expected) {
                let error = (found / expected - 1.0).abs();
                assert!(error <= 1.0 / 256.0, "{error}");
            }
        }
        // A number between two goes to the even one.
        let between = lines(|index| 1.0 + (2 * (index % 2) + 1) as f32 / 256.0).map(|line| line.0);
        let even = Plain::gradients(&Plain::half_line(between));
        assert_eq!(even, lines(|index| [1.0, 1.0 + 4.0 / 256.0][index % 2]).map(|line| line.0));
    }
}
