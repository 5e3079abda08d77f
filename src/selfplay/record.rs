//! A whole game with its scores. Data generation makes such records, and the training reads them.

use crate::board::{Board, Move};

/// The result of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GameResult {
    /// White won.
    White,
    /// The game was drawn.
    Draw,
    /// Black won.
    Black,
}

impl GameResult {
    /// White's points: 1, one half or 0.
    pub fn white_share(self) -> f64 {
        match self {
            GameResult::White => 1.0,
            GameResult::Draw => 0.5,
            GameResult::Black => 0.0,
        }
    }

    /// The index of the result in a list of White's wins, draws and Black's wins.
    pub fn index(self) -> usize {
        match self {
            GameResult::White => 0,
            GameResult::Draw => 1,
            GameResult::Black => 2,
        }
    }
}

/// A played move and the score of its search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ply {
    /// The best move, which is also the one played.
    pub mv: Move,
    /// The search's score in centipawns from White's point of view. Mates are encoded as in [`crate::types::Score`].
    pub score: i16,
}

/// A game from its first searched position to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameRecord {
    /// The position of the first search, after the random plies.
    pub start: Board,
    /// The moves, all legal.
    pub plies: Vec<Ply>,
    /// The result under the rules or by adjudication.
    pub result: GameResult,
}

impl GameRecord {
    /// Calls `visit` with each position in which a move was played and with the ply played there.
    pub fn for_each(&self, mut visit: impl FnMut(&Board, &Ply)) {
        let mut board = self.start.clone();
        for ply in &self.plies {
            visit(&board, ply);
            board = board.after(ply.mv);
        }
    }
}
