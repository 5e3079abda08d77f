//! Static exchange evaluation: the value of a sequence of captures on one square. Each side takes with its least
//! valuable piece, and stops if it would lose by going on.
//!
//! It only answers whether the result reaches a threshold, which often takes just one or two captures (the algorithm of
//! Michael Hoffmann as used in Stockfish's `see_ge`). Sliders behind sliders join in as lines open. A pinned piece
//! takes no part, unless it moves along its pin or its pinner has left in the exchange. A pawn that captures on its
//! last rank becomes a queen.

use super::{Bitboard, Board, Color, Move, Rank, Role, Square, attacks};

/// The value of each role in exchanges, in centipawns, in the order pawn to king. The king has none, because nothing
/// trades a king.
const VALUES: [i32; 6] = [100, 300, 300, 500, 900, 0];

/// What a pawn gains when it becomes a queen.
const PROMOTION_GAIN: i32 = VALUES[4] - VALUES[0];

/// The value of a role in exchanges, in centipawns.
#[inline]
pub const fn value(role: Role) -> i32 {
    VALUES[role as usize - 1]
}

impl Board {
    /// The material that a pseudo-legal move gains before any reply, in centipawns: what it captures, and what a pawn
    /// gains by its promotion.
    #[inline]
    pub fn material_gain(&self, mv: Move) -> i32 {
        let victim = self.captured(mv).map_or(0, value);
        victim + mv.promotion().map_or(0, |role| value(role) - value(Role::Pawn))
    }

    /// Whether a pseudo-legal move gains at least `threshold` centipawns after all exchanges on its target.
    ///
    /// Castling counts as an exchange of no value.
    pub fn see_ge(&self, mv: Move, threshold: i32) -> bool {
        if mv.is_castle() {
            return threshold <= 0;
        }
        let (from, to) = (mv.from(), mv.to());
        let mut next_victim = value(self.moved_role(mv));
        // This is `material_gain`, but its call would cost 2% of the instructions here.
        let mut balance = self.captured(mv).map_or(0, value) - threshold;
        if let Some(role) = mv.promotion() {
            balance += value(role) - value(Role::Pawn);
            next_victim = value(role);
        }
        if balance < 0 {
            return false;
        }
        balance -= next_victim;
        if balance >= 0 && Board::promoter_on(to) != Some(!self.turn) {
            return true;
        }
        let mut occupied = self.occupied() & !Bitboard::from_square(from) | to;
        if mv.is_en_passant() {
            occupied.discard(Square::from_coords(to.file(), from.rank()));
        }
        self.exchange(to, occupied, balance)
    }

    /// Plays out the exchange after the first capture. `balance` is what the side to move gains if it loses its piece
    /// for nothing. Returns whether that side ends at zero or above.
    fn exchange(&self, to: Square, mut occupied: Bitboard, mut balance: i32) -> bool {
        let diagonal = self.diagonal_sliders();
        let straight = self.straight_sliders();
        let mut attackers = self.attackers_to(to, occupied) & occupied;
        let mut side = !self.turn;
        let promoter = Board::promoter_on(to);
        // The pins of the side to move are known. Those of the other side are found when it first has a capture.
        let mut pinned = [None; 2];
        pinned[self.turn as usize] = Some(self.pinned);
        loop {
            let mut candidates = attackers & self.colors(side);
            if candidates.any() {
                let suspects =
                    *pinned[side as usize].get_or_insert_with(|| self.blockers_for(side) & self.colors(side));
                if (candidates & suspects).any() {
                    candidates = self.without_pinned(candidates, suspects, side, to, occupied);
                }
            }
            let Some((role, square)) = self.least(candidates) else { break };
            if balance >= 0 && !(role == Role::Pawn && promoter == Some(side) && balance < PROMOTION_GAIN) {
                // The other side reaches its aim even if it loses its last capturer, so there is nothing to gain here.
                break;
            }
            if role == Role::King && (attackers & self.colors(!side)).any() {
                // The king cannot take a piece that is still defended.
                break;
            }
            occupied.toggle(square);
            if matches!(role, Role::Pawn | Role::Bishop | Role::Queen) {
                attackers |= attacks::bishop_attacks(to, occupied) & diagonal;
            }
            if matches!(role, Role::Rook | Role::Queen) {
                attackers |= attacks::rook_attacks(to, occupied) & straight;
            }
            attackers &= occupied;
            // Now the other side judges the exchange, with this capturer as the next victim. A pawn that has promoted
            // gains a queen and may lose it again, so the difference is still a pawn.
            balance = -balance - 1 - value(role);
            side = !side;
            if balance >= 0 && promoter != Some(side) {
                break;
            }
        }
        // The side that is to capture when the sequence ends has failed.
        side != self.turn
    }

    /// The color whose pawns promote on a square, if any do.
    #[inline]
    fn promoter_on(to: Square) -> Option<Color> {
        match to.rank() {
            Rank::Eighth => Some(Color::White),
            Rank::First => Some(Color::Black),
            _ => None,
        }
    }

    /// The least valuable of some pieces.
    #[inline]
    fn least(&self, candidates: Bitboard) -> Option<(Role, Square)> {
        Role::ALL.into_iter().find_map(|role| Some((role, (candidates & self.roles(role)).first()?)))
    }

    /// Removes the pieces that a pin keeps from capturing on `to`.
    #[cold]
    fn without_pinned(
        &self,
        candidates: Bitboard,
        suspects: Bitboard,
        side: Color,
        to: Square,
        occupied: Bitboard,
    ) -> Bitboard {
        let king = self.king(side);
        let mut free = candidates;
        for square in candidates & suspects {
            if attacks::aligned(king, square, to) {
                continue;
            }
            let line = attacks::ray(king, square);
            let pinner = self.sliders_to(king, occupied ^ square) & self.colors(!side) & occupied & line;
            if pinner.any() {
                free.discard(square);
            }
        }
        free
    }
}
