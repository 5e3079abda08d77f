//! Pseudo-legal move generation in two parts, noisy and quiet, which together give every move exactly once.
//!
//! Pseudo-legal here means: the piece can move in this way, and in check the move answers every checker (by a king
//! move, a capture or an interposition). [`Board::is_legal`] still has to check pins, the king's destination,
//! castling's path and the horizontal en passant discovery.

use super::make::promotion_rank;
use super::{Bitboard, Board, CastlingSide, Color, File, Move, MoveList, Rank, Role, Square, attacks};

const UNDERPROMOTIONS: [Role; 3] = [Role::Rook, Role::Bishop, Role::Knight];

impl Board {
    /// The squares to which a piece other than the king may go with regard to checks: all if there is no check, the
    /// checker and the squares between if there is one, none in double check.
    #[inline]
    pub(super) fn check_mask(&self) -> Bitboard {
        match self.checkers.first() {
            None => Bitboard::FULL,
            Some(_) if self.checkers.more_than_one() => Bitboard::EMPTY,
            Some(checker) => attacks::between(self.king(self.turn), checker) | checker,
        }
    }

    /// Appends the pseudo-legal captures and promotions to a queen. Underpromotions are among the quiet moves, whether
    /// they capture or not.
    pub fn noisy_moves(&self, list: &mut MoveList) {
        let targets = self.them();
        self.push_king_moves(targets, list);
        let mask = self.check_mask();
        if mask.is_empty() {
            return;
        }
        self.push_noisy_pawn_moves(mask, list);
        self.push_piece_moves(targets & mask, list);
    }

    /// Appends the pseudo-legal moves that [`Board::noisy_moves`] leaves out.
    pub fn quiet_moves(&self, list: &mut MoveList) {
        let targets = !self.occupied();
        let mask = self.check_mask();
        if mask.any() {
            self.push_piece_moves(targets & mask, list);
            self.push_quiet_pawn_moves(mask, list);
            if self.checkers.is_empty() {
                self.push_castles(list);
            }
        }
        self.push_king_moves(targets, list);
    }

    /// All legal moves.
    pub fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        self.noisy_moves(&mut list);
        self.quiet_moves(&mut list);
        list.retain(|mv| self.is_legal(*mv));
        list
    }

    #[inline]
    fn push_king_moves(&self, targets: Bitboard, list: &mut MoveList) {
        let king = self.king(self.turn);
        push_all(king, attacks::king_attacks(king) & targets, list);
    }

    #[inline]
    fn push_piece_moves(&self, targets: Bitboard, list: &mut MoveList) {
        let us = self.us();
        let occupied = self.occupied();
        for from in us & self.roles(Role::Knight) {
            push_all(from, attacks::knight_attacks(from) & targets, list);
        }
        for from in us & self.diagonal_sliders() {
            push_all(from, attacks::bishop_attacks(from, occupied) & targets, list);
        }
        for from in us & self.straight_sliders() {
            push_all(from, attacks::rook_attacks(from, occupied) & targets, list);
        }
    }

    #[inline]
    fn push_noisy_pawn_moves(&self, mask: Bitboard, list: &mut MoveList) {
        let us = self.turn;
        let pawns = self.pieces(us, Role::Pawn);
        let last = Bitboard::from_rank(promotion_rank(us));
        let captures = self.them() & mask;
        for wing in WINGS {
            let targets = wing.targets(us, pawns) & captures;
            for to in targets & last {
                list.push(Move::promote(wing.origin(us, to), to, Role::Queen));
            }
            for to in targets & !last {
                list.push(Move::normal(wing.origin(us, to), to));
            }
        }
        let pushes = forward(us, pawns) & !self.occupied();
        for to in pushes & mask & last {
            list.push(Move::promote(behind(us, to), to, Role::Queen));
        }
        // The square is set only if some capture is legal, so in check the capture answers the check.
        if let Some(to) = self.ep_square {
            for from in attacks::pawn_attacks(!us, to) & pawns {
                list.push(Move::en_passant(from, to));
            }
        }
    }

    #[inline]
    fn push_quiet_pawn_moves(&self, mask: Bitboard, list: &mut MoveList) {
        let us = self.turn;
        let pawns = self.pieces(us, Role::Pawn);
        let last = Bitboard::from_rank(promotion_rank(us));
        let third = Bitboard::from_rank(us.relative_rank(Rank::Third));
        let empty = !self.occupied();
        let single = forward(us, pawns) & empty;
        for to in single & mask & !last {
            list.push(Move::normal(behind(us, to), to));
        }
        for to in forward(us, single & third) & empty & mask {
            list.push(Move::normal(behind(us, behind(us, to)), to));
        }
        if (forward(us, pawns) & last).is_empty() {
            return;
        }
        for to in single & mask & last {
            for role in UNDERPROMOTIONS {
                list.push(Move::promote(behind(us, to), to, role));
            }
        }
        for wing in WINGS {
            for to in wing.targets(us, pawns) & self.them() & mask & last {
                for role in UNDERPROMOTIONS {
                    list.push(Move::promote(wing.origin(us, to), to, role));
                }
            }
        }
    }

    #[inline]
    fn push_castles(&self, list: &mut MoveList) {
        if self.castling == 0 {
            return;
        }
        let king = self.king(self.turn);
        for side in CastlingSide::ALL {
            if let Some(rook) = self.castling_rook(self.turn, side) {
                let mv = Move::castle(king, rook);
                if self.is_castling_path_free(mv) {
                    list.push(mv);
                }
            }
        }
    }

    /// Whether the squares that king and rook cross and reach are empty, except for these two pieces.
    #[inline]
    pub(super) fn is_castling_path_free(&self, mv: Move) -> bool {
        let (king, rook) = (mv.from(), mv.to());
        let (king_target, rook_target) = (mv.king_target(), mv.rook_target());
        let path = attacks::between(king, king_target)
            | attacks::between(rook, rook_target)
            | king_target
            | rook_target;
        (path & self.occupied() & !(Bitboard::from_square(king) | rook)).is_empty()
    }
}

#[inline]
fn push_all(from: Square, targets: Bitboard, list: &mut MoveList) {
    for to in targets {
        list.push(Move::normal(from, to));
    }
}

/// The two directions in which pawns capture, named by the direction on the board.
#[derive(Clone, Copy)]
enum Wing {
    East,
    West,
}

const WINGS: [Wing; 2] = [Wing::East, Wing::West];

impl Wing {
    #[inline]
    fn targets(self, color: Color, pawns: Bitboard) -> Bitboard {
        let ahead = forward(color, pawns).0;
        match self {
            Wing::East => Bitboard(ahead << 1) & !Bitboard::from_file(File::A),
            Wing::West => Bitboard(ahead >> 1) & !Bitboard::from_file(File::H),
        }
    }

    #[inline]
    fn origin(self, color: Color, to: Square) -> Square {
        let step = match self {
            Wing::East => -1,
            Wing::West => 1,
        };
        shifted(behind(color, to), step)
    }
}

/// The squares one step ahead of a set of pawns.
#[inline]
pub(super) fn forward(color: Color, pawns: Bitboard) -> Bitboard {
    Bitboard(if color.is_white() { pawns.0 << 8 } else { pawns.0 >> 8 })
}

/// The square that a pawn came from to reach this one by a single push.
#[inline]
fn behind(color: Color, square: Square) -> Square {
    shifted(square, if color.is_white() { -8 } else { 8 })
}

/// A square some steps further in board order. The callers never leave the board, so the mask changes nothing.
#[inline]
fn shifted(square: Square, step: i32) -> Square {
    Square::new((square as i32 + step) as u32 & 63)
}
