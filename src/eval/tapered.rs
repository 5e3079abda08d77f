//! A midgame and an endgame value in one word, so that one addition updates both.
//!
//! The endgame value lives in the upper half and the midgame value in the lower one, as a
//! signed sum: a negative midgame value borrows one from the upper half, which reading the
//! endgame value gives back. 32 bits for each leave room for any number of pieces.

use std::ops::{Add, AddAssign, Neg, Sub, SubAssign};

/// The phase of a full set of pieces; 0 when only kings and pawns are left.
pub const FULL_PHASE: i32 = 24;

/// Midgame and endgame centipawns.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Tapered(i64);

impl Tapered {
    /// Packs the two values.
    #[inline]
    pub const fn new(midgame: i32, endgame: i32) -> Tapered {
        Tapered(((endgame as i64) << 32) + midgame as i64)
    }

    /// The value with all pieces on the board, in centipawns.
    #[inline]
    pub const fn midgame(self) -> i32 {
        self.0 as i32
    }

    /// The value with kings and pawns only, in centipawns.
    #[inline]
    pub const fn endgame(self) -> i32 {
        ((self.0 + (1 << 31)) >> 32) as i32
    }

    /// The value at `phase`, which early promotions may raise above [`FULL_PHASE`]. Rounds
    /// toward zero, so that exchanging the colors exactly negates it.
    #[inline]
    pub const fn at(self, phase: i32) -> i32 {
        let phase = if phase < FULL_PHASE { phase } else { FULL_PHASE };
        (self.midgame() * phase + self.endgame() * (FULL_PHASE - phase)) / FULL_PHASE
    }
}

impl Add for Tapered {
    type Output = Tapered;
    #[inline]
    fn add(self, other: Tapered) -> Tapered {
        Tapered(self.0 + other.0)
    }
}

impl Sub for Tapered {
    type Output = Tapered;
    #[inline]
    fn sub(self, other: Tapered) -> Tapered {
        Tapered(self.0 - other.0)
    }
}

impl AddAssign for Tapered {
    #[inline]
    fn add_assign(&mut self, other: Tapered) {
        self.0 += other.0;
    }
}

impl SubAssign for Tapered {
    #[inline]
    fn sub_assign(&mut self, other: Tapered) {
        self.0 -= other.0;
    }
}

impl Neg for Tapered {
    type Output = Tapered;
    #[inline]
    fn neg(self) -> Tapered {
        Tapered(-self.0)
    }
}

impl std::fmt::Debug for Tapered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "({}, {})", self.midgame(), self.endgame())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_halves_survive_every_combination_of_signs() {
        let values = [-90_000, -1, 0, 1, 17, 90_000];
        for a in values {
            for b in values {
                let sum = Tapered::new(a, b) + Tapered::new(-7, 3) - Tapered::new(5, -11);
                assert_eq!((sum.midgame(), sum.endgame()), (a - 12, b + 14));
                assert_eq!(-Tapered::new(a, b), Tapered::new(-a, -b));
            }
        }
    }

    #[test]
    fn the_phase_blends_and_saturates() {
        let value = Tapered::new(240, 0);
        assert_eq!(value.at(0), 0);
        assert_eq!(value.at(12), 120);
        assert_eq!(value.at(FULL_PHASE), 240);
        assert_eq!(value.at(60), 240);
        assert_eq!((-Tapered::new(101, 50)).at(7), -Tapered::new(101, 50).at(7));
    }
}
