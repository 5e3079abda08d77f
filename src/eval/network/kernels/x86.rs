//! The kernels for SSSE3, AVX2 and AVX-512.
//!
//! The addition of rows is left to the compiler. When it may use the wider registers, it turns the scalar code into the
//! code that a person would write by hand. The output needs the multiply-and-add of 16-bit pairs, which the compiler
//! does not find by itself.

use std::arch::x86_64::*;

use super::super::tail::{SecondRow, Tail};
use super::super::{Lanes, QA, SECOND};
use super::fills;
use super::scalar::{self, FOURS, squared};
use super::set::{Kernels, SideSums};
use crate::board::Men;

/// The instruction sets that this machine has, the widest first.
pub(super) fn available() -> impl Iterator<Item = Kernels> {
    let wide = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw");
    let sets = [
        (wide && is_x86_feature_detected!("avx512vnni"), AVX512_VNNI),
        (wide, AVX512),
        (is_x86_feature_detected!("avx2"), AVX2),
        (is_x86_feature_detected!("ssse3"), SSSE3),
    ];
    sets.into_iter().filter_map(|(is_there, kernels)| is_there.then_some(kernels))
}

macro_rules! kernels {
    ($constant:ident, $module:ident, $name:literal, $features:literal, $vector:ty, $words:literal,
     $load:ident, $zero:ident, $broadcast:ident, $max:ident, $min:ident, $multiply:ident, $pairs:ident, $add:ident,
     $add_words:ident, $broadcast_four:ident, $plus_fours:ident, $hanging:expr) => {
        const $constant: Kernels = Kernels {
            name: $name,
            update: $module::update,
            refresh: $module::refresh,
            output: $module::output,
            tail: $module::tail,
            hanging: $hanging,
        };

        mod $module {
            use super::*;

            #[target_feature(enable = $features)]
            pub fn update(to: &mut [Lanes], from: &[Lanes], added: &[&[Lanes]], removed: &[&[Lanes]]) {
                scalar::update(to, from, added, removed);
            }

            #[target_feature(enable = $features)]
            pub fn refresh(to: &mut [Lanes], added: &[&[Lanes]], removed: &[&[Lanes]]) {
                scalar::refresh(to, added, removed);
            }

            #[target_feature(enable = $features)]
            pub fn output(us: SideSums<'_>, them: SideSums<'_>, weights: &[Lanes]) -> i64 {
                let (zero, one) = ($zero(), $broadcast(QA as i16));
                let mut sums = zero;
                let (ours, theirs) = weights.split_at(us.sums.len());
                // One loop for each side: with 256 units, a loop over a chain of both takes 63% more instructions.
                for (side, weights) in [(us, ours), (them, theirs)] {
                    for (block, (lanes, weights)) in side.sums.iter().zip(weights).enumerate() {
                        for part in 0..Lanes::BYTES / size_of::<$vector>() {
                            let at = part * $words;
                            // SAFETY: `part` counts the vectors of one block, which is aligned to 64 bytes. Loading
                            // through a pointer saves the bounds checks of a quarter of an evaluation.
                            let load = |lanes: &Lanes| unsafe { $load(lanes.0.as_ptr().add(at).cast()) };
                            let mut values = load(lanes);
                            for row in side.added {
                                values = $add_words(values, load(&row[block]));
                            }
                            let weights = load(weights);
                            let activation = $min($max(values, zero), one);
                            // 255 * 127 fits 16 bits; pairs of products by 255 fit 32, as do the sums of up to
                            // HIDDEN_LIMIT units a side.
                            sums = $add(sums, $pairs(activation, $multiply(activation, weights)));
                        }
                    }
                }
                let mut lanes = [0i32; $words / 2];
                // SAFETY: the array has the vector's size; the store needs no alignment.
                unsafe { lanes.as_mut_ptr().cast::<$vector>().write_unaligned(sums) };
                lanes.into_iter().map(i64::from).sum()
            }

            #[target_feature(enable = $features)]
            pub fn tail(us: SideSums<'_>, them: SideSums<'_>, tail: &Tail) -> f32 {
                const PARTS: usize = SecondRow::BYTES / size_of::<$vector>();
                // Several sets of sums in eight registers, so that the processor need not wait for one addition before
                // it begins the next.
                const SETS: usize = 8 / PARTS;
                let mut units = [0; FOURS];
                squared(us, them, &mut units);
                let mut sums = [[$zero(); PARTS]; SETS];
                let rows = tail.seconds.as_chunks::<SETS>().0;
                for (fours, rows) in units.as_chunks::<SETS>().0.iter().zip(rows) {
                    for ((&four, row), sums) in fours.iter().zip(rows).zip(&mut sums) {
                        let four = $broadcast_four(four);
                        for (part, sum) in sums.iter_mut().enumerate() {
                            // SAFETY: `part` counts the vectors of a row, which is aligned to 64 bytes.
                            let weights = unsafe { $load(row.0.as_ptr().add(part * $words * 2).cast()) };
                            *sum = $plus_fours(*sum, four, weights);
                        }
                    }
                }
                let mut totals = [0i32; SECOND];
                for part in 0..PARTS {
                    let sum = sums.iter().fold($zero(), |sum, set| $add(sum, set[part]));
                    // SAFETY: the array has a row's size; the store needs no alignment.
                    unsafe { totals.as_mut_ptr().cast::<$vector>().add(part).write_unaligned(sum) };
                }
                tail.finish(&totals)
            }
        }
    };
}

/// Defines `sum` plus, in each lane, four bytes of `units` times four of `weights`. The sum of two such products always
/// fits the 16 bits of the first step.
macro_rules! plus_fours {
    ($name:ident, $features:literal, $vector:ty, $bytes:ident, $pairs:ident, $ones:ident, $add:ident) => {
        #[inline]
        #[target_feature(enable = $features)]
        fn $name(sum: $vector, units: $vector, weights: $vector) -> $vector {
            $add(sum, $pairs($bytes(units, weights), $ones(1)))
        }
    };
}

plus_fours!(
    plus_fours_avx512,
    "avx512f,avx512bw",
    __m512i,
    _mm512_maddubs_epi16,
    _mm512_madd_epi16,
    _mm512_set1_epi16,
    _mm512_add_epi32
);
plus_fours!(
    plus_fours_avx2,
    "avx2",
    __m256i,
    _mm256_maddubs_epi16,
    _mm256_madd_epi16,
    _mm256_set1_epi16,
    _mm256_add_epi32
);
plus_fours!(
    plus_fours_ssse3,
    "ssse3",
    __m128i,
    _mm_maddubs_epi16,
    _mm_madd_epi16,
    _mm_set1_epi16,
    _mm_add_epi32
);

kernels!(
    AVX512_VNNI,
    avx512_vnni,
    "AVX-512 VNNI",
    "avx512f,avx512bw,avx512vnni",
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
    _mm512_add_epi16,
    _mm512_set1_epi32,
    _mm512_dpbusd_epi32,
    fills::hanging
);
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
    _mm512_add_epi16,
    _mm512_set1_epi32,
    plus_fours_avx512,
    fills::hanging
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
    _mm256_add_epi16,
    _mm256_set1_epi32,
    plus_fours_avx2,
    Men::hanging
);
kernels!(
    SSSE3,
    ssse3,
    "SSSE3",
    "ssse3",
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
    _mm_add_epi16,
    _mm_set1_epi32,
    plus_fours_ssse3,
    Men::hanging
);
