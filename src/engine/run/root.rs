//! The root moves and the results of their searches.

use std::cmp::Reverse;

use crate::chess::board::{Board, Move};
use crate::chess::types::{Bound, Score};
use crate::engine::tablebase::{Rank, Ranking};

/// A root move with the result of its last search.
#[derive(Clone, Debug)]
pub struct RootMove {
    /// The move.
    pub mv: Move,
    /// Score in the current iteration; `-INFINITE` if the move did not raise alpha.
    pub score: Score,
    /// Score in the last iteration before in which the move had one.
    pub previous_score: Score,
    /// Whether the score is exact or a bound.
    pub bound: Bound,
    /// The deepest ply reached below the move.
    pub seldepth: usize,
    /// Nodes spent below the move in this search.
    pub nodes: u64,
    /// The move's line, which begins with the move itself.
    pub pv: Vec<Move>,
    /// The tablebases' rank of the move; the same for all moves if the tablebases do not know the position.
    pub rank: Rank,
    /// The score that belongs to the rank, if the tablebases know the position.
    pub tablebase_score: Option<Score>,
}

/// All root moves, best first: sorted by rank, and by score within a rank.
#[derive(Clone, Debug, Default)]
pub struct RootMoves {
    moves: Vec<RootMove>,
    /// The ranks alone lead to the promised result, so the search need not probe the tablebases again.
    is_settled: bool,
}

impl RootMoves {
    /// The legal moves of `board`. If `only` is not empty, just those that it contains.
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
                pv: vec![mv],
                rank: Rank::default(),
                tablebase_score: None,
            })
            .collect();
        RootMoves { moves, is_settled: false }
    }

    /// Sorts the moves by a ranking, whose entries are in the present order of the moves.
    pub fn rank(&mut self, ranking: &Ranking, fifty_moves: bool) {
        let mut moves: Vec<(i32, RootMove)> = Vec::with_capacity(self.len());
        for (mut root, &(rank, distance)) in self.moves.drain(..).zip(&ranking.ranks) {
            root.rank = rank;
            root.tablebase_score = Some(rank.score(fifty_moves));
            moves.push((distance, root));
        }
        moves.sort_by_key(|(distance, root)| (Reverse(root.rank), *distance));
        self.moves.extend(moves.into_iter().map(|(_, root)| root));
        // If only the WDL tables know a win, it has to be found move by move, from one capture or pawn move to the
        // next.
        let best = self.moves.first().map_or(Rank::Drawn, |root| root.rank);
        self.is_settled = ranking.by_distance || best <= Rank::Drawn;
    }

    /// Whether the ranks alone lead to the promised result, so that the search need not probe the tablebases again.
    pub fn is_settled(&self) -> bool {
        self.is_settled
    }

    /// Number of moves from which the search may choose: those of the highest rank.
    pub fn choices(&self) -> usize {
        self.moves.iter().take_while(|root| root.rank == self.moves[0].rank).count()
    }

    /// The moves in their present order.
    pub fn as_slice(&self) -> &[RootMove] {
        &self.moves
    }

    /// Number of moves.
    pub fn len(&self) -> usize {
        self.moves.len()
    }

    /// Whether there is no move: mate, stalemate, or no allowed move.
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// Whether `mv` competes for the line with index `done`, from 0. Only moves of the same rank compete for a line.
    pub fn is_candidate(&self, mv: Move, done: usize) -> bool {
        let rank = self.moves[done].rank;
        self.moves[done..].iter().any(|root| root.mv == mv && root.rank == rank)
    }

    /// The entry of `mv`, which must be a root move.
    pub fn get_mut(&mut self, mv: Move) -> &mut RootMove {
        self.moves.iter_mut().find(|root| root.mv == mv).expect("a root move")
    }

    /// Begins a new iteration: the scores become the previous scores.
    pub fn begin_iteration(&mut self) {
        for root in &mut self.moves {
            if root.score != -Score::INFINITE {
                root.previous_score = root.score;
            }
            root.score = -Score::INFINITE;
        }
    }

    /// Sorts the moves from `first` on by rank, score and previous score. Equal moves keep their order.
    pub fn sort_from(&mut self, first: usize) {
        self.moves[first..].sort_by_key(|root| Reverse((root.rank, root.score, root.previous_score)));
    }

    /// Sorts the first `count` moves by rank and score.
    pub fn sort_first(&mut self, count: usize) {
        self.moves[..count].sort_by_key(|root| Reverse((root.rank, root.score)));
    }
}
