//! What a position's inputs are made from, and how the inputs of two positions differ.
//!
//! Two positions that a few moves lie between share most of their inputs. A scene keeps the sets of squares that the
//! inputs depend on. So the inputs that differ are found from the sets, without the moves between the positions.

use arrayvec::ArrayVec;

use super::Shape;
use super::features::{ManInput, ThreatInput};
use crate::chess::board::{AttackMap, Bitboard, Color, MAX_MEN, Men, Piece, Role, Square};

/// The most inputs for men: each man has one, and each may hang.
const MAN_INPUTS: usize = 2 * 2 * MAX_MEN;
/// The most inputs for threats: each man may be attacked by each role of each color.
const THREAT_INPUTS: usize = 2 * 6 * 2 * MAX_MEN;
/// The most inputs of one perspective.
pub const INPUTS: usize = MAN_INPUTS + THREAT_INPUTS;

/// The most inputs of a list of inputs for men: all squares of each set, so that nothing must be checked.
pub const LISTED_MEN: usize = 64 * MAN_MARKS.len();
/// A list of inputs for men.
pub type ManList = ArrayVec<ManInput, LISTED_MEN>;
/// A list of inputs for threats. It has room for all squares of each set.
pub type ThreatList = ArrayVec<ThreatInput, { 64 * THREAT_MARKS.len() }>;

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
    /// Whether the network has inputs for threats.
    has_threats: bool,
}

/// The inputs that one position has and another one lacks, and the other way round.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Changes {
    /// Men and hanging men that are new.
    pub added: ManList,
    /// Men and hanging men that are gone.
    pub removed: ManList,
    /// Threats that are new.
    pub added_threats: ThreatList,
    /// Threats that are gone.
    pub removed_threats: ThreatList,
}

impl Changes {
    /// Writes the inputs that differ between the scene `now` and the one `before`.
    #[inline(always)]
    pub fn set(&mut self, now: &Scene, before: &Scene) {
        let Changes { added, removed, added_threats, removed_threats } = self;
        list_men(added, now.new_men(before), now.kinds());
        list_men(removed, before.new_men(now), before.kinds());
        if now.has_threats {
            list_threats(added_threats, now.new_threats(before), now.kinds());
            list_threats(removed_threats, before.new_threats(now), before.kinds());
        } else {
            added_threats.clear();
            removed_threats.clear();
        }
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
            self.has_threats = shape.threats;
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

    /// Whether there are inputs for threats.
    #[inline(always)]
    pub fn has_threats(&self) -> bool {
        self.has_threats
    }

    /// The squares of men that the scene `before` lacks; then those of men that hang and are new or did not hang.
    #[inline(always)]
    pub fn new_men(&self, before: &Scene) -> [Bitboard; MAN_MARKS.len()] {
        let moved = self.men.changed(&before.men);
        [self.men.all() & moved, new(self.hanging, before.hanging, moved)]
    }

    /// For each kind of attacker, Black's first, the squares of the victims of threats that the scene `before` lacks.
    /// Both scenes have inputs for threats.
    #[inline(always)]
    pub fn new_threats(&self, before: &Scene) -> [Bitboard; THREAT_MARKS.len()] {
        let moved = self.men.changed(&before.men);
        let victims = self.men.all() & !self.men.roles[Role::King as usize - 1];
        let [is, was] = [self, before].map(|scene| scene.attacks.0.as_flattened());
        std::array::from_fn(|attacker| new(is[attacker], was[attacker], moved) & victims)
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

/// Replaces `threats` by the inputs of the threats to the men on the squares of each set.
#[inline(always)]
fn list_threats(threats: &mut ThreatList, sets: [Bitboard; THREAT_MARKS.len()], kinds: Kinds) {
    threats.clear();
    // Most sets are empty. A loop over the others has fewer ends that are hard to predict.
    let mut filled = 0u32;
    for (attacker, victims) in sets.iter().enumerate() {
        filled |= u32::from(victims.any()) << attacker;
    }
    while filled != 0 {
        let number = filled.trailing_zeros() as usize;
        filled &= filled - 1;
        for square in sets[number] {
            threats.push(ThreatInput::new(THREAT_MARKS[number], kinds.at(square)));
        }
    }
}

/// The mark of each set of [`Scene::new_men`].
pub const MAN_MARKS: [u8; 2] = [0, ManInput::HANGS_MARK];

/// The mark of each set of [`Scene::new_threats`].
pub const THREAT_MARKS: [u8; 12] = {
    let mut marks = [0; 12];
    let mut number = 0;
    while number < 12 {
        let color = if number < 6 { Color::Black } else { Color::White };
        marks[number] = ThreatInput::mark(Piece { color, role: Role::ALL[number % 6] });
        number += 1;
    }
    marks
};

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
