//! The layers behind the products of hidden units: products -> 16 -> 32 -> 1.
//!
//! Half of the hidden units of each side are multiplied by the other half. Reckless (#402) and Viridithas (network 92)
//! have this form.
//!
//! All arithmetic is in integers, and no sum of a valid network overflows. So the order of a sum does not matter, and
//! every instruction set gives the same numbers.

use super::shape::{SECOND, THIRD};
use super::units::{Lanes, QA};

/// Bits that the product of two hidden units loses. So 1 times 1 is 127, which fits a signed byte.
pub const PRODUCT_SHIFT: u32 = 9;
/// The weight in the second layer that stands for 1.
pub const SECOND_UNIT: i32 = 64;
/// The greatest absolute value of a weight of the second layer. The sum of two products with it fits 16 bits.
pub const SECOND_LIMIT: i8 = 127;
/// The sum of the second layer that stands for 1.
pub const SECOND_ONE: i32 = (QA * QA * SECOND_UNIT) >> PRODUCT_SHIFT;
/// Bits that the square of a sum of the second layer loses.
pub const SECOND_SHIFT: u32 = 14;
/// The activation in the second layer that stands for 1.
pub const SECOND_ACTIVATION: i32 = (SECOND_ONE * SECOND_ONE) >> SECOND_SHIFT;
/// The weight in the third layer and in the output that stands for 1.
pub const FURTHER_UNIT: i32 = 1 << THIRD_SUM_SHIFT;
/// The greatest absolute value of such a weight, which stands for 16.
pub const FURTHER_LIMIT: i16 = 16 << THIRD_SUM_SHIFT;
/// Bits that a sum of the third layer loses before it is squared. Then [`SECOND_ACTIVATION`] stands for 1 again.
pub const THIRD_SUM_SHIFT: u32 = 10;
/// Bits that the square of such a sum loses.
pub const THIRD_SHIFT: u32 = 12;
/// The output that stands for 1.
pub const OUTPUT_ONE: i32 = ((SECOND_ACTIVATION * SECOND_ACTIVATION) >> THIRD_SHIFT) * FURTHER_UNIT;
/// The greatest absolute value of a bias of the second or third layer.
pub const BIAS_LIMIT: i32 = 1 << 30;

// No sum overflows 32 bits: that of the third layer, and that of the output without its bias.
const _: () = assert!(
    SECOND as i64 * SECOND_ACTIVATION as i64 * FURTHER_LIMIT as i64 + (BIAS_LIMIT as i64) < 1 << 31
        && THIRD as i64 * (OUTPUT_ONE / FURTHER_UNIT) as i64 * (FURTHER_LIMIT as i64) < 1 << 31
);

/// Weights of the second layer: those from four products to each unit, or those from 64 products to one unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub struct SecondRow(pub [i8; SecondRow::BYTES]);

impl SecondRow {
    /// The size of a row, in bytes.
    pub const BYTES: usize = 4 * SECOND;
}

/// The weights from two units of the second layer to each unit of the third.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub struct ThirdRow(pub [i16; 2 * THIRD]);

/// Biases of a layer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub struct Biases<const N: usize>(pub [i32; N]);

/// The layers behind the products, for one bucket.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tail {
    /// The weights of each four products, in 1/[`SECOND_UNIT`]. The side to move's products come before the other
    /// side's.
    pub seconds: Vec<SecondRow>,
    /// The same weights in the order in which wide registers read them: for each 64 products, the weights to each unit.
    /// [`Tail::arrange`] copies them.
    pub lines: Vec<SecondRow>,
    /// Biases of the second layer, in 1/[`SECOND_ONE`].
    pub second_biases: Biases<SECOND>,
    /// The weights of each two units of the second layer, in 1/[`FURTHER_UNIT`].
    pub thirds: [ThirdRow; SECOND / 2],
    /// Biases of the third layer, in 1/([`SECOND_ACTIVATION`] * [`FURTHER_UNIT`]).
    pub third_biases: Biases<THIRD>,
    /// Weights from the third layer to the output, in 1/[`FURTHER_UNIT`].
    pub outputs: Lanes,
}

impl Tail {
    /// A tail of zeros for this number of hidden units.
    pub fn zero(hidden: usize) -> Tail {
        Tail {
            seconds: vec![SecondRow([0; SecondRow::BYTES]); hidden / 4],
            lines: vec![SecondRow([0; SecondRow::BYTES]); hidden / 4],
            second_biases: Biases([0; SECOND]),
            thirds: [ThirdRow([0; 2 * THIRD]); SECOND / 2],
            third_biases: Biases([0; THIRD]),
            outputs: Lanes::ZERO,
        }
    }

    /// Copies the weights of the second layer to the lines.
    pub fn arrange(&mut self) {
        const FOURS: usize = SecondRow::BYTES / 4;
        self.lines.clone_from(&self.seconds);
        for (number, row) in self.seconds.iter().enumerate() {
            let lines = &mut self.lines[number / FOURS * SECOND..][..SECOND];
            for (line, four) in lines.iter_mut().zip(row.0.as_chunks::<4>().0) {
                line.0.as_chunks_mut::<4>().0[number % FOURS] = *four;
            }
        }
    }

    /// The first number that is beyond its limit.
    pub fn beyond_limit(&self) -> Option<i32> {
        let biases = self.second_biases.0.iter().chain(&self.third_biases.0).copied();
        let further = self.thirds.iter().flat_map(|row| row.0).chain(self.outputs.0);
        let seconds = self.seconds.iter().flat_map(|row| row.0).filter(|&weight| weight < -SECOND_LIMIT);
        let further = further.filter(|weight| weight.unsigned_abs() > FURTHER_LIMIT.unsigned_abs());
        let biases = biases.filter(|bias| bias.unsigned_abs() > BIAS_LIMIT.unsigned_abs());
        seconds.map(i32::from).chain(further.map(i32::from)).chain(biases).next()
    }

    /// The output without its bias, in 1/[`OUTPUT_ONE`]. `sums` are the second layer's sums without their biases, in
    /// 1/[`SECOND_ONE`].
    #[inline(always)]
    pub fn finish(&self, sums: &[i32; SECOND]) -> i32 {
        let second: [i32; SECOND] = std::array::from_fn(|unit| {
            let clipped = (sums[unit] + self.second_biases.0[unit]).clamp(0, SECOND_ONE);
            (clipped * clipped) >> SECOND_SHIFT
        });
        let mut third = self.third_biases.0;
        for (pair, row) in second.as_chunks::<2>().0.iter().zip(&self.thirds) {
            for (sum, weights) in third.iter_mut().zip(row.0.as_chunks::<2>().0) {
                *sum += pair[0] * i32::from(weights[0]) + pair[1] * i32::from(weights[1]);
            }
        }
        let products = third.into_iter().zip(self.outputs.0).map(|(sum, weight)| {
            let clipped = (sum >> THIRD_SUM_SHIFT).clamp(0, SECOND_ACTIVATION);
            ((clipped * clipped) >> THIRD_SHIFT) * i32::from(weight)
        });
        products.sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_of_one_is_an_activation_of_one() {
        let mut tail = Tail::zero(64);
        // The first unit of the second layer is 1 and the second one is 1/4. Each unit of the third layer has half
        // their sum, and so its square in the output.
        tail.second_biases.0[1] = SECOND_ONE / 2;
        tail.thirds[0].0.as_chunks_mut::<2>().0.fill([FURTHER_UNIT as i16 / 2; 2]);
        tail.outputs.0[3] = 2 * FURTHER_UNIT as i16;
        let mut sums = [0; SECOND];
        sums[0] = 2 * SECOND_ONE;
        let output = f64::from(tail.finish(&sums)) / f64::from(OUTPUT_ONE);
        assert!((output - 2.0 * 0.625 * 0.625).abs() < 0.002, "{output}");
        tail.third_biases.0[3] = SECOND_ACTIVATION * FURTHER_UNIT;
        assert_eq!(tail.finish(&sums), 2 * OUTPUT_ONE);
        tail.third_biases.0[3] = -BIAS_LIMIT;
        assert_eq!(tail.finish(&sums), 0);
    }

    #[test]
    fn numbers_beyond_a_limit_are_found() {
        let valid = {
            let mut tail = Tail::zero(64);
            tail.seconds[3].0[5] = -SECOND_LIMIT;
            tail.thirds[7].0[63] = -FURTHER_LIMIT;
            tail.outputs.0[31] = FURTHER_LIMIT;
            tail.second_biases.0[0] = BIAS_LIMIT;
            tail.third_biases.0[31] = -BIAS_LIMIT;
            tail
        };
        assert_eq!(valid.beyond_limit(), None);
        let beyond = |change: fn(&mut Tail)| {
            let mut tail = valid.clone();
            change(&mut tail);
            tail.beyond_limit()
        };
        assert_eq!(beyond(|tail| tail.seconds[15].0[63] = -128), Some(-128));
        assert_eq!(beyond(|tail| tail.thirds[7].0[63] = FURTHER_LIMIT + 1), Some(16_385));
        assert_eq!(beyond(|tail| tail.outputs.0[31] = i16::MIN), Some(-32_768));
        assert_eq!(beyond(|tail| tail.second_biases.0[15] = BIAS_LIMIT + 1), Some(BIAS_LIMIT + 1));
        assert_eq!(beyond(|tail| tail.third_biases.0[31] = i32::MIN), Some(i32::MIN));
    }
}
