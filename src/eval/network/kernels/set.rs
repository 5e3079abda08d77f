//! The functions of one instruction set.

use super::super::Lanes;
use super::super::tail::Tail;
use crate::board::{Bitboard, Men};

/// `to = from + added - removed`, lane by lane. All have the same length.
type Update = unsafe fn(to: &mut [Lanes], from: &[Lanes], added: &[&[Lanes]], removed: &[&[Lanes]]);
/// `to += added - removed`.
type Refresh = unsafe fn(to: &mut [Lanes], added: &[&[Lanes]], removed: &[&[Lanes]]);
/// The weighted sum of the activations, in 1/(QA * QA * QB).
type HiddenOutput = unsafe fn(us: SideSums<'_>, them: SideSums<'_>, weights: &[Lanes]) -> i64;
/// What the second and third hidden layer add to the output.
type TailOutput = unsafe fn(us: SideSums<'_>, them: SideSums<'_>, tail: &Tail) -> f32;
/// The pieces that hang.
type Hanging = unsafe fn(men: &Men) -> Bitboard;

/// The sums of one side's hidden units: `sums` plus the rows of `added`. The sums are kept from position to position,
/// and the rows are added only for one output.
#[derive(Clone, Copy, Debug)]
pub struct SideSums<'a> {
    /// The sums without the rows.
    pub sums: &'a [Lanes],
    /// Rows of weights, each as long as the sums.
    pub added: &'a [&'a [Lanes]],
}

/// The functions for one instruction set.
#[derive(Clone, Copy, Debug)]
pub struct Kernels {
    /// The name of the instruction set, for display.
    pub name: &'static str,
    pub(super) update: Update,
    pub(super) refresh: Refresh,
    pub(super) output: HiddenOutput,
    pub(super) tail: TailOutput,
    pub(super) hanging: Hanging,
}

impl Kernels {
    /// Writes `from`, plus the rows of `added`, minus the rows of `removed`, to `to`.
    #[inline]
    pub fn update(&self, to: &mut [Lanes], from: &[Lanes], added: &[&[Lanes]], removed: &[&[Lanes]]) {
        // SAFETY: `available` hands out only kernels whose CPU features were detected; there is no other condition.
        // Calling through a pointer costs 1 to 2 ns and saves a binary for each CPU.
        unsafe { (self.update)(to, from, added, removed) }
    }

    /// Adds the rows of `added` to `to` and subtracts those of `removed`.
    #[inline]
    pub fn refresh(&self, to: &mut [Lanes], added: &[&[Lanes]], removed: &[&[Lanes]]) {
        // SAFETY: as for `update`.
        unsafe { (self.refresh)(to, added, removed) }
    }

    /// The sum of all squared clipped activations times their weights, in 1/(QA * QA * QB). The first half of the
    /// weights is for `us`.
    #[inline]
    pub fn output(&self, us: SideSums<'_>, them: SideSums<'_>, weights: &[Lanes]) -> i64 {
        // SAFETY: as for `update`.
        unsafe { (self.output)(us, them, weights) }
    }

    /// What the second and third hidden layer add to the output.
    #[inline]
    pub fn tail(&self, us: SideSums<'_>, them: SideSums<'_>, tail: &Tail) -> f32 {
        // SAFETY: as for `update`.
        unsafe { (self.tail)(us, them, tail) }
    }

    /// The pieces that hang; see [`Men::hanging`].
    #[inline]
    pub fn hanging(&self, men: &Men) -> Bitboard {
        // SAFETY: as for `update`.
        unsafe { (self.hanging)(men) }
    }
}
