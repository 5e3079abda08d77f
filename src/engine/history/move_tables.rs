//! The tables of the move histories, and their sizes.

use super::placement::PLACEMENTS;

/// Number of pawn structures that the pawn history tells apart.
pub const PAWN_STRUCTURES: usize = 512;
/// Number of entries of one color's butterfly history.
pub const BUTTERFLIES: usize = 4 * 64 * 64;

/// Number of entries of each move history.
pub const ENTRIES: MoveTables<usize> = MoveTables {
    butterfly: 2 * BUTTERFLIES,
    capture: PLACEMENTS * 7,
    continuation: PLACEMENTS * PLACEMENTS,
    pawn: PAWN_STRUCTURES * PLACEMENTS,
};

/// The tables of the move histories, or something for each of them.
#[derive(Clone, Copy, Debug, Default)]
pub struct MoveTables<T> {
    /// By the side to move, the threats, and the squares of the move.
    pub butterfly: T,
    /// By the moved piece, its target, and the captured role.
    pub capture: T,
    /// By an earlier placement and the present one.
    pub continuation: T,
    /// By the pawn structure and the placement.
    pub pawn: T,
}

impl<T> MoveTables<T> {
    /// References to the values.
    pub fn each_ref(&self) -> MoveTables<&T> {
        let MoveTables { butterfly, capture, continuation, pawn } = self;
        MoveTables { butterfly, capture, continuation, pawn }
    }

    /// What `change` makes of each value.
    pub fn map<U>(self, change: impl Fn(T) -> U) -> MoveTables<U> {
        MoveTables {
            butterfly: change(self.butterfly),
            capture: change(self.capture),
            continuation: change(self.continuation),
            pawn: change(self.pawn),
        }
    }

    /// The pairs of both values of each table.
    pub fn zip<U>(self, other: MoveTables<U>) -> MoveTables<(T, U)> {
        MoveTables {
            butterfly: (self.butterfly, other.butterfly),
            capture: (self.capture, other.capture),
            continuation: (self.continuation, other.continuation),
            pawn: (self.pawn, other.pawn),
        }
    }

    /// The values in the order of the fields.
    pub fn into_array(self) -> [T; 4] {
        [self.butterfly, self.capture, self.continuation, self.pawn]
    }
}
