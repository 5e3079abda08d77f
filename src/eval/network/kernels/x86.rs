//! SSE2, AVX2 and AVX-512.
//!
//! Adding rows is left to the compiler, which makes of the scalar code what one would write by
//! hand once it may use the wider registers. The output needs the multiply-and-add of 16-bit pairs,
//! which it does not find by itself.

use std::arch::x86_64::*;

use super::{Kernels, LANES, Lanes, QA, SECOND, SQUARE_SHIFT, Tail};

/// The sets that this machine has, the widest first.
pub(super) fn available() -> impl Iterator<Item = Kernels> {
    let wide = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw");
    let sets = [(wide, AVX512), (is_x86_feature_detected!("avx2"), AVX2), (true, SSE2)];
    sets.into_iter().filter_map(|(is_there, kernels)| is_there.then_some(kernels))
}

macro_rules! kernels {
    ($constant:ident, $module:ident, $name:literal, $features:literal, $vector:ty, $words:literal,
     $load:ident, $zero:ident, $broadcast:ident, $max:ident, $min:ident, $multiply:ident, $pairs:ident, $add:ident,
     $broadcast_pair:ident, $shift:ident) => {
        const $constant: Kernels = Kernels {
            name: $name,
            update: $module::update,
            refresh: $module::refresh,
            output: $module::output,
            tail: $module::tail,
        };

        mod $module {
            use super::*;

            #[target_feature(enable = $features)]
            pub fn update(to: &mut [Lanes], from: &[Lanes], added: &[&[Lanes]], removed: &[&[Lanes]]) {
                super::super::update(to, from, added, removed);
            }

            #[target_feature(enable = $features)]
            pub fn refresh(to: &mut [Lanes], added: &[&[Lanes]], removed: &[&[Lanes]]) {
                super::super::refresh(to, added, removed);
            }

            #[target_feature(enable = $features)]
            pub fn output(us: &[Lanes], them: &[Lanes], weights: &[Lanes]) -> i64 {
                let (zero, one) = ($zero(), $broadcast(QA as i16));
                let mut sums = zero;
                for (lanes, weights) in us.iter().chain(them).zip(weights) {
                    for part in 0..Lanes::BYTES / size_of::<$vector>() {
                        // SAFETY: `part` counts the vectors of one block, which is aligned to 64 bytes.
                        // Loading through a pointer saves the bounds checks of a quarter of an evaluation.
                        let (values, weights) = unsafe {
                            let at = part * $words;
                            ($load(lanes.0.as_ptr().add(at).cast()), $load(weights.0.as_ptr().add(at).cast()))
                        };
                        let activation = $min($max(values, zero), one);
                        // 255 * 127 fits 16 bits; pairs of products by 255 fit 32, as do the sums of
                        // up to HIDDEN_LIMIT units a side.
                        sums = $add(sums, $pairs(activation, $multiply(activation, weights)));
                    }
                }
                let mut lanes = [0i32; $words / 2];
                // SAFETY: the array has the vector's size; the store needs no alignment.
                unsafe { lanes.as_mut_ptr().cast::<$vector>().write_unaligned(sums) };
                lanes.into_iter().map(i64::from).sum()
            }

            #[target_feature(enable = $features)]
            pub fn tail(us: &[Lanes], them: &[Lanes], tail: &Tail) -> f32 {
                const PARTS: usize = Lanes::BYTES / size_of::<$vector>();
                let (zero, one) = ($zero(), $broadcast(QA as i16));
                // Two sets of sums, so that the processor need not wait for one addition to begin the next.
                let mut sums = [[zero; PARTS]; 2];
                let rows = tail.seconds.chunks_exact(LANES / 2);
                for (lanes, rows) in us.iter().chain(them).zip(rows) {
                    let mut units = [0i32; LANES / 2];
                    for part in 0..PARTS {
                        // SAFETY: `part` counts the vectors of one block, which is aligned to 64 bytes; the array
                        // is a block's size, and the store needs no alignment.
                        unsafe {
                            let clipped =
                                $min($max($load(lanes.0.as_ptr().add(part * $words).cast()), zero), one);
                            let squared = $shift::<{ SQUARE_SHIFT as _ }>($multiply(clipped, clipped));
                            units.as_mut_ptr().cast::<$vector>().add(part).write_unaligned(squared);
                        }
                    }
                    for (place, (pair, row)) in units.into_iter().zip(rows).enumerate() {
                        let pair = $broadcast_pair(pair);
                        for part in 0..PARTS {
                            // SAFETY: as above.
                            let weights = unsafe { $load(row.0.as_ptr().add(part * $words).cast()) };
                            let sum = &mut sums[place % 2][part];
                            *sum = $add(*sum, $pairs(pair, weights));
                        }
                    }
                }
                let mut totals = [0i32; SECOND];
                for part in 0..PARTS {
                    // SAFETY: the array has a block's size; the store needs no alignment.
                    unsafe {
                        let sum = $add(sums[0][part], sums[1][part]);
                        totals.as_mut_ptr().cast::<$vector>().add(part).write_unaligned(sum);
                    }
                }
                tail.finish(&totals)
            }
        }
    };
}

kernels!(
    AVX512,
    avx512,
    "AVX-512",
    "avx512f,avx512bw",
    __m512i,
    32,
    _mm512_load_si512,
    _mm512_setzero_si512,
    _mm512_set1_epi16,
    _mm512_max_epi16,
    _mm512_min_epi16,
    _mm512_mullo_epi16,
    _mm512_madd_epi16,
    _mm512_add_epi32,
    _mm512_set1_epi32,
    _mm512_srli_epi16
);
kernels!(
    AVX2,
    avx2,
    "AVX2",
    "avx2",
    __m256i,
    16,
    _mm256_load_si256,
    _mm256_setzero_si256,
    _mm256_set1_epi16,
    _mm256_max_epi16,
    _mm256_min_epi16,
    _mm256_mullo_epi16,
    _mm256_madd_epi16,
    _mm256_add_epi32,
    _mm256_set1_epi32,
    _mm256_srli_epi16
);
kernels!(
    SSE2,
    sse2,
    "SSE2",
    "sse2",
    __m128i,
    8,
    _mm_load_si128,
    _mm_setzero_si128,
    _mm_set1_epi16,
    _mm_max_epi16,
    _mm_min_epi16,
    _mm_mullo_epi16,
    _mm_madd_epi16,
    _mm_add_epi32,
    _mm_set1_epi32,
    _mm_srli_epi16
);
