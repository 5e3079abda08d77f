//! The kernels for NEON, which every 64-bit ARM processor has, and for its dot product of bytes, which most processors
//! since 2018 have.
//!
//! The addition of rows is left to the compiler: NEON is part of the target, so the scalar code becomes what a person
//! would write by hand. The sums of products are written here. The compiler multiplies the bytes of the second layer
//! one by one, and it adds up the lanes of the output after each block instead of once at the end.

use std::arch::aarch64::*;
use std::arch::{asm, is_aarch64_feature_detected};

use super::super::scene::Changes;
use super::super::tail::{SecondRow, Tail};
use super::super::{Lanes, QA, SECOND};
use super::scalar::{self, FOURS, squared};
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

/// Two rows at a time: one product from each fits 16 bits together, so they are added before they are widened.
#[target_feature(enable = "neon")]
fn tail(us: &[Lanes], them: &[Lanes], tail: &Tail) -> f32 {
    let mut units = [0; FOURS];
    squared(us, them, &mut units);
    // For each part, sums of pairs of bytes: those of its first two units and those of the others.
    let mut sums = [[vdupq_n_s32(0); 2]; PARTS];
    let rows = tail.seconds.as_chunks::<2>().0;
    for (fours, [even_row, odd_row]) in units.as_chunks::<2>().0.iter().zip(rows) {
        let [even, odd] = fours.map(|four| vreinterpretq_s8_s32(vdupq_n_s32(four)));
        for (part, [low, high]) in sums.iter_mut().enumerate() {
            let (even_weights, odd_weights) = (weights(even_row, part), weights(odd_row, part));
            let products = vmull_s8(vget_low_s8(even), vget_low_s8(even_weights));
            let products = vmlal_s8(products, vget_low_s8(odd), vget_low_s8(odd_weights));
            *low = vpadalq_s16(*low, products);
            let products = vmull_high_s8(even, even_weights);
            *high = vpadalq_s16(*high, vmlal_high_s8(products, odd, odd_weights));
        }
    }
    finish(tail, sums.map(|[low, high]| vpaddq_s32(low, high)))
}

#[target_feature(enable = "neon,dotprod")]
fn tail_by_dot_products(us: &[Lanes], them: &[Lanes], tail: &Tail) -> f32 {
    let mut units = [0; FOURS];
    squared(us, them, &mut units);
    // Each of four rows has sums of its own, so that the processor need not wait for one addition before it begins the
    // next.
    let mut sums = [[vdupq_n_s32(0); PARTS]; 4];
    let rows = tail.seconds.as_chunks::<4>().0;
    for (fours, rows) in units.as_chunks::<4>().0.iter().zip(rows) {
        // SAFETY: the array has the register's size; the load needs no alignment.
        let fours = unsafe { vreinterpretq_s8_s32(vld1q_s32(fours.as_ptr())) };
        for part in 0..PARTS {
            sums[0][part] = plus_dot::<0>(sums[0][part], weights(&rows[0], part), fours);
            sums[1][part] = plus_dot::<1>(sums[1][part], weights(&rows[1], part), fours);
            sums[2][part] = plus_dot::<2>(sums[2][part], weights(&rows[2], part), fours);
            sums[3][part] = plus_dot::<3>(sums[3][part], weights(&rows[3], part), fours);
        }
    }
    let [a, b, c, d] = sums;
    let sum = |part: usize| vaddq_s32(vaddq_s32(a[part], b[part]), vaddq_s32(c[part], d[part]));
    finish(tail, [sum(0), sum(1), sum(2), sum(3)])
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

/// The output from the second layer's sums.
#[inline]
#[target_feature(enable = "neon")]
fn finish(tail: &Tail, sums: [int32x4_t; PARTS]) -> f32 {
    let mut totals = [0; SECOND];
    for (four, sum) in totals.as_chunks_mut::<4>().0.iter_mut().zip(sums) {
        // SAFETY: the array has the register's size; the store needs no alignment.
        unsafe { vst1q_s32(four.as_mut_ptr(), sum) };
    }
    tail.finish(&totals)
}
