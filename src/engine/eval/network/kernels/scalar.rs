//! The scalar kernels, which are the reference, and their parts that other kernels use.

use super::super::scene::Changes;
use super::super::tail::{SQUARE_SHIFT, Tail};
use super::super::{HIDDEN_LIMIT, LANES, Lanes, QA, SECOND};
use super::set::{Kernels, RowChanges};
use crate::chess::board::Men;

/// The most words of four activations each in the first layer.
pub(super) const FOURS: usize = 2 * HIDDEN_LIMIT / 4;
/// Rounds the square of an activation to the nearest value.
const HALF: u16 = 1 << (SQUARE_SHIFT - 1);

/// Plain Rust. It is the reference.
pub(super) const SCALAR: Kernels =
    Kernels { name: "scalar", update, output, tail, look: Men::look, set_changes: Changes::set };

#[inline(always)]
pub(super) fn update(to: &mut [Lanes], from: &[Lanes], changes: RowChanges<'_>) {
    update_rest(to, from, &changes);
}

/// Updates the last blocks of the sums.
#[inline(always)]
pub(super) fn update_rest(to: &mut [Lanes], from: &[Lanes], changes: &RowChanges<'_>) {
    let first = from.len() - to.len();
    to.copy_from_slice(&from[first..]);
    for row in changes.man_rows(&changes.inputs.added) {
        change(to, row[first..].iter().map(|block| block.0), i16::wrapping_add);
    }
    for row in changes.man_rows(&changes.inputs.removed) {
        change(to, row[first..].iter().map(|block| block.0), i16::wrapping_sub);
    }
    for row in changes.threat_rows(&changes.inputs.added_threats) {
        change(to, row[first..].iter().map(|block| block.0.map(i16::from)), i16::wrapping_add);
    }
    for row in changes.threat_rows(&changes.inputs.removed_threats) {
        change(to, row[first..].iter().map(|block| block.0.map(i16::from)), i16::wrapping_sub);
    }
}

/// Applies the operation to each sum and its weight.
#[inline(always)]
fn change(sums: &mut [Lanes], row: impl Iterator<Item = [i16; LANES]>, operation: impl Fn(i16, i16) -> i16) {
    for (sums, weights) in sums.iter_mut().zip(row) {
        // By value: otherwise the compiler works on one lane at a time.
        *sums = Lanes(std::array::from_fn(|lane| operation(sums.0[lane], weights[lane])));
    }
}

#[inline(always)]
fn output(us: &[Lanes], them: &[Lanes], weights: &[Lanes]) -> i64 {
    let (ours, theirs) = weights.split_at(us.len());
    // Compilers make worse code of one loop over a chain of both sides: see the vector kernels.
    output_of(us, ours) + output_of(them, theirs)
}

#[inline(always)]
fn output_of(sums: &[Lanes], weights: &[Lanes]) -> i64 {
    let mut sum = 0;
    for (lanes, weights) in sums.iter().zip(weights) {
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
fn tail(us: &[Lanes], them: &[Lanes], tail: &Tail) -> f32 {
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
pub(super) fn squared(us: &[Lanes], them: &[Lanes], units: &mut [i32; FOURS]) {
    let (ours, theirs) = units.as_chunks_mut().0.split_at_mut(us.len());
    // Compilers make worse code of one loop over a chain of both sides: it took most of the tail's time.
    squared_of(us, ours);
    squared_of(them, theirs);
}

#[inline(always)]
fn squared_of(sums: &[Lanes], units: &mut [[i32; LANES / 4]]) {
    for (lanes, units) in sums.iter().zip(units) {
        let bytes: [u8; LANES] = lanes.0.map(|sum| {
            let unit = sum.clamp(0, QA as i16) as u16;
            ((unit.wrapping_mul(unit) + HALF) >> SQUARE_SHIFT) as u8
        });
        for (four, &bytes) in units.iter_mut().zip(bytes.as_chunks::<4>().0) {
            *four = i32::from_le_bytes(bytes);
        }
    }
}
