//! A search on the thread that calls it, for tasks with thousands of small searches.
//!
//! With a pool, a search passes through three threads, and so does its answer. docs/journal/speed.md has what that
//! costs a search of 200 nodes.

use std::sync::Arc;

use super::settings::Settings;
use super::state::EngineState;
use crate::base::numa::Binding;
use crate::chess::board::{Game, Move};
use crate::chess::types::Score;
use crate::engine::run::Limits;
use crate::engine::run::job::Launch;
use crate::engine::search::worker::Worker;
use crate::engine::tt::TableError;

/// A worker with its table and histories. It has no threads of its own.
pub struct Solo {
    state: EngineState,
    worker: Worker,
}

impl Solo {
    /// Allocates the table. The settings of threads, of several lines and of limited strength have no effect. On a
    /// clock, a node counts as a millisecond.
    ///
    /// # Errors
    /// If the system has too little memory.
    pub fn new(settings: Settings) -> Result<Solo, TableError> {
        let settings =
            Settings { threads: 1, multi_pv: 1, strength: Default::default(), node_rate: 1, ..settings };
        let state = EngineState::new(settings, Arc::new(Binding::unbound(1)))?;
        let worker = Worker::new(0, Arc::clone(&state.idle));
        Ok(Solo { state, worker })
    }

    /// Forgets all earlier games.
    pub fn new_game(&mut self) {
        self.state.table.clear(&self.state.binding);
        self.worker.new_game();
    }

    /// The best move and its score for the side to move; `None` if the game is over. The limits must end the search by
    /// themselves: a depth, a number of nodes or a clock.
    pub fn search(&mut self, game: Game, limits: Limits) -> Option<(Move, Score)> {
        self.state.table.new_search();
        let job = Arc::new(self.state.job(game, limits, 0, Launch::silent(1)));
        self.worker.prepare(Arc::clone(&job));
        self.worker.run();
        self.worker.release(&self.state.idle);
        let result = job.run.results[0].lock();
        result.moves.first().map(|best| (best.mv, best.score))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::facade::Engine;

    #[test]
    fn solo_finds_what_the_engine_finds() {
        let settings = Settings { hash: 1, ..Settings::default() };
        let mut engine = Engine::new(settings.clone()).unwrap();
        let mut solo = Solo::new(settings).unwrap();
        let mut game = Game::startpos();
        for ply in 0..12 {
            let limits = Limits { soft_nodes: Some(200), nodes: Some(1_600), ..Limits::default() };
            engine.set_game(game.clone());
            let expected = engine.search(limits.clone());
            let (mv, score) = solo.search(game.clone(), limits).unwrap();
            assert_eq!((Some(mv), score), (expected.best_move, expected.lines[0].score), "ply {ply}");
            game.play(mv);
            if ply == 5 {
                engine.new_game();
                solo.new_game();
            }
        }
    }

    #[test]
    fn a_game_that_is_over_has_no_move() {
        let mated = Game::from_fen("rnb1kbnr/pppp1ppp/4p3/8/5PPq/8/PPPPP2P/RNBQKBNR w KQkq - 1 3").unwrap().0;
        let mut solo = Solo::new(Settings { hash: 1, ..Settings::default() }).unwrap();
        assert_eq!(solo.search(mated, Limits::depth(3)), None);
    }
}
