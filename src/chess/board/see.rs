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

/// A bit for each role that captures along a diagonal, where others may stand behind it. A match would become a jump
/// through a table, which is hard to predict.
const LEAVES_DIAGONAL: u32 = 1 << Role::Pawn as u32 | 1 << Role::Bishop as u32 | 1 << Role::Queen as u32;
/// A bit for each role that captures along a rank or a file.
const LEAVES_STRAIGHT_LINE: u32 = 1 << Role::Rook as u32 | 1 << Role::Queen as u32;

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
            if LEAVES_DIAGONAL >> role as u32 & 1 != 0 {
                attackers |= attacks::bishop_attacks(to, occupied) & diagonal;
            }
            if LEAVES_STRAIGHT_LINE >> role as u32 & 1 != 0 {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

    /// Positions with pins, promotions that capture, checks and many attacks.
    const POSITIONS: [&str; 5] = [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
        "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
        "4r1k1/8/8/8/1b6/8/3N4/R3K2R w KQ - 0 1",
    ];

    /// Calls `check` with positions of random games.
    fn for_positions(mut check: impl FnMut(&Board)) {
        let mut random = Random::stream(31, 0);
        for fen in POSITIONS {
            for _ in 0..20 {
                let mut board = Board::from_fen(fen).unwrap().0;
                for _ in 0..30 {
                    check(&board);
                    let moves = board.legal_moves();
                    if moves.is_empty() {
                        break;
                    }
                    board = board.after(moves[random.below(moves.len())]);
                }
            }
        }
    }

    /// A search that knows that a move reaches a threshold need not ask about a lower one.
    #[test]
    fn a_move_that_reaches_a_threshold_reaches_all_lower_ones() {
        for_positions(|board| {
            for mv in board.legal_moves() {
                let reached: Vec<bool> = (-20..20).map(|step| board.see_ge(mv, 100 * step)).collect();
                assert!(reached.is_sorted_by(|before, after| before >= after), "{board:?} {mv:?}");
            }
        });
    }

    #[test]
    fn a_quiet_move_between_squares_that_are_not_attacked_loses_nothing() {
        for_positions(|board| {
            let attacked = board.men().attacked_by(!board.turn()).all;
            for mv in board.legal_moves().into_iter().filter(|&mv| !board.is_noisy(mv)) {
                if !attacked.contains(mv.from()) && !attacked.contains(mv.to()) {
                    assert!(board.see_ge(mv, 0), "{board:?} {mv:?}");
                }
            }
        });
    }
}
