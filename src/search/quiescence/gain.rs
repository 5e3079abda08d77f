//! Gains and thresholds: whether a capture may win more than the opponent's last one.
//!
//! Values are coarse, as Muller proposes: minors are equal, so that the bishop pair does not
//! make a plain exchange look like a gain.

use crate::board::{Board, Move, Role};
use crate::tt::LeafClass;

/// A queen less a pawn: what a promotion adds.
const PROMOTION: i32 = 8;

/// The coarse value of a piece, in pawns.
#[inline]
pub const fn value(role: Role) -> i32 {
    match role {
        Role::Pawn => 1,
        Role::Knight | Role::Bishop => 3,
        Role::Rook => 5,
        Role::Queen => 9,
        Role::King => 100,
    }
}

/// What the opponent's last move took: a capture that gains no more is followed for free.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Threshold {
    /// After a full-width move or an evasion: every capture is extended.
    Unlimited,
    /// A queen, or a promotion to one.
    Queen,
    /// A rook.
    Rook,
    /// A knight or a bishop.
    Minor,
    /// A pawn.
    Pawn,
}

impl Threshold {
    /// The threshold that `mv`, a capture or promotion on `board`, leaves for the reply.
    #[inline]
    pub fn after(board: &Board, mv: Move) -> Threshold {
        if mv.is_promotion() {
            return Threshold::Queen;
        }
        match board.captured(mv) {
            Some(Role::Queen) => Threshold::Queen,
            Some(Role::Rook) => Threshold::Rook,
            Some(Role::Knight | Role::Bishop) => Threshold::Minor,
            Some(Role::Pawn) => Threshold::Pawn,
            Some(Role::King) | None => Threshold::Unlimited,
        }
    }

    /// The value in pawns.
    #[inline]
    pub const fn value(self) -> i32 {
        match self {
            Threshold::Unlimited => i32::MAX,
            Threshold::Queen => 9,
            Threshold::Rook => 5,
            Threshold::Minor => 3,
            Threshold::Pawn => 1,
        }
    }

    /// How the table names results that hold for this threshold alone.
    #[inline]
    pub fn class(self, with_checks: bool) -> LeafClass {
        match self {
            Threshold::Unlimited if with_checks => LeafClass::UnlimitedWithChecks,
            Threshold::Unlimited => LeafClass::Unlimited,
            Threshold::Queen => LeafClass::Queen,
            Threshold::Rook => LeafClass::Rook,
            Threshold::Minor => LeafClass::Minor,
            Threshold::Pawn => LeafClass::Pawn,
        }
    }
}

/// The victim's value with what a promotion adds, in pawns.
#[inline]
pub fn victim_value(board: &Board, mv: Move) -> i32 {
    let victim = board.captured(mv).map_or(0, value);
    if mv.is_promotion() { victim + PROMOTION } else { victim }
}

/// The estimated gain of a capture or queen promotion, in pawns: the victim, less the attacker
/// where the target is protected once the attacker has left its square.
pub fn gain(board: &Board, mv: Move) -> i32 {
    let victim = victim_value(board, mv);
    let mut occupied = board.occupied() ^ mv.from();
    if mv.is_en_passant() {
        occupied ^= crate::board::Square::from_coords(mv.to().file(), mv.from().rank());
    }
    let defenders = board.attackers_to(mv.to(), occupied) & board.them();
    if defenders.is_empty() {
        victim
    } else {
        victim - if mv.is_promotion() { value(Role::Queen) } else { value(board.moved_role(mv)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(fen: &str) -> Board {
        Board::from_fen(fen).expect("a valid position").0
    }

    fn find(board: &Board, text: &str) -> Move {
        board.legal_moves().into_iter().find(|mv| mv.to_uci(false).to_string() == text).expect("a legal move")
    }

    #[test]
    fn an_unprotected_victim_is_won_and_a_protected_one_exchanged() {
        let position = board("4k3/3p4/2n5/8/8/8/2R5/4K3 w - - 0 1");
        assert_eq!(gain(&position, find(&position, "c2c6")), 3 - 5);
        let position = board("4k3/8/2n5/8/8/8/2R5/4K3 w - - 0 1");
        assert_eq!(gain(&position, find(&position, "c2c6")), 3);
    }

    #[test]
    fn a_defender_behind_the_attacker_counts() {
        let position = board("4k3/8/8/8/r1R1n3/8/8/4K3 w - - 0 1");
        assert_eq!(gain(&position, find(&position, "c4e4")), 3 - 5, "a4 sees e4 once c4 is empty");
    }

    #[test]
    fn promotions_add_a_queen_less_a_pawn() {
        let position = board("3rk3/2P5/8/8/8/8/8/4K3 w - - 0 1");
        assert_eq!(gain(&position, find(&position, "c7d8q")), 5 + 8 - 9);
        assert_eq!(gain(&position, find(&position, "c7c8q")), 8 - 9);
        let position = board("4k3/8/8/1P6/8/8/2p5/K7 b - - 0 1");
        assert_eq!(gain(&position, find(&position, "c2c1q")), 8);
    }

    #[test]
    fn en_passant_takes_both_pawns_off_the_lines() {
        let position = board("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1");
        assert_eq!(gain(&position, find(&position, "e5d6")), 1);
        // With both pawns gone the rook on d1 protects d6 from behind.
        let position = board("4k3/8/8/3pP3/8/8/1K6/3r4 w - d6 0 1");
        assert_eq!(gain(&position, find(&position, "e5d6")), 0);
    }

    #[test]
    fn the_threshold_is_the_full_victim() {
        let position = board("4k3/3p4/2n5/8/8/8/2R5/4K3 w - - 0 1");
        assert_eq!(Threshold::after(&position, find(&position, "c2c6")), Threshold::Minor);
        assert!(Threshold::Unlimited.value() > Threshold::Queen.value());
    }
}
