//! Checks: which pieces give check now, and which moves would give check.
//!
//! [`CheckSquares`] is computed once per node and answers for most moves with one look-up. For the rare kinds of moves
//! that change more than two squares, the board is examined as it would be after the move.

use super::{Bitboard, Board, Color, Move, MoveKind, Role, Square, attacks};

/// The squares from which each role would give check, and the own pieces that would discover a check by leaving their
/// line.
#[derive(Clone, Debug)]
pub struct CheckSquares {
    king: Square,
    from: [Bitboard; 6],
    discoverers: Bitboard,
}

impl CheckSquares {
    /// The squares from which a piece of this role, of the side to move, would attack the other king.
    #[inline]
    pub fn squares(&self, role: Role) -> Bitboard {
        self.from[role as usize - 1]
    }
}

impl Board {
    /// Sets checkers and pins from the pieces. No other place computes them.
    #[inline]
    pub(super) fn update_checks(&mut self) {
        let us = self.us();
        let them = self.them();
        let king = self.king(self.turn);
        let mut checkers = ((attacks::pawn_attacks(self.turn, king) & self.roles(Role::Pawn))
            | (attacks::knight_attacks(king) & self.roles(Role::Knight)))
            & them;
        let mut pinned = Bitboard::EMPTY;
        // Rays of the empty board stay in the cache as long as the king does not move. Rays of the real occupancy are
        // new with each move, and each is a cache miss in a table of 700 KiB.
        let occupied = us | them;
        for sniper in self.sliders_to(king, Bitboard::EMPTY) & them {
            let between = attacks::between(king, sniper) & occupied;
            if between.is_empty() {
                checkers |= Bitboard::from_square(sniper);
            } else if !between.more_than_one() {
                pinned |= between & us;
            }
        }
        self.checkers = checkers;
        self.pinned = pinned;
    }

    /// The pieces of either color that are the only ones between `color`'s king and a slider of the other color.
    #[inline]
    pub(super) fn blockers_for(&self, color: Color) -> Bitboard {
        let king = self.king(color);
        let occupied = self.occupied();
        let mut blockers = Bitboard::EMPTY;
        for sniper in self.sliders_to(king, Bitboard::EMPTY) & self.colors(!color) {
            let between = attacks::between(king, sniper) & occupied;
            if !between.more_than_one() {
                blockers |= between;
            }
        }
        blockers
    }

    /// What [`Board::gives_check_with`] needs, for all moves of this position.
    pub fn check_squares(&self) -> CheckSquares {
        let king = self.king(!self.turn);
        let occupied = self.occupied();
        let bishop = attacks::bishop_attacks(king, occupied);
        let rook = attacks::rook_attacks(king, occupied);
        CheckSquares {
            king,
            from: [
                attacks::pawn_attacks(!self.turn, king),
                attacks::knight_attacks(king),
                bishop,
                rook,
                bishop | rook,
                Bitboard::EMPTY,
            ],
            discoverers: self.blockers_for(!self.turn) & self.us(),
        }
    }

    /// Whether a pseudo-legal move gives check, directly or by discovery. For many moves of one position, use
    /// [`Board::gives_check_with`].
    pub fn gives_check(&self, mv: Move) -> bool {
        self.gives_check_with(&self.check_squares(), mv)
    }

    /// Whether a pseudo-legal move gives check; `checks` must come from this position.
    #[inline]
    pub fn gives_check_with(&self, checks: &CheckSquares, mv: Move) -> bool {
        let from = mv.from();
        let to = mv.to();
        let uncovers = || checks.discoverers.contains(from) && !attacks::aligned(from, to, checks.king);
        match mv.kind() {
            MoveKind::Normal => checks.squares(self.moved_role(mv)).contains(to) || uncovers(),
            MoveKind::Promotion => {
                // The pawn itself may have been in the way of the new piece.
                let occupied = self.occupied() ^ from;
                let attacked = match mv.promotion() {
                    Some(Role::Knight) => attacks::knight_attacks(to),
                    Some(Role::Bishop) => attacks::bishop_attacks(to, occupied),
                    Some(Role::Rook) => attacks::rook_attacks(to, occupied),
                    _ => attacks::queen_attacks(to, occupied),
                };
                attacked.contains(checks.king) || uncovers()
            }
            MoveKind::EnPassant => {
                let captured = Square::from_coords(to.file(), from.rank());
                let occupied = self.occupied() ^ from ^ captured ^ to;
                checks.squares(Role::Pawn).contains(to)
                    || (self.sliders_to(checks.king, occupied) & self.us()).any()
            }
            MoveKind::Castle => {
                let rook = mv.rook_target();
                let left = self.occupied() & !(Bitboard::from_square(from) | to);
                let occupied = left | mv.king_target() | rook;
                attacks::rook_attacks(rook, occupied).contains(checks.king)
                    || (self.sliders_to(checks.king, occupied) & self.us() & !Bitboard::from_square(to)).any()
            }
        }
    }
}
