//! What a position's inputs are made from, and how the inputs of two positions differ.
//!
//! Two positions that a few moves lie between share most of their inputs. A scene keeps the sets of squares that the
//! inputs depend on. So the inputs that differ are found from the sets, without the moves between the positions.

use arrayvec::ArrayVec;

use super::Shape;
use super::features::{ManInput, ThreatInput};
use crate::board::{AttackMap, Bitboard, Color, MAX_MEN, Men, Piece, Role, Square};

/// The most inputs for men: each man has one, and each may hang.
const MAN_INPUTS: usize = 2 * 2 * MAX_MEN;
/// The most inputs for threats: each man may be attacked by each role of each color.
const THREAT_INPUTS: usize = 2 * 6 * 2 * MAX_MEN;
/// The most inputs of one perspective.
pub const INPUTS: usize = MAN_INPUTS + THREAT_INPUTS;

/// A list of inputs for men.
pub type ManList = ArrayVec<ManInput, MAN_INPUTS>;
/// A list of inputs for threats.
pub type ThreatList = ArrayVec<ThreatInput, THREAT_INPUTS>;

/// The men of a position, what they attack, and which of them hang.
#[derive(Clone, Default, Debug)]
pub struct Scene {
    men: Men,
    /// What the men attack, if the network is told anything about it.
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
        now.news(before).write(now.kinds(), added, added_threats);
        before.news(now).write(before.kinds(), removed, removed_threats);
    }
}

impl Scene {
    /// Sets the men. The rest is of the old men until [`Scene::look`].
    #[inline]
    pub fn set_men(&mut self, men: Men) {
        self.men = men;
    }

    /// Finds what a network of this shape is told of the men. `attack_map` finds their attacks.
    #[inline]
    pub fn look(&mut self, shape: Shape, attack_map: impl FnOnce(&Men) -> AttackMap) {
        if shape.hanging || shape.threats {
            self.attacks = attack_map(&self.men);
        }
        self.hanging = if shape.hanging { self.men.hanging_under(&self.attacks) } else { Bitboard::EMPTY };
        self.has_threats = shape.threats;
    }

    /// The square of the king of `color`.
    #[inline]
    pub fn king(&self, color: Color) -> Square {
        self.men.king(color)
    }

    /// The inputs that this scene has and the one `before` lacks.
    #[inline(always)]
    fn news(&self, before: &Scene) -> News {
        let moved = self.men.changed(&before.men);
        // A man that hangs or is attacked as before is another man if it has moved.
        let new = |is: Bitboard, was: Bitboard| is & (!was | moved);
        let victims = self.men.all() & !self.men.roles[Role::King as usize - 1];
        let mut threats = [Bitboard::EMPTY; 12];
        if self.has_threats {
            let attacks = [self, before].map(|scene| scene.attacks.0.as_flattened());
            for (threats, (&is, &was)) in threats.iter_mut().zip(attacks[0].iter().zip(attacks[1])) {
                *threats = new(is, was) & victims;
            }
        }
        News { men: self.men.all() & moved, hanging: new(self.hanging, before.hanging), threats }
    }

    /// The sets from which the kind of the man on a square is read, which needs no search.
    #[inline(always)]
    fn kinds(&self) -> Kinds {
        let [_, knights, bishops, rooks, queens, kings] = self.men.roles;
        let black = self.men.colors[Color::Black as usize];
        Kinds { role_bits: [knights | rooks | kings, bishops | rooks, queens | kings], black }
    }
}

/// The inputs that a scene has and another one lacks.
#[derive(Clone, Copy, Debug)]
struct News {
    /// The squares of new men.
    men: Bitboard,
    /// The squares of men that hang and are new or did not hang.
    hanging: Bitboard,
    /// For each kind of attacker, Black's first, the squares of the victims of new threats.
    threats: [Bitboard; 12],
}

impl News {
    /// Writes the inputs to the lists. `kinds` are those of the scene that has them.
    #[inline(always)]
    fn write(&self, kinds: Kinds, men: &mut ManList, threats: &mut ThreatList) {
        men.clear();
        threats.clear();
        for square in self.men {
            men.push(kinds.at(square));
        }
        for square in self.hanging {
            men.push(kinds.at(square).hanging());
        }
        // Most sets are empty. A loop over the others has fewer ends that are hard to predict.
        let mut filled = 0u32;
        for (attacker, victims) in self.threats.iter().enumerate() {
            filled |= u32::from(victims.any()) << attacker;
        }
        while filled != 0 {
            let number = filled.trailing_zeros() as usize;
            filled &= filled - 1;
            for square in self.threats[number] {
                threats.push(ThreatInput::new(ATTACKERS[number], kinds.at(square)));
            }
        }
    }
}

/// The kinds of attackers, in the order of [`News::threats`].
const ATTACKERS: [Piece; 12] = {
    let mut attackers = [Piece { color: Color::Black, role: Role::Pawn }; 12];
    let mut number = 0;
    while number < 12 {
        let color = if number < 6 { Color::Black } else { Color::White };
        attackers[number] = Piece { color, role: Role::ALL[number % 6] };
        number += 1;
    }
    attackers
};

/// Sets of squares whose bits are the kind of each man.
#[derive(Clone, Copy, Debug)]
struct Kinds {
    /// The squares of men whose role's number, counted from 0 for pawns, has each bit.
    role_bits: [Bitboard; 3],
    /// The squares of Black's men.
    black: Bitboard,
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
