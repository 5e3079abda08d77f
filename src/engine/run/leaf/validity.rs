//! The answer of a leaf search: a score, and how far it holds.

use crate::chess::types::Score;
use crate::engine::tt::Draft;

/// How far a leaf's score holds: the highest level at which its proof tree needs no assumption.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Validity(u8);

impl Validity {
    /// The highest level.
    pub const MAX_LEVEL: u8 = Draft::MAX_LEVEL;
    /// The proof tree contains no auto-fail-high, so the score holds at every level. The exception is a tree with table
    /// entries from the search of all captures (see `bootstrap`).
    pub const RESOLVED: Validity = Validity(Validity::MAX_LEVEL + 1);

    /// Holds up to `level`, 0 to 4. A higher level counts as 4.
    #[inline]
    pub const fn level(level: u8) -> Validity {
        Validity(if level > Validity::MAX_LEVEL { Validity::MAX_LEVEL } else { level })
    }

    /// Whether the score rests on no assumption.
    #[inline]
    pub const fn is_resolved(self) -> bool {
        self.0 > Validity::MAX_LEVEL
    }

    /// The highest level at which the score is known to hold, 0 to 4.
    #[inline]
    pub const fn highest_level(self) -> u8 {
        if self.is_resolved() { Validity::MAX_LEVEL } else { self.0 }
    }

    /// The validity for the parent, if the move to this child costs `cost` levels.
    #[inline]
    pub(crate) const fn seen_from_parent(self, cost: u8) -> Validity {
        if self.is_resolved() { self } else { Validity::level(self.0 + cost) }
    }
}

/// The answer of a leaf search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leaf {
    /// The score, fail-soft.
    pub score: Score,
    /// How far it holds.
    pub validity: Validity,
}

impl Leaf {
    #[inline]
    pub(crate) const fn resolved(score: Score) -> Leaf {
        Leaf { score, validity: Validity::RESOLVED }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parent_of_a_capture_that_cost_a_level_is_valid_one_level_higher() {
        assert_eq!(Validity::level(0).seen_from_parent(1), Validity::level(1));
        assert_eq!(Validity::level(2).seen_from_parent(0), Validity::level(2));
        assert_eq!(Validity::level(4).seen_from_parent(1), Validity::level(4));
        assert_eq!(Validity::RESOLVED.seen_from_parent(1), Validity::RESOLVED);
        assert!(Validity::RESOLVED > Validity::level(4));
    }
}
