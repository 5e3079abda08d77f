//! The functions of one instruction set.

use super::super::features::{ManInput, Perspective, ThreatInput};
use super::super::scene::{Changes, Scene};
use super::super::tail::Tail;
use super::super::{ByteLanes, LANES, Lanes, Shape};
use crate::chess::board::{AttackMap, Bitboard, Men};

/// `to = from + added - removed`, lane by lane. All have the same length.
type Update = unsafe fn(to: &mut [Lanes], from: &[Lanes], changes: RowChanges<'_>);
/// The weighted sum of the activations, in 1/(QA * QA * QB).
type HiddenOutput = unsafe fn(us: &[Lanes], them: &[Lanes], weights: &[Lanes]) -> i64;
/// The output of the layers behind the products without its bias, in 1/OUTPUT_ONE.
type TailOutput = unsafe fn(us: &[Lanes], them: &[Lanes], tail: &Tail) -> i32;
/// All attacks, and the pieces that hang.
type Look = unsafe fn(men: &Men, attacks: &mut AttackMap) -> Bitboard;
/// The inputs that differ between two scenes.
type SetChanges = unsafe fn(changes: &mut Changes, now: &Scene, before: &Scene);

/// The rows of weights that an update adds and removes. Each row is as long as the sums.
#[derive(Clone, Copy, Debug)]
pub struct RowChanges<'a> {
    /// The rows of the inputs for men.
    pub men: &'a [Lanes],
    /// The rows of the inputs for threats.
    pub threats: &'a [ByteLanes],
    /// The inputs that change.
    pub inputs: &'a Changes,
    /// Who sees them.
    pub perspective: Perspective,
    /// The network's shape.
    pub shape: Shape,
}

impl RowChanges<'_> {
    /// The blocks at which the rows of inputs for men begin.
    #[inline(always)]
    pub(super) fn man_rows(&self, inputs: &[ManInput]) -> impl Iterator<Item = u32> {
        let indices = self.perspective.men(self.shape.zones);
        let blocks = self.row_blocks();
        inputs.iter().map(move |&input| u32::from(indices.of(input)) * blocks)
    }

    /// The blocks at which the rows of inputs for threats begin.
    #[inline(always)]
    pub(super) fn threat_rows(&self, inputs: &[ThreatInput]) -> impl Iterator<Item = u32> {
        let blocks = self.row_blocks();
        inputs.iter().map(move |&input| u32::from(self.perspective.threat(input)) * blocks)
    }

    /// Number of blocks of a row.
    #[inline(always)]
    fn row_blocks(&self) -> u32 {
        (self.shape.hidden / LANES) as u32
    }
}

/// The functions for one instruction set.
#[derive(Clone, Copy, Debug)]
pub struct Kernels {
    /// The name of the instruction set, for display.
    pub name: &'static str,
    pub(super) update: Update,
    pub(super) output: HiddenOutput,
    pub(super) tail: TailOutput,
    pub(super) look: Look,
    pub(super) set_changes: SetChanges,
}

impl Kernels {
    /// Writes `from` with the changes of the rows to `to`.
    #[inline]
    pub fn update(&self, to: &mut [Lanes], from: &[Lanes], changes: RowChanges<'_>) {
        // SAFETY: `available` hands out only kernels whose CPU features were detected; there is no other condition.
        // Calling through a pointer costs 1 to 2 ns and saves a binary for each CPU.
        unsafe { (self.update)(to, from, changes) }
    }

    /// The sum of all squared clipped activations times their weights, in 1/(QA * QA * QB). The first half of the
    /// weights is for `us`.
    #[inline]
    pub fn output(&self, us: &[Lanes], them: &[Lanes], weights: &[Lanes]) -> i64 {
        // SAFETY: as for `update`.
        unsafe { (self.output)(us, them, weights) }
    }

    /// The output of the layers behind the products without its bias, in
    /// 1/[`OUTPUT_ONE`](crate::engine::eval::network::tail::OUTPUT_ONE).
    #[inline]
    pub fn tail(&self, us: &[Lanes], them: &[Lanes], tail: &Tail) -> i32 {
        // SAFETY: as for `update`.
        unsafe { (self.tail)(us, them, tail) }
    }

    /// Writes all attacks to `attacks`, and gives the pieces that hang; see [`Men::look`].
    #[inline]
    pub fn look(&self, men: &Men, attacks: &mut AttackMap) -> Bitboard {
        // SAFETY: as for `update`.
        unsafe { (self.look)(men, attacks) }
    }

    /// Writes the inputs that differ between the scene `now` and the one `before`; see [`Changes::set`].
    #[inline]
    pub fn set_changes(&self, changes: &mut Changes, now: &Scene, before: &Scene) {
        // SAFETY: as for `update`.
        unsafe { (self.set_changes)(changes, now, before) }
    }
}
