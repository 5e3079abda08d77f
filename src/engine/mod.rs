//! The facade of the engine: a position, a table, a pool of threads, and `go`. `uci` and the command line use it, and
//! so do programs that use Enfilade as a library.
//!
//! Invariant: each `go` ends with exactly one call of [`Observer::finished`].
//!
//! [`Engine::search`] returns when the search has ended:
//!
//! ```
//! use enfilade::board::Game;
//! use enfilade::engine::{Engine, Settings};
//! use enfilade::run::Limits;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut engine = Engine::new(Settings { hash: 1, threads: 1, ..Settings::default() })?;
//! // The second value says what had to be repaired in the FEN: nothing here.
//! let (mut game, _) = Game::from_fen("6k1/5ppp/8/8/8/8/7P/4R1K1 b - - 0 1")?;
//! game.play_uci("h7h5")?;
//! game.play_uci("e1e8")?;
//! engine.set_game(game);
//! let outcome = engine.search(Limits::nodes(10_000));
//!
//! // The king has one move. In Chess960 castling would be spelled as the king taking the rook.
//! let is_chess960 = false;
//! let best_move = outcome.best_move.ok_or("there is no legal move")?;
//! assert_eq!(best_move.to_uci(is_chess960).to_string(), "g8h7");
//! # Ok(())
//! # }
//! ```
//!
//! [`Engine::go`] returns at once. The search runs in the background and reports to an [`Observer`]:
//!
//! ```
//! use std::sync::Arc;
//! use std::sync::mpsc::{Sender, channel};
//!
//! use enfilade::board::Move;
//! use enfilade::engine::{Engine, Settings};
//! use enfilade::run::{Limits, Line, Observer, Outcome};
//!
//! /// Passes on the depth of each line.
//! struct Depths(Sender<i32>);
//!
//! impl Observer for Depths {
//!     fn line(&self, line: &Line) {
//!         // At the end nobody listens any more.
//!         let _ = self.0.send(line.depth);
//!     }
//!     fn current_move(&self, _depth: i32, _mv: Move, _number: usize) {}
//!     fn message(&self, _text: &str) {}
//!     fn finished(&self, _outcome: &Outcome) {}
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut engine = Engine::new(Settings { hash: 1, threads: 2, ..Settings::default() })?;
//! let (sender, depths) = channel();
//! engine.go(Limits { infinite: true, ..Limits::default() }, Arc::new(Depths(sender)));
//! while depths.recv()? < 5 {}
//! engine.stop();
//! engine.wait();
//! # Ok(())
//! # }
//! ```

mod clocks;
mod fingerprint;
mod job;
#[cfg(feature = "laboratory")]
mod laboratory;
mod outcome_recorder;
mod settings;
mod solo;
mod summary;
mod table;

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;

use crate::board::Game;
use crate::eval::network::Network;
use crate::history::SharedHistories;
use crate::numa::{Binding, NumaError, Policy, Replicated};
use crate::pool::{MAX_THREADS, Pool, PoolError};
use crate::run::job::{Job, Launch};
use crate::run::{Limits, Observer, Outcome, Silent};
use crate::tt::{Table, TableError};
use clocks::Clocks;
pub use fingerprint::Fingerprint;
use job::{Kept, job, rules, shared_histories};
#[cfg(feature = "laboratory")]
pub use laboratory::Laboratory;
use outcome_recorder::OutcomeRecorder;
pub use settings::Settings;
pub use solo::Solo;
pub use summary::{Spread, ThreadSummary};

/// The system refused memory, threads or processors.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The memory for the table could not be allocated.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A thread could not be started.
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// The processors of a list are not available.
    #[error(transparent)]
    Numa(#[from] NumaError),
}

/// An engine with its threads and its table.
pub struct Engine {
    settings: Settings,
    game: Game,
    table: Arc<Table>,
    pool: Pool,
    binding: Arc<Binding>,
    network: Arc<Replicated<Network>>,
    histories: Option<Arc<Replicated<SharedHistories>>>,
    /// Whether the table's memory was placed for threads on other NUMA nodes.
    is_table_misplaced: bool,
    idle: Arc<Job>,
    /// Seed of the random choices of limited strength. Each game has another one.
    seed: u64,
    current: Option<Arc<Job>>,
    /// The clocks for games in which nodes count as time.
    clocks: Clocks,
}

impl Engine {
    /// Starts the threads and allocates the table.
    ///
    /// # Errors
    /// If the system refuses memory, a thread or a processor.
    pub fn new(settings: Settings) -> Result<Engine, EngineError> {
        let game = Game::startpos();
        let settings = Settings { threads: settings.threads.clamp(1, MAX_THREADS), ..settings };
        let binding = Arc::new(settings.numa.binding(settings.threads)?);
        let network = Arc::new(Replicated::new(Arc::clone(&settings.network), Arc::clone(&binding)));
        let table = Arc::new(Table::new(settings.hash, &binding)?);
        let idle = Arc::new(Job::idle(rules(&settings), Arc::clone(&network))?);
        let pool = Pool::new(&binding, &idle)?;
        Ok(Engine {
            histories: shared_histories(settings.histories, &binding),
            settings,
            game,
            table,
            pool,
            binding,
            network,
            is_table_misplaced: false,
            idle,
            seed: chance(),
            current: None,
            clocks: Clocks::default(),
        })
    }

    /// The settings in force.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Changes settings. They take effect with the next search. The size of the table, the number of threads and their
    /// binding have setters of their own; `change` has no effect on them.
    pub fn update(&mut self, change: impl FnOnce(&mut Settings)) {
        let before = self.settings.clone();
        change(&mut self.settings);
        self.settings.hash = before.hash;
        self.settings.threads = before.threads;
        self.settings.numa = before.numa;
        let is_other_network = self.settings.network != before.network;
        if is_other_network {
            self.replicate_network();
        }
        if self.settings.node_rate != before.node_rate {
            self.reset_clocks();
        }
        if self.settings.histories != before.histories {
            self.renew_histories();
        }
        if is_other_network || self.settings.strength.level() != before.strength.level() {
            // Scores and corrections of one network mean nothing to another. The results of a strong search would help
            // a weak level.
            self.clear_hash();
            self.renew_histories();
            self.pool.new_game();
        } else if self.settings.quiescence != before.quiescence
            || self.settings.probing.fifty_moves != before.probing.fifty_moves
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
        let binding = self.settings.numa.binding(threads)?;
        self.start_threads(binding)?;
        self.settings.threads = threads;
        Ok(())
    }

    /// Waits for the end of a running search, and sets how threads are bound.
    ///
    /// # Errors
    /// If processors of a list are not available, or the system refuses a thread. The old policy stays.
    pub fn set_numa(&mut self, policy: Policy) -> Result<(), EngineError> {
        let binding = policy.binding(self.settings.threads)?;
        self.start_threads(binding)?;
        self.settings.numa = policy;
        Ok(())
    }

    /// Which thread is bound to which NUMA node.
    pub fn binding(&self) -> &Binding {
        &self.binding
    }

    /// Replaces the threads if the binding has changed. The table moves to their NUMA nodes as soon as it is empty.
    fn start_threads(&mut self, binding: Binding) -> Result<(), EngineError> {
        self.wait();
        if binding == *self.binding {
            return Ok(());
        }
        let binding = Arc::new(binding);
        self.pool = Pool::new(&binding, &self.idle)?;
        self.is_table_misplaced |= binding.nodes() != self.binding.nodes();
        self.binding = binding;
        self.replicate_network();
        self.renew_histories();
        if self.table.is_clean() {
            self.place_table();
        }
        Ok(())
    }

    /// Makes each NUMA node get its own copy of the network.
    fn replicate_network(&mut self) {
        let network = Arc::clone(&self.settings.network);
        self.network = Arc::new(Replicated::new(network, Arc::clone(&self.binding)));
    }

    /// Replaces the histories that threads share by empty ones.
    fn renew_histories(&mut self) {
        self.histories = shared_histories(self.settings.histories, &self.binding);
    }

    /// Clears the histories. Clears the table too, unless [`Settings::keep_hash`] is on.
    pub fn new_game(&mut self) {
        self.wait();
        if !self.settings.keep_hash {
            self.clear_hash();
        }
        self.renew_histories();
        self.pool.new_game();
        self.reset_clocks();
        self.seed = chance();
    }

    /// Resets the clocks of nodes. The next `go` starts them.
    fn reset_clocks(&mut self) {
        self.wait();
        self.clocks = Clocks::default();
    }

    /// Charges the last search, which has ended, to its clock.
    fn settle(&mut self) {
        if let Some(job) = &self.current {
            self.clocks.stop(job.total_nodes(), job.run.signals.is_pondering());
        }
    }

    /// Waits for the end of the last search, and drops it.
    fn forget_search(&mut self) {
        self.wait();
        self.settle();
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
        &self.table
    }

    /// A description of the table's memory pages for the user.
    pub fn table_pages(&self) -> String {
        self.table.pages().to_string()
    }

    /// Begins a search and returns at once. It first waits for the end of a running search.
    pub fn go(&mut self, mut limits: Limits, observer: Arc<dyn Observer>) {
        // The time counts from here, because many threads may take a while to leave the last search.
        let started = Instant::now();
        self.wait();
        self.settle();
        let rate = self.settings.node_rate;
        if let Some(clock) = limits.clock.as_mut().filter(|_| rate > 0 && !limits.infinite) {
            self.clocks.start(self.game.board().turn(), clock, rate);
        }
        self.table.new_search();
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
        let (seed, histories) =
            if self.settings.deterministic { (0, None) } else { (self.seed, self.histories.clone()) };
        let kept = Kept { network: Arc::clone(&self.network), table: Arc::clone(&self.table), histories };
        job(&self.settings, self.game.clone(), limits, seed, kept, launch)
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
        let recorder = Arc::new(OutcomeRecorder { observer, outcome: Mutex::new(None) });
        self.go(limits, Arc::clone(&recorder) as Arc<dyn Observer>);
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
fn chance() -> u64 {
    RandomState::new().build_hasher().finish()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::board::Move;
    use crate::run::Line;

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
    fn a_panic_of_the_main_thread_leaves_it_what_it_had_found() {
        for (threads, deterministic) in [(1, false), (3, false), (3, true)] {
            let (outcome, messages) = sabotaged(threads, deterministic, 4);
            let best = outcome.best_move.map(|mv| mv.to_uci(false).to_string());
            assert_eq!(best.as_deref(), Some("c3d5"), "{threads} threads");
            assert_eq!(messages, ["worker 0 failed; what it had found before stands"], "{threads} threads");
        }
    }

    /// The counters have no place for the helpers. So each helper panics before its first node.
    #[test]
    fn a_panic_of_helpers_ends_no_search() {
        let mut engine = Engine::new(Settings { hash: 1, threads: 3, ..Settings::default() }).unwrap();
        engine.set_game(Game::from_fen(BLACK_QUEEN_HANGS).unwrap().0);
        let observer = Arc::new(Saboteur { depth: i32::MAX, messages: Mutex::default() });
        let recorder =
            Arc::new(OutcomeRecorder { observer: Arc::clone(&observer) as _, outcome: Mutex::new(None) });
        let launch = Launch { observer: Arc::clone(&recorder) as _, ..Launch::silent(3) };
        let mut job = engine.job(Limits::default(), launch);
        job.run.counters = [Default::default()].into();
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
