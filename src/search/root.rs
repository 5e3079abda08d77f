//! The root moves and what each was found to be worth.

use std::cmp::Reverse;

use crate::board::{Board, Move};
use crate::tablebase::{Rank, Ranking};
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
    /// Mean of the scores of the iterations before, the later ones with more weight.
    pub mean_score: Score,
    /// What kind of score it is.
    pub bound: Bound,
    /// The deepest ply reached below it.
    pub seldepth: usize,
    /// Nodes spent below it in this search.
    pub nodes: u64,
    /// Its line, beginning with the move itself.
    pub pv: Vec<Move>,
    /// What the tablebases make of it; the same for all moves where they do not know.
    pub rank: Rank,
    /// The score that goes with the rank, where they do.
    pub tablebase_score: Option<Score>,
}

/// All root moves, best first: by rank, and within a rank by score.
#[derive(Clone, Debug, Default)]
pub struct RootMoves {
    moves: Vec<RootMove>,
    /// The ranks lead to the result that they promise, so that the search need not ask the tablebases again.
    is_settled: bool,
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
                mean_score: -Score::INFINITE,
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

    /// Lays a ranking over the moves, made in their order.
    pub fn rank(&mut self, ranking: &Ranking, fifty_moves: bool) {
        let mut moves: Vec<(i32, RootMove)> = Vec::with_capacity(self.len());
        for (mut root, &(rank, distance)) in self.moves.drain(..).zip(&ranking.ranks) {
            root.rank = rank;
            root.tablebase_score = Some(rank.score(fifty_moves));
            moves.push((distance, root));
        }
        moves.sort_by_key(|(distance, root)| (Reverse(root.rank), *distance));
        self.moves.extend(moves.into_iter().map(|(_, root)| root));
        // A win known by WDL alone has to be found move by move, from one capture or pawn move to the next.
        let best = self.moves.first().map_or(Rank::Drawn, |root| root.rank);
        self.is_settled = ranking.by_distance || best <= Rank::Drawn;
    }

    /// Whether the tablebases have said all that they can.
    pub fn is_settled(&self) -> bool {
        self.is_settled
    }

    /// Number of moves among which the search may choose the best: those of the highest rank.
    pub fn choices(&self) -> usize {
        self.moves.iter().take_while(|root| root.rank == self.moves[0].rank).count()
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

    /// Whether `mv` is to be searched while the first `done` lines stand: only against its equals in rank.
    pub fn is_candidate(&self, mv: Move, done: usize) -> bool {
        let rank = self.moves[done].rank;
        self.moves[done..].iter().any(|root| root.mv == mv && root.rank == rank)
    }

    /// The entry of `mv`, which must be a root move.
    pub fn get_mut(&mut self, mv: Move) -> &mut RootMove {
        self.moves.iter_mut().find(|root| root.mv == mv).expect("a root move")
    }

    /// A new iteration: the scores become the previous ones, and enter the means, in which the earlier ones keep
    /// `earlier_share` percent.
    pub fn begin_iteration(&mut self, earlier_share: i32) {
        for root in &mut self.moves {
            if root.score != -Score::INFINITE {
                root.previous_score = root.score;
                // What is known for sure is no measurement, of which there is a mean.
                let is_measured = ![root.score, root.mean_score].into_iter().any(Score::is_decisive);
                let (new, earlier) = (root.score.value(), root.mean_score.value());
                let mean = (new * (100 - earlier_share) + earlier * earlier_share) / 100;
                root.mean_score = if is_measured { Score::new(mean) } else { root.score };
            }
            root.score = -Score::INFINITE;
        }
    }

    /// Sorts the moves from `first` on by rank and score; equal ones keep their order, so that moves
    /// without a score stay where earlier iterations put them.
    pub fn sort_from(&mut self, first: usize) {
        self.moves[first..].sort_by_key(|root| Reverse((root.rank, root.score, root.previous_score)));
    }

    /// Sorts the first `count` moves by rank and score.
    pub fn sort_first(&mut self, count: usize) {
        self.moves[..count].sort_by_key(|root| Reverse((root.rank, root.score)));
    }
}
