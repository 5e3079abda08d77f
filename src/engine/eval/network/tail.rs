//! The second and third hidden layer. They find relations between the first layer's units that a weighted sum misses.
//!
//! Most of the work lies between the first layer and the second. It is done in integers, and each instruction set does
//! it in its own way. What follows is small and done in floats, lane by lane in a fixed order and without fused
//! operations. So it too is the same on every machine, to the bit.

use super::shape::{SECOND, THIRD};
use super::units::QA;

/// Bits that the square of a first layer's unit loses on its way to the second layer.
pub const SQUARE_SHIFT: u32 = 9;
/// The weight in the second layer that stands for 1.
pub const SECOND_UNIT: i32 = 64;
/// What an activation of 1 times a weight of 1 adds to the second layer's sums.
pub const SECOND_ONE: f32 = (QA * QA * SECOND_UNIT) as f32 / (1 << SQUARE_SHIFT) as f32;
/// The greatest absolute value of a quantized weight of the second layer. The sum of two products with it fits 16 bits.
pub const SECOND_LIMIT: i8 = 127;

/// The weights from four units of the first layer to each unit of the second.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub struct SecondRow(pub [i8; SecondRow::BYTES]);

impl SecondRow {
    /// The size of a row, in bytes.
    pub const BYTES: usize = 4 * SECOND;
}

/// The second and third hidden layer of one bucket.
#[derive(Clone, PartialEq, Debug)]
pub struct Tail {
    /// The weights of each four units of the first layer, in 1/[`SECOND_UNIT`]. The side to move's units come before
    /// the other side's.
    pub seconds: Vec<SecondRow>,
    /// Biases of the second layer.
    pub second_biases: [f32; SECOND],
    /// For each unit of the second layer, its weights to the third.
    pub thirds: [[f32; THIRD]; SECOND],
    /// Biases of the third layer.
    pub third_biases: [f32; THIRD],
    /// Weights from the third layer to the output.
    pub outputs: [f32; THIRD],
}

// All numbers in a tail are finite.
impl Eq for Tail {}

impl Tail {
    /// All numbers that follow the second layer's weights, in the order of the file.
    pub fn floats(&self) -> impl Iterator<Item = f32> + '_ {
        let thirds = self.thirds.as_flattened();
        self.second_biases.iter().chain(thirds).chain(&self.third_biases).chain(&self.outputs).copied()
    }

    /// The numbers of [`Tail::floats`], to change them.
    pub fn floats_mut(&mut self) -> impl Iterator<Item = &mut f32> {
        let thirds = self.thirds.as_flattened_mut();
        self.second_biases.iter_mut().chain(thirds).chain(&mut self.third_biases).chain(&mut self.outputs)
    }

    /// The output. `sums` are the second layer's sums without their biases, in 1/[`SECOND_ONE`].
    #[inline(always)]
    pub fn finish(&self, sums: &[i32; SECOND]) -> f32 {
        let mut second = self.second_biases;
        for (unit, &sum) in second.iter_mut().zip(sums) {
            *unit = activated(sum as f32 * (1.0 / SECOND_ONE) + *unit);
        }
        // Even and odd units are summed apart, so that the processor works on both at the same time.
        let (mut third, mut odd) = (self.third_biases, [0.0; THIRD]);
        for (units, weights) in second.as_chunks::<2>().0.iter().zip(self.thirds.as_chunks::<2>().0) {
            third = plus_product(third, units[0], &weights[0]);
            odd = plus_product(odd, units[1], &weights[1]);
        }
        for (sum, odd) in third.iter_mut().zip(odd) {
            *sum += odd;
        }
        for (sum, weight) in third.iter_mut().zip(&self.outputs) {
            *sum = activated(*sum) * weight;
        }
        let mut width = THIRD / 2;
        while width > 0 {
            for lane in 0..width {
                third[lane] += third[lane + width];
            }
            width /= 2;
        }
        third[0]
    }
}

/// `sums` plus `unit` times each weight. The sums are passed by value, because otherwise the compiler keeps them in
/// memory.
#[inline(always)]
fn plus_product(mut sums: [f32; THIRD], unit: f32, weights: &[f32; THIRD]) -> [f32; THIRD] {
    for (sum, weight) in sums.iter_mut().zip(weights) {
        *sum += unit * weight;
    }
    sums
}

/// Clips a sum to the range 0 to 1 and squares it.
#[inline(always)]
fn activated(sum: f32) -> f32 {
    let unit = sum.clamp(0.0, 1.0);
    unit * unit
}
