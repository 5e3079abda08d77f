//! The second and third hidden layer, which see more in the first one's units than their weighed sum.
//!
//! The way from the first layer to the second has most of the work and is done in integers, by each instruction set in
//! its own way. What follows is small and done in floats, lane by lane in an order of its own and without fused
//! operations, so that it too is the same to the bit on every machine.

use super::{QA, SECOND, THIRD};

/// Bits that a squared unit of the first layer loses on its way to the second.
pub const SQUARE_SHIFT: u32 = 9;
/// What stands for 1 in the weights of the second layer.
pub const SECOND_UNIT: i32 = 64;
/// What an activation of 1 times a weight of 1 makes in the second layer's sums.
pub const SECOND_ONE: f32 = (QA * QA * SECOND_UNIT) as f32 / (1 << SQUARE_SHIFT) as f32;
/// The greatest absolute value of a quantized weight of the second layer: two products of it fit 16 bits.
pub const SECOND_LIMIT: i8 = 127;

/// The weights of four units of the first layer to each unit of the second.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub struct SecondRow(pub [i8; SecondRow::BYTES]);

impl SecondRow {
    /// The size of a row.
    pub const BYTES: usize = 4 * SECOND;
}

/// The second and third hidden layer of one bucket.
#[derive(Clone, PartialEq, Debug)]
pub struct Tail {
    /// For each four units of the first layer, the side to move's before the other's: their weights in
    /// 1/[`SECOND_UNIT`].
    pub seconds: Vec<SecondRow>,
    /// Biases of the second layer.
    pub second_biases: [f32; SECOND],
    /// For each unit of the second layer its weights to the third.
    pub thirds: [[f32; THIRD]; SECOND],
    /// Biases of the third layer.
    pub third_biases: [f32; THIRD],
    /// Weights from the third layer to the output.
    pub outputs: [f32; THIRD],
}

// Only finite numbers are ever in there.
impl Eq for Tail {}

impl Tail {
    /// All its numbers behind the second layer's weights, in the order of the file.
    pub fn floats(&self) -> impl Iterator<Item = f32> + '_ {
        let thirds = self.thirds.as_flattened();
        self.second_biases.iter().chain(thirds).chain(&self.third_biases).chain(&self.outputs).copied()
    }

    /// The same, to change.
    pub fn floats_mut(&mut self) -> impl Iterator<Item = &mut f32> {
        let thirds = self.thirds.as_flattened_mut();
        self.second_biases.iter_mut().chain(thirds).chain(&mut self.third_biases).chain(&mut self.outputs)
    }

    /// The output, given the second layer's sums without their biases in 1/[`SECOND_ONE`].
    #[inline(always)]
    pub fn finish(&self, sums: &[i32; SECOND]) -> f32 {
        let mut second = self.second_biases;
        for (unit, &sum) in second.iter_mut().zip(sums) {
            *unit = activated(sum as f32 * (1.0 / SECOND_ONE) + *unit);
        }
        // Even and odd units apart: the processor works on both at the same time.
        let mut third = [self.third_biases, [0.0; THIRD]];
        for (units, weights) in second.as_chunks::<2>().0.iter().zip(self.thirds.as_chunks::<2>().0) {
            for ((unit, weights), third) in units.iter().zip(weights).zip(&mut third) {
                for (sum, weight) in third.iter_mut().zip(weights) {
                    *sum += unit * weight;
                }
            }
        }
        let [mut third, odd] = third;
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

/// Clipped to 0 to 1 and squared.
#[inline(always)]
fn activated(sum: f32) -> f32 {
    let unit = sum.clamp(0.0, 1.0);
    unit * unit
}
