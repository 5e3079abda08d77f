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

    /// Adds `other`.
    #[inline(always)]
    pub fn add(&mut self, other: &RoundedLine) {
        for lane in 0..HALVES {
            self.0[lane] = self.0[lane].saturating_add(other.0[lane]);
        }
    }
}

/// A cache line of sums or of gradients. Each word has one number of the first half of the line in its lower bits, and
/// one of the second half in its upper bits. So both halves are converted without moving any number to another lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub struct HalfLine([u32; WIDTH]);

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

    /// The sums as floats.
    #[inline(always)]
    pub fn sums(self) -> [FloatLine; 2] {
        let mut sums = [FloatLine::ZERO; 2];
        for lane in 0..WIDTH {
            let word = self.0[lane].cast_signed();
            sums[0].0[lane] = ((word << 16) >> 16) as f32 * (1.0 / UNIT as f32);
            sums[1].0[lane] = (word >> 16) as f32 * (1.0 / UNIT as f32);
        }
        sums
    }

    /// A line of gradients, rounded to the nearest ones, and to even ones between two.
    #[inline(always)]
    pub fn of_gradients(gradients: &[FloatLine; 2]) -> HalfLine {
        let mut line = HalfLine::ZERO;
        for lane in 0..WIDTH {
            let rounded = |number: f32| {
                let bits = number.to_bits();
                bits.wrapping_add(0x7fff + (bits >> 16 & 1))
            };
            let (lower, upper) = (rounded(gradients[0].0[lane]), rounded(gradients[1].0[lane]));
            line.0[lane] = lower >> 16 | upper & 0xffff_0000;
        }
        line
    }

    /// Adds the gradients to `sums`.
    #[inline(always)]
    pub fn add_gradients(&self, sums: &mut [FloatLine; 2]) {
        for lane in 0..WIDTH {
            sums[0].0[lane] += f32::from_bits(self.0[lane] << 16);
            sums[1].0[lane] += f32::from_bits(self.0[lane] & 0xffff_0000);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(number: impl Fn(usize) -> f32) -> [FloatLine; 2] {
        [0, WIDTH].map(|first| FloatLine(std::array::from_fn(|lane| number(first + lane))))
    }

    #[test]
    fn sums_of_whole_weights_are_exact() {
        let weights = lines(|index| (index as i32 - 16) as f32 * 100.0 / UNIT as f32);
        let mut sums = RoundedLine::of(&weights);
        assert_eq!((sums.0[0], sums.0[16], sums.0[31]), (-1_600, 0, 1_500));
        sums.add(&sums.clone());
        let found = HalfLine::of_sums(&sums).sums();
        for (found, weights) in found.iter().zip(&weights) {
            for lane in 0..WIDTH {
                assert!((found.0[lane] - 2.0 * weights.0[lane]).abs() < 1e-6);
            }
        }
        // Weights between two integers are rounded to the nearest one.
        let near = RoundedLine::of(&lines(|index| (index as f32 + 0.4) / UNIT as f32));
        assert_eq!(near.0, std::array::from_fn(|index| index as i16));
    }

    #[test]
    fn sums_saturate() {
        let mut sums = RoundedLine([i16::MAX - 3; HALVES]);
        sums.add(&RoundedLine([5; HALVES]));
        assert_eq!(sums.0, [i16::MAX; HALVES]);
    }

    #[test]
    fn gradients_keep_eight_bits_of_precision() {
        let gradients = lines(|index| (index as f32 - 15.5) * 1.234_567e-5);
        let mut sums = lines(|_| 0.0);
        HalfLine::of_gradients(&gradients).add_gradients(&mut sums);
        for (found, expected) in sums.iter().zip(&gradients) {
            for lane in 0..WIDTH {
                let error = (found.0[lane] / expected.0[lane] - 1.0).abs();
                assert!(error <= 1.0 / 256.0, "{error}");
            }
        }
        // A number between two goes to the even one.
        let even = HalfLine::of_gradients(&lines(|index| 1.0 + (2 * (index % 2) + 1) as f32 / 256.0));
        let mut sums = lines(|_| 0.0);
        even.add_gradients(&mut sums);
        assert_eq!(sums, lines(|index| [1.0, 1.0 + 4.0 / 256.0][index % 2]));
    }
}
