//! The functions of one instruction set.

use super::super::features::{ManInput, Perspective};
use super::super::scene::{Changes, LISTED_MEN, Scene};
use super::super::tail::Tail;
use super::super::{Lanes, Network};
use crate::chess::board::{AttackMap, Bitboard, Men};

/// `to = from + added - removed`, lane by lane. Both have the sums of the first perspective, or of one after the other.
type Update = unsafe fn(to: &mut [Lanes], from: &[Lanes], changes: &RowChanges<'_>, places: &mut RowPlaces);
/// The weighted sum of the activations, in 1/(QA * QA * QB).
type HiddenOutput = unsafe fn(us: &[Lanes], them: &[Lanes], weights: &[Lanes]) -> i64;
/// The output of the layers behind the products without its bias, in 1/OUTPUT_ONE.
type TailOutput = unsafe fn(us: &[Lanes], them: &[Lanes], tail: &Tail) -> i32;
/// All attacks, and the pieces that hang.
type Look = unsafe fn(men: &Men, attacks: &mut AttackMap) -> Bitboard;
/// The inputs that differ between two scenes.
type SetChanges = unsafe fn(changes: &mut Changes, now: &Scene, before: &Scene);

/// The rows of weights that an update adds and removes. Each row is as long as the sums of one perspective.
#[derive(Clone, Copy, Debug)]
pub struct RowChanges<'a> {
    /// The network whose weights they are.
    pub network: &'a Network,
    /// The inputs that change.
    pub inputs: &'a Changes,
    /// Who sees them.
    pub perspectives: &'a [Perspective; 2],
}

/// The blocks at which some rows of weights begin: for each input, that in each perspective.
pub(super) type PlaceList<'a> = &'a [[u32; 2]];

/// Room for the places of the rows of an update.
#[derive(Clone, Debug)]
pub struct RowPlaces([[[u32; 2]; LISTED_MEN]; 2]);

impl Default for RowPlaces {
    fn default() -> RowPlaces {
        RowPlaces([[[0; 2]; LISTED_MEN]; 2])
    }
}

impl RowChanges<'_> {
    /// Lists the places of the rows, those of the added ones first.
    #[inline(always)]
    pub(super) fn man_places<'p>(&self, places: &'p mut RowPlaces) -> [PlaceList<'p>; 2] {
        let [added, removed] = &mut places.0;
        [self.list(&self.inputs.added, added), self.list(&self.inputs.removed, removed)]
    }

    #[inline(always)]
    fn list<'p>(&self, inputs: &[ManInput], places: &'p mut [[u32; 2]; LISTED_MEN]) -> PlaceList<'p> {
        let (perspectives, width) = (*self.perspectives, self.network.width() as u32);
        for (&input, place) in inputs.iter().zip(&mut *places) {
            *place = perspectives.map(|perspective| u32::from(perspective.man(input)) * width);
        }
        &places[..inputs.len()]
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
    /// Writes `from` with the changes of the rows to `to`. Both have the sums of the first perspective, or those of the
    /// first and then those of the second. `places` is room to work in.
    #[inline]
    pub fn update(&self, to: &mut [Lanes], from: &[Lanes], changes: &RowChanges<'_>, places: &mut RowPlaces) {
        // SAFETY: `available` hands out only kernels whose CPU features were detected; there is no other condition.
        // Calling through a pointer costs 1 to 2 ns and saves a binary for each CPU.
        unsafe { (self.update)(to, from, changes, places) }
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
