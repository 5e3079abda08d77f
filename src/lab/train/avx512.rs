//! Vectors of the training in AVX-512 registers.

use std::arch::x86_64::*;

use super::avx2::Avx2;
use super::half::{HalfLine, RoundedLine};
use super::vector::{STEP, UPPER, Vector};
use super::weights::FloatLine;

/// Sixteen floats in an AVX-512 register. Only functions that are compiled for AVX-512 and run after it was detected
/// may use this type.
#[derive(Clone, Copy)]
pub struct Avx512(__m512);

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
