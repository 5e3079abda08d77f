//! The kernels for SSSE3, AVX2 and AVX-512.
//!
//! An update keeps eight registers of sums while it goes over the rows, so that each row is read in long stretches. The
//! output needs the multiply-and-add of 16-bit pairs, which compilers do not find by themselves.

use std::arch::x86_64::*;

use super::super::scene::{Changes, Scene};
use super::super::tail::{SecondRow, Tail};
use super::super::{ByteLanes, Lanes, QA, SECOND};
use super::fills;
use super::lists;
use super::scalar::{self, FOURS, squared};
use super::set::{Kernels, RowChanges};
use crate::chess::board::Men;

const _: () = assert!(SecondRow::BYTES == Lanes::BYTES);

/// The instruction sets that this machine has, the widest first.
pub(super) fn available() -> impl Iterator<Item = Kernels> {
    let wide = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw");
    let has_vnni = wide && is_x86_feature_detected!("avx512vnni");
    let has_lists = is_x86_feature_detected!("avx512vbmi2") && is_x86_feature_detected!("popcnt");
    let sets = [
        (has_vnni && has_lists, AVX512_VBMI2),
        (has_vnni, AVX512_VNNI),
        (wide, AVX512),
        (is_x86_feature_detected!("avx2"), AVX2),
        (is_x86_feature_detected!("ssse3"), SSSE3),
    ];
    sets.into_iter().filter_map(|(is_there, kernels)| is_there.then_some(kernels))
}

/// The instructions for registers of 512 bits, by what they do.
mod width512 {
    pub(super) use std::arch::x86_64::{
        __m512i as Register, _mm512_add_epi16 as add_i16, _mm512_add_epi32 as add_i32,
        _mm512_load_si512 as load_aligned, _mm512_madd_epi16 as multiply_add_i16,
        _mm512_maddubs_epi16 as multiply_add_u8, _mm512_max_epi16 as max_i16, _mm512_min_epi16 as min_i16,
        _mm512_mullo_epi16 as multiply_i16, _mm512_set1_epi16 as splat_i16, _mm512_set1_epi32 as splat_i32,
        _mm512_setzero_si512 as zeros, _mm512_store_si512 as store_aligned, _mm512_sub_epi16 as sub_i16,
    };
    use std::arch::x86_64::{_mm256_load_si256, _mm512_cvtepi8_epi16};

    /// 32 bytes as words. The address is a multiple of 32.
    #[inline]
    #[target_feature(enable = "avx512bw")]
    pub(super) unsafe fn load_bytes(bytes: *const i8) -> Register {
        // SAFETY: the caller's.
        _mm512_cvtepi8_epi16(unsafe { _mm256_load_si256(bytes.cast()) })
    }
}

/// The instructions for registers of 256 bits, by what they do.
mod width256 {
    pub(super) use std::arch::x86_64::{
        __m256i as Register, _mm256_add_epi16 as add_i16, _mm256_add_epi32 as add_i32,
        _mm256_load_si256 as load_aligned, _mm256_madd_epi16 as multiply_add_i16,
        _mm256_maddubs_epi16 as multiply_add_u8, _mm256_max_epi16 as max_i16, _mm256_min_epi16 as min_i16,
        _mm256_mullo_epi16 as multiply_i16, _mm256_set1_epi16 as splat_i16, _mm256_set1_epi32 as splat_i32,
        _mm256_setzero_si256 as zeros, _mm256_store_si256 as store_aligned, _mm256_sub_epi16 as sub_i16,
    };
    use std::arch::x86_64::{_mm_load_si128, _mm256_cvtepi8_epi16};

    /// 16 bytes as words. The address is a multiple of 16.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn load_bytes(bytes: *const i8) -> Register {
        // SAFETY: the caller's.
        _mm256_cvtepi8_epi16(unsafe { _mm_load_si128(bytes.cast()) })
    }
}

/// The instructions for registers of 128 bits, by what they do.
mod width128 {
    pub(super) use std::arch::x86_64::{
        __m128i as Register, _mm_add_epi16 as add_i16, _mm_add_epi32 as add_i32,
        _mm_load_si128 as load_aligned, _mm_madd_epi16 as multiply_add_i16,
        _mm_maddubs_epi16 as multiply_add_u8, _mm_max_epi16 as max_i16, _mm_min_epi16 as min_i16,
        _mm_mullo_epi16 as multiply_i16, _mm_set1_epi16 as splat_i16, _mm_set1_epi32 as splat_i32,
        _mm_setzero_si128 as zeros, _mm_store_si128 as store_aligned, _mm_sub_epi16 as sub_i16,
    };
    use std::arch::x86_64::{_mm_loadl_epi64, _mm_srai_epi16, _mm_unpacklo_epi8};

    /// 8 bytes as words.
    #[inline]
    #[target_feature(enable = "ssse3")]
    pub(super) unsafe fn load_bytes(bytes: *const i8) -> Register {
        // SAFETY: the caller's.
        let bytes = unsafe { _mm_loadl_epi64(bytes.cast()) };
        _mm_srai_epi16::<8>(_mm_unpacklo_epi8(bytes, bytes))
    }
}

/// `N` blocks of a slice from `first` on.
#[inline(always)]
fn blocks<B, const N: usize>(slice: &[B], first: usize) -> &[B; N] {
    slice[first..].first_chunk().expect("a row has all blocks of the sums")
}

macro_rules! kernels {
    ($constant:ident in $module:ident {
        name: $name:literal,
        features: $features:literal,
        width: $width:ident,
        plus_fours: $plus_fours:ident,
        look: $look:expr $(,)?
    }) => {
        const $constant: Kernels = Kernels {
            name: $name,
            update: $module::update,
            output: $module::output,
            tail: $module::tail,
            look: $look,
            set_changes: $module::set_changes,
        };

        mod $module {
            use super::$width::*;
            use super::*;

            /// Number of words in a register.
            const WORDS: usize = size_of::<Register>() / size_of::<i16>();

            /// Number of registers that a block fills.
            const PARTS: usize = Lanes::BYTES / size_of::<Register>();
            /// Number of registers that keep sums while an update goes over the rows.
            const SUMS: usize = 8;
            /// Number of blocks of these sums.
            const BLOCKS: usize = SUMS / PARTS;

            #[target_feature(enable = $features)]
            pub fn set_changes(changes: &mut Changes, now: &Scene, before: &Scene) {
                changes.set(now, before);
            }

            #[target_feature(enable = $features)]
            pub fn update(to: &mut [Lanes], from: &[Lanes], changes: RowChanges<'_>) {
                let (parts, rest) = to.as_chunks_mut();
                for (part, to) in parts.iter_mut().enumerate() {
                    update_part(to, from, part, &changes);
                }
                if !rest.is_empty() {
                    scalar::update_rest(rest, from, &changes);
                }
            }

            /// Updates the sums of one part, which fill [`SUMS`] registers.
            #[inline]
            #[target_feature(enable = $features)]
            fn update_part(to: &mut [Lanes; BLOCKS], from: &[Lanes], part: usize, changes: &RowChanges<'_>) {
                let inputs = changes.inputs;
                let mut sums = load_words(from, part);
                for row in changes.man_rows(&inputs.added) {
                    for (sum, weights) in sums.iter_mut().zip(load_words(row, part)) {
                        *sum = add_i16(*sum, weights);
                    }
                }
                for row in changes.man_rows(&inputs.removed) {
                    for (sum, weights) in sums.iter_mut().zip(load_words(row, part)) {
                        *sum = sub_i16(*sum, weights);
                    }
                }
                for row in changes.threat_rows(&inputs.added_threats) {
                    for (sum, weights) in sums.iter_mut().zip(widened(row, part)) {
                        *sum = add_i16(*sum, weights);
                    }
                }
                for row in changes.threat_rows(&inputs.removed_threats) {
                    for (sum, weights) in sums.iter_mut().zip(widened(row, part)) {
                        *sum = sub_i16(*sum, weights);
                    }
                }
                for (number, sum) in sums.into_iter().enumerate() {
                    // SAFETY: the blocks have room for all sums, and they are aligned like a register.
                    unsafe { store_aligned(to.as_mut_ptr().cast::<Register>().add(number).cast(), sum) };
                }
            }

            /// The words of one part of a row.
            #[inline]
            #[target_feature(enable = $features)]
            fn load_words(row: &[Lanes], part: usize) -> [Register; SUMS] {
                let blocks: &[Lanes; BLOCKS] = blocks(row, part * BLOCKS);
                let mut words = [zeros(); SUMS];
                for (number, words) in words.iter_mut().enumerate() {
                    // SAFETY: the blocks fill all registers, and they are aligned like one.
                    *words = unsafe { load_aligned(blocks.as_ptr().cast::<Register>().add(number).cast()) };
                }
                words
            }

            /// The bytes of one part of a row, as words.
            #[inline]
            #[target_feature(enable = $features)]
            fn widened(row: &[ByteLanes], part: usize) -> [Register; SUMS] {
                let blocks: &[ByteLanes; BLOCKS] = blocks(row, part * BLOCKS);
                let mut words = [zeros(); SUMS];
                for (number, words) in words.iter_mut().enumerate() {
                    // SAFETY: the blocks have half as many bytes as all registers, and their alignment is half that of
                    // one.
                    *words = unsafe { load_bytes(blocks.as_ptr().cast::<i8>().add(number * WORDS)) };
                }
                words
            }

            #[target_feature(enable = $features)]
            pub fn output(us: &[Lanes], them: &[Lanes], weights: &[Lanes]) -> i64 {
                let (zero, one) = (zeros(), splat_i16(QA as i16));
                let mut sums = zero;
                let (ours, theirs) = weights.split_at(us.len());
                // One loop for each side: with 256 units, a loop over a chain of both takes 63% more instructions.
                for (side, weights) in [(us, ours), (them, theirs)] {
                    for (lanes, weights) in side.iter().zip(weights) {
                        for part in 0..PARTS {
                            let at = part * WORDS;
                            // SAFETY: `part` counts the vectors of one block, which is aligned to 64 bytes. Loading
                            // through a pointer saves the bounds checks of a quarter of an evaluation.
                            let load = |row: &Lanes| unsafe { load_aligned(row.0.as_ptr().add(at).cast()) };
                            let (values, weights) = (load(lanes), load(weights));
                            let activation = min_i16(max_i16(values, zero), one);
                            // 255 * 127 fits 16 bits; pairs of products by 255 fit 32, as do the sums of up to
                            // HIDDEN_LIMIT units a side.
                            sums = add_i32(
                                sums,
                                multiply_add_i16(activation, multiply_i16(activation, weights)),
                            );
                        }
                    }
                }
                let mut lanes = [0i32; WORDS / 2];
                // SAFETY: the array has the vector's size; the store needs no alignment.
                unsafe { lanes.as_mut_ptr().cast::<Register>().write_unaligned(sums) };
                lanes.into_iter().map(i64::from).sum()
            }

            #[target_feature(enable = $features)]
            pub fn tail(us: &[Lanes], them: &[Lanes], tail: &Tail) -> f32 {
                // Several sets of sums in eight registers, so that the processor need not wait for one addition before
                // it begins the next.
                const SETS: usize = 8 / PARTS;
                let mut units = [0; FOURS];
                squared(us, them, &mut units);
                let mut sums = [[zeros(); PARTS]; SETS];
                let rows = tail.seconds.as_chunks::<SETS>().0;
                for (fours, rows) in units.as_chunks::<SETS>().0.iter().zip(rows) {
                    for ((&four, row), sums) in fours.iter().zip(rows).zip(&mut sums) {
                        let four = splat_i32(four);
                        for (part, sum) in sums.iter_mut().enumerate() {
                            let at = part * 2 * WORDS;
                            // SAFETY: `part` counts the vectors of a row, which is aligned to 64 bytes.
                            let weights = unsafe { load_aligned(row.0.as_ptr().add(at).cast()) };
                            *sum = $plus_fours(*sum, four, weights);
                        }
                    }
                }
                let mut totals = [0i32; SECOND];
                for part in 0..PARTS {
                    let sum = sums.iter().fold(zeros(), |sum, set| add_i32(sum, set[part]));
                    // SAFETY: the array has a row's size; the store needs no alignment.
                    unsafe { totals.as_mut_ptr().cast::<Register>().add(part).write_unaligned(sum) };
                }
                tail.finish(&totals)
            }
        }
    };
}

/// Defines `sum` plus, in each lane, four bytes of `units` times four of `weights`. The sum of two such products always
/// fits the 16 bits of the first step.
macro_rules! plus_fours {
    ($name:ident, features: $features:literal, width: $width:ident) => {
        #[inline]
        #[target_feature(enable = $features)]
        fn $name(
            sum: $width::Register,
            units: $width::Register,
            weights: $width::Register,
        ) -> $width::Register {
            use $width::*;
            let pairs = multiply_add_u8(units, weights);
            add_i32(sum, multiply_add_i16(pairs, splat_i16(1)))
        }
    };
}

plus_fours!(plus_fours_avx512, features: "avx512f,avx512bw", width: width512);
plus_fours!(plus_fours_avx2, features: "avx2", width: width256);
plus_fours!(plus_fours_ssse3, features: "ssse3", width: width128);

/// Xeons since Ice Lake and AMD's processors since Zen 4 have it, and some other processors of Intel.
const AVX512_VBMI2: Kernels =
    Kernels { name: "AVX-512 VBMI2", set_changes: lists::set_changes, ..AVX512_VNNI };

kernels! {
    AVX512_VNNI in avx512_vnni {
        name: "AVX-512 VNNI",
        features: "avx512f,avx512bw,avx512vnni",
        width: width512,
        plus_fours: _mm512_dpbusd_epi32,
        look: fills::look,
    }
}

kernels! {
    AVX512 in avx512 {
        name: "AVX-512",
        features: "avx512f,avx512bw",
        width: width512,
        plus_fours: plus_fours_avx512,
        look: fills::look,
    }
}

kernels! {
    AVX2 in avx2 {
        name: "AVX2",
        features: "avx2",
        width: width256,
        plus_fours: plus_fours_avx2,
        look: Men::look,
    }
}

kernels! {
    SSSE3 in ssse3 {
        name: "SSSE3",
        features: "ssse3",
        width: width128,
        plus_fours: plus_fours_ssse3,
        look: Men::look,
    }
}
