//! An engine whose threads are virtual: they take turns on the thread that calls it. So 64 threads can be studied on
//! one core.

use std::sync::Arc;

use parking_lot::Mutex;

use super::error::EngineError;
use super::outcome_recorder::OutcomeRecorder;
use super::settings::Settings;
use super::state::EngineState;
use super::summary::ThreadSummary;
use crate::base::numa::Binding;
use crate::base::random::Random;
use crate::chess::board::Game;
use crate::engine::params::Params;
use crate::engine::pool::{MAX_THREADS, VirtualPool};
use crate::engine::run::job::{Job, Launch};
use crate::engine::run::rounds::PassTurn;
use crate::engine::run::{Limits, Observer, Outcome, Silent};

/// A table and virtual threads. Their results depend only on the settings, the seed of the game and the searches since
/// the game began.
pub struct Laboratory {
    state: EngineState,
    pool: VirtualPool,
    random: Random,
    last: Option<Arc<Job>>,
}

impl Laboratory {
    /// Allocates the table and the threads. A turn has `turn` nodes on average, at least 1. The binding of threads has
    /// no effect. [`Settings::for_measuring`] overrides some settings.
    ///
    /// # Errors
    /// If the system has too little memory.
    pub fn new(settings: &Settings, turn: u64) -> Result<Laboratory, EngineError> {
        let threads = settings.threads.clamp(1, MAX_THREADS);
        // On a clock, a node counts as a millisecond.
        let settings = Settings { threads, node_rate: 1, ..settings.for_measuring() };
        // One thread clears the table.
        let state = EngineState::new(settings, Arc::new(Binding::unbound(1)))?;
        let pool = VirtualPool::new(threads, turn, &state.idle)?;
        Ok(Laboratory { state, pool, random: Random::stream(0, 0), last: None })
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.state.settings
    }

    /// Sets the search's parameters.
    pub fn set_params(&mut self, params: &Params) {
        self.state.settings.params = params.clone();
    }

    /// Forgets all earlier games. `seed` determines the turns of the next game.
    pub fn new_game(&mut self, seed: u64) {
        self.state.table.clear(&self.state.binding);
        self.state.renew_histories();
        self.pool.new_game();
        self.random = Random::stream(seed, 0);
    }

    /// Searches the game's position. The limits must end the search by themselves: a depth, a number of nodes or a
    /// clock, on which a node of any thread counts as a millisecond. The node limit counts the nodes of all threads.
    /// The search meets it exactly, with one exception: if it ends while helpers begin, each helper adds its first
    /// node.
    pub fn search(&mut self, game: Game, limits: Limits) -> Outcome {
        let recorder = Arc::new(OutcomeRecorder { observer: Arc::new(Silent), outcome: Mutex::new(None) });
        let job = self.job(game, limits, Arc::clone(&recorder) as _);
        self.carry_out(job);
        let outcome = recorder.outcome.lock().take();
        outcome.expect("a search that is over has been reported")
    }

    fn job(&self, game: Game, limits: Limits, observer: Arc<dyn Observer>) -> Job {
        let pass_turn: PassTurn = VirtualPool::pass_turn;
        let launch = Launch { pass_turn: Some(pass_turn), observer, ..Launch::silent(self.pool.threads()) };
        self.state.job(game, limits, 0, launch)
    }

    fn carry_out(&mut self, job: Job) {
        self.state.table.new_search();
        let job = Arc::new(job);
        self.pool.search(&job, &mut self.random);
        self.last = Some(job);
    }

    /// What each thread did in the last search, the main thread first.
    pub fn threads_of_last_search(&self) -> Vec<ThreadSummary> {
        self.last.as_deref().map(ThreadSummary::of).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::facade::Engine;
    use crate::engine::history::Sharing;
    use crate::engine::run::Line;
    use crate::engine::run::telemetry::{Telemetry, Work};

    const TURN: u64 = 96;

    fn laboratory(threads: usize) -> Laboratory {
        Laboratory::new(&Settings { hash: 1, threads, ..Settings::default() }, TURN).unwrap()
    }

    /// The results of searches of some positions of a game, without times.
    fn found(mut search: impl FnMut(Game) -> Outcome) -> Vec<String> {
        let mut game = Game::startpos();
        (0..6)
            .map(|_| {
                let outcome = search(game.clone());
                let best = outcome.best_move.unwrap();
                game.play(best);
                let line = &outcome.lines[0];
                format!("{best:?} {:?} {} {} {:?}", line.score, line.depth, outcome.nodes, line.pv)
            })
            .collect()
    }

    #[test]
    fn one_virtual_thread_searches_as_a_real_one() {
        let settings = Settings { hash: 1, ..Settings::default() };
        let mut engine = Engine::new(settings).unwrap();
        let expected = found(|game| {
            engine.set_game(game);
            engine.search(Limits::nodes(3_000))
        });
        // The length of the turns makes no difference.
        for turn in [1, TURN] {
            let mut laboratory = Laboratory::new(engine.settings(), turn).unwrap();
            assert_eq!(found(|game| laboratory.search(game, Limits::nodes(3_000))), expected);
        }
    }

    /// Searches in rounds depend only on the settings. So virtual threads must find the same as real threads.
    #[test]
    fn virtual_threads_search_as_real_ones_in_rounds() {
        for threads in [2, 5] {
            let settings = Settings { hash: 1, threads, deterministic: true, ..Settings::default() };
            let mut engine = Engine::new(settings.clone()).unwrap();
            let mut laboratory = Laboratory::new(&settings, TURN).unwrap();
            for limits in [Limits::nodes(30_000), Limits::depth(6)] {
                let expected = found(|game| {
                    engine.set_game(game);
                    engine.search(limits.clone())
                });
                let virtually = found(|game| laboratory.search(game, limits.clone()));
                assert_eq!(virtually, expected, "{threads} threads, {limits:?}");
                assert_eq!(laboratory.threads_of_last_search(), engine.threads_of_last_search());
                engine.new_game();
                laboratory.new_game(7);
            }
        }
    }

    #[test]
    fn the_seed_of_a_game_decides_its_searches() {
        for histories in Sharing::ALL {
            let settings = Settings { hash: 1, threads: 4, histories, ..Settings::default() };
            let mut laboratory = Laboratory::new(&settings, TURN).unwrap();
            let mut game = |seed| {
                laboratory.new_game(seed);
                let found = found(|game| laboratory.search(game, Limits::nodes(8_000)));
                (found, laboratory.threads_of_last_search())
            };
            let first = game(1);
            assert_ne!(game(2), first, "{histories:?}");
            assert_eq!(game(1), first, "{histories:?}");
        }
    }

    #[test]
    fn virtual_threads_share_the_nodes_and_meet_their_limit() {
        let mut laboratory = laboratory(8);
        let outcome = laboratory.search(Game::startpos(), Limits::nodes(40_000));
        let threads = laboratory.threads_of_last_search();
        assert_eq!(threads.iter().map(|thread| thread.nodes).sum::<u64>(), 40_000);
        assert_eq!(outcome.nodes, 40_000);
        assert!(threads.iter().all(|thread| (4_000..6_000).contains(&thread.nodes)), "{threads:?}");
        // A depth limit applies to the main thread. When it has reached the depth, all threads end.
        let outcome = laboratory.search(Game::startpos(), Limits::depth(7));
        assert_eq!(outcome.lines[0].depth, 7);
        assert!(laboratory.threads_of_last_search().iter().all(|thread| thread.nodes > 0));
    }

    #[test]
    fn counting_how_threads_share_results_does_not_change_the_search() {
        let measured = |threads, telemetry| {
            let settings = Settings { hash: 4, threads, telemetry, ..Settings::default() };
            let mut laboratory = Laboratory::new(&settings, TURN).unwrap();
            let outcome = laboratory.search(Game::startpos(), Limits::nodes(60_000));
            (format!("{:?}", outcome.lines[0].pv), laboratory.threads_of_last_search())
        };
        let (line, threads) = measured(4, Telemetry::Count);
        let sum = |of: fn(&ThreadSummary) -> u64| threads.iter().map(of).sum::<u64>();
        for work in [Work::Own, Work::New, Work::Deeper, Work::Repeated] {
            assert!(threads.iter().any(|thread| thread.stores[work as usize] > 0), "{work:?}, {threads:?}");
        }
        assert!(sum(|thread| thread.table_hits[1]) > 0);
        assert!(threads.iter().all(|thread| thread.unfinished < thread.nodes), "{threads:?}");
        assert!(sum(|thread| thread.unfinished) > 0, "not all threads end with an iteration");

        let (other_line, uncounted) = measured(4, Telemetry::Off);
        assert_eq!(other_line, line);
        let nodes = |threads: &[ThreadSummary]| -> Vec<_> {
            threads.iter().map(|thread| (thread.nodes, thread.unfinished, thread.depth)).collect()
        };
        assert_eq!(nodes(&uncounted), nodes(&threads));
        assert!(uncounted.iter().all(|thread| (thread.stores, thread.table_hits) == ([0; 4], [0; 2])));

        let alone = measured(1, Telemetry::Count).1[0];
        assert!(alone.stores[Work::New as usize] > 100 && alone.stores[2..] == [0, 0], "{alone:?}");
    }

    /// Keeps the messages.
    #[derive(Default)]
    struct Listener(Mutex<Vec<String>>);

    impl Observer for Listener {
        fn line(&self, _line: &Line) {}
        fn current_move(&self, _depth: i32, _mv: crate::chess::board::Move, _number: usize) {}
        fn message(&self, text: &str) {
            self.0.lock().push(text.to_owned());
        }
        fn finished(&self, outcome: &Outcome) {
            self.0.lock().push(format!("{} moves", outcome.lines[0].pv.len().min(1)));
        }
    }

    #[test]
    fn a_search_survives_panics_of_virtual_helpers() {
        let mut laboratory = laboratory(3);
        let listener = Arc::new(Listener::default());
        let mut job = laboratory.job(Game::startpos(), Limits::nodes(5_000), Arc::clone(&listener) as _);
        job.run.failing_workers = vec![1, 2];
        laboratory.carry_out(job);
        let mut said = std::mem::take(&mut *listener.0.lock());
        said.sort_unstable();
        let failed = |index| format!("worker {index} failed; what it had found before stands");
        assert_eq!(said, ["1 moves".to_owned(), failed(1), failed(2)]);
        // The threads can still search.
        laboratory.search(Game::startpos(), Limits::nodes(5_000));
        assert!(laboratory.threads_of_last_search().iter().all(|thread| thread.nodes > 0));
    }
}
