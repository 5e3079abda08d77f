//! The table's depth scale: one byte for the quiescence levels and the main search's depths.
//!
//! H. G. Muller's bootstrapped quiescence search keeps what each level has proven, so the levels need room below main
//! depth 1. A leaf result is valid only together with its class: resolved results hold everywhere, others only at nodes
//! with the same threshold. The scale is:
//!
//! | codes | meaning |
//! |---|---|
//! | 0 to 39 | leaf result: `level * 8 + class` |
//! | 40 to 255 | main search at depth `code - 39` |

/// The condition under which the result of a leaf search may be used again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[repr(u8)]
pub enum LeafClass {
    /// The proof rests on no assumption: the result is valid at every level and with every threshold.
    Resolved = 0,
    /// As `Resolved`, for a search that also tried quiet checks.
    ResolvedWithChecks = 1,
    /// Unresolved, without a threshold: every capture was followed for free.
    Unlimited = 2,
    /// As `Unlimited`, for a search that also tried quiet checks.
    UnlimitedWithChecks = 3,
    /// Unresolved, threshold of a queen.
    Queen = 4,
    /// Unresolved, threshold of a rook.
    Rook = 5,
    /// Unresolved, threshold of a minor piece.
    Minor = 6,
    /// Unresolved, threshold of a pawn.
    Pawn = 7,
}

impl LeafClass {
    /// Every class, in the order of the codes.
    pub const ALL: [LeafClass; 8] = [
        LeafClass::Resolved,
        LeafClass::ResolvedWithChecks,
        LeafClass::Unlimited,
        LeafClass::UnlimitedWithChecks,
        LeafClass::Queen,
        LeafClass::Rook,
        LeafClass::Minor,
        LeafClass::Pawn,
    ];

    /// Whether the result rests on no assumption.
    #[inline]
    pub const fn is_resolved(self) -> bool {
        matches!(self, LeafClass::Resolved | LeafClass::ResolvedWithChecks)
    }
}

/// How deep the search behind a record was: a quiescence level or a main depth.
///
/// Drafts are ordered by their codes. [`Draft::worth`] decides about replacement.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Draft(u8);

impl Draft {
    /// The highest quiescence level.
    pub const MAX_LEVEL: u8 = 4;
    /// The greatest main depth that the scale can express, in plies.
    pub const MAX_DEPTH: i32 = (u8::MAX - Self::MAIN_OFFSET) as i32;

    const CLASSES: u8 = LeafClass::ALL.len() as u8;
    const MAIN_OFFSET: u8 = (Self::MAX_LEVEL + 1) * Self::CLASSES - 1;

    /// A leaf result that was proven at `level` (0 to 4).
    #[inline]
    pub const fn leaf(level: u8, class: LeafClass) -> Draft {
        debug_assert!(level <= Self::MAX_LEVEL);
        Draft(level * Self::CLASSES + class as u8)
    }

    /// A result of the main search at `depth` plies, 1 or more. Greater depths than [`Draft::MAX_DEPTH`] are stored as
    /// [`Draft::MAX_DEPTH`].
    #[inline]
    pub const fn main(depth: i32) -> Draft {
        debug_assert!(depth >= 1);
        let depth = if depth < 1 {
            1
        } else if depth > Self::MAX_DEPTH {
            Self::MAX_DEPTH
        } else {
            depth
        };
        Draft(Self::MAIN_OFFSET + depth as u8)
    }

    /// The main search's depth in plies; `None` for leaf results.
    #[inline]
    pub const fn main_depth(self) -> Option<i32> {
        if self.0 > Self::MAIN_OFFSET { Some((self.0 - Self::MAIN_OFFSET) as i32) } else { None }
    }

    /// The proven level (0 to 4) and the class of a leaf result; `None` for the main search.
    #[inline]
    pub const fn leaf_parts(self) -> Option<(u8, LeafClass)> {
        if self.0 > Self::MAIN_OFFSET {
            None
        } else {
            Some((self.0 / Self::CLASSES, LeafClass::ALL[(self.0 % Self::CLASSES) as usize]))
        }
    }

    /// What it would cost to lose such a record, in plies. An unresolved leaf is worth its level (0 to 4). A resolved
    /// leaf is worth [`Draft::RESOLVED_WORTH`], because it serves every level. Any main depth is worth more than a
    /// leaf.
    #[inline]
    pub const fn worth(self) -> i32 {
        match self.leaf_parts() {
            None => Self::RESOLVED_WORTH + (self.0 - Self::MAIN_OFFSET) as i32,
            Some((_, class)) if class.is_resolved() => Self::RESOLVED_WORTH,
            Some((level, _)) => level as i32,
        }
    }

    /// The worth of every resolved leaf: one more than an unresolved leaf of the highest level.
    pub const RESOLVED_WORTH: i32 = Self::MAX_LEVEL as i32 + 1;

    /// The byte that the table stores.
    #[inline]
    pub const fn code(self) -> u8 {
        self.0
    }

    /// The draft of a stored byte; every byte is valid.
    #[inline]
    pub const fn from_code(code: u8) -> Draft {
        Draft(code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_decodes_to_a_leaf_or_a_depth_and_encodes_back() {
        for code in 0..=u8::MAX {
            let draft = Draft::from_code(code);
            let again = match (draft.leaf_parts(), draft.main_depth()) {
                (Some((level, class)), None) => Draft::leaf(level, class),
                (None, Some(depth)) => Draft::main(depth),
                both => panic!("code {code} is {both:?}"),
            };
            assert_eq!(again.code(), code);
        }
        assert_eq!(Draft::leaf(4, LeafClass::Pawn).code(), 39);
        assert_eq!(Draft::main(1).code(), 40);
    }

    #[test]
    fn depths_beyond_the_scale_saturate() {
        assert_eq!(Draft::main(Draft::MAX_DEPTH).main_depth(), Some(216));
        assert_eq!(Draft::main(246), Draft::main(Draft::MAX_DEPTH));
        assert_eq!(Draft::main(i32::MAX).code(), u8::MAX);
    }

    #[test]
    fn worth_grows_from_unresolved_to_resolved_leaves_to_depths() {
        let leaves = (0..40).map(Draft::from_code);
        let (resolved, unresolved): (Vec<Draft>, Vec<Draft>) =
            leaves.partition(|draft| draft.leaf_parts().is_some_and(|(_, class)| class.is_resolved()));
        assert_eq!((resolved.len(), unresolved.len()), (10, 30));
        let best_unresolved = unresolved.iter().map(|draft| draft.worth()).max();
        assert!(resolved.iter().all(|draft| Some(draft.worth()) > best_unresolved));
        assert!(resolved.iter().all(|draft| draft.worth() < Draft::main(1).worth()));
        assert!(Draft::leaf(2, LeafClass::Rook).worth() > Draft::leaf(1, LeafClass::Rook).worth());
        assert!((1..216).all(|depth| Draft::main(depth).worth() < Draft::main(depth + 1).worth()));
    }
}
