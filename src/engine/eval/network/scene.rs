//! What a position's inputs are made from, and how the inputs of two positions differ.
//!
//! Two positions that a few moves lie between share most of their inputs. A scene keeps the sets of squares that the
//! inputs depend on. So the inputs that differ are found from the sets, without the moves between the positions.

use arrayvec::ArrayVec;

use super::Shape;
use super::features::ManInput;
use crate::chess::board::{AttackMap, Bitboard, Color, MAX_MEN, Men, Square};

/// The most inputs of one perspective: each man has one, and each may hang.
pub const INPUTS: usize = 2 * 2 * MAX_MEN;

/// The most inputs of a list: all squares of each set, so that nothing must be checked.
pub const LISTED_MEN: usize = 64 * MAN_MARKS.len();
/// A list of inputs.
pub type ManList = ArrayVec<ManInput, LISTED_MEN>;

/// The men of a position, what they attack, and which of them hang.
#[derive(Clone, Default, Debug)]
pub struct Scene {
    men: Men,
    /// Whether the rest belongs to these men.
    is_seen: bool,
    /// What the men attack.
    attacks: AttackMap,
    /// No men if the network has no inputs for hanging pieces.
    hanging: Bitboard,
}

/// The inputs that one position has and another one lacks, and the other way round.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Changes {
    /// Men and hanging men that are new.
    pub added: ManList,
    /// Men and hanging men that are gone.
    pub removed: ManList,
}

impl Changes {
    /// Writes the inputs that differ between the scene `now` and the one `before`.
    #[inline(always)]
    pub fn set(&mut self, now: &Scene, before: &Scene) {
        let Changes { added, removed } = self;
        list_men(added, now.new_men(before), now.kinds());
        list_men(removed, before.new_men(now), before.kinds());
    }
}

impl Scene {
    /// Sets the men. The rest is of the old men until [`Scene::look`].
    #[inline]
    pub fn set_men(&mut self, men: Men) {
        self.men = men;
        self.is_seen = false;
    }

    /// Finds what the men attack, and what a network of this shape is told of them, unless that is known already.
    /// `look` is [`Men::look`] or does the same.
    #[inline]
    pub fn look(&mut self, shape: Shape, look: impl FnOnce(&Men, &mut AttackMap) -> Bitboard) {
        if !self.is_seen {
            let hanging = look(&self.men, &mut self.attacks);
            self.hanging = if shape.hanging { hanging } else { Bitboard::EMPTY };
            self.is_seen = true;
        }
    }

    /// What the men attack, after [`Scene::look`].
    #[inline]
    pub fn attacks(&self) -> &AttackMap {
        &self.attacks
    }

    /// The square of the king of `color`.
    #[inline]
    pub fn king(&self, color: Color) -> Square {
        self.men.king(color)
    }

    /// The squares of men that the scene `before` lacks; then those of men that hang and are new or did not hang.
    #[inline(always)]
    pub fn new_men(&self, before: &Scene) -> [Bitboard; MAN_MARKS.len()] {
        let moved = self.men.changed(&before.men);
        [self.men.all() & moved, new(self.hanging, before.hanging, moved)]
    }

    /// The sets from which the kind of the man on a square is read, which needs no search.
    #[inline(always)]
    pub fn kinds(&self) -> Kinds {
        let [_, knights, bishops, rooks, queens, kings] = self.men.roles;
        let black = self.men.colors[Color::Black as usize];
        Kinds { role_bits: [knights | rooks | kings, bishops | rooks, queens | kings], black }
    }
}

/// The squares of a set that it did not have before, or that another man stands on now.
#[inline(always)]
fn new(is: Bitboard, was: Bitboard, moved: Bitboard) -> Bitboard {
    is & (!was | moved)
}

/// Replaces `men` by the inputs of the men on the squares of each set.
#[inline(always)]
fn list_men(men: &mut ManList, sets: [Bitboard; MAN_MARKS.len()], kinds: Kinds) {
    men.clear();
    for (set, mark) in sets.into_iter().zip(MAN_MARKS) {
        for square in set {
            men.push(kinds.at(square).marked(mark));
        }
    }
}

/// The mark of each set of [`Scene::new_men`].
pub const MAN_MARKS: [u8; 2] = [0, ManInput::HANGS_MARK];

/// Sets of squares whose bits are the kind of each man.
#[derive(Clone, Copy, Debug)]
pub struct Kinds {
    /// The squares of men whose role's number, counted from 0 for pawns, has each bit.
    pub role_bits: [Bitboard; 3],
    /// The squares of Black's men.
    pub black: Bitboard,
}

impl Kinds {
    /// The man on `square`.
    #[inline(always)]
    fn at(self, square: Square) -> ManInput {
        let bit = |squares: Bitboard| (squares.0 >> square as u32 & 1) as u16;
        let [low, middle, high] = self.role_bits.map(bit);
        ManInput::of_bits(bit(self.black), low + 2 * middle + 4 * high, square as u16)
    }
}
