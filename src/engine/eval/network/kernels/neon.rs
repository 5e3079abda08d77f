//! The kernels for NEON, which every 64-bit ARM processor has, and for its dot product of bytes, which most processors
//! since 2018 have.
//!
//! The addition of rows is left to the compiler: NEON is part of the target, so the scalar code becomes what a person
//! would write by hand. The sums of products are written here. The compiler multiplies the bytes of the second layer
//! one by one, and it adds up the lanes of the output after each block instead of once at the end.

use std::arch::aarch64::*;
use std::arch::{asm, is_aarch64_feature_detected};

use super::super::scene::Changes;
use super::super::tail::{PRODUCT_SHIFT, SecondRow, Tail};
use super::super::{Lanes, QA, SECOND};
use super::scalar::{self, FOURS};
use super::set::Kernels;
use crate::chess::board::Men;

const NEON: Kernels = Kernels {
    name: "NEON",
    update: scalar::update,
    output,
    tail,
    look: Men::look,
    set_changes: Changes::set,
};

const NEON_DOT: Kernels = Kernels { name: "NEON with dot product", tail: tail_by_dot_products, ..NEON };

/// The size of a register, in bytes.
const REGISTER: usize = 16;
/// Number of registers that a block of the first layer or a row of the second fills.
const PARTS: usize = Lanes::BYTES / REGISTER;
const _: () = assert!(SecondRow::BYTES == Lanes::BYTES);

/// The instruction sets that this machine has, the fastest first.
pub(super) fn available() -> impl Iterator<Item = Kernels> {
    let dot = is_aarch64_feature_detected!("dotprod").then_some(NEON_DOT);
    dot.into_iter().chain([NEON])
}

/// The words of a block.
#[inline]
#[target_feature(enable = "neon")]
fn words(block: &Lanes) -> [int16x8_t; PARTS] {
    let parts: &[[i16; REGISTER / 2]] = block.0.as_chunks().0;
    // SAFETY: each array has the register's size; the load needs no alignment. Loads exist only for pointers.
    [0, 1, 2, 3].map(|part| unsafe { vld1q_s16(parts[part].as_ptr()) })
}

/// The register number `part` of a row of the second layer.
#[inline]
#[target_feature(enable = "neon")]
fn weights(row: &SecondRow, part: usize) -> int8x16_t {
    let weights: &[i8; REGISTER] = &row.0.as_chunks().0[part];
    // SAFETY: as for `words`.
    unsafe { vld1q_s8(weights.as_ptr()) }
}

#[target_feature(enable = "neon")]
fn output(us: &[Lanes], them: &[Lanes], weights: &[Lanes]) -> i64 {
    let (zero, one) = (vdupq_n_s16(0), vdupq_n_s16(QA as i16));
    let [mut low, mut high] = [vdupq_n_s32(0); 2];
    let (ours, theirs) = weights.split_at(us.len());
    for (sums, weights) in [(us, ours), (them, theirs)] {
        for (lanes, weights) in sums.iter().zip(weights) {
            for (value, weight) in words(lanes).into_iter().zip(words(weights)) {
                let activation = vminq_s16(vmaxq_s16(value, zero), one);
                // 255 * 127 fits 16 bits; the sums of an eighth of the products by 255 fit 32 with up to HIDDEN_LIMIT
                // units a side.
                let products = vmulq_s16(activation, weight);
                low = vmlal_s16(low, vget_low_s16(activation), vget_low_s16(products));
                high = vmlal_high_s16(high, activation, products);
            }
        }
    }
    vaddlvq_s32(low) + vaddlvq_s32(high)
}

/// Number of blocks of products whose bits fit a word.
const BLOCKS: usize = 64 / FOURS;
/// Number of words of four bytes in a register.
const WORDS: usize = REGISTER / size_of::<i32>();

const _: () = assert!(PRODUCT_SHIFT == 8 + 1);

/// Calls `visit` for each word of four products that are not all zero, and the weights of these products.
#[inline(always)]
fn for_filled(us: &[Lanes], them: &[Lanes], rows: &[SecondRow], mut visit: impl FnMut(i32, &SecondRow)) {
    let (ours, theirs) = rows.split_at(rows.len() / 2);
    for (side, rows) in [(us, ours), (them, theirs)] {
        let (left, right) = side.split_at(side.len() / 2);
        let rows = rows.chunks(BLOCKS * FOURS);
        for ((left, right), rows) in left.chunks(BLOCKS).zip(right.chunks(BLOCKS)).zip(rows) {
            let mut fours = [0i32; BLOCKS * FOURS];
            let mut filled = 0u64;
            for (number, (left, right)) in left.iter().zip(right).enumerate() {
                let to: &mut [i32; FOURS] =
                    fours[number * FOURS..].first_chunk_mut().expect("room for all blocks");
                // SAFETY: every 64-bit ARM processor has NEON.
                filled |= unsafe { multiply(left, right, to) } << (number * FOURS);
            }
            while filled != 0 {
                let number = filled.trailing_zeros() as usize;
                filled &= filled - 1;
                visit(fours[number], &rows[number]);
            }
        }
    }
}

/// Writes the products of the units of two blocks, four bytes to a word. The result has a bit for each word that is not
/// zero.
#[inline]
#[target_feature(enable = "neon")]
fn multiply(left: &Lanes, right: &Lanes, to: &mut [i32; FOURS]) -> u64 {
    let (zero, one) = (vdupq_n_s16(0), vdupq_n_s16(QA as i16));
    let (left, right) = (words(left), words(right));
    // The product of two units fits 16 bits without a sign. Half its bits go when it becomes a byte, and one after
    // that.
    let products = |part: usize| {
        let clipped = |units: int16x8_t| vreinterpretq_u16_s16(vminq_s16(vmaxq_s16(units, zero), one));
        vshrn_n_u16::<8>(vmulq_u16(clipped(left[part]), clipped(right[part])))
    };
    let mut filled = 0;
    for (half, to) in to.as_chunks_mut::<WORDS>().0.iter_mut().enumerate() {
        let bytes = vcombine_u8(products(2 * half), products(2 * half + 1));
        let words = vreinterpretq_u32_u8(vshrq_n_u8::<1>(bytes));
        // SAFETY: the array has the register's size; the access needs no alignment.
        let bits = unsafe {
            vst1q_s32(to.as_mut_ptr(), vreinterpretq_s32_u32(words));
            vld1q_u32([1, 2, 4, 8].as_ptr())
        };
        filled |= u64::from(vaddvq_u32(vandq_u32(vtstq_u32(words, words), bits))) << (half * WORDS);
    }
    filled
}

#[target_feature(enable = "neon")]
fn tail(us: &[Lanes], them: &[Lanes], tail: &Tail) -> i32 {
    // For each part, sums of pairs of bytes: those of its first two units and those of the others.
    let mut sums = [[vdupq_n_s32(0); 2]; PARTS];
    for_filled(us, them, &tail.seconds, |four, row| {
        let four = vreinterpretq_s8_s32(vdupq_n_s32(four));
        for (part, [low, high]) in sums.iter_mut().enumerate() {
            let weights = weights(row, part);
            *low = vpadalq_s16(*low, vmull_s8(vget_low_s8(four), vget_low_s8(weights)));
            *high = vpadalq_s16(*high, vmull_high_s8(four, weights));
        }
    });
    finish(tail, sums.map(|[low, high]| vpaddq_s32(low, high)))
}

#[target_feature(enable = "neon,dotprod")]
fn tail_by_dot_products(us: &[Lanes], them: &[Lanes], tail: &Tail) -> i32 {
    let mut sums = [vdupq_n_s32(0); PARTS];
    for_filled(us, them, &tail.seconds, |four, row| {
        let four = vreinterpretq_s8_s32(vdupq_n_s32(four));
        for (part, sum) in sums.iter_mut().enumerate() {
            *sum = plus_dot::<0>(*sum, weights(row, part), four);
        }
    });
    finish(tail, sums)
}

/// `sum` plus, in each lane, four bytes of `weights` times the four bytes in the lane `LANE` of `fours`.
#[inline]
#[target_feature(enable = "neon,dotprod")]
fn plus_dot<const LANE: usize>(mut sum: int32x4_t, weights: int8x16_t, fours: int8x16_t) -> int32x4_t {
    // SAFETY: the instruction changes only the register of the sum. The function's attribute says that it exists. It
    // does the work of three instructions of plain NEON. The intrinsic is not stable yet.
    unsafe {
        asm!(
            "sdot {sum:v}.4s, {weights:v}.16b, {fours:v}.4b[{lane}]",
            sum = inout(vreg) sum,
            weights = in(vreg) weights,
            fours = in(vreg) fours,
            lane = const LANE,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    sum
}

/// The output from the second layer's sums. The rest is left to the compiler.
#[inline]
#[target_feature(enable = "neon")]
fn finish(tail: &Tail, sums: [int32x4_t; PARTS]) -> i32 {
    let mut totals = [0; SECOND];
    for (four, sum) in totals.as_chunks_mut::<4>().0.iter_mut().zip(sums) {
        // SAFETY: the array has the register's size; the store needs no alignment.
        unsafe { vst1q_s32(four.as_mut_ptr(), sum) };
    }
    tail.finish(&totals)
}
