//! The root moves and what each was found to be worth.

use super::pv::PvLine;
use crate::board::{Board, Move};
use crate::types::{Bound, Score};

/// A root move with the result of its last search.
#[derive(Clone, Debug)]
pub struct RootMove {
    /// The move.
    pub mv: Move,
    /// Score of the current iteration; `-INFINITE` where the move did not raise alpha.
    pub score: Score,
    /// Score of the last iteration in which it had one.
    pub previous_score: Score,
    /// What kind of score it is.
    pub bound: Bound,
    /// The deepest ply reached below it.
    pub seldepth: usize,
    /// Nodes spent below it in this search.
    pub nodes: u64,
    /// Its line, beginning with the move itself.
    pub pv: PvLine,
}

/// All root moves, best first.
#[derive(Clone, Debug, Default)]
pub struct RootMoves {
    moves: Vec<RootMove>,
}

impl RootMoves {
    /// The legal moves of `board`, or those of them that are in `only` if it is not empty.
    pub fn new(board: &Board, only: &[Move]) -> RootMoves {
        let moves = board
            .legal_moves()
            .into_iter()
            .filter(|mv| only.is_empty() || only.contains(mv))
            .map(|mv| RootMove {
                mv,
                score: -Score::INFINITE,
                previous_score: -Score::INFINITE,
                bound: Bound::Exact,
                seldepth: 0,
                nodes: 0,
                pv: PvLine::from_iter([mv]),
            })
            .collect();
        RootMoves { moves }
    }

    /// The moves as they stand.
    pub fn as_slice(&self) -> &[RootMove] {
        &self.moves
    }

    /// Number of moves.
    pub fn len(&self) -> usize {
        self.moves.len()
    }

    /// No move: mate, stalemate, or nothing allowed.
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// Whether `mv` is to be searched while the first `done` lines stand.
    pub fn is_candidate(&self, mv: Move, done: usize) -> bool {
        self.moves[done..].iter().any(|root| root.mv == mv)
    }

    /// The entry of `mv`, which must be a root move.
    pub fn get_mut(&mut self, mv: Move) -> &mut RootMove {
        self.moves.iter_mut().find(|root| root.mv == mv).expect("a root move")
    }

    /// A new iteration: the scores become the previous ones.
    pub fn begin_iteration(&mut self) {
        for root in &mut self.moves {
            if root.score != -Score::INFINITE {
                root.previous_score = root.score;
            }
            root.score = -Score::INFINITE;
        }
    }

    /// Sorts the moves from `first` on by score; equal ones keep their order, so that moves
    /// without a score stay where earlier iterations put them.
    pub fn sort_from(&mut self, first: usize) {
        self.moves[first..].sort_by_key(|root| std::cmp::Reverse((root.score, root.previous_score)));
    }

    /// Sorts the first `count` moves by score.
    pub fn sort_first(&mut self, count: usize) {
        self.moves[..count].sort_by_key(|root| std::cmp::Reverse(root.score));
    }
}
