//! [`Engine`]: a position, a pool of threads, and `go`.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;

use super::clocks::Clocks;
use super::error::EngineError;
use super::outcome_recorder::OutcomeRecorder;
use super::running::RunningSearch;
use super::settings::Settings;
use super::state::EngineState;
use super::summary::ThreadSummary;
use crate::base::numa::{Binding, Policy};
use crate::chess::board::Game;
use crate::engine::pool::{MAX_THREADS, Pool};
use crate::engine::run::job::{Job, Launch};
use crate::engine::run::{Limits, Observer, Outcome, Silent};
use crate::engine::tt::Table;

/// An engine with its threads and its table.
pub struct Engine {
    pub(super) state: EngineState,
    game: Game,
    pool: Pool,
    /// Whether the table's memory was placed for threads on other NUMA nodes.
    pub(super) is_table_misplaced: bool,
    /// Seed of the random choices of limited strength. Each game has another one.
    seed: u64,
    current: Option<Arc<Job>>,
    /// The clocks for games in which nodes count as time.
    clocks: Clocks,
    /// Whether other engines have the same table. Then no search of this engine ages it.
    is_sharing: bool,
}

impl Engine {
    /// Starts the threads and allocates the table.
    ///
    /// # Errors
    /// If the system refuses memory, a thread or a processor.
    pub fn new(settings: Settings) -> Result<Engine, EngineError> {
        let settings = Settings { threads: settings.threads.clamp(1, MAX_THREADS), ..settings };
        let binding = settings.numa.binding(settings.threads)?;
        Self::of(EngineState::new(settings, Arc::new(binding))?, false)
    }

    /// Starts the threads for what they search with.
    fn of(state: EngineState, is_sharing: bool) -> Result<Engine, EngineError> {
        let pool = Pool::new(&state.binding, &state.idle)?;
        Ok(Engine {
            state,
            game: Game::startpos(),
            pool,
            is_table_misplaced: false,
            seed: random_seed(),
            current: None,
            clocks: Clocks::default(),
            is_sharing,
        })
    }

    /// Starts an engine of `threads` threads that shares this one's table and network, so that both can search at the
    /// same time. Its threads are not bound. With many searches on one table none of them may age it:
    /// [`Engine::age_table`] does that for all.
    ///
    /// # Errors
    /// If the system refuses memory or a thread.
    pub fn sharing(&self, threads: usize) -> Result<Engine, EngineError> {
        Self::of(self.state.sharing(Arc::new(Binding::unbound(threads.clamp(1, MAX_THREADS)))), true)
    }

    /// Starts an engine of one thread that shares this one's network, and has a table of its own with `hash` MiB. As
    /// for [`Engine::sharing`], only [`Engine::age_table`] ages that table.
    ///
    /// # Errors
    /// If the system refuses memory or the thread.
    pub fn with_table(&self, hash: usize) -> Result<Engine, EngineError> {
        Self::of(self.state.with_table(hash, Arc::new(Binding::unbound(1)))?, true)
    }

    /// Whether both engines search on the same table.
    pub fn shares_table_with(&self, other: &Engine) -> bool {
        Arc::ptr_eq(&self.state.table, &other.state.table)
    }

    /// Makes everything in the table count as the result of an earlier search.
    pub fn age_table(&self) {
        self.state.table.new_search();
    }

    /// The settings in force.
    pub fn settings(&self) -> &Settings {
        &self.state.settings
    }

    /// Changes settings. They take effect with the next search. The size of the table, the number of threads and their
    /// binding have setters of their own; `change` has no effect on them.
    pub fn update(&mut self, change: impl FnOnce(&mut Settings)) {
        let before = self.state.settings.clone();
        let settings = &mut self.state.settings;
        change(settings);
        settings.hash = before.hash;
        settings.threads = before.threads;
        settings.numa = before.numa;
        let is_other_network = settings.network != before.network;
        if is_other_network {
            self.state.replicate_network();
        }
        if self.settings().node_rate != before.node_rate {
            self.reset_clocks();
        }
        if self.state.settings.histories != before.histories {
            self.state.renew_histories();
        }
        if is_other_network || self.state.settings.strength.level() != before.strength.level() {
            // Scores and corrections of one network mean nothing to another. The results of a strong search would help
            // a weak level.
            self.clear_hash();
            self.state.renew_histories();
            self.pool.new_game();
        } else if self.state.settings.quiescence != before.quiescence
            || self.state.settings.probing.fifty_moves != before.probing.fifty_moves
        {
            // Results of one kind of leaf search mean nothing to another. Tablebase results also depend on the
            // fifty-move rule.
            self.clear_hash();
        }
    }

    /// Waits for the end of a running search, and sets the number of threads.
    ///
    /// # Errors
    /// If the system refuses a thread. The old threads stay.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), EngineError> {
        let threads = threads.clamp(1, MAX_THREADS);
        let binding = self.state.settings.numa.binding(threads)?;
        self.start_threads(binding)
    }

    /// Waits for the end of a running search, and sets how threads are bound.
    ///
    /// # Errors
    /// If processors of a list are not available, or the system refuses a thread. The old policy stays.
    pub fn set_numa(&mut self, policy: Policy) -> Result<(), EngineError> {
        let binding = policy.binding(self.state.settings.threads)?;
        self.start_threads(binding)?;
        self.state.settings.numa = policy;
        Ok(())
    }

    /// Which thread is bound to which NUMA node.
    pub fn binding(&self) -> &Binding {
        &self.state.binding
    }

    /// Replaces the threads if the binding has changed. The table moves to their NUMA nodes as soon as it is empty.
    fn start_threads(&mut self, binding: Binding) -> Result<(), EngineError> {
        self.wait();
        if binding == *self.state.binding {
            return Ok(());
        }
        let binding = Arc::new(binding);
        self.pool = Pool::new(&binding, &self.state.idle)?;
        self.is_table_misplaced |= binding.nodes() != self.state.binding.nodes();
        self.state.rebind(binding);
        if self.state.table.is_clean() {
            self.place_table();
        }
        Ok(())
    }

    /// Clears the histories. Clears the table too, unless [`Settings::keep_hash`] is on.
    pub fn new_game(&mut self) {
        self.wait();
        if !self.state.settings.keep_hash {
            self.clear_hash();
        }
        self.state.renew_histories();
        self.pool.new_game();
        self.reset_clocks();
        self.seed = random_seed();
    }

    /// Resets the clocks of nodes. The next `go` starts them.
    fn reset_clocks(&mut self) {
        self.wait();
        self.clocks = Clocks::default();
    }

    /// Charges the last search, which has ended, to its clock.
    fn charge_clock(&mut self) {
        if let Some(job) = &self.current {
            self.clocks.stop(job.total_nodes(), job.run.signals.is_pondering());
        }
    }

    /// Waits for the end of the last search, and drops it.
    pub(super) fn forget_search(&mut self) {
        self.wait();
        self.charge_clock();
        self.current = None;
    }

    /// Sets the position for the next search.
    pub fn set_game(&mut self, game: Game) {
        self.game = game;
    }

    /// The current position, with the earlier positions that can be repeated.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The table.
    pub fn table(&self) -> &Table {
        &self.state.table
    }

    /// A description of the table's memory pages for the user.
    pub fn table_pages(&self) -> String {
        self.state.table.pages().to_string()
    }

    /// Begins a search and returns at once. It first waits for the end of a running search.
    pub fn go(&mut self, limits: Limits, observer: Arc<dyn Observer>) {
        // The time counts from here, because many threads may take a while to leave the last search.
        self.go_since(Instant::now(), limits, observer);
    }

    /// Does what [`Engine::go`] does for a search whose time counts from `started`.
    pub fn go_since(&mut self, started: Instant, mut limits: Limits, observer: Arc<dyn Observer>) {
        self.wait();
        self.charge_clock();
        let rate = self.state.settings.node_rate;
        if let Some(clock) = limits.clock.as_mut().filter(|_| rate > 0 && !limits.infinite) {
            self.clocks.start(self.game.board().turn(), clock, rate);
        }
        if !self.is_sharing {
            self.state.table.new_search();
        }
        let launch = Launch { started, observer, ..Launch::silent(self.pool.threads()) };
        let job = self.job(limits, launch);
        // The root moves are ranked before the threads begin. So there is a ranked move even if no thread gets a core
        // in time.
        job.root_moves();
        let job = Arc::new(job);
        self.current = Some(Arc::clone(&job));
        self.pool.search(job);
    }

    fn job(&self, limits: Limits, launch: Launch) -> Job {
        self.state.job(self.game.clone(), limits, self.seed, launch)
    }

    /// Whether the last `go` has not been answered yet.
    pub fn is_searching(&self) -> bool {
        self.pool.is_searching()
    }

    /// Tells the search to end. The result is reported shortly afterwards.
    pub fn stop(&self) {
        if let Some(job) = &self.current {
            job.run.signals.stop();
        }
    }

    /// The last search, for orders from other threads.
    pub fn running(&self) -> Option<RunningSearch> {
        self.current.clone().map(RunningSearch)
    }

    /// The opponent played the expected move while the engine pondered.
    pub fn ponder_hit(&mut self) {
        if let Some(job) = &self.current {
            if job.run.signals.is_pondering() {
                self.clocks.ponder_hit(job.total_nodes());
            }
            job.run.signals.ponder_hit();
        }
    }

    /// Waits until the result has been reported. Threads may still need a moment to leave the search.
    pub fn wait_for_report(&self) {
        self.pool.wait_for_report();
    }

    /// Waits until the result has been reported and all threads sleep.
    pub fn wait(&self) {
        self.pool.wait();
    }

    /// Waits for the end of the last search. Returns what each thread did in it, the main thread first.
    pub fn threads_of_last_search(&self) -> Vec<ThreadSummary> {
        self.wait();
        self.current.as_deref().map(ThreadSummary::of).unwrap_or_default()
    }

    /// Searches and returns the result.
    pub fn search(&mut self, limits: Limits) -> Outcome {
        self.search_with(limits, Arc::new(Silent))
    }

    /// Searches, reports to `observer`, and returns the result. The limits may contain `infinite` or `ponder` only if
    /// another thread stops the search.
    pub fn search_with(&mut self, limits: Limits, observer: Arc<dyn Observer>) -> Outcome {
        self.search_while(limits, observer, |_| ())
    }

    /// Does what [`Engine::search_with`] does. `begun` gets the search when it has begun, so that another thread can
    /// stop it.
    pub fn search_while(
        &mut self,
        limits: Limits,
        observer: Arc<dyn Observer>,
        begun: impl FnOnce(RunningSearch),
    ) -> Outcome {
        let recorder = Arc::new(OutcomeRecorder { observer, outcome: Mutex::new(None) });
        self.go(limits, Arc::clone(&recorder) as Arc<dyn Observer>);
        begun(self.running().expect("a search has begun"));
        self.wait();
        let outcome = recorder.outcome.lock().take();
        outcome.expect("a search that was waited for has been reported")
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.stop();
    }
}

/// An unpredictable number.
fn random_seed() -> u64 {
    RandomState::new().build_hasher().finish()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::chess::board::Move;
    use crate::engine::run::Line;

    const BLACK_QUEEN_HANGS: &str = "4k3/8/8/3q4/8/2N5/8/4K3 w - - 0 1";

    /// An observer that makes the reporting worker panic at a certain depth.
    struct Saboteur {
        depth: i32,
        messages: Mutex<Vec<String>>,
    }

    impl Observer for Saboteur {
        fn line(&self, line: &Line) {
            let is_worker = std::thread::current().name().is_some_and(|name| name.starts_with("worker"));
            assert!(!is_worker || line.depth < self.depth, "a panic that this test asks for");
        }
        fn current_move(&self, _depth: i32, _mv: Move, _number: usize) {}
        fn message(&self, text: &str) {
            self.messages.lock().push(text.to_owned());
        }
        fn finished(&self, _outcome: &Outcome) {}
    }

    /// Searches with a main thread that panics at the end of an iteration. Returns the outcome and the messages.
    fn sabotaged(threads: usize, deterministic: bool, depth: i32) -> (Outcome, Vec<String>) {
        let mut engine =
            Engine::new(Settings { hash: 1, threads, deterministic, ..Settings::default() }).unwrap();
        engine.set_game(Game::from_fen(BLACK_QUEEN_HANGS).unwrap().0);
        let saboteur = Arc::new(Saboteur { depth, messages: Mutex::default() });
        let outcome = engine.search_with(Limits::depth(9), Arc::clone(&saboteur) as Arc<dyn Observer>);
        // The thread can still search.
        let next = engine.search(Limits::depth(3));
        assert_eq!((next.best_move, next.lines[0].depth), (outcome.best_move, 3));
        let messages = saboteur.messages.lock().clone();
        (outcome, messages)
    }

    #[test]
    fn a_search_with_a_panic_of_the_main_thread_plays_the_move_found_before() {
        for (threads, deterministic) in [(1, false), (3, false), (3, true)] {
            let (outcome, messages) = sabotaged(threads, deterministic, 4);
            let best = outcome.best_move.map(|mv| mv.to_uci(false).to_string());
            assert_eq!(best.as_deref(), Some("c3d5"), "{threads} threads");
            assert_eq!(messages, ["worker 0 failed; what it had found before stands"], "{threads} threads");
        }
    }

    #[test]
    fn a_search_survives_panics_of_helpers() {
        let mut engine = Engine::new(Settings { hash: 1, threads: 3, ..Settings::default() }).unwrap();
        engine.set_game(Game::from_fen(BLACK_QUEEN_HANGS).unwrap().0);
        let observer = Arc::new(Saboteur { depth: i32::MAX, messages: Mutex::default() });
        let recorder =
            Arc::new(OutcomeRecorder { observer: Arc::clone(&observer) as _, outcome: Mutex::new(None) });
        let launch = Launch { observer: Arc::clone(&recorder) as _, ..Launch::silent(3) };
        let mut job = engine.job(Limits::default(), launch);
        job.run.failing_workers = vec![1, 2];
        let job = Arc::new(job);
        engine.current = Some(Arc::clone(&job));
        engine.pool.search(job);
        while observer.messages.lock().len() < 2 {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(engine.is_searching(), "the main thread goes on");
        engine.stop();
        engine.wait();
        let outcome = recorder.outcome.lock().take().expect("an answer");
        assert_eq!(outcome.best_move.map(|mv| mv.to_uci(false).to_string()).as_deref(), Some("c3d5"));
        let mut messages = observer.messages.lock().clone();
        messages.sort_unstable();
        assert_eq!(messages, [1, 2].map(|i| format!("worker {i} failed; what it had found before stands")));
    }
}
