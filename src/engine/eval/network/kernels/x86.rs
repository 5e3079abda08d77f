//! The kernels for SSSE3, AVX2 and AVX-512.
//!
//! An update keeps eight registers of sums while it goes over the rows, so that each row is read in long stretches. The
//! output needs the multiply-and-add of 16-bit pairs, which compilers do not find by themselves.

use super::super::scene::{Changes, Scene};
use super::super::{ByteLanes, Lanes, QA};
use super::fills;
use super::lists;
use super::products;
use super::scalar;
use super::set::{Kernels, RowChanges};
use crate::chess::board::Men;

/// The instruction sets that this machine has, the widest first.
pub(super) fn available() -> impl Iterator<Item = Kernels> {
    let wide = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("popcnt");
    let has_vnni = wide && is_x86_feature_detected!("avx512vnni");
    let has_lists = is_x86_feature_detected!("avx512vbmi2");
    let sets = [
        (has_vnni && has_lists, AVX512_VBMI2),
        (has_vnni, AVX512_VNNI),
        (wide, AVX512),
        (is_x86_feature_detected!("avx2"), AVX2),
        (is_x86_feature_detected!("ssse3"), SSSE3),
    ];
    sets.into_iter().filter_map(|(is_there, kernels)| is_there.then_some(kernels))
}

/// `N` blocks of a slice from `first` on. The sum of 32 bits and `N` cannot overflow, so one check is enough.
#[inline(always)]
fn blocks<B, const N: usize>(slice: &[B], first: u32) -> &[B; N] {
    let first = first as usize;
    slice[first..first + N].first_chunk().expect("there are N blocks")
}

macro_rules! kernels {
    ($constant:ident in $module:ident {
        name: $name:literal,
        features: $features:literal,
        width: $width:ident,
        tail: $tail:expr,
        look: $look:expr $(,)?
    }) => {
        const $constant: Kernels = Kernels {
            name: $name,
            update: $module::update,
            output: $module::output,
            tail: $tail,
            look: $look,
            set_changes: $module::set_changes,
        };

        mod $module {
            use super::super::widths::$width::*;
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
                    update_part(to, from, (part * BLOCKS) as u32, &changes);
                }
                if !rest.is_empty() {
                    scalar::update_rest(rest, from, &changes);
                }
            }

            /// Updates the sums of one part of a row, which fill [`SUMS`] registers and begin at block `first`.
            #[inline]
            #[target_feature(enable = $features)]
            fn update_part(to: &mut [Lanes; BLOCKS], from: &[Lanes], first: u32, changes: &RowChanges<'_>) {
                let &RowChanges { men, threats, inputs, .. } = changes;
                let mut sums = load_words(from, first);
                for row in changes.man_rows(&inputs.added) {
                    for (sum, weights) in sums.iter_mut().zip(load_words(men, row + first)) {
                        *sum = add_i16(*sum, weights);
                    }
                }
                for row in changes.man_rows(&inputs.removed) {
                    for (sum, weights) in sums.iter_mut().zip(load_words(men, row + first)) {
                        *sum = sub_i16(*sum, weights);
                    }
                }
                for row in changes.threat_rows(&inputs.added_threats) {
                    for (sum, weights) in sums.iter_mut().zip(widened(threats, row + first)) {
                        *sum = add_i16(*sum, weights);
                    }
                }
                for row in changes.threat_rows(&inputs.removed_threats) {
                    for (sum, weights) in sums.iter_mut().zip(widened(threats, row + first)) {
                        *sum = sub_i16(*sum, weights);
                    }
                }
                for (number, sum) in sums.into_iter().enumerate() {
                    // SAFETY: the blocks have room for all sums, and they are aligned like a register.
                    unsafe { store_aligned(to.as_mut_ptr().cast::<Register>().add(number).cast(), sum) };
                }
            }

            /// The words of one part of a row, which begins at block `first`.
            #[inline]
            #[target_feature(enable = $features)]
            fn load_words(rows: &[Lanes], first: u32) -> [Register; SUMS] {
                let blocks: &[Lanes; BLOCKS] = blocks(rows, first);
                let mut words = [zeros(); SUMS];
                for (number, words) in words.iter_mut().enumerate() {
                    // SAFETY: the blocks fill all registers, and they are aligned like one.
                    *words = unsafe { load_aligned(blocks.as_ptr().cast::<Register>().add(number).cast()) };
                }
                words
            }

            /// The bytes of one part of a row, which begins at block `first`, as words.
            #[inline]
            #[target_feature(enable = $features)]
            fn widened(rows: &[ByteLanes], first: u32) -> [Register; SUMS] {
                let blocks: &[ByteLanes; BLOCKS] = blocks(rows, first);
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
                let (ours, theirs) = weights.split_at(us.len());
                // One loop for each side: with 256 units, a loop over a chain of both takes 63% more instructions.
                let sums = [side_output(us, ours), side_output(them, theirs)];
                let mut lanes = [[0i32; WORDS / 2]; 2];
                for (lanes, sums) in lanes.iter_mut().zip(sums) {
                    // SAFETY: the array has the vector's size; the store needs no alignment.
                    unsafe { lanes.as_mut_ptr().cast::<Register>().write_unaligned(sums) };
                }
                lanes.as_flattened().iter().copied().map(i64::from).sum()
            }

            /// The sums of one side.
            #[inline]
            #[target_feature(enable = $features)]
            fn side_output(side: &[Lanes], weights: &[Lanes]) -> Register {
                let (zero, one) = (zeros(), splat_i16(QA as i16));
                let mut sums = zero;
                for (lanes, weights) in side.iter().zip(weights) {
                    for part in 0..PARTS {
                        let at = part * WORDS;
                        // SAFETY: `part` counts the vectors of one block, which is aligned to 64 bytes. Loading
                        // through a pointer saves the bounds checks of a quarter of an evaluation.
                        let load = |row: &Lanes| unsafe { load_aligned(row.0.as_ptr().add(at).cast()) };
                        let (values, weights) = (load(lanes), load(weights));
                        let activation = min_i16(max_i16(values, zero), one);
                        // 255 * 127 fits 16 bits; pairs of products by 255 fit 32, as do the sums of up to
                        // HIDDEN_LIMIT units.
                        sums = add_i32(sums, multiply_add_i16(activation, multiply_i16(activation, weights)));
                    }
                }
                sums
            }
        }
    };
}

/// Xeons since Ice Lake and AMD's processors since Zen 4 have it, and some other processors of Intel.
const AVX512_VBMI2: Kernels =
    Kernels { name: "AVX-512 VBMI2", set_changes: lists::set_changes, ..AVX512_VNNI };

kernels! {
    AVX512_VNNI in avx512_vnni {
        name: "AVX-512 VNNI",
        features: "avx512f,avx512bw,avx512vnni",
        width: width512,
        tail: products::tail_vnni,
        look: fills::look,
    }
}

kernels! {
    AVX512 in avx512 {
        name: "AVX-512",
        features: "avx512f,avx512bw",
        width: width512,
        tail: products::tail_avx512,
        look: fills::look,
    }
}

kernels! {
    AVX2 in avx2 {
        name: "AVX2",
        features: "avx2",
        width: width256,
        tail: products::tail_avx2,
        look: Men::look,
    }
}

kernels! {
    SSSE3 in ssse3 {
        name: "SSSE3",
        features: "ssse3",
        width: width128,
        tail: products::tail_ssse3,
        look: Men::look,
    }
}
