//! Which moves may be played. Any 16 bits can be tested.
//!
//! Moves arrive from the shared table, where a foreign entry may hold anything. A move that passes [`Board::can_play`]
//! is safe to play. The pseudo-legal moves are exactly those that the generators give.

use super::generate::forward;
use super::make::promotion_rank;
use super::{Bitboard, Board, Move, MoveKind, Rank, Role, Square, attacks};

impl Board {
    /// Whether the move is legal. Any move may be asked about on any board.
    #[inline]
    pub fn can_play(&self, mv: Move) -> bool {
        self.is_pseudo_legal(mv) && self.is_legal(mv)
    }

    /// Whether the generators of this position give the move. Any move may be asked about on any board.
    pub fn is_pseudo_legal(&self, mv: Move) -> bool {
        let (from, to) = (mv.from(), mv.to());
        let us = self.us();
        let Some(role) = self.role_at(from).filter(|_| us.contains(from)) else { return false };
        // A move has only one bit pattern, so that equal moves have equal bits.
        if mv.promotion_bits() != 0 && !mv.is_promotion() {
            return false;
        }
        let reaches = match mv.kind() {
            MoveKind::Castle => return self.is_pseudo_legal_castle(mv, role),
            MoveKind::EnPassant => {
                return role == Role::Pawn
                    && self.ep_square == Some(to)
                    && attacks::pawn_attacks(self.turn, from).contains(to);
            }
            MoveKind::Promotion => {
                role == Role::Pawn
                    && to.rank() == promotion_rank(self.turn)
                    && self.pawn_targets(from).contains(to)
            }
            MoveKind::Normal => match role {
                Role::Pawn => to.rank() != promotion_rank(self.turn) && self.pawn_targets(from).contains(to),
                Role::King => return (attacks::king_attacks(from) & !us).contains(to),
                Role::Knight => attacks::knight_attacks(from).contains(to),
                Role::Bishop => attacks::bishop_attacks(from, self.occupied()).contains(to),
                Role::Rook => attacks::rook_attacks(from, self.occupied()).contains(to),
                Role::Queen => attacks::queen_attacks(from, self.occupied()).contains(to),
            },
        };
        reaches && !us.contains(to) && self.check_mask().contains(to)
    }

    /// The squares to which a pawn of the side to move can go, without en passant.
    #[inline]
    fn pawn_targets(&self, from: Square) -> Bitboard {
        let empty = !self.occupied();
        let single = forward(self.turn, Bitboard::from_square(from)) & empty;
        let third = Bitboard::from_rank(self.turn.relative_rank(Rank::Third));
        let double = forward(self.turn, single & third) & empty;
        (attacks::pawn_attacks(self.turn, from) & self.them()) | single | double
    }

    #[inline]
    fn is_pseudo_legal_castle(&self, mv: Move, role: Role) -> bool {
        role == Role::King
            && self.checkers.is_empty()
            && (self.castling_rooks() & self.us()).contains(mv.to())
            && self.is_castling_path_free(mv)
    }

    /// Whether a pseudo-legal move leaves the own king safe.
    #[inline]
    pub fn is_legal(&self, mv: Move) -> bool {
        let critical = self.pinned | (self.us() & self.roles(Role::King));
        if !critical.contains(mv.from()) && !mv.is_en_passant() {
            return true;
        }
        self.is_critical_legal(mv)
    }

    /// [`Board::is_legal`] for the moves of kings and pinned pieces, and for en passant.
    #[inline(never)]
    fn is_critical_legal(&self, mv: Move) -> bool {
        let (from, to) = (mv.from(), mv.to());
        let king = self.king(self.turn);
        match mv.kind() {
            MoveKind::EnPassant => self.is_en_passant_legal(from, to),
            MoveKind::Castle => self.is_castle_legal(mv),
            // The king is taken off the board, so that it cannot hide its target from a slider behind it.
            _ if from == king => !self.is_attacked(to, self.occupied() ^ king),
            _ => attacks::aligned(from, to, king),
        }
    }

    /// Whether the other side attacks a square.
    #[inline]
    fn is_attacked(&self, square: Square, occupied: Bitboard) -> bool {
        (self.attackers_to(square, occupied) & self.them()).any()
    }

    /// En passant removes two pawns from their lines at once, so pins do not decide. The king is checked on the board
    /// after the move.
    pub(super) fn is_en_passant_legal(&self, from: Square, to: Square) -> bool {
        let captured = Square::from_coords(to.file(), from.rank());
        let occupied = self.occupied() ^ from ^ captured ^ to;
        let attackers = self.attackers_to(self.king(self.turn), occupied) & self.them();
        attackers.without(captured).is_empty()
    }

    /// No square from the king's own to its target may be attacked. In Chess960 the move of the rook may also open the
    /// back rank to the king's target.
    fn is_castle_legal(&self, mv: Move) -> bool {
        let (king, rook) = (mv.from(), mv.to());
        let target = mv.king_target();
        let without_king = self.occupied() ^ king;
        if attacks::between(king, target).into_iter().any(|square| self.is_attacked(square, without_king)) {
            return false;
        }
        let after = (without_king & !Bitboard::from_square(rook)) | mv.rook_target();
        !self.is_attacked(target, after)
    }
}
