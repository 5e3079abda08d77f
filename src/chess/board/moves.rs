//! Moves in 16 bits. They are small enough for the table, and every bit pattern can be tested.
//!
//! The fields from the low end: origin (6 bits), target (6), promotion role (2), kind (2). A castling move is the king
//! taking its own rook, as in Chess960. Only [`Move::to_uci`] knows the other spelling. The pattern of 16 zeros (a1a1)
//! is not a move, so that `Option<Move>` takes only two bytes.

use std::fmt;
use std::num::NonZeroU16;

use arrayvec::ArrayVec;

use super::{CastlingSide, File, Role, Square};

/// A move of any of the four kinds. It has a meaning only together with the board for which it was made.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move(NonZeroU16);

/// What a move does besides carrying a piece from one square to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MoveKind {
    /// The move has no special effect.
    Normal,
    /// A pawn reaches the last rank.
    Promotion,
    /// A pawn takes a pawn that has just passed it by a double push.
    EnPassant,
    /// The king takes its own rook.
    Castle,
}

/// The most pseudo-legal moves of a position. Each of fifteen pieces has at most 27 moves, as a queen in the middle of
/// an empty board has. The king has 8 moves and two ways to castle. Together that is 415. The most that were found are
/// 227; a game can lead to 218.
pub const MAX_MOVES: usize = 416;

/// Room for every pseudo-legal move.
pub type MoveList = ArrayVec<Move, MAX_MOVES>;

const TO_SHIFT: u32 = 6;
const PROMOTION_SHIFT: u32 = 12;
const KIND_SHIFT: u32 = 14;

impl Move {
    const fn pack(from: Square, to: Square, promotion: u16, kind: MoveKind) -> Move {
        let bits = from as u16
            | (to as u16) << TO_SHIFT
            | promotion << PROMOTION_SHIFT
            | (kind as u16) << KIND_SHIFT;
        debug_assert!(bits != 0, "a1a1 is no move");
        // Generators make moves in their innermost loops. This needs no branch.
        match NonZeroU16::new(bits) {
            Some(bits) => Move(bits),
            None => Move(NonZeroU16::MIN),
        }
    }

    /// A move without special effect. The squares differ.
    #[inline]
    pub const fn normal(from: Square, to: Square) -> Move {
        Move::pack(from, to, 0, MoveKind::Normal)
    }

    /// A promotion.
    ///
    /// # Panics
    ///
    /// If `role` is a pawn or a king.
    #[inline]
    pub const fn promote(from: Square, to: Square, role: Role) -> Move {
        let code = match role {
            Role::Knight => 0,
            Role::Bishop => 1,
            Role::Rook => 2,
            Role::Queen => 3,
            Role::Pawn | Role::King => panic!("no pawn promotes to this"),
        };
        Move::pack(from, to, code, MoveKind::Promotion)
    }

    /// An en passant capture; `to` is the square behind the captured pawn.
    #[inline]
    pub const fn en_passant(from: Square, to: Square) -> Move {
        Move::pack(from, to, 0, MoveKind::EnPassant)
    }

    /// Castling; `rook` is the square that the castling rook stands on.
    #[inline]
    pub const fn castle(king: Square, rook: Square) -> Move {
        Move::pack(king, rook, 0, MoveKind::Castle)
    }

    /// The square that the moving piece leaves.
    #[inline]
    pub const fn from(self) -> Square {
        Square::new((self.0.get() & 63) as u32)
    }

    /// The square that the moving piece reaches; for castling, the rook's own square.
    #[inline]
    pub const fn to(self) -> Square {
        Square::new((self.0.get() >> TO_SHIFT & 63) as u32)
    }

    /// The kind of move.
    #[inline]
    pub const fn kind(self) -> MoveKind {
        match self.0.get() >> KIND_SHIFT {
            0 => MoveKind::Normal,
            1 => MoveKind::Promotion,
            2 => MoveKind::EnPassant,
            _ => MoveKind::Castle,
        }
    }

    /// The role to which a pawn promotes; `None` for other moves.
    #[inline]
    pub const fn promotion(self) -> Option<Role> {
        if !self.is_promotion() {
            return None;
        }
        Some(match self.promotion_bits() {
            0 => Role::Knight,
            1 => Role::Bishop,
            2 => Role::Rook,
            _ => Role::Queen,
        })
    }

    /// The two promotion bits, which are zero in every well-formed move that is not a promotion.
    #[inline]
    pub(super) const fn promotion_bits(self) -> u16 {
        self.0.get() >> PROMOTION_SHIFT & 3
    }

    /// Whether this is castling.
    #[inline]
    pub const fn is_castle(self) -> bool {
        self.0.get() >> KIND_SHIFT == MoveKind::Castle as u16
    }

    /// Whether this is an en passant capture.
    #[inline]
    pub const fn is_en_passant(self) -> bool {
        self.0.get() >> KIND_SHIFT == MoveKind::EnPassant as u16
    }

    /// Whether a pawn promotes.
    #[inline]
    pub const fn is_promotion(self) -> bool {
        self.0.get() >> KIND_SHIFT == MoveKind::Promotion as u16
    }

    /// The side that a castling move goes to; meaningless for other kinds.
    #[inline]
    pub const fn castling_side(self) -> CastlingSide {
        CastlingSide::from_king_side(self.from() as u8 <= self.to() as u8)
    }

    /// Where the moving piece stands afterwards: the c- or g-file for castling, otherwise [`Move::to`].
    #[inline]
    pub const fn king_target(self) -> Square {
        if !self.is_castle() {
            return self.to();
        }
        Square::from_coords(self.castling_side().king_to_file(), self.from().rank())
    }

    /// Where the castling rook stands afterwards: the d- or f-file; meaningless for other kinds.
    #[inline]
    pub const fn rook_target(self) -> Square {
        Square::from_coords(self.castling_side().rook_to_file(), self.from().rank())
    }

    /// The 16 bits, as stored in the table.
    #[inline]
    pub const fn bits(self) -> u16 {
        self.0.get()
    }

    /// The move with these bits. Every pattern but zero is a move, legal or not.
    #[inline]
    pub const fn from_bits(bits: u16) -> Option<Move> {
        match NonZeroU16::new(bits) {
            Some(bits) => Some(Move(bits)),
            None => None,
        }
    }

    /// The move's UCI text: castling is `e1h1` in Chess960 and `e1g1` otherwise.
    ///
    /// Castling that standard chess does not have is always spelled as in Chess960: `f1g1`, for example, could not be
    /// told from a plain king move.
    #[inline]
    pub const fn to_uci(self, chess960: bool) -> UciMove {
        UciMove { mv: self, chess960 }
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.to_uci(true), f)
    }
}

/// A move's text in UCI notation; see [`Move::to_uci`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UciMove {
    mv: Move,
    chess960: bool,
}

impl fmt::Display for UciMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mv = self.mv;
        let standard_castle =
            mv.is_castle() && mv.from().file() == File::E && matches!(mv.to().file(), File::A | File::H);
        let to = if self.chess960 || !standard_castle { mv.to() } else { mv.king_target() };
        write!(f, "{}{to}", mv.from())?;
        match mv.promotion() {
            Some(role) => write!(f, "{}", role.char()),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_optional_move_takes_two_bytes() {
        assert_eq!(size_of::<Option<Move>>(), 2);
        assert_eq!(Move::from_bits(0), None);
    }

    #[test]
    fn a_move_is_packed_and_unpacked_unchanged() {
        let mv = Move::promote(Square::B7, Square::A8, Role::Rook);
        assert_eq!((mv.from(), mv.to(), mv.promotion()), (Square::B7, Square::A8, Some(Role::Rook)));
        assert_eq!(mv.kind(), MoveKind::Promotion);
        assert_eq!(Move::from_bits(mv.bits()), Some(mv));
        assert!(Move::en_passant(Square::E5, Square::D6).is_en_passant());
        assert_eq!(Move::normal(Square::H8, Square::A1).promotion(), None);
    }

    #[test]
    fn castling_has_its_notation_in_standard_chess_and_chess960() {
        let short = Move::castle(Square::E1, Square::H1);
        let long = Move::castle(Square::E8, Square::A8);
        assert_eq!(short.to_uci(false).to_string(), "e1g1");
        assert_eq!(short.to_uci(true).to_string(), "e1h1");
        assert_eq!(long.to_uci(false).to_string(), "e8c8");
        assert_eq!((long.king_target(), long.rook_target()), (Square::C8, Square::D8));
        assert_eq!(Move::castle(Square::F1, Square::H1).to_uci(false).to_string(), "f1h1");
        assert_eq!(Move::normal(Square::E1, Square::H1).to_uci(false).to_string(), "e1h1");
    }
}
