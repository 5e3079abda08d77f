//! The scalar kernels, which are the reference, and their parts that other kernels use.

use super::super::scene::Changes;
use super::super::tail::{PRODUCT_SHIFT, SecondRow, Tail};
use super::super::{LANES, Lanes, QA, SECOND};
use super::set::{Kernels, PlaceList, RowChanges, RowPlaces};
use crate::chess::board::Men;

/// Number of products of each block of units and the block that it is multiplied by, in words of four bytes.
pub(super) const FOURS: usize = LANES / 4;

/// Plain Rust. It is the reference.
pub(super) const SCALAR: Kernels =
    Kernels { name: "scalar", update, output, tail, look: Men::look, set_changes: Changes::set };

#[inline(always)]
pub(super) fn update(to: &mut [Lanes], from: &[Lanes], changes: &RowChanges<'_>, places: &mut RowPlaces) {
    let places = changes.man_places(places);
    let width = changes.network.width();
    for (side, (to, from)) in to.chunks_exact_mut(width).zip(from.chunks_exact(width)).enumerate() {
        update_blocks(to, from, &changes.network.blocks, 0, places, side);
    }
}

/// Writes `from` with the changes to `to`. Both have the same blocks of the sums of the perspective
/// number `side`, from block `first` on.
#[inline(always)]
pub(super) fn update_blocks(
    to: &mut [Lanes],
    from: &[Lanes],
    men: &[Lanes],
    first: usize,
    [added, removed]: [PlaceList<'_>; 2],
    side: usize,
) {
    let blocks = to.len();
    let words = |row: &[u32; 2]| men[row[side] as usize + first..][..blocks].iter().map(|block| block.0);
    to.copy_from_slice(from);
    for row in added {
        change(to, words(row), i16::wrapping_add);
    }
    for row in removed {
        change(to, words(row), i16::wrapping_sub);
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
pub(super) fn tail(us: &[Lanes], them: &[Lanes], tail: &Tail) -> i32 {
    let mut sums = [0; SECOND];
    for_products(us, them, &tail.seconds, |four, row| {
        if four == [0; 4] {
            return;
        }
        for (sum, weights) in sums.iter_mut().zip(row.0.as_chunks::<4>().0) {
            let products = four.into_iter().zip(weights);
            *sum += products.map(|(product, &weight)| i32::from(product) * i32::from(weight)).sum::<i32>();
        }
    });
    tail.finish(&sums)
}

/// Calls `visit` for each four products and their weights.
#[inline(always)]
fn for_products(
    us: &[Lanes],
    them: &[Lanes],
    rows: &[SecondRow],
    mut visit: impl FnMut([u8; 4], &SecondRow),
) {
    let mut rows = rows.as_chunks::<FOURS>().0.iter();
    for side in [us, them] {
        let (left, right) = side.split_at(side.len() / 2);
        for ((left, right), rows) in left.iter().zip(right).zip(rows.by_ref()) {
            let products = products(left, right);
            for (four, row) in products.as_chunks::<4>().0.iter().zip(rows) {
                visit(*four, row);
            }
        }
    }
}

/// The products of the units of two blocks: clipped, multiplied, and cut to seven bits.
#[inline(always)]
pub(super) fn products(left: &Lanes, right: &Lanes) -> [u8; LANES] {
    let clipped = |sum: i16| sum.clamp(0, QA as i16) as u16;
    std::array::from_fn(|lane| ((clipped(left.0[lane]) * clipped(right.0[lane])) >> PRODUCT_SHIFT) as u8)
}
