//! The layers behind the products for SSSE3, AVX2 and AVX-512. All products are multiplied by their weights: a list of
//! the blocks of four products that are not all zero would pay only if most blocks were zero. Of trained networks with
//! 512 hidden units three quarters are not.
//!
//! A product of two clipped units is the upper half of a multiplication of words: one unit is shifted to the left by 7
//! bits, so the upper half is the product shifted to the right by 9. Only one unit is clipped at 0. The other one may
//! be negative: then so is the product, and packing to bytes makes it 0 (Stockfish does this). The squares of the other
//! layers are upper halves, too.

use std::arch::x86_64::*;
use std::mem::MaybeUninit;

use super::super::tail::{
    PRODUCT_SHIFT, SECOND_ACTIVATION, SECOND_ONE, SECOND_SHIFT, SecondRow, THIRD_SHIFT, THIRD_SUM_SHIFT, Tail,
};
use super::super::{HIDDEN_LIMIT, Lanes, QA, SECOND, THIRD};
use super::scalar;

const _: () = assert!(SecondRow::BYTES == Lanes::BYTES);
// The instructions below have these shifts as literals, because the types of their constants differ.
const _: () = assert!(PRODUCT_SHIFT == 16 - 7 && SECOND_SHIFT == 16 - 2 && THIRD_SHIFT == 16 - 4);
const _: () = assert!(THIRD_SUM_SHIFT == 10);

/// Defines the output of a tail from the sums of the second layer that `$sums` gives.
macro_rules! tail {
    ($name:ident, features: $features:literal, width: $width:ident, sums: $sums:ident) => {
        #[target_feature(enable = $features)]
        pub(super) fn $name(us: &[Lanes], them: &[Lanes], tail: &Tail) -> i32 {
            use super::widths::$width::*;
            /// Number of registers that a row of the second layer fills.
            const PARTS: usize = SecondRow::BYTES / size_of::<Register>();
            // Pairs of blocks are packed together.
            if !us.len().is_multiple_of(4) {
                return scalar::tail(us, them, tail);
            }
            let sums: [Register; PARTS] = $sums(us, them, tail);
            let clipped = |sums: Register, one: i32| min_i16(max_i16(sums, zeros()), splat_i16(one as i16));
            let biased = |part: usize| {
                let bias = tail.second_biases.0.as_ptr().cast::<Register>();
                // SAFETY: `part` counts the registers of the biases, which are aligned to 64 bytes.
                sums.get(part).map_or(zeros(), |&sum| add_i32(sum, unsafe { load_aligned(bias.add(part)) }))
            };
            // The units of the second layer, two in each double word. A register may be wider than all of them.
            let mut pairs = [0i32; SECOND];
            for number in 0..PARTS.div_ceil(2) {
                let sum = clipped(pack_words(biased(2 * number), biased(2 * number + 1)), SECOND_ONE);
                let factor = shift_left_i16::<1>(sum);
                let squares = high_product(factor, factor);
                // SAFETY: the array has room for as many registers as the sums fill; the store needs no alignment.
                unsafe { pairs.as_mut_ptr().cast::<Register>().add(number).write_unaligned(squares) };
            }
            let mut third = [zeros(); 2 * PARTS];
            for (part, sum) in third.iter_mut().enumerate() {
                // SAFETY: `part` counts the registers of the biases, which are aligned to 64 bytes.
                *sum = unsafe { load_aligned(tail.third_biases.0.as_ptr().cast::<Register>().add(part)) };
            }
            for (&pair, row) in pairs.iter().zip(&tail.thirds) {
                let pair = splat_i32(pair);
                for (part, sum) in third.iter_mut().enumerate() {
                    // SAFETY: `part` counts the registers of a row, which is aligned to 64 bytes.
                    let weights = unsafe { load_aligned(row.0.as_ptr().cast::<Register>().add(part)) };
                    *sum = add_i32(*sum, multiply_add_i16(pair, weights));
                }
            }
            let mut output = zeros();
            for (part, sums) in third.as_chunks::<2>().0.iter().enumerate() {
                let [low, high] = sums.map(|sum| shift_right_i32::<10>(sum));
                let factor = shift_left_i16::<2>(clipped(pack_words(low, high), SECOND_ACTIVATION));
                // SAFETY: `part` counts the registers of the output's weights, which are aligned to 64 bytes.
                let weights = unsafe { load_aligned(tail.outputs.0.as_ptr().cast::<Register>().add(part)) };
                output = add_i32(output, multiply_add_i16(high_product(factor, factor), weights));
            }
            let mut lanes = [0i32; size_of::<Register>() / size_of::<i32>()];
            // SAFETY: the array has the register's size; the store needs no alignment.
            unsafe { lanes.as_mut_ptr().cast::<Register>().write_unaligned(output) };
            lanes.into_iter().sum()
        }
    };
}

const _: () = assert!(2 * THIRD * size_of::<i16>() == 2 * SecondRow::BYTES);

/// Defines the products of a side: a register of their bytes for each number.
macro_rules! products_of {
    ($side:expr) => {{
        let (left, right) = $side.split_at($side.len() / 2);
        let product = move |number: usize| {
            // SAFETY: `number` counts the registers of half a side, which is aligned to 64 bytes.
            let load = |blocks: &[Lanes]| unsafe {
                load_aligned(blocks.as_ptr().cast::<Register>().add(number).cast())
            };
            let left = min_i16(max_i16(load(left), zeros()), splat_i16(QA as i16));
            high_product(shift_left_i16::<7>(left), min_i16(load(right), splat_i16(QA as i16)))
        };
        let count = left.len() * Lanes::BYTES / size_of::<Register>() / 2;
        (0..count).map(move |number| pack_bytes(product(2 * number), product(2 * number + 1)))
    }};
}

/// Defines the sums of the second layer, without their biases. Four products at a time are multiplied by their weights
/// to all units.
macro_rules! sums_by_fours {
    ($name:ident, features: $features:literal, width: $width:ident, plus_fours: $plus_fours:ident) => {
        #[inline]
        #[target_feature(enable = $features)]
        fn $name(
            us: &[Lanes],
            them: &[Lanes],
            tail: &Tail,
        ) -> [super::widths::$width::Register; SecondRow::BYTES / size_of::<super::widths::$width::Register>()]
        {
            use super::widths::$width::*;
            const PARTS: usize = SecondRow::BYTES / size_of::<Register>();
            /// Number of registers that all products fill.
            const CAPACITY: usize = HIDDEN_LIMIT / size_of::<Register>();
            /// Number of blocks of four products in a round of the loop.
            const ROUND: usize = 4;
            let mut products = [const { MaybeUninit::<Register>::uninit() }; CAPACITY];
            let mut places = products.iter_mut();
            for side in [us, them] {
                for (bytes, place) in products_of!(side).zip(places.by_ref()) {
                    place.write(bytes);
                }
            }
            let bytes = (CAPACITY - places.len()) * size_of::<Register>();
            // SAFETY: so many bytes have been written, and all bits are numbers.
            let fours = unsafe { std::slice::from_raw_parts(products.as_ptr().cast::<i32>(), bytes / 4) };
            let mut sums = [zeros(); PARTS];
            for (fours, rows) in fours.as_chunks::<ROUND>().0.iter().zip(tail.seconds.as_chunks::<ROUND>().0) {
                for (&four, row) in fours.iter().zip(rows) {
                    let four = splat_i32(four);
                    for (part, sum) in sums.iter_mut().enumerate() {
                        // SAFETY: `part` counts the registers of a row, which is aligned to 64 bytes.
                        let weights = unsafe { load_aligned(row.0.as_ptr().cast::<Register>().add(part)) };
                        *sum = $plus_fours(*sum, four, weights);
                    }
                }
            }
            sums
        }
    };
}

/// Defines the sums of the second layer, without their biases. 64 products at a time are multiplied by their weights to
/// each unit. The registers are wide enough for one sum of each unit.
macro_rules! sums_by_lines {
    ($name:ident, features: $features:literal, plus_fours: $plus_fours:ident) => {
        #[inline]
        #[target_feature(enable = $features)]
        fn $name(us: &[Lanes], them: &[Lanes], tail: &Tail) -> [__m512i; 1] {
            use super::widths::width512::*;
            let mut sums = [zeros(); SECOND];
            let mut lines = tail.lines.as_chunks::<SECOND>().0.iter();
            for side in [us, them] {
                for (bytes, lines) in products_of!(side).zip(lines.by_ref()) {
                    for (sum, line) in sums.iter_mut().zip(lines) {
                        // SAFETY: a row has a register's size and alignment.
                        *sum = $plus_fours(*sum, bytes, unsafe { load_aligned(line.0.as_ptr().cast()) });
                    }
                }
            }
            [lane_totals(sums)]
        }
    };
}

/// In each lane, the sum of all lanes of one register.
#[inline]
#[target_feature(enable = "avx512f")]
fn lane_totals(sums: [__m512i; SECOND]) -> __m512i {
    let mut fours = [_mm512_setzero_si512(); SECOND / 4];
    for (four, [a, b, c, d]) in fours.iter_mut().zip(sums.as_chunks::<4>().0) {
        // In each quarter of a register: two lanes of both registers, then one of all four.
        let ab = _mm512_add_epi32(_mm512_unpacklo_epi32(*a, *b), _mm512_unpackhi_epi32(*a, *b));
        let cd = _mm512_add_epi32(_mm512_unpacklo_epi32(*c, *d), _mm512_unpackhi_epi32(*c, *d));
        *four = _mm512_add_epi32(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
    }
    // Adds neighboring quarters.
    let halved = |low: __m512i, high: __m512i| {
        let even = _mm512_shuffle_i32x4::<0b10_00_10_00>(low, high);
        _mm512_add_epi32(even, _mm512_shuffle_i32x4::<0b11_01_11_01>(low, high))
    };
    let [a, b, c, d] = fours;
    halved(halved(a, b), halved(c, d))
}

/// Defines `sum` plus, in each lane, four bytes of `units` times four of `weights`. The sum of two such products always
/// fits the 16 bits of the first step.
macro_rules! plus_fours {
    ($name:ident, features: $features:literal, width: $width:ident) => {
        #[inline]
        #[target_feature(enable = $features)]
        fn $name(
            sum: super::widths::$width::Register,
            units: super::widths::$width::Register,
            weights: super::widths::$width::Register,
        ) -> super::widths::$width::Register {
            use super::widths::$width::*;
            let pairs = multiply_add_u8(units, weights);
            add_i32(sum, multiply_add_i16(pairs, splat_i16(1)))
        }
    };
}

plus_fours!(plus_fours_avx512, features: "avx512f,avx512bw", width: width512);
plus_fours!(plus_fours_avx2, features: "avx2", width: width256);
plus_fours!(plus_fours_ssse3, features: "ssse3", width: width128);

sums_by_lines!(sums_vnni, features: "avx512f,avx512bw,avx512vnni", plus_fours: _mm512_dpbusd_epi32);
sums_by_lines!(sums_avx512, features: "avx512f,avx512bw", plus_fours: plus_fours_avx512);
sums_by_fours!(sums_avx2, features: "avx2", width: width256, plus_fours: plus_fours_avx2);
sums_by_fours!(sums_ssse3, features: "ssse3", width: width128, plus_fours: plus_fours_ssse3);

tail!(tail_vnni, features: "avx512f,avx512bw,avx512vnni", width: width512, sums: sums_vnni);
tail!(tail_avx512, features: "avx512f,avx512bw", width: width512, sums: sums_avx512);
tail!(tail_avx2, features: "avx2", width: width256, sums: sums_avx2);
tail!(tail_ssse3, features: "ssse3", width: width128, sums: sums_ssse3);
