//! Gains and thresholds: whether a capture may win more than the opponent's last one.
//!
//! The values are those of exchanges. They are coarse, as Muller proposes: knights and bishops are equal, so that a
//! bishop for a knight does not look like a gain.

use crate::chess::board::{Board, Move, Role, Square, see};
use crate::engine::tt::LeafClass;

/// What the opponent's last move took. A capture that gains no more is followed for free.
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

    /// The value in centipawns; `i32::MAX` if unlimited.
    #[inline]
    pub const fn value(self) -> i32 {
        match self {
            Threshold::Unlimited => i32::MAX,
            Threshold::Queen => see::value(Role::Queen),
            Threshold::Rook => see::value(Role::Rook),
            Threshold::Minor => see::value(Role::Knight),
            Threshold::Pawn => see::value(Role::Pawn),
        }
    }

    /// The table's class of results that hold for this threshold alone.
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

/// The estimated gain of a legal capture or queen promotion, in centipawns: the value of the victim. If the target is
/// protected once the attacker has left its square, the value of the attacker is subtracted.
pub fn gain(board: &Board, mv: Move) -> i32 {
    let victim = board.material_gain(mv);
    let mut occupied = board.occupied() ^ mv.from();
    if mv.is_en_passant() {
        occupied ^= Square::from_coords(mv.to().file(), mv.from().rank());
    }
    let defenders = board.attackers_to(mv.to(), occupied) & board.them();
    if defenders.is_empty() {
        victim
    } else {
        victim - see::value(mv.promotion().unwrap_or(board.moved_role(mv)))
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
    fn a_capture_of_a_protected_piece_gains_the_difference() {
        let position = board("4k3/3p4/2n5/8/8/8/2R5/4K3 w - - 0 1");
        assert_eq!(gain(&position, find(&position, "c2c6")), 300 - 500);
        let position = board("4k3/8/2n5/8/8/8/2R5/4K3 w - - 0 1");
        assert_eq!(gain(&position, find(&position, "c2c6")), 300);
    }

    #[test]
    fn a_defender_behind_the_attacker_counts() {
        let position = board("4k3/8/8/8/r1R1n3/8/8/4K3 w - - 0 1");
        assert_eq!(gain(&position, find(&position, "c4e4")), 300 - 500, "a4 sees e4 once c4 is empty");
    }

    #[test]
    fn promotions_add_a_queen_less_a_pawn() {
        let position = board("3rk3/2P5/8/8/8/8/8/4K3 w - - 0 1");
        assert_eq!(gain(&position, find(&position, "c7d8q")), 500 + 800 - 900);
        assert_eq!(gain(&position, find(&position, "c7c8q")), 800 - 900);
        let position = board("4k3/8/8/1P6/8/8/2p5/K7 b - - 0 1");
        assert_eq!(gain(&position, find(&position, "c2c1q")), 800);
    }

    #[test]
    fn en_passant_takes_both_pawns_off_the_lines() {
        let position = board("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1");
        assert_eq!(gain(&position, find(&position, "e5d6")), 100);
        // Once both pawns are gone, the rook on d1 protects d6 from behind.
        let position = board("4k3/8/8/3pP3/8/8/1K6/3r4 w - d6 0 1");
        assert_eq!(gain(&position, find(&position, "e5d6")), 0);
    }

    #[test]
    fn the_threshold_is_the_full_value_of_the_victim() {
        let position = board("4k3/3p4/2n5/8/8/8/2R5/4K3 w - - 0 1");
        assert_eq!(Threshold::after(&position, find(&position, "c2c6")), Threshold::Minor);
        assert!(Threshold::Unlimited.value() > Threshold::Queen.value());
    }
}
