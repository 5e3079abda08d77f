//! What earlier searches of this thread say about moves: butterfly, capture, continuation
//! and pawn history, and by how much static evaluations were wrong (correction history).
//!
//! Every entry is pulled towards its bonus with a weight that shrinks as it fills up (the
//! "gravity" formula of Stockfish and Ethereal), so that none leaves +-[`LIMIT`].

mod correction;

pub use correction::{Correction, CorrectionKeys, CorrectionWeights};

use crate::board::{Board, Move, Piece, Square};

/// The greatest absolute value of a move history entry.
pub const LIMIT: i32 = 16_384;

/// Squares of a piece's placement: twelve pieces on 64 squares.
const PLACEMENTS: usize = 12 * 64;
const PAWN_STRUCTURES: usize = 512;

/// A piece on a square as one index below [`PLACEMENTS`]: what continuation history knows
/// of a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Placement(u16);

impl Placement {
    /// The piece that a move brings to its target square.
    #[inline]
    pub fn new(piece: Piece, square: Square) -> Placement {
        let piece_index = usize::from(piece.role) - 1 + if piece.color.is_white() { 0 } else { 6 };
        Placement((piece_index * 64 + usize::from(square)) as u16)
    }

    #[inline]
    fn index(self) -> usize {
        usize::from(self.0)
    }
}

#[inline]
fn pull(entry: &mut i16, bonus: i32) {
    let value = i32::from(*entry);
    *entry = (value + bonus - value * bonus.abs() / LIMIT) as i16;
}

fn zeroed<T: Copy + Default>(len: usize) -> Box<[T]> {
    vec![T::default(); len].into_boxed_slice()
}

/// Where a quiet move starts and ends with regard to the squares that the opponent attacks.
#[derive(Clone, Copy)]
pub struct Threats(pub crate::board::Bitboard);

impl Threats {
    #[inline]
    fn class(self, mv: Move) -> usize {
        usize::from(self.0.contains(mv.from())) * 2 + usize::from(self.0.contains(mv.to()))
    }
}

/// Where the butterfly history keeps a quiet move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QuietSlot(u16);

/// All move histories of one thread: about 2 MB.
pub struct History {
    butterfly: Box<[i16]>,
    capture: Box<[i16]>,
    continuation: Box<[i16]>,
    pawn: Box<[i16]>,
    /// Corrections of the static evaluation.
    pub correction: Correction,
}

impl Default for History {
    fn default() -> History {
        History {
            butterfly: zeroed(2 * 4 * 64 * 64),
            capture: zeroed(PLACEMENTS * 7),
            continuation: zeroed(PLACEMENTS * PLACEMENTS),
            pawn: zeroed(PAWN_STRUCTURES * PLACEMENTS),
            correction: Correction::default(),
        }
    }
}

/// The moves that led here, as continuation history sees them: 1, 2 and 4 plies ago.
pub type Continuations = [Option<Placement>; 3];

impl History {
    /// Forgets everything, as at the start of a game.
    pub fn clear(&mut self) {
        self.butterfly.fill(0);
        self.capture.fill(0);
        self.continuation.fill(0);
        self.pawn.fill(0);
        self.correction.clear();
    }

    #[inline]
    fn butterfly_index(board: &Board, threats: Threats, mv: Move) -> usize {
        let color = usize::from(board.turn().is_black());
        ((color * 4 + threats.class(mv)) * 64 + usize::from(mv.from())) * 64 + usize::from(mv.to())
    }

    #[inline]
    fn capture_index(board: &Board, mv: Move) -> usize {
        let victim = board.captured(mv).map_or(0, usize::from);
        Placement::new(board.moved_piece(mv), mv.to()).index() * 7 + victim
    }

    #[inline]
    fn pawn_index(board: &Board, placement: Placement) -> usize {
        (board.pawn_key() as usize % PAWN_STRUCTURES) * PLACEMENTS + placement.index()
    }

    /// The score of a capture or queen promotion, within +-[`LIMIT`].
    #[inline]
    pub fn noisy(&self, board: &Board, mv: Move) -> i32 {
        i32::from(self.capture[Self::capture_index(board, mv)])
    }

    /// The sum of what butterfly, continuation and pawn history say of a quiet move, within
    /// +-5 times [`LIMIT`].
    #[inline]
    pub fn quiet(&self, board: &Board, threats: Threats, continuations: &Continuations, mv: Move) -> i32 {
        let placement = Placement::new(board.moved_piece(mv), mv.to());
        let mut sum = i32::from(self.butterfly[Self::butterfly_index(board, threats, mv)])
            + i32::from(self.pawn[Self::pawn_index(board, placement)]);
        for previous in continuations.iter().flatten() {
            sum += i32::from(self.continuation[previous.index() * PLACEMENTS + placement.index()]);
        }
        sum
    }

    /// Where butterfly history keeps a quiet move.
    #[inline]
    pub fn quiet_slot(board: &Board, threats: Threats, mv: Move) -> QuietSlot {
        QuietSlot(Self::butterfly_index(board, threats, mv) as u16)
    }

    /// Rewards or, with a negative bonus, punishes a quiet move in butterfly history only.
    #[inline]
    pub fn update_slot(&mut self, slot: QuietSlot, bonus: i32) {
        pull(&mut self.butterfly[usize::from(slot.0)], bonus);
    }

    /// Rewards or, with a negative bonus, punishes a move as a continuation of others.
    pub fn update_continuations(&mut self, continuations: &Continuations, placement: Placement, bonus: i32) {
        for previous in continuations.iter().flatten() {
            pull(&mut self.continuation[previous.index() * PLACEMENTS + placement.index()], bonus);
        }
    }

    /// Rewards or, with a negative bonus, punishes a capture or queen promotion.
    pub fn update_noisy(&mut self, board: &Board, mv: Move, bonus: i32) {
        pull(&mut self.capture[Self::capture_index(board, mv)], bonus);
    }

    /// Rewards or, with a negative bonus, punishes a quiet move in all its tables.
    pub fn update_quiet(
        &mut self,
        board: &Board,
        threats: Threats,
        continuations: &Continuations,
        mv: Move,
        bonus: i32,
    ) {
        let placement = Placement::new(board.moved_piece(mv), mv.to());
        pull(&mut self.butterfly[Self::butterfly_index(board, threats, mv)], bonus);
        pull(&mut self.pawn[Self::pawn_index(board, placement)], bonus);
        self.update_continuations(continuations, placement, bonus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_stay_within_the_limit() {
        let mut entry = 0;
        for _ in 0..10_000 {
            pull(&mut entry, 2_000);
        }
        assert!(i32::from(entry) <= LIMIT && i32::from(entry) > LIMIT * 9 / 10);
        for _ in 0..10_000 {
            pull(&mut entry, -2_000);
        }
        assert!(i32::from(entry) >= -LIMIT && i32::from(entry) < -LIMIT * 9 / 10);
    }

    #[test]
    fn rewarded_moves_come_before_punished_ones() {
        let board = Board::startpos();
        let mut history = History::default();
        let moves = board.legal_moves();
        let threats = Threats(board.threats(!board.turn()));
        history.update_quiet(&board, threats, &[None; 3], moves[0], 500);
        history.update_quiet(&board, threats, &[None; 3], moves[1], -500);
        let score = |mv| history.quiet(&board, threats, &[None; 3], mv);
        assert!(score(moves[0]) > score(moves[2]) && score(moves[2]) > score(moves[1]));
    }
}
