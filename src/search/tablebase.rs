//! Step 4, and the root: what the endgame tablebases know.

use std::sync::atomic::Ordering;

use super::job::Job;
use super::root::RootMoves;
use super::worker::Worker;
use crate::board::{Board, Move};
use crate::tablebase;
use crate::tt::{Draft, Record};
use crate::types::{Bound, Score};

/// Plies by which a tablebase result counts as deeper than the search that asked for it: it is worth keeping.
const DRAFT_BONUS: i32 = 6;

impl Worker {
    /// What the tables say of the node at `ply`, if they are to be asked there: only right after a capture or pawn move
    /// do they answer for the fifty-move rule too. A win or loss is a bound, for there may be a mate.
    pub(super) fn probe_tablebases(
        &mut self,
        board: &Board,
        depth: i32,
        ply: usize,
    ) -> Option<(Score, Bound)> {
        let job = &self.job;
        let probing = job.probing;
        let applies = job.tablebases.cover(board, self.probed_men)
            && board.halfmove_clock() == 0
            && (depth >= probing.depth || board.occupied().count() < probing.limit);
        if !applies {
            return None;
        }
        let wdl = job.tablebases.wdl(board, &|text| job.reporter.message(text))?;
        self.tablebase_hits += 1;
        let score = tablebase::score(wdl, probing.fifty_moves, ply);
        let bound = if score.is_win() {
            Bound::Lower
        } else if score.is_loss() {
            Bound::Upper
        } else {
            Bound::Exact
        };
        Some((score, bound))
    }

    /// Stores such a result, its score counted from the node, where it is found sooner than in the tablebases.
    pub(super) fn keep_tablebase_result(
        &mut self,
        board: &Board,
        depth: i32,
        score: Score,
        bound: Bound,
        pv: bool,
    ) {
        let draft = Draft::main(depth + DRAFT_BONUS);
        self.store(board.key(), Record { mv: None, score, static_eval: None, draft, bound, pv });
    }
}

impl Job {
    /// The root moves that are allowed, ranked by the tables where they know the position. Who asks first ranks them for
    /// all.
    pub fn root_moves(&self) -> &RootMoves {
        self.root.get_or_init(|| {
            let board = self.game.board();
            let mut root = RootMoves::new(board, &self.limits.search_moves);
            if self.tablebases.cover(board, self.probing.limit) {
                let moves: Vec<Move> = root.as_slice().iter().map(|root| root.mv).collect();
                let fifty_moves = self.probing.fifty_moves;
                let ranking = self
                    .tablebases
                    .rank(&self.game, &moves, fifty_moves, &|text| self.reporter.message(text));
                if let Some(ranking) = ranking {
                    root.rank(&ranking, fifty_moves);
                    if let Some(counters) = self.counters.first() {
                        counters.tablebase_hits.fetch_add(moves.len() as u64, Ordering::Relaxed);
                    }
                }
            }
            root
        })
    }
}
