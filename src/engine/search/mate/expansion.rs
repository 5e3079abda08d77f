//! The moves of a position in the mate search, with their initial numbers.
//!
//! Usually a position that was not searched yet counts as one leaf. Here it begins with an estimate, because mates come
//! from checks, from moves that leave few replies, and from moves near the king (Winands and Schadd,
//! "Evaluation-Function Based Proof-Number Search", 2010, for the idea). The values were chosen on 200 positions of
//! mates2000: docs/journal/mates.md.

use super::numbers::{Numbers, ProofSide};
use super::question::{MatePosition, MateQuestion};
use super::table::{ProofState, ProofTable};
use crate::chess::board::{Bitboard, Board, CheckSquares, FIFTY_MOVES, Move, Role, attacks};

/// Initial numbers of a check, and of each reply of the defender.
const FORCED: Numbers = Numbers { proof: 1, disproof: 1 };
/// Initial proof number of a quiet move that then attacks no square around the king.
const QUIET: u32 = 8;
/// Initial proof number of a capture, a promotion, or a quiet move that then attacks a square around the king.
const NEAR: u32 = 6;
/// A move that gives no check costs one more for each `MOBILITY` moves that the defender would have if the attacker
/// passed.
const MOBILITY: u32 = 2;
/// The assumed number of such moves if the attacker is in check and cannot pass, or if the next ply is the last.
const USUAL_MOBILITY: usize = 10;

/// A move and what is known about the position after it.
#[derive(Clone, Copy)]
pub(super) struct Child {
    pub mv: Move,
    pub known: ProofState,
}

/// What the attacker's moves are judged by. It is the same for all moves of a position.
struct Attack {
    checks: CheckSquares,
    zone: Bitboard,
    /// What the defender's mobility adds to the proof number of moves that give no check.
    freedom: u32,
}

impl Attack {
    fn of(board: &Board, remaining: u8) -> Attack {
        let moves = if board.in_check() || remaining <= 1 {
            USUAL_MOBILITY
        } else {
            board.after_null().legal_moves().len()
        };
        Attack {
            checks: board.check_squares(),
            zone: attacks::king_attacks(board.king(!board.turn())),
            freedom: moves as u32 / MOBILITY,
        }
    }

    fn numbers(&self, board: &Board, mv: Move) -> Numbers {
        if board.gives_check_with(&self.checks, mv) {
            return FORCED;
        }
        let attacked = attacks::attacks(mv.king_target(), board.moved_piece(mv), board.occupied());
        let is_near = board.is_noisy(mv) || (attacked & self.zone).any();
        Numbers { proof: self.freedom + if is_near { NEAR } else { QUIET }, disproof: 1 }
    }
}

impl MateQuestion {
    /// The moves to look at, checks first, then captures, with what the table knows about them. With one ply left only
    /// a check can mate.
    pub fn children(&self, table: &ProofTable, position: MatePosition<'_>) -> Vec<Child> {
        let MatePosition { board, remaining, ply } = position;
        let attack = (self.side_to_move(board) == ProofSide::Attacker).then(|| Attack::of(board, remaining));
        let mut children: Vec<(bool, bool, Child)> = Vec::with_capacity(48);
        for mv in board.legal_moves() {
            if ply == 0 && !self.moves.contains(&mv) {
                continue;
            }
            let is_check = attack.as_ref().is_some_and(|attack| board.gives_check_with(&attack.checks, mv));
            if attack.is_some() && remaining == 1 && !is_check {
                continue;
            }
            let numbers = attack.as_ref().map_or(FORCED, |attack| attack.numbers(board, mv));
            let known = table
                .probe(key_after(position, mv), remaining - 1)
                .unwrap_or(ProofState { numbers, mate_in: 0 });
            children.push((!is_check, !board.is_noisy(mv), Child { mv, known }));
        }
        children.sort_by_key(|&(no_check, is_quiet, _)| (no_check, is_quiet));
        children.into_iter().map(|(_, _, child)| child).collect()
    }
}

/// The key of the position after a move; see [`MatePosition::key`].
fn key_after(position: MatePosition<'_>, mv: Move) -> u64 {
    let MatePosition { board, remaining, .. } = position;
    let reaches_the_rule = board.halfmove_clock() + u32::from(remaining) > FIFTY_MOVES;
    // A double push may allow en passant, which `Board::key_after` does not handle.
    let is_double_push =
        board.moved_role(mv) == Role::Pawn && (mv.from().rank() as i32 - mv.to().rank() as i32).abs() == 2;
    if !reaches_the_rule && !is_double_push {
        return board.key_after(mv);
    }
    position.after(&board.after(mv)).key()
}
