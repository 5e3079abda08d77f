//! Vectors of the training in AVX2 registers.

use std::arch::x86_64::*;

use super::half::{HalfLine, RoundedLine};
use super::vector::{STEP, UPPER, Vector};
use super::weights::FloatLine;

/// Sixteen floats in AVX2 registers. Only functions that are compiled for AVX2 and FMA and run after both were detected
/// may use this type.
#[derive(Clone, Copy)]
pub struct Avx2(pub(super) [__m256; 2]);

impl Avx2 {
    /// Does the same with both halves.
    #[inline(always)]
    fn of(half: impl FnMut(usize) -> __m256) -> Avx2 {
        Avx2(std::array::from_fn(half))
    }
}

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
