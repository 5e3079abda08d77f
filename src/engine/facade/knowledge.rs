//! What the table knows about a position without a search.

use std::sync::Arc;

use super::engine::Engine;
use crate::chess::board::{Board, Move};
use crate::chess::types::{Bound, Score};
use crate::engine::tt::Table;

/// A view of the table of an engine. Searches may run meanwhile. They notice nothing, because the view only reads.
#[derive(Clone)]
pub struct Knowledge(Arc<Table>);

/// The result of an earlier search, as the table has kept it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownResult {
    /// The depth of the search, in plies.
    pub depth: i32,
    /// The score for the side to move.
    pub score: Score,
    /// What the score says about the true value.
    pub bound: Bound,
    /// The best move, or one that is good enough for the bound.
    pub best_move: Option<Move>,
}

impl Engine {
    /// What this engine's table knows. It stays the table of this moment, even if the engine gets another one.
    pub fn knowledge(&self) -> Knowledge {
        Knowledge(Arc::clone(&self.state.table))
    }
}

impl Knowledge {
    /// The result of a search that passed this position; `None` if the table has none of the main search. The table
    /// knows positions only, so the score counts no repetition and not the fifty-move rule.
    pub fn of(&self, board: &Board) -> Option<KnownResult> {
        let record = self.0.probe(board.key())?;
        let depth = record.draft.main_depth()?;
        // A move that cannot be played shows that the record is about another position.
        let is_own = record.mv.is_none_or(|mv| board.can_play(mv));
        is_own.then(|| KnownResult {
            depth,
            score: record.score.from_table(0),
            bound: record.bound,
            best_move: record.mv,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Settings;
    use super::*;
    use crate::engine::run::Limits;

    #[test]
    fn the_table_knows_what_was_searched() {
        let mut engine = Engine::new(Settings { hash: 1, threads: 1, ..Settings::default() }).unwrap();
        let board = engine.game().board().clone();
        let knowledge = engine.knowledge();
        assert_eq!(knowledge.of(&board), None);
        let outcome = engine.search(Limits::depth(6));
        let found = knowledge.of(&board).unwrap();
        assert!(found.depth >= 6 && found.bound == Bound::Exact, "{found:?}");
        assert_eq!((found.best_move, found.score), (outcome.best_move, outcome.lines[0].score));
        assert_eq!(knowledge.of(&Board::from_fen("4k3/8/8/8/8/8/8/4K2R w K - 0 1").unwrap().0), None);
    }
}
