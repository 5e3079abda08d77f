//! Vectors of sixteen floats for each instruction set.
//!
//! In most parts of the trainer the compiler uses vectors by itself. In loops over the rows of a matrix it prefers to
//! work on one lane of many rows and gathers them from distant places in memory. That takes five times as long.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

use super::weights::{FloatLine, WIDTH};

/// Sixteen floats. No multiplication is fused with an addition, so all implementations give exactly the same numbers.
pub trait Vector: Copy {
    /// Loads a line from memory.
    fn load(line: &FloatLine) -> Self;
    /// Stores a line to memory.
    fn store(self, line: &mut FloatLine);
    /// A vector of sixteen equal numbers.
    fn splat(number: f32) -> Self;
    /// Returns `self + left * right`.
    fn plus_product(self, left: Self, right: Self) -> Self;
    /// The sum of all numbers. The upper half is added to the lower half until one number is left.
    fn total(self) -> f32;
}

impl Vector for [f32; WIDTH] {
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
    fn plus_product(mut self, left: Self, right: Self) -> Self {
        for lane in 0..WIDTH {
            self[lane] += left[lane] * right[lane];
        }
        self
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
}

/// Sixteen floats in AVX2 registers. Only functions that are compiled for AVX2 and run after it was detected may use
/// this type.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub struct Avx2([__m256; 2]);

#[cfg(target_arch = "x86_64")]
impl Vector for Avx2 {
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
        let half =
            |half: usize| unsafe { _mm256_add_ps(self.0[half], _mm256_mul_ps(left.0[half], right.0[half])) };
        Avx2([half(0), half(1)])
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
}

/// Sixteen floats in an AVX-512 register. Only functions that are compiled for AVX-512 and run after it was detected
/// may use this type.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub struct Avx512(__m512);

#[cfg(target_arch = "x86_64")]
impl Vector for Avx512 {
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
        unsafe { Avx512(_mm512_add_ps(self.0, _mm512_mul_ps(left.0, right.0))) }
    }

    #[inline(always)]
    fn total(self) -> f32 {
        // SAFETY: see the type. A processor with AVX-512 has AVX2 too.
        unsafe {
            let upper = _mm512_extractf64x4_pd::<1>(_mm512_castps_pd(self.0));
            Avx2([_mm512_castps512_ps256(self.0), _mm256_castpd_ps(upper)]).total()
        }
    }
}
