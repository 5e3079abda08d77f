//! Searches for a mate in a given number of moves (`go mate`), beside alpha-beta.
//!
//! Between two iterations the main thread asks a [`solver::Solver`] for each side whether that side mates within the
//! given number of moves. Most of the nodes go to the solvers: they find about twice as many mates of known length as
//! alpha-beta does with the same nodes (docs/journal/mates.md). Alpha-beta goes on, so that there is always a move to
//! play. It also finds mates by long quiet maneuvers. Each node that a solver visits counts as one node.
//!
//! The solvers' tables exist only during such a search. Each takes 48 MiB at most, and half as much again while it
//! grows.

mod expansion;
mod line;
mod numbers;
mod question;
mod solver;
mod table;

use line::MateLine;
use solver::{NodeCounting, Solver};

use super::worker::Worker;
use crate::chess::types::{Bound, MAX_PLY, Score};

/// Depth of the first iteration that the mate search precedes. By then there is a considered move.
const FIRST_DEPTH: i32 = 4;
/// Nodes of the mate search for each node of alpha-beta.
const SHARE: u64 = 7;
/// Tenths of the mate search's nodes that go to the side that alpha-beta prefers.
const FAVORITE_TENTHS: u64 = 6;
/// The fewest nodes that a solver gets in one turn.
const LEAST_TURN: u64 = 500;

impl NodeCounting for Worker {
    fn enter(&mut self, ply: usize) {
        self.enter_node(ply);
    }

    fn count(&self) -> u64 {
        self.nodes
    }

    fn is_over(&self) -> bool {
        self.stopped
    }
}

/// The mate search for one side's mate.
struct SideSearch {
    solver: Solver,
    spent: u64,
    /// There is no mate within the given number of moves, or the question is too hard.
    is_given_up: bool,
}

/// The mate search for both sides' mates.
pub(super) struct MateSearch {
    /// The side to move comes first.
    sides: [SideSearch; 2],
}

impl MateSearch {
    /// The mate search that the worker's job asks for. Only the main thread has one, and only if the engine's strength
    /// is not limited.
    pub fn of(worker: &Worker) -> Option<MateSearch> {
        let job = &worker.job;
        let moves = job.task.limits.mate.filter(|_| worker.index == 0 && job.task.level.is_none())?;
        let moves = moves.clamp(1, MAX_PLY as u32 / 2 - 1) as u8;
        let us = job.task.game.board().turn();
        let root = worker.root.as_slice();
        // If the tablebases rank the moves, only the best ones are considered, as in the main search.
        let candidates: Vec<_> = root[..worker.root.choices()].iter().map(|root| root.mv).collect();
        let side_search = |attacker, limit| SideSearch {
            solver: Solver::new(&job.task.game, candidates.clone(), attacker, limit),
            spent: 0,
            is_given_up: false,
        };
        Some(MateSearch { sides: [side_search(us, 2 * moves - 1), side_search(!us, 2 * moves)] })
    }

    fn spent(&self) -> u64 {
        self.sides.iter().map(|side_search| side_search.spent).sum()
    }

    /// Index of the side that searches next, if one is left: the one that is further behind its share of nodes.
    fn turn(&self, score: Score) -> Option<usize> {
        let favorite = usize::from(score < Score::ZERO);
        let share = |side: usize| if side == favorite { FAVORITE_TENTHS } else { 10 - FAVORITE_TENTHS };
        (0..2)
            .filter(|&side| !self.sides[side].is_given_up)
            .min_by_key(|&side| self.sides[side].spent.saturating_mul(share(1 - side)))
    }
}

impl Worker {
    /// Continues the mate search until it has had its share of nodes. Returns whether a mate was found; the root moves
    /// then have it.
    pub(super) fn search_mate(&mut self, mate_search: &mut MateSearch, depth: i32) -> bool {
        if depth < FIRST_DEPTH {
            return false;
        }
        let score = self.root.as_slice()[0].score;
        let share = (self.nodes - mate_search.spent()).saturating_mul(SHARE);
        while mate_search.spent() < share && !self.stopped {
            let spent = mate_search.spent();
            let Some(side) = mate_search.turn(score) else { return false };
            let side_search = &mut mate_search.sides[side];
            let before = self.nodes;
            let turn = (share - spent).min(spent / 2 + LEAST_TURN);
            let known = side_search.solver.search(self, before + turn);
            let is_proven = known.numbers.is_proven();
            let lines = if is_proven { side_search.solver.lines(self, self.job.lines()) } else { Vec::new() };
            if !lines.is_empty() {
                self.take_mate(side, lines);
                return true;
            }
            let has_paused = self.nodes - before >= turn || self.stopped;
            side_search.is_given_up = is_proven || known.numbers.is_solved() || !has_paused;
            side_search.spent += self.nodes - before;
        }
        false
    }

    /// Puts the moves of the lines first, with their mate scores. The other moves keep the scores of the last
    /// iteration.
    fn take_mate(&mut self, side: usize, lines: Vec<MateLine>) {
        self.root.begin_iteration();
        let seldepth = self.seldepth;
        for MateLine { plies, moves } in lines {
            let Some(&first) = moves.first() else { continue };
            let root = self.root.get_mut(first);
            root.score = if side == 0 { Score::mate_in(plies) } else { Score::mated_in(plies) };
            root.bound = Bound::Exact;
            root.seldepth = seldepth;
            root.pv = moves;
        }
        self.root.sort_from(0);
    }
}
