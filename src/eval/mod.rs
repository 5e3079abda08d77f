//! Static evaluation: tapered material and piece-square values, kept up to date move by move.
//!
//! The tables are fitted to Enfilade's own games (`docs/evaluation.md` tells how); what this
//! folder owns is their reading. [`Evaluator`] is all that a search sees, so that a network
//! can take the place of the tables behind it. Its invariant: after any sequence of pushes
//! and pops it evaluates exactly as [`evaluate`] does from the board alone.

pub mod frame;
pub mod network;
mod scale;
pub mod tables;
pub mod tapered;
mod weights;

pub use scale::{FULL_SHARE, winning_share};
pub use weights::phase as role_phase;

use crate::board::{Board, Color, Move, Role};
use crate::types::{MAX_PLY, Score};
use frame::{Frames, changes_wing};
use tapered::Tapered;

/// The plies without progress from which on a lead would be worth nothing; draws come at about
/// half of them, so that it fades but never turns around.
pub const CLOCK_SPAN: i32 = 200;

/// The plies without progress that cost nothing yet. The table knows no clocks: within these
/// plies a position has one evaluation, however it was reached.
pub const CLOCK_GRACE: i32 = 10;

/// One thread's evaluation state: a stack of accumulators that follows the search's moves.
#[derive(Clone, Debug)]
pub struct Evaluator {
    /// Never empty; the last one belongs to the position on the board.
    stack: Vec<Accumulator>,
}

impl Evaluator {
    /// A state for the starting position.
    pub fn new() -> Evaluator {
        let mut stack = Vec::with_capacity(MAX_PLY + 16);
        stack.push(Accumulator::of(&Board::startpos()));
        Evaluator { stack }
    }

    /// Forgets all moves and begins at `board`.
    pub fn reset(&mut self, board: &Board) {
        self.stack.clear();
        self.stack.push(Accumulator::of(board));
    }

    /// Follows `mv`, which is legal in `before` and about to be made there.
    #[inline]
    pub fn push(&mut self, before: &Board, mv: Move) {
        let next = self.top().after(before, mv);
        self.stack.push(next);
    }

    /// Follows a null move.
    #[inline]
    pub fn push_null(&mut self) {
        self.stack.push(*self.top());
    }

    /// Takes the last move back, null or not.
    #[inline]
    pub fn pop(&mut self) {
        self.stack.pop();
        debug_assert!(!self.stack.is_empty(), "more pops than pushes");
    }

    /// The evaluation of `board`, which is the one that the moves pushed have led to, in
    /// centipawns for the side to move and within +-[`Score::MAX_EVAL`]. Leads shrink with the
    /// halfmove clock and with material that cannot win.
    #[inline]
    pub fn evaluate(&mut self, board: &Board) -> Score {
        let last = self.stack.len() - 1;
        let top = &mut self.stack[last];
        if top.is_stale {
            *top = Accumulator::of(board);
        }
        debug_assert_eq!(*top, Accumulator::of(board), "the moves pushed do not lead to {board:?}");
        top.finish(board)
    }

    #[inline]
    fn top(&self) -> &Accumulator {
        &self.stack[self.stack.len() - 1]
    }
}

impl Default for Evaluator {
    fn default() -> Evaluator {
        Evaluator::new()
    }
}

/// The evaluation of `board` from nothing but the board; equal to [`Evaluator::evaluate`].
pub fn evaluate(board: &Board) -> Score {
    Accumulator::of(board).finish(board)
}

/// What is left of a lead, in 1/[`CLOCK_SPAN`], after so many plies without progress.
#[inline]
pub fn lead_left(halfmove_clock: u32) -> i32 {
    (CLOCK_SPAN + CLOCK_GRACE - halfmove_clock as i32).clamp(0, CLOCK_SPAN)
}

/// The part of the evaluation that is a sum over pieces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Accumulator {
    /// White's worths less Black's.
    sum: Tapered,
    /// Sum of [`role_phase`] over the pieces.
    phase: i32,
    frames: Frames,
    /// A king has changed wings since the sum was taken: every piece's worth may differ, so
    /// it is taken anew when an evaluation is asked for.
    is_stale: bool,
}

impl Accumulator {
    fn of(board: &Board) -> Accumulator {
        let frames = Frames::of(board);
        let mut fresh = Accumulator { sum: Tapered::default(), phase: 0, frames, is_stale: false };
        for square in board.occupied() {
            if let Some(piece) = board.piece_at(square) {
                fresh.sum += weights::worth(&frames, piece, square);
                fresh.phase += role_phase(piece.role);
            }
        }
        fresh
    }

    #[inline]
    fn after(&self, before: &Board, mv: Move) -> Accumulator {
        let mut next = *self;
        if self.is_stale || (before.moved_role(mv) == Role::King && changes_wing(mv.from(), mv.king_target()))
        {
            next.is_stale = true;
            return next;
        }
        let changes = before.changes(mv);
        for &(piece, square) in &changes.removed {
            next.sum -= weights::worth(&next.frames, piece, square);
            next.phase -= role_phase(piece.role);
        }
        for &(piece, square) in &changes.added {
            next.sum += weights::worth(&next.frames, piece, square);
            next.phase += role_phase(piece.role);
        }
        next
    }

    #[inline]
    fn finish(&self, board: &Board) -> Score {
        let pair = |color| i32::from(board.pieces(color, Role::Bishop).more_than_one());
        let mut sum = self.sum;
        match pair(Color::White) - pair(Color::Black) {
            1 => sum += weights::BISHOP_PAIR,
            -1 => sum -= weights::BISHOP_PAIR,
            _ => {}
        }
        let turn = board.turn();
        let sum = if turn.is_white() { sum } else { -sum };
        let score = (sum + weights::TEMPO).at(self.phase);
        let ahead = if score >= 0 { turn } else { turn.other() };
        let score = score * winning_share(board, ahead, self.phase) / FULL_SHARE;
        Score::new(score * lead_left(board.halfmove_clock()) / CLOCK_SPAN).clamp_eval()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Starts that bring castling of both kinds, en passant, promotions and bare endgames.
    const STARTS: [&str; 7] = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
        "1rk3r1/pppppppp/8/8/8/8/PPPPPPPP/1RK3R1 w KQkq - 0 1",
        "8/PPPk4/8/8/8/8/4Kppp/8 w - - 0 1",
        "4k3/2p1p1p1/8/1P1P1P1P/p1p1p1p1/8/1P1P1P1P/4K3 w - - 0 1",
        "8/8/3kq3/8/8/3KQ3/8/8 w - - 90 80",
    ];

    struct Dice(u64);

    impl Dice {
        fn below(&mut self, bound: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((self.0 >> 33) as usize) % bound
        }
    }

    /// Walks a random tree: mostly forward, sometimes a null move, sometimes back up.
    fn walk(start: &str, steps: usize, dice: &mut Dice, mut visit: impl FnMut(&mut Evaluator, &Board)) {
        let root = Board::from_fen(start).unwrap().0;
        let mut evaluator = Evaluator::new();
        evaluator.reset(&root);
        let mut path = vec![root];
        for _ in 0..steps {
            let board = path.last().unwrap().clone();
            let moves = board.legal_moves();
            let is_end = moves.is_empty() || path.len() > 120;
            if path.len() > 1 && (is_end || dice.below(8) == 0) {
                path.pop();
                evaluator.pop();
            } else if !board.in_check() && dice.below(12) == 0 {
                evaluator.push_null();
                path.push(board.after_null());
            } else if !moves.is_empty() {
                let mv = moves[dice.below(moves.len())];
                evaluator.push(&board, mv);
                path.push(board.after(mv));
            }
            visit(&mut evaluator, path.last().unwrap());
        }
    }

    #[test]
    fn incremental_equals_fresh() {
        let mut dice = Dice(1);
        let mut visited = 0;
        for start in STARTS {
            // Evaluating only now and then leaves stale accumulators to be inherited.
            for _ in 0..8 {
                walk(start, 600, &mut dice, |evaluator, board| {
                    visited += 1;
                    if visited % 3 != 0 {
                        assert_eq!(evaluator.evaluate(board), evaluate(board), "{board:?}");
                    }
                });
            }
        }
    }

    #[test]
    fn exchanging_the_colors_changes_nothing() {
        let mut dice = Dice(2);
        for start in STARTS {
            walk(start, 1_000, &mut dice, |_, board| {
                assert_eq!(evaluate(board), evaluate(&board.flip()), "{board:?}");
            });
        }
    }

    #[test]
    fn a_pawn_is_worth_more_the_further_it_has_come() {
        for color in ["", " as Black"] {
            let worths = ["8/8/8/8/8/P7/8/4K3", "8/8/8/P7/8/8/8/4K3", "8/P7/8/8/8/8/8/4K3"].map(|men| {
                let board = Board::from_fen(&format!("{} w - - 0 1", men.replacen('8', "4k3", 1))).unwrap().0;
                evaluate(&if color.is_empty() { board } else { board.flip() })
            });
            assert!(worths.is_sorted() && worths[0] < worths[2], "{worths:?}{color}");
        }
    }

    #[test]
    fn only_the_tempo_is_left_where_all_is_equal() {
        let board = Board::startpos();
        assert_eq!(evaluate(&board).value(), weights::TEMPO.midgame());
        let mut evaluator = Evaluator::new();
        evaluator.push_null();
        assert_eq!(evaluator.evaluate(&board.after_null()), evaluate(&board.after_null()));
    }

    #[test]
    fn the_range_is_kept_with_absurd_material() {
        let board = Board::from_fen("kr6/pp6/8/8/8/8/QQQQQ3/KQQQQ3 w - - 0 1").unwrap().0;
        let score = evaluate(&board);
        assert!(score > Score::new(7_000) && score <= Score::MAX_EVAL && !score.is_decisive());
        let mut absurd = Accumulator::of(&board);
        absurd.sum = Tapered::new(90_000, 90_000);
        assert_eq!(absurd.finish(&board), Score::MAX_EVAL);
    }

    #[test]
    fn leads_fade_with_the_halfmove_clock() {
        let at = |clock: u32| {
            let fen = format!("4k3/pppp4/8/8/8/8/PPPP4/3QK3 w - - {clock} 80");
            evaluate(&Board::from_fen(&fen).unwrap().0).value()
        };
        let fresh = at(0);
        assert!(fresh > 300);
        assert_eq!(at(10), fresh);
        assert_eq!(at(50), fresh * 160 / 200);
        assert_eq!(at(99), fresh * 111 / 200);
    }
}
