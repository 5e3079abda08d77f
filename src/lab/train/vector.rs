//! Vectors of sixteen floats for each instruction set.
//!
//! The compiler uses vectors by itself too, but not well. In loops over the rows of a matrix it prefers to work on one
//! lane of many rows and gathers them from distant places in memory, which takes five times as long. It keeps long sums
//! in memory instead of registers, and uses only half of the widest registers.

use super::half::{HalfLine, RoundedLine, UNIT};
use super::weights::{FloatLine, WIDTH};

/// The weight that a rounded 1 stands for.
pub(super) const STEP: f32 = 1.0 / UNIT as f32;
/// The bits of a word that hold its upper number.
pub(super) const UPPER: u32 = 0xffff_0000;

/// Sixteen floats. All implementations give exactly the same numbers. Where the processor cannot fuse a multiplication
/// with an addition, the one in plain Rust calls a library for each, which is slow.
pub trait Vector: Copy {
    /// Thirty-two integers of 16 bits.
    type Integers: Copy;

    /// Loads a line from memory.
    fn load(line: &FloatLine) -> Self;
    /// Stores a line to memory.
    fn store(self, line: &mut FloatLine);
    /// A vector of sixteen equal numbers.
    fn splat(number: f32) -> Self;
    /// Returns `self + other`.
    fn plus(self, other: Self) -> Self;
    /// Returns `self * other`.
    fn times(self, other: Self) -> Self;
    /// Returns `self + left * right`, which is rounded once.
    fn plus_product(self, left: Self, right: Self) -> Self;
    /// Returns `self / other`.
    fn divided_by(self, other: Self) -> Self;
    /// The square roots.
    fn root(self) -> Self;
    /// The numbers, but `least` for smaller ones and `greatest` for greater ones.
    fn bounded(self, least: f32, greatest: f32) -> Self;
    /// The numbers, but 0 where `sum` is not between 0 and 1.
    fn where_inside(self, sum: Self) -> Self;
    /// The numbers, but 0 for smaller ones and 1 for greater ones.
    #[inline(always)]
    fn clipped(self) -> Self {
        self.bounded(0.0, 1.0)
    }
    /// The sum of all numbers. The upper half is added to the lower half until one number is left.
    fn total(self) -> f32;

    /// The sums of a line.
    fn sums(line: &HalfLine) -> [Self; 2];
    /// The gradients of a line.
    fn gradients(line: &HalfLine) -> [Self; 2];
    /// A line of gradients, rounded to the nearest ones, and to even ones between two.
    fn half_line(gradients: [Self; 2]) -> HalfLine;

    /// Loads rounded weights or their sums.
    fn load_integers(line: &RoundedLine) -> Self::Integers;
    /// Stores them.
    fn store_integers(integers: Self::Integers, line: &mut RoundedLine);
    /// The sums of two lines, which saturate.
    fn plus_integers(left: Self::Integers, right: Self::Integers) -> Self::Integers;
}

impl Vector for [f32; WIDTH] {
    type Integers = RoundedLine;

    #[inline(always)]
    fn load(line: &FloatLine) -> Self {
        line.0
    }

    #[inline(always)]
    fn store(self, line: &mut FloatLine) {
        line.0 = self;
    }

    #[inline(always)]
    fn splat(number: f32) -> Self {
        [number; WIDTH]
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        std::array::from_fn(|lane| self[lane] + other[lane])
    }

    #[inline(always)]
    fn times(self, other: Self) -> Self {
        std::array::from_fn(|lane| self[lane] * other[lane])
    }

    #[inline(always)]
    fn plus_product(self, left: Self, right: Self) -> Self {
        std::array::from_fn(|lane| left[lane].mul_add(right[lane], self[lane]))
    }

    #[inline(always)]
    fn divided_by(self, other: Self) -> Self {
        std::array::from_fn(|lane| self[lane] / other[lane])
    }

    #[inline(always)]
    fn root(self) -> Self {
        self.map(f32::sqrt)
    }

    #[inline(always)]
    fn bounded(self, least: f32, greatest: f32) -> Self {
        self.map(|number| number.clamp(least, greatest))
    }

    #[inline(always)]
    fn where_inside(self, sum: Self) -> Self {
        std::array::from_fn(|lane| if (0.0..=1.0).contains(&sum[lane]) { self[lane] } else { 0.0 })
    }

    #[inline(always)]
    fn total(mut self) -> f32 {
        let mut width = WIDTH / 2;
        while width > 0 {
            for lane in 0..width {
                self[lane] += self[lane + width];
            }
            width /= 2;
        }
        self[0]
    }

    #[inline(always)]
    fn sums(line: &HalfLine) -> [Self; 2] {
        let words = line.0.map(u32::cast_signed);
        [words.map(|word| ((word << 16) >> 16) as f32 * STEP), words.map(|word| (word >> 16) as f32 * STEP)]
    }

    #[inline(always)]
    fn gradients(line: &HalfLine) -> [Self; 2] {
        [line.0.map(|word| f32::from_bits(word << 16)), line.0.map(|word| f32::from_bits(word & UPPER))]
    }

    #[inline(always)]
    fn half_line(gradients: [Self; 2]) -> HalfLine {
        let [lower, upper] = gradients.map(|numbers| {
            numbers.map(|number| {
                let bits = number.to_bits();
                bits.wrapping_add(0x7fff + (bits >> 16 & 1))
            })
        });
        HalfLine(std::array::from_fn(|lane| lower[lane] >> 16 | upper[lane] & UPPER))
    }

    #[inline(always)]
    fn load_integers(line: &RoundedLine) -> RoundedLine {
        *line
    }

    #[inline(always)]
    fn store_integers(integers: RoundedLine, line: &mut RoundedLine) {
        *line = integers;
    }

    #[inline(always)]
    fn plus_integers(left: RoundedLine, right: RoundedLine) -> RoundedLine {
        RoundedLine(std::array::from_fn(|lane| left.0[lane].saturating_add(right.0[lane])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;
    use crate::lab::train::half::HALVES;
    use crate::lab::train::kernel::{Kernel, Task};

    /// Every operation on these lines.
    #[derive(Clone, Copy)]
    struct Operations {
        numbers: [FloatLine; 3],
        words: HalfLine,
        rounded: [RoundedLine; 2],
    }

    /// The vector in plain Rust, which gives the expected numbers.
    type Plain = [f32; WIDTH];

    /// The bits of all results.
    type Results = ([[u32; WIDTH]; 13], u32, HalfLine, RoundedLine);

    impl Task for Operations {
        type Output = Results;

        #[inline(always)]
        fn run<V: Vector>(self) -> Results {
            let [a, b, c] = [V::load(&self.numbers[0]), V::load(&self.numbers[1]), V::load(&self.numbers[2])];
            let (sums, gradients) = (V::sums(&self.words), V::gradients(&self.words));
            let vectors = [
                a.plus(b),
                a.times(b),
                a.plus_product(b, c),
                a.divided_by(b.bounded(0.25, 1.0)),
                b.times(b).root(),
                a.bounded(-0.5, 0.75),
                a.clipped(),
                a.where_inside(b),
                V::splat(0.3),
                sums[0],
                sums[1],
                gradients[0],
                gradients[1],
            ];
            let mut results = [[0; WIDTH]; 13];
            for (vector, bits) in vectors.into_iter().zip(&mut results) {
                let mut line = FloatLine::ZERO;
                vector.store(&mut line);
                *bits = line.0.map(f32::to_bits);
            }
            let (left, right) = (V::load_integers(&self.rounded[0]), V::load_integers(&self.rounded[1]));
            let mut integers = RoundedLine::ZERO;
            V::store_integers(V::plus_integers(left, right), &mut integers);
            (results, c.total().to_bits(), V::half_line([a, b]), integers)
        }
    }

    // Miri runs this test too (scripts/sanitize): it needs much less time than a whole batch.
    #[test]
    fn all_instruction_sets_give_the_plain_numbers() {
        let mut random = Random::stream(1, 0);
        for round in 0..20 {
            // Numbers from -2 to 2; 0 and 1 among them, because they are bounds.
            let mut line = || {
                let mut line = FloatLine(std::array::from_fn(|_| (4.0 * random.unit() - 2.0) as f32));
                (line.0[0], line.0[1]) = (0.0, 1.0);
                line
            };
            let numbers = [line(), line(), line()];
            let words = Plain::half_line([numbers[1].0, numbers[2].0]);
            let rounded =
                [(); 2].map(|()| RoundedLine(std::array::from_fn::<_, HALVES, _>(|_| random.bits() as i16)));
            let operations = Operations { numbers, words, rounded };
            let expected = operations.run::<Plain>();
            for kernel in Kernel::available() {
                assert!(kernel.run(operations) == expected, "{kernel:?}, round {round}");
            }
        }
    }
}
