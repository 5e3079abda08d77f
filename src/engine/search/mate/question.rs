//! The question of a mate search: whose mate, within how many plies, from which position.

use super::numbers::ProofSide;
use crate::chess::board::{Board, Color, FIFTY_MOVES, Game, Move};

/// A position of the mate search.
#[derive(Clone, Copy)]
pub(super) struct MatePosition<'a> {
    pub board: &'a Board,
    /// Plies left until the mate.
    pub remaining: u8,
    /// Plies from the root.
    pub ply: usize,
}

impl MatePosition<'_> {
    /// The position after a move, which led to `board`.
    pub fn after(self, board: &Board) -> MatePosition<'_> {
        MatePosition { board, remaining: self.remaining - 1, ply: self.ply + 1 }
    }

    /// The key of the position in the table. The halfmove clock is part of it only where the fifty-move rule can apply.
    pub fn key(&self) -> u64 {
        let clock = self.board.halfmove_clock();
        let reaches_the_rule = clock + u32::from(self.remaining) > FIFTY_MOVES;
        self.board.key()
            ^ if reaches_the_rule { u64::from(clock + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) } else { 0 }
    }
}

/// The question about one side's mate.
pub(super) struct MateQuestion {
    pub root: Board,
    /// The moves to consider at the root.
    pub moves: Vec<Move>,
    pub attacker: Color,
    /// Plies within which the mate must come.
    pub limit: u8,
    /// Keys of positions that are a draw if they occur again.
    pub drawn: Vec<u64>,
}

impl MateQuestion {
    /// The question whether `attacker` mates within `limit` plies, if one of `moves` is played first.
    pub fn new(game: &Game, moves: Vec<Move>, attacker: Color, limit: u8) -> MateQuestion {
        let root = game.board().clone();
        let times = |key: u64| game.keys().iter().filter(|&&other| other == key).count();
        let mut drawn: Vec<u64> = game.keys().iter().copied().filter(|&key| times(key) >= 2).collect();
        if times(root.key()) >= 1 {
            drawn.push(root.key());
        }
        MateQuestion { root, moves, attacker, limit, drawn }
    }

    /// What the side to move wants.
    pub fn side_to_move(&self, board: &Board) -> ProofSide {
        if board.turn() == self.attacker { ProofSide::Attacker } else { ProofSide::Defender }
    }
}
