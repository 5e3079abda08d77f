//! The facade: a position, a table, a pool, and `go`. What `uci` and the command line drive,
//! and what a program that uses Enfilade as a library sees.
//!
//! Invariant: every `go` ends with exactly one call of [`Observer::finished`].
//!
//! [`Engine::search`] returns when the search has ended:
//!
//! ```
//! use enfilade::board::Game;
//! use enfilade::engine::{Engine, Settings};
//! use enfilade::search::Limits;
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
//! [`Engine::go`] returns at once. The search goes on beside the caller, and an [`Observer`] hears of it:
//!
//! ```
//! use std::sync::Arc;
//! use std::sync::mpsc::{Sender, channel};
//!
//! use enfilade::board::Move;
//! use enfilade::engine::{Engine, Settings};
//! use enfilade::search::{Limits, Line, Observer, Outcome};
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
use crate::search::job::{Job, Launch};
use crate::search::{Limits, Observer, Outcome, Silent};
use crate::tt::{Table, TableError};
use clocks::Clocks;
pub use fingerprint::Fingerprint;
use job::{Kept, job, judgement, shared_histories};
pub use laboratory::Laboratory;
use outcome_recorder::OutcomeRecorder;
pub use settings::Settings;
pub use solo::Solo;
pub use summary::{Spread, ThreadSummary};

/// Something the system would not give.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The memory for the table.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A thread.
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// The processors of a list.
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
    /// Whether the table's memory was placed for threads on other nodes.
    is_table_misplaced: bool,
    idle: Arc<Job>,
    /// Of the random choices of limited strength, another one for each game.
    seed: u64,
    current: Option<Arc<Job>>,
    /// Where nodes are time.
    clocks: Clocks,
}

impl Engine {
    /// Starts the threads and allocates the table.
    ///
    /// # Errors
    /// If the system has not got the memory, the threads or the processors.
    pub fn new(settings: Settings) -> Result<Engine, EngineError> {
        let game = Game::startpos();
        let settings = Settings { threads: settings.threads.clamp(1, MAX_THREADS), ..settings };
        let binding = Arc::new(settings.numa.binding(settings.threads)?);
        let network = Arc::new(Replicated::new(Arc::clone(&settings.network), Arc::clone(&binding)));
        let table = Arc::new(Table::new(settings.hash, &binding)?);
        let idle = Arc::new(Job::idle(judgement(&settings), Arc::clone(&network))?);
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

    /// Changes what takes effect with the next search. Size of the table, number of threads and the policy that
    /// binds them have setters of their own and are left as they are.
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
            // Scores and corrections of one network mean nothing to another, and would help a weak level.
            self.clear_hash();
            self.renew_histories();
            self.pool.new_game();
        } else if self.settings.quiescence != before.quiescence
            || self.settings.probing.fifty_moves != before.probing.fifty_moves
        {
            // Leaf results of one kind mean nothing to another, nor do tablebase results under another rule.
            self.clear_hash();
        }
    }

    /// Sets the number of threads, once a running search has ended.
    ///
    /// # Errors
    /// If the system refuses a thread; the old threads stay.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), EngineError> {
        let threads = threads.clamp(1, MAX_THREADS);
        let binding = self.settings.numa.binding(threads)?;
        self.start_threads(binding)?;
        self.settings.threads = threads;
        Ok(())
    }

    /// Sets how threads are bound, once a running search has ended.
    ///
    /// # Errors
    /// If processors of a list are not to be had, or the system refuses a thread; the old policy stays.
    pub fn set_numa(&mut self, policy: Policy) -> Result<(), EngineError> {
        let binding = policy.binding(self.settings.threads)?;
        self.start_threads(binding)?;
        self.settings.numa = policy;
        Ok(())
    }

    /// Which thread is bound to which node.
    pub fn binding(&self) -> &Binding {
        &self.binding
    }

    /// Exchanges the threads, if others are wanted. The table follows them to their nodes when it is empty next.
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

    /// Has each node get its copy of the network.
    fn replicate_network(&mut self) {
        let network = Arc::clone(&self.settings.network);
        self.network = Arc::new(Replicated::new(network, Arc::clone(&self.binding)));
    }

    /// Exchanges the histories that threads share for empty ones.
    fn renew_histories(&mut self) {
        self.histories = shared_histories(self.settings.histories, &self.binding);
    }

    /// Forgets what earlier games left in the histories, and the table's results unless they are to be kept.
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

    /// Lets the next `go` begin the clocks of nodes.
    fn reset_clocks(&mut self) {
        self.wait();
        self.clocks = Clocks::default();
    }

    /// Has the search that has ended paid for by its clock.
    fn settle(&mut self) {
        if let Some(job) = &self.current {
            self.clocks.stop(job.total_nodes(), job.run.signals.is_pondering());
        }
    }

    /// Lets go of the last search, once it has ended.
    fn forget_search(&mut self) {
        self.wait();
        self.settle();
        self.current = None;
    }

    /// Sets the position for the next search.
    pub fn set_game(&mut self, game: Game) {
        self.game = game;
    }

    /// The position, with those before it that can be repeated.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The table.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// What pages the table got, for the user.
    pub fn table_pages(&self) -> String {
        self.table.pages().to_string()
    }

    /// Begins to search and returns at once. A search that is still under way is waited for.
    pub fn go(&mut self, mut limits: Limits, observer: Arc<dyn Observer>) {
        // The clock runs from here on: many threads may take a while to leave the last search.
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
        // Before the threads begin, for one that gets no turn in time must leave a ranked move all the same.
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

    /// Ends the search; its result is reported within a moment.
    pub fn stop(&self) {
        if let Some(job) = &self.current {
            job.run.signals.stop();
        }
    }

    /// The opponent played the move that is being pondered on.
    pub fn ponder_hit(&mut self) {
        if let Some(job) = &self.current {
            if job.run.signals.is_pondering() {
                self.clocks.ponder_hit(job.total_nodes());
            }
            job.run.signals.ponder_hit();
        }
    }

    /// Waits until the search has been reported; threads may still be on their way out of it.
    pub fn wait_for_report(&self) {
        self.pool.wait_for_report();
    }

    /// Waits until the search has been reported and all threads sleep.
    pub fn wait(&self) {
        self.pool.wait();
    }

    /// What each thread did in the last search, once that has ended; the main thread first.
    pub fn threads_of_last_search(&self) -> Vec<ThreadSummary> {
        self.wait();
        self.current.as_deref().map(ThreadSummary::of).unwrap_or_default()
    }

    /// Searches and returns the result.
    pub fn search(&mut self, limits: Limits) -> Outcome {
        self.search_with(limits, Arc::new(Silent))
    }

    /// Searches, heard by `observer`, and returns the result. Neither `infinite` nor `ponder`
    /// may be among the limits unless another thread stops the search.
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

/// A number that nobody can foretell.
fn chance() -> u64 {
    RandomState::new().build_hasher().finish()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::board::Move;
    use crate::search::Line;

    const BLACK_QUEEN_HANGS: &str = "4k3/8/8/3q4/8/2N5/8/4K3 w - - 0 1";

    /// Hears a search, and brings the worker down that reports a certain depth.
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

    /// Searches with a main thread that panics at the end of an iteration; the outcome and the messages.
    fn sabotaged(threads: usize, deterministic: bool, depth: i32) -> (Outcome, Vec<String>) {
        let mut engine =
            Engine::new(Settings { hash: 1, threads, deterministic, ..Settings::default() }).unwrap();
        engine.set_game(Game::from_fen(BLACK_QUEEN_HANGS).unwrap().0);
        let saboteur = Arc::new(Saboteur { depth, messages: Mutex::default() });
        let outcome = engine.search_with(Limits::depth(9), Arc::clone(&saboteur) as Arc<dyn Observer>);
        // The thread lives on.
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

    /// A helper that finds no place for its counters panics before its first node.
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
