//! Vectors of sixteen floats for each instruction set.
//!
//! The compiler uses vectors by itself too, but not well. In loops over the rows of a matrix it prefers to work on one
//! lane of many rows and gathers them from distant places in memory, which takes five times as long. It keeps long sums
//! in memory instead of registers, and uses only half of the widest registers.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

use super::half::{HalfLine, RoundedLine, UNIT};
use super::weights::{FloatLine, WIDTH};

/// The weight that a rounded 1 stands for.
const STEP: f32 = 1.0 / UNIT as f32;
/// The bits of a word that hold its upper number.
const UPPER: u32 = 0xffff_0000;

/// Sixteen floats. All implementations give exactly the same numbers.
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

/// Sixteen floats in AVX2 registers. Only functions that are compiled for AVX2 and FMA and run after both were detected
/// may use this type.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub struct Avx2([__m256; 2]);

#[cfg(target_arch = "x86_64")]
impl Avx2 {
    /// Does the same with both halves.
    #[inline(always)]
    fn of(half: impl FnMut(usize) -> __m256) -> Avx2 {
        Avx2(std::array::from_fn(half))
    }
}

#[cfg(target_arch = "x86_64")]
impl Vector for Avx2 {
    type Integers = [__m256i; 2];

    #[inline(always)]
    fn load(line: &FloatLine) -> Self {
        // SAFETY: a line holds two such vectors and is aligned to 64 bytes. The type's comment says why the
        // instructions exist.
        unsafe { Avx2([_mm256_load_ps(line.0.as_ptr()), _mm256_load_ps(line.0.as_ptr().add(8))]) }
    }

    #[inline(always)]
    fn store(self, line: &mut FloatLine) {
        // SAFETY: as for loads.
        unsafe {
            _mm256_store_ps(line.0.as_mut_ptr(), self.0[0]);
            _mm256_store_ps(line.0.as_mut_ptr().add(8), self.0[1]);
        }
    }

    #[inline(always)]
    fn splat(number: f32) -> Self {
        // SAFETY: see the type.
        unsafe { Avx2([_mm256_set1_ps(number); 2]) }
    }

    #[inline(always)]
    fn plus_product(self, left: Self, right: Self) -> Self {
        // SAFETY: see the type.
        Avx2::of(|half| unsafe { _mm256_fmadd_ps(left.0[half], right.0[half], self.0[half]) })
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        // SAFETY: see the type.
        Avx2::of(|half| unsafe { _mm256_add_ps(self.0[half], other.0[half]) })
    }

    #[inline(always)]
    fn times(self, other: Self) -> Self {
        // SAFETY: see the type.
        Avx2::of(|half| unsafe { _mm256_mul_ps(self.0[half], other.0[half]) })
    }

    #[inline(always)]
    fn divided_by(self, other: Self) -> Self {
        // SAFETY: see the type.
        Avx2::of(|half| unsafe { _mm256_div_ps(self.0[half], other.0[half]) })
    }

    #[inline(always)]
    fn root(self) -> Self {
        // SAFETY: see the type.
        Avx2::of(|half| unsafe { _mm256_sqrt_ps(self.0[half]) })
    }

    #[inline(always)]
    fn bounded(self, least: f32, greatest: f32) -> Self {
        // SAFETY: see the type.
        Avx2::of(|half| unsafe {
            _mm256_min_ps(_mm256_max_ps(self.0[half], _mm256_set1_ps(least)), _mm256_set1_ps(greatest))
        })
    }

    #[inline(always)]
    fn where_inside(self, sum: Self) -> Self {
        // SAFETY: see the type.
        Avx2::of(|half| unsafe {
            let is_positive = _mm256_cmp_ps::<_CMP_GE_OQ>(sum.0[half], _mm256_setzero_ps());
            let is_small = _mm256_cmp_ps::<_CMP_LE_OQ>(sum.0[half], _mm256_set1_ps(1.0));
            _mm256_and_ps(self.0[half], _mm256_and_ps(is_positive, is_small))
        })
    }

    #[inline(always)]
    fn total(self) -> f32 {
        // SAFETY: see the type.
        unsafe {
            let eight = _mm256_add_ps(self.0[0], self.0[1]);
            let four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps::<1>(eight));
            let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
            _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps::<1>(two, two)))
        }
    }

    #[inline(always)]
    fn sums(line: &HalfLine) -> [Self; 2] {
        let step = Avx2::splat(STEP);
        // SAFETY: see the type, and `load`.
        let words = |half: usize| unsafe { _mm256_load_si256(line.0.as_ptr().add(8 * half).cast()) };
        // SAFETY: see the type.
        let lower = Avx2::of(|half| unsafe {
            _mm256_cvtepi32_ps(_mm256_srai_epi32::<16>(_mm256_slli_epi32::<16>(words(half))))
        });
        // SAFETY: see the type.
        let upper = Avx2::of(|half| unsafe { _mm256_cvtepi32_ps(_mm256_srai_epi32::<16>(words(half))) });
        [lower.times(step), upper.times(step)]
    }

    #[inline(always)]
    fn gradients(line: &HalfLine) -> [Self; 2] {
        // SAFETY: see the type, and `load`.
        let words = |half: usize| unsafe { _mm256_load_si256(line.0.as_ptr().add(8 * half).cast()) };
        // SAFETY: see the type.
        let lower = |half| unsafe { _mm256_castsi256_ps(_mm256_slli_epi32::<16>(words(half))) };
        // SAFETY: see the type.
        let upper = |half| unsafe {
            _mm256_castsi256_ps(_mm256_and_si256(words(half), _mm256_set1_epi32(UPPER.cast_signed())))
        };
        [Avx2::of(lower), Avx2::of(upper)]
    }

    #[inline(always)]
    fn half_line(gradients: [Self; 2]) -> HalfLine {
        let mut line = HalfLine::ZERO;
        for half in 0..2 {
            // SAFETY: see the type, and `store`.
            unsafe {
                let rounded = |numbers: Avx2| {
                    let bits = _mm256_castps_si256(numbers.0[half]);
                    let last = _mm256_and_si256(_mm256_srli_epi32::<16>(bits), _mm256_set1_epi32(1));
                    _mm256_add_epi32(bits, _mm256_add_epi32(last, _mm256_set1_epi32(0x7fff)))
                };
                let [lower, upper] = gradients.map(rounded);
                let words = _mm256_blend_epi16::<0b1010_1010>(_mm256_srli_epi32::<16>(lower), upper);
                _mm256_store_si256(line.0.as_mut_ptr().add(8 * half).cast(), words);
            }
        }
        line
    }

    #[inline(always)]
    fn load_integers(line: &RoundedLine) -> Self::Integers {
        // SAFETY: see the type, and `load`.
        std::array::from_fn(|half| unsafe { _mm256_load_si256(line.0.as_ptr().add(16 * half).cast()) })
    }

    #[inline(always)]
    fn store_integers(integers: Self::Integers, line: &mut RoundedLine) {
        for (half, integers) in integers.into_iter().enumerate() {
            // SAFETY: see the type, and `store`.
            unsafe { _mm256_store_si256(line.0.as_mut_ptr().add(16 * half).cast(), integers) };
        }
    }

    #[inline(always)]
    fn plus_integers(left: Self::Integers, right: Self::Integers) -> Self::Integers {
        // SAFETY: see the type.
        std::array::from_fn(|half| unsafe { _mm256_adds_epi16(left[half], right[half]) })
    }
}

/// Sixteen floats in an AVX-512 register. Only functions that are compiled for AVX-512 and run after it was detected
/// may use this type.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub struct Avx512(__m512);

#[cfg(target_arch = "x86_64")]
impl Vector for Avx512 {
    type Integers = __m512i;

    #[inline(always)]
    fn load(line: &FloatLine) -> Self {
        // SAFETY: a line holds one such vector and is aligned to 64 bytes. The type's comment says why the instructions
        // exist.
        unsafe { Avx512(_mm512_load_ps(line.0.as_ptr())) }
    }

    #[inline(always)]
    fn store(self, line: &mut FloatLine) {
        // SAFETY: as for loads.
        unsafe { _mm512_store_ps(line.0.as_mut_ptr(), self.0) }
    }

    #[inline(always)]
    fn splat(number: f32) -> Self {
        // SAFETY: see the type.
        unsafe { Avx512(_mm512_set1_ps(number)) }
    }

    #[inline(always)]
    fn plus_product(self, left: Self, right: Self) -> Self {
        // SAFETY: see the type.
        unsafe { Avx512(_mm512_fmadd_ps(left.0, right.0, self.0)) }
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        // SAFETY: see the type.
        unsafe { Avx512(_mm512_add_ps(self.0, other.0)) }
    }

    #[inline(always)]
    fn times(self, other: Self) -> Self {
        // SAFETY: see the type.
        unsafe { Avx512(_mm512_mul_ps(self.0, other.0)) }
    }

    #[inline(always)]
    fn divided_by(self, other: Self) -> Self {
        // SAFETY: see the type.
        unsafe { Avx512(_mm512_div_ps(self.0, other.0)) }
    }

    #[inline(always)]
    fn root(self) -> Self {
        // SAFETY: see the type.
        unsafe { Avx512(_mm512_sqrt_ps(self.0)) }
    }

    #[inline(always)]
    fn bounded(self, least: f32, greatest: f32) -> Self {
        // SAFETY: see the type.
        unsafe {
            Avx512(_mm512_min_ps(_mm512_max_ps(self.0, _mm512_set1_ps(least)), _mm512_set1_ps(greatest)))
        }
    }

    #[inline(always)]
    fn where_inside(self, sum: Self) -> Self {
        // SAFETY: see the type.
        unsafe {
            let is_positive = _mm512_cmp_ps_mask::<_CMP_GE_OQ>(sum.0, _mm512_setzero_ps());
            let is_inside = _mm512_mask_cmp_ps_mask::<_CMP_LE_OQ>(is_positive, sum.0, _mm512_set1_ps(1.0));
            Avx512(_mm512_maskz_mov_ps(is_inside, self.0))
        }
    }

    #[inline(always)]
    fn total(self) -> f32 {
        // SAFETY: see the type. A processor with AVX-512 has AVX2 too.
        unsafe {
            let upper = _mm512_extractf64x4_pd::<1>(_mm512_castps_pd(self.0));
            Avx2([_mm512_castps512_ps256(self.0), _mm256_castpd_ps(upper)]).total()
        }
    }

    #[inline(always)]
    fn sums(line: &HalfLine) -> [Self; 2] {
        let step = Avx512::splat(STEP);
        // SAFETY: see the type, and `load`.
        unsafe {
            let words = _mm512_load_si512(line.0.as_ptr().cast());
            let lower = _mm512_cvtepi32_ps(_mm512_srai_epi32::<16>(_mm512_slli_epi32::<16>(words)));
            let upper = _mm512_cvtepi32_ps(_mm512_srai_epi32::<16>(words));
            [lower, upper].map(|sums| Avx512(sums).times(step))
        }
    }

    #[inline(always)]
    fn gradients(line: &HalfLine) -> [Self; 2] {
        // SAFETY: see the type, and `load`.
        unsafe {
            let words = _mm512_load_si512(line.0.as_ptr().cast());
            let upper = _mm512_and_si512(words, _mm512_set1_epi32(UPPER.cast_signed()));
            [_mm512_slli_epi32::<16>(words), upper].map(|bits| Avx512(_mm512_castsi512_ps(bits)))
        }
    }

    #[inline(always)]
    fn half_line(gradients: [Self; 2]) -> HalfLine {
        let mut line = HalfLine::ZERO;
        // SAFETY: see the type, and `store`.
        unsafe {
            let [lower, upper] = gradients.map(|numbers| {
                let bits = _mm512_castps_si512(numbers.0);
                let last = _mm512_and_si512(_mm512_srli_epi32::<16>(bits), _mm512_set1_epi32(1));
                _mm512_add_epi32(bits, _mm512_add_epi32(last, _mm512_set1_epi32(0x7fff)))
            });
            let words = _mm512_mask_blend_epi16(0xaaaa_aaaa, _mm512_srli_epi32::<16>(lower), upper);
            _mm512_store_si512(line.0.as_mut_ptr().cast(), words);
        }
        line
    }

    #[inline(always)]
    fn load_integers(line: &RoundedLine) -> Self::Integers {
        // SAFETY: see the type, and `load`.
        unsafe { _mm512_load_si512(line.0.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store_integers(integers: Self::Integers, line: &mut RoundedLine) {
        // SAFETY: see the type, and `store`.
        unsafe { _mm512_store_si512(line.0.as_mut_ptr().cast(), integers) }
    }

    #[inline(always)]
    fn plus_integers(left: Self::Integers, right: Self::Integers) -> Self::Integers {
        // SAFETY: see the type.
        unsafe { _mm512_adds_epi16(left, right) }
    }
}
