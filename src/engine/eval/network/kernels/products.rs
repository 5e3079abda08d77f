//! The layers behind the products for SSSE3, AVX2 and AVX-512. Only blocks of four products that are not all zero are
//! multiplied by their weights.
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
use super::scalar::{self, FOURS};

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
            let sums: [Register; PARTS] = $sums(us, them, &tail.seconds);
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

/// Defines the sums of the second layer. A bit says which blocks of products are filled.
macro_rules! sums_by_bits {
    ($name:ident, features: $features:literal, width: $width:ident, plus_fours: $plus_fours:ident) => {
        #[inline]
        #[target_feature(enable = $features)]
        fn $name(
            us: &[Lanes],
            them: &[Lanes],
            rows: &[SecondRow],
        ) -> [super::widths::$width::Register; SecondRow::BYTES / size_of::<super::widths::$width::Register>()]
        {
            use super::widths::$width::*;
            const PARTS: usize = SecondRow::BYTES / size_of::<Register>();
            /// Number of blocks of products whose bits fit a word.
            const BLOCKS: usize = 64 / FOURS;
            /// Number of double words in a register.
            const WORDS: usize = size_of::<Register>() / size_of::<i32>();
            let (zero, one) = (zeros(), splat_i16(QA as i16));
            let mut sums = [zero; PARTS];
            let (ours, theirs) = rows.split_at(rows.len() / 2);
            for (side, rows) in [(us, ours), (them, theirs)] {
                let (left, right) = side.split_at(side.len() / 2);
                let rows = rows.chunks(BLOCKS * FOURS);
                for ((left, right), rows) in left.chunks(BLOCKS).zip(right.chunks(BLOCKS)).zip(rows) {
                    let mut fours = [0i32; BLOCKS * FOURS];
                    let mut filled = 0;
                    for (number, (left, right)) in left.iter().zip(right).enumerate() {
                        for half in 0..PARTS / 2 {
                            let product = |part: usize| {
                                // SAFETY: `part` counts the registers of a block, which is aligned to 64 bytes.
                                let load = |block: &Lanes| unsafe {
                                    load_aligned(block.0.as_ptr().cast::<Register>().add(part))
                                };
                                let left = min_i16(max_i16(load(left), zero), one);
                                high_product(shift_left_i16::<7>(left), min_i16(load(right), one))
                            };
                            let bytes = pack_bytes(product(2 * half), product(2 * half + 1));
                            let at = number * FOURS + half * WORDS;
                            filled |= positive(bytes) << at;
                            let four: &mut [i32; WORDS] =
                                fours[at..].first_chunk_mut().expect("a chunk has at most 8 blocks");
                            // SAFETY: the array has the register's size; the store needs no alignment.
                            unsafe { four.as_mut_ptr().cast::<Register>().write_unaligned(bytes) };
                        }
                    }
                    while filled != 0 {
                        let number = filled.trailing_zeros() as usize;
                        filled &= filled - 1;
                        let (four, row) = (splat_i32(fours[number]), &rows[number]);
                        for (part, sum) in sums.iter_mut().enumerate() {
                            // SAFETY: `part` counts the registers of a row, which is aligned to 64 bytes.
                            let weights = unsafe { load_aligned(row.0.as_ptr().cast::<Register>().add(part)) };
                            *sum = $plus_fours(*sum, four, weights);
                        }
                    }
                }
            }
            sums
        }
    };
}

/// The blocks of four products that are filled.
struct Filled {
    /// How many there are.
    count: usize,
    /// The products. Zeros follow the last ones.
    fours: [MaybeUninit<i32>; Filled::CAPACITY],
    /// How many bytes before their row of weights the other rows have. Zeros follow the last ones.
    offsets: [MaybeUninit<i32>; Filled::CAPACITY],
}

impl Filled {
    /// Number of double words in a register of AVX-512.
    const WORDS: usize = 16;
    /// Room for all blocks and one more register.
    const CAPACITY: usize = HIDDEN_LIMIT / 4 + Filled::WORDS;

    /// Lists the blocks. The numbers of blocks of units are multiples of 4.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,popcnt")]
    fn new(us: &[Lanes], them: &[Lanes]) -> Filled {
        use super::widths::width512::*;
        assert!((us.len() + them.len()) * FOURS / 2 <= HIDDEN_LIMIT / 4, "a valid network");
        let [fours, offsets] = [[MaybeUninit::uninit(); Filled::CAPACITY]; 2];
        let mut filled = Filled { count: 0, fours, offsets };
        let (zero, one) = (zeros(), splat_i16(QA as i16));
        const ROW: i32 = SecondRow::BYTES as i32;
        let mut offsets = multiply_i16(
            _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
            splat_i32(ROW),
        );
        let next = splat_i32(ROW * Filled::WORDS as i32);
        for side in [us, them] {
            let (left, right) = side.split_at(side.len() / 2);
            for (left, right) in left.as_chunks::<2>().0.iter().zip(right.as_chunks::<2>().0) {
                let product = |number: usize| {
                    // SAFETY: a block has a register's size and alignment.
                    let load = |block: &Lanes| unsafe { load_aligned(block.0.as_ptr().cast()) };
                    let left = min_i16(max_i16(load(&left[number]), zero), one);
                    high_product(shift_left_i16::<7>(left), min_i16(load(&right[number]), one))
                };
                let bytes = pack_bytes(product(0), product(1));
                let are_filled = _mm512_test_epi32_mask(bytes, bytes);
                filled.store(
                    _mm512_maskz_compress_epi32(are_filled, bytes),
                    _mm512_maskz_compress_epi32(are_filled, offsets),
                );
                filled.count += are_filled.count_ones() as usize;
                offsets = add_i32(offsets, next);
            }
        }
        filled.store(zero, zero);
        filled
    }

    /// Writes behind the last blocks.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn store(&mut self, fours: __m512i, offsets: __m512i) {
        for (to, words) in [(&mut self.fours, fours), (&mut self.offsets, offsets)] {
            // SAFETY: there are at most HIDDEN_LIMIT / 4 blocks, as `new` has checked, and room for a register behind
            // them. The store needs no alignment. Slices would check each of 18 stores.
            unsafe { _mm512_storeu_si512(to.as_mut_ptr().add(self.count).cast(), words) };
        }
    }
}

/// Defines the sums of the second layer by a list of the blocks that are filled.
macro_rules! sums_by_list {
    ($name:ident, features: $features:literal, plus_fours: $plus_fours:ident) => {
        #[inline]
        #[target_feature(enable = $features)]
        fn $name(us: &[Lanes], them: &[Lanes], rows: &[SecondRow]) -> [__m512i; 1] {
            use super::widths::width512::*;
            /// Number of blocks in a round. Each has sums of its own, so that the processor need not wait for one
            /// addition before it begins the next.
            const ROUND: usize = 4;
            assert!(rows.len() == (us.len() + them.len()) * FOURS / 2, "a row for each four products");
            let filled = Filled::new(us, them);
            let mut sums = [zeros(); ROUND];
            for round in 0..filled.count.div_ceil(ROUND) {
                for (number, sum) in sums.iter_mut().enumerate() {
                    let at = round * ROUND + number;
                    // SAFETY: up to 16 zeros were written behind the last block. An offset is that of a row, of which
                    // there are as many as blocks of products. A row has a register's alignment. Without checks the
                    // loop takes half as many instructions.
                    let (four, weights) = unsafe {
                        let offset = filled.offsets.get_unchecked(at).assume_init();
                        let row = rows.as_ptr().byte_add(offset as usize);
                        (filled.fours.get_unchecked(at).assume_init(), load_aligned(row.cast()))
                    };
                    *sum = $plus_fours(*sum, splat_i32(four), weights);
                }
            }
            let [a, b, c, d] = sums;
            [add_i32(add_i32(a, b), add_i32(c, d))]
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

sums_by_list!(sums_vnni, features: "avx512f,avx512bw,avx512vnni,popcnt", plus_fours: _mm512_dpbusd_epi32);
sums_by_list!(sums_avx512, features: "avx512f,avx512bw,popcnt", plus_fours: plus_fours_avx512);
sums_by_bits!(sums_avx2, features: "avx2", width: width256, plus_fours: plus_fours_avx2);
sums_by_bits!(sums_ssse3, features: "ssse3", width: width128, plus_fours: plus_fours_ssse3);

tail!(tail_vnni, features: "avx512f,avx512bw,avx512vnni,popcnt", width: width512, sums: sums_vnni);
tail!(tail_avx512, features: "avx512f,avx512bw,popcnt", width: width512, sums: sums_avx512);
tail!(tail_avx2, features: "avx2", width: width256, sums: sums_avx2);
tail!(tail_ssse3, features: "ssse3", width: width128, sums: sums_ssse3);
