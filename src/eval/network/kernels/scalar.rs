//! The scalar kernels, which are the reference, and their parts that other kernels use.

use super::super::tail::{SQUARE_SHIFT, Tail};
use super::super::{HIDDEN_LIMIT, LANES, Lanes, QA, SECOND};
use super::set::{Kernels, SideSums};
use crate::board::Men;

/// The most words of four activations each in the first layer.
pub(super) const FOURS: usize = 2 * HIDDEN_LIMIT / 4;
/// Rounds the square of an activation to the nearest value.
const HALF: u16 = 1 << (SQUARE_SHIFT - 1);

/// Plain Rust. It is the reference.
pub(super) const SCALAR: Kernels =
    Kernels { name: "scalar", update, refresh, output, tail, hanging: Men::hanging };

#[inline(always)]
pub(super) fn update(to: &mut [Lanes], from: &[Lanes], added: &[&[Lanes]], removed: &[&[Lanes]]) {
    // A move changes two to four rows. If their number is known, the sums stay in registers.
    match (added, removed) {
        (&[a], &[r]) => sum_rows(to, from, [a], [r]),
        (&[a], &[r, s]) => sum_rows(to, from, [a], [r, s]),
        (&[a, b], &[r, s]) => sum_rows(to, from, [a, b], [r, s]),
        _ => {
            for (block, (to, from)) in to.iter_mut().zip(from).enumerate() {
                *to = sum_block(*from, block, added, removed);
            }
        }
    }
}

#[inline(always)]
fn sum_rows<const A: usize, const R: usize>(
    to: &mut [Lanes],
    from: &[Lanes],
    added: [&[Lanes]; A],
    removed: [&[Lanes]; R],
) {
    let blocks = to.len();
    let from = &from[..blocks];
    let added = added.map(|row| &row[..blocks]);
    let removed = removed.map(|row| &row[..blocks]);
    for block in 0..blocks {
        for lane in 0..LANES {
            let mut sum = from[block].0[lane];
            for row in added {
                sum = sum.wrapping_add(row[block].0[lane]);
            }
            for row in removed {
                sum = sum.wrapping_sub(row[block].0[lane]);
            }
            to[block].0[lane] = sum;
        }
    }
}

#[inline(always)]
pub(super) fn refresh(to: &mut [Lanes], added: &[&[Lanes]], removed: &[&[Lanes]]) {
    for (block, to) in to.iter_mut().enumerate() {
        *to = sum_block(*to, block, added, removed);
    }
}

/// `sums` plus the blocks of the rows of `added`, minus those of the rows of `removed`.
#[inline(always)]
fn sum_block(mut sums: Lanes, block: usize, added: &[&[Lanes]], removed: &[&[Lanes]]) -> Lanes {
    for row in added {
        for (sum, weight) in sums.0.iter_mut().zip(&row[block].0) {
            *sum = sum.wrapping_add(*weight);
        }
    }
    for row in removed {
        for (sum, weight) in sums.0.iter_mut().zip(&row[block].0) {
            *sum = sum.wrapping_sub(*weight);
        }
    }
    sums
}

#[inline(always)]
fn output(us: SideSums<'_>, them: SideSums<'_>, weights: &[Lanes]) -> i64 {
    let (ours, theirs) = weights.split_at(us.sums.len());
    // Compilers make worse code of one loop over a chain of both sides: see the vector kernels.
    output_of(us, ours) + output_of(them, theirs)
}

#[inline(always)]
fn output_of(side: SideSums<'_>, weights: &[Lanes]) -> i64 {
    let mut sum = 0;
    for (block, (lanes, weights)) in side.sums.iter().zip(weights).enumerate() {
        let lanes = sum_block(*lanes, block, side.added, &[]);
        // At most 32 times 255 * 255 * 127: a block's sum fits 32 bits.
        let block: i32 = (0..LANES)
            .map(|lane| {
                let activation = lanes.0[lane].clamp(0, QA as i16);
                i32::from(activation) * i32::from(activation.wrapping_mul(weights.0[lane]))
            })
            .sum();
        sum += i64::from(block);
    }
    sum
}

#[inline(always)]
fn tail(us: SideSums<'_>, them: SideSums<'_>, tail: &Tail) -> f32 {
    let mut units = [0; FOURS];
    squared(us, them, &mut units);
    let mut sums = [0i32; SECOND];
    for (four, row) in units.iter().zip(&tail.seconds) {
        for (sum, weights) in sums.iter_mut().zip(row.0.as_chunks::<4>().0) {
            let products = four.to_le_bytes().into_iter().zip(weights);
            *sum += products.map(|(unit, &weight)| i32::from(unit) * i32::from(weight)).sum::<i32>();
        }
    }
    tail.finish(&sums)
}

/// The activations of the first layer as the second one sees them: clipped, squared, and rounded to seven bits, four
/// bytes in each word.
#[inline(always)]
pub(super) fn squared(us: SideSums<'_>, them: SideSums<'_>, units: &mut [i32; FOURS]) {
    let (ours, theirs) = units.as_chunks_mut().0.split_at_mut(us.sums.len());
    // Compilers make worse code of one loop over a chain of both sides: it took most of the tail's time.
    squared_of(us, ours);
    squared_of(them, theirs);
}

#[inline(always)]
fn squared_of(side: SideSums<'_>, units: &mut [[i32; LANES / 4]]) {
    for (block, (lanes, units)) in side.sums.iter().zip(units).enumerate() {
        let lanes = sum_block(*lanes, block, side.added, &[]);
        let bytes: [u8; LANES] = lanes.0.map(|sum| {
            let unit = sum.clamp(0, QA as i16) as u16;
            ((unit.wrapping_mul(unit) + HALF) >> SQUARE_SHIFT) as u8
        });
        for (four, &bytes) in units.iter_mut().zip(bytes.as_chunks::<4>().0) {
            *four = i32::from_le_bytes(bytes);
        }
    }
}
