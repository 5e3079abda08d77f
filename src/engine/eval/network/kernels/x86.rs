//! The kernels for SSSE3, AVX2 and AVX-512.
//!
//! An update keeps eight registers of sums of a perspective while it goes over the rows, so that each row is read in
//! long stretches. AVX-512 has enough registers for both perspectives at once. The output needs the multiply-and-add of
//! 16-bit pairs, which compilers do not find by themselves.

use super::super::scene::{Changes, Scene};
use super::super::{Lanes, QA};
use super::fills;
use super::lists;
use super::products;
use super::scalar;
use super::set::{Kernels, PlaceList, RowChanges, RowPlaces};
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

/// The `N` blocks from `first` on. The sum of 32 bits and `N` cannot overflow, so one check is enough. Without a check,
/// compilers unroll the loop over the rows, although it has only about two.
#[inline(always)]
fn blocks<const N: usize>(rows: &[Lanes], first: u32) -> &[Lanes; N] {
    let first = first as usize;
    rows[first..first + N].first_chunk().expect("there are N blocks")
}

macro_rules! kernels {
    ($constant:ident in $module:ident {
        name: $name:literal,
        features: $features:literal,
        width: $width:ident,
        sides_at_once: $sides:literal,
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
            /// Number of registers that keep sums of a perspective while an update goes over the rows.
            const SUMS: usize = 8;
            /// Number of blocks of these sums.
            const BLOCKS: usize = SUMS / PARTS;
            /// Number of perspectives that are updated at once.
            const SIDES_AT_ONCE: usize = $sides;

            #[target_feature(enable = $features)]
            pub fn set_changes(changes: &mut Changes, now: &Scene, before: &Scene) {
                changes.set(now, before);
            }

            #[target_feature(enable = $features)]
            pub fn update(
                to: &mut [Lanes],
                from: &[Lanes],
                changes: &RowChanges<'_>,
                places: &mut RowPlaces,
            ) {
                let places = changes.man_places(places);
                let (men, width) = (&*changes.network.blocks, changes.network.width());
                let (first_to, second_to) = to.split_at_mut(width);
                let (first_from, second_from) = from.split_at(width);
                if second_to.is_empty() {
                    update_sides::<0, 1>([first_to], [first_from], men, places);
                } else if SIDES_AT_ONCE == 2 {
                    update_sides::<0, 2>([first_to, second_to], [first_from, second_from], men, places);
                } else {
                    update_sides::<0, 1>([first_to], [first_from], men, places);
                    update_sides::<1, 1>([second_to], [second_from], men, places);
                }
            }

            /// Updates the sums of `SIDES` perspectives, from number `SIDE` on.
            #[inline]
            #[target_feature(enable = $features)]
            fn update_sides<const SIDE: usize, const SIDES: usize>(
                to: [&mut [Lanes]; SIDES],
                from: [&[Lanes]; SIDES],
                men: &[Lanes],
                places: [PlaceList<'_>; 2],
            ) {
                let mut to = to.map(|to| to.as_chunks_mut::<BLOCKS>());
                let from = from.map(|from| from.as_chunks::<BLOCKS>());
                let [added, removed] = places;
                let parts = from[0].0.len();
                for part in 0..parts {
                    let first = (part * BLOCKS) as u32;
                    let mut sums = [[zeros(); SUMS]; SIDES];
                    for (sums, from) in sums.iter_mut().zip(&from) {
                        *sums = load_words(&from.0[part]);
                    }
                    for row in added {
                        for (number, sums) in sums.iter_mut().enumerate() {
                            let weights = load_words(blocks(men, row[SIDE + number] + first));
                            for (sum, weights) in sums.iter_mut().zip(weights) {
                                *sum = add_i16(*sum, weights);
                            }
                        }
                    }
                    for row in removed {
                        for (number, sums) in sums.iter_mut().enumerate() {
                            let weights = load_words(blocks(men, row[SIDE + number] + first));
                            for (sum, weights) in sums.iter_mut().zip(weights) {
                                *sum = sub_i16(*sum, weights);
                            }
                        }
                    }
                    for (to, sums) in to.iter_mut().zip(sums) {
                        let to = to.0[part].as_mut_ptr().cast::<Register>();
                        for (number, sum) in sums.into_iter().enumerate() {
                            // SAFETY: the blocks have room for all sums, and they are aligned like a register.
                            unsafe { store_aligned(to.add(number).cast(), sum) };
                        }
                    }
                }
                for (number, ((_, to), (_, from))) in to.into_iter().zip(from).enumerate() {
                    if !to.is_empty() {
                        scalar::update_blocks(to, from, men, parts * BLOCKS, places, SIDE + number);
                    }
                }
            }

            /// The words of one part of a row.
            #[inline]
            #[target_feature(enable = $features)]
            fn load_words(part: &[Lanes; BLOCKS]) -> [Register; SUMS] {
                let mut words = [zeros(); SUMS];
                for (number, words) in words.iter_mut().enumerate() {
                    // SAFETY: the blocks fill all registers, and they are aligned like one.
                    *words = unsafe { load_aligned(part.as_ptr().cast::<Register>().add(number).cast()) };
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
        sides_at_once: 2,
        tail: products::tail_vnni,
        look: fills::look,
    }
}

kernels! {
    AVX512 in avx512 {
        name: "AVX-512",
        features: "avx512f,avx512bw",
        width: width512,
        sides_at_once: 2,
        tail: products::tail_avx512,
        look: fills::look,
    }
}

kernels! {
    AVX2 in avx2 {
        name: "AVX2",
        features: "avx2",
        width: width256,
        sides_at_once: 1,
        tail: products::tail_avx2,
        look: Men::look,
    }
}

kernels! {
    SSSE3 in ssse3 {
        name: "SSSE3",
        features: "ssse3",
        width: width128,
        sides_at_once: 1,
        tail: products::tail_ssse3,
        look: Men::look,
    }
}
