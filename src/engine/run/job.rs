//! What all threads of one search share, in four parts: the task, the rules of the search, the state that outlives the
//! search, and the run. The run has the signals, the counters, and the latest result of each thread.

use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use crossbeam_utils::CachePadded;
use parking_lot::Mutex;

use super::counters::{Counters, Tally};
use super::leaf::Kind;
use super::level::{self, Level};
use super::limits::{Limits, MAX_DEPTH};
use super::report::{Observer, Silent};
use super::report_gate::ReportGate;
use super::root::{RootMove, RootMoves};
use super::rounds::PassTurn;
use super::rounds::{MeetingContext, NextRound, Rounds};
use super::signals::Signals;
use super::stagger::Stagger;
use super::telemetry::{Census, Telemetry};
use crate::base::numa::{Binding, Replicated};
use crate::chess::board::{Game, Move};
use crate::engine::eval::network::Network;
use crate::engine::history::SharedHistories;
use crate::engine::params::Params;
use crate::engine::tablebase::{Probing, Tablebases};
use crate::engine::time::{Budget, NodeBudget};
use crate::engine::tt::{Overlay, Table, TableError};

/// The task: what to search.
pub struct Assignment {
    /// The position and the game that led to it.
    pub game: Game,
    /// What ends the search.
    pub limits: Limits,
    /// Time limits, if there are any.
    pub budget: Option<Budget>,
    /// Time limits if nodes count as time. Then there are no other time limits.
    pub node_budget: Option<NodeBudget>,
    /// Number of lines to report, from 1.
    pub multi_pv: usize,
    /// The limit of the engine's strength, if there is one. A level uses no tablebases and no helper threads.
    pub level: Option<Level>,
    /// Seed of the level's random choices.
    pub seed: u64,
}

impl Assignment {
    /// One line at full strength. Time limits among `limits` have no effect without a budget.
    pub fn new(game: Game, limits: Limits) -> Assignment {
        Assignment { game, limits, budget: None, node_budget: None, multi_pv: 1, level: None, seed: 0 }
    }

    /// Node limit for all threads together. If nodes count as time, this time does not run out while the opponent
    /// thinks.
    fn node_limit(&self, is_pondering: bool) -> Option<u64> {
        let budget = self.node_budget.filter(|_| !is_pondering);
        [self.limits.nodes, budget.map(NodeBudget::hard)].into_iter().flatten().min()
    }
}

/// Which parts of the search are on. With everything off, it is plain alpha-beta over the tree of NegaMax. The tests
/// compare the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selectivity {
    /// Pruning, reductions and extensions.
    pub pruning: bool,
    /// Cut-offs by the table. The table's moves are used in any case.
    pub table: bool,
    /// Draws by repetition. They depend on the path, which table entries do not know.
    pub repetition: bool,
    /// The quiescence search; without it a leaf is worth its static evaluation.
    pub quiescence: bool,
}

impl Default for Selectivity {
    fn default() -> Selectivity {
        Selectivity { pruning: true, table: true, repetition: true, quiescence: true }
    }
}

/// How the search works: what its threads agree on for the whole run.
#[derive(Clone, Debug)]
pub struct SearchRules {
    /// The kind of quiescence search.
    pub quiescence: Kind,
    /// Which parts of the search are on.
    pub selectivity: Selectivity,
    /// The search's parameters.
    pub params: Arc<Params>,
    /// How helpers differ from the main thread.
    pub stagger: Stagger,
    /// When the tablebases are probed.
    pub probing: Probing,
    /// Whether evaluations fade ([`crate::engine::eval`]).
    pub fades: bool,
    /// Whether two searches of the same position must visit the same nodes, even if this takes longer.
    pub deterministic: bool,
    /// What to count besides nodes.
    pub telemetry: Telemetry,
}

impl Default for SearchRules {
    /// The rules of deterministic play without helpers and telemetry.
    fn default() -> SearchRules {
        SearchRules {
            quiescence: Kind::default(),
            selectivity: Selectivity::default(),
            params: Arc::default(),
            stagger: Stagger::None,
            probing: Probing::default(),
            fades: true,
            deterministic: true,
            telemetry: Telemetry::Off,
        }
    }
}

/// What outlives the search.
#[derive(Clone)]
pub struct SharedState {
    /// The evaluation's network, one copy for each NUMA node that threads are bound to.
    pub network: Arc<Replicated<Network>>,
    /// The transposition table.
    pub table: Arc<Table>,
    /// The histories that threads share, one set for each group of threads.
    pub histories: Option<Arc<Replicated<SharedHistories>>>,
    /// The endgame tablebases.
    pub tablebases: Arc<Tablebases>,
}

impl SharedState {
    /// A state for one thread, with a table of `mebibytes` MiB, without tablebases and shared histories.
    ///
    /// # Errors
    /// If there is no memory for the table.
    pub fn new(network: Arc<Replicated<Network>>, mebibytes: usize) -> Result<SharedState, TableError> {
        let table = Arc::new(Table::new(mebibytes, &Binding::unbound(1))?);
        Ok(SharedState { network, table, histories: None, tablebases: Arc::default() })
    }
}

/// How a search starts.
pub struct Launch {
    /// When the search starts.
    pub started: Instant,
    /// The most threads that may take part.
    pub threads: usize,
    /// What virtual threads call at the end of each turn; `None` for real threads.
    pub pass_turn: Option<PassTurn>,
    /// Receives the reports of the search, through [`SearchRun::reporter`].
    pub observer: Arc<dyn Observer>,
}

impl Launch {
    /// A search of `threads` threads that begins now, without an observer.
    pub fn silent(threads: usize) -> Launch {
        Launch { started: Instant::now(), threads, pass_turn: None, observer: Arc::new(Silent) }
    }
}

/// The latest finished result of one thread, for the vote.
#[derive(Clone, Debug, Default)]
pub struct ThreadResult {
    /// Depth of the iteration that the result comes from; 0 if no iteration is finished.
    pub depth: i32,
    /// The deepest ply reached.
    pub seldepth: usize,
    /// Root moves, best first.
    pub moves: Vec<RootMove>,
}

/// A running search.
pub struct SearchRun {
    /// How the search started.
    pub launch: Launch,
    /// What virtual threads have stored, if [`SearchRules::telemetry`] is on.
    pub census: Option<Arc<Census>>,
    /// Orders from outside.
    pub signals: Signals,
    /// Passes reports on to the observer until the end is reported.
    pub reporter: ReportGate,
    /// Where the threads of a deterministic search meet, if there are several.
    pub rounds: Option<Rounds>,
    /// The root moves, once they are ranked; see [`Job::root_moves`].
    pub root: OnceLock<RootMoves>,
    /// The workers that panic before their first node.
    #[cfg(test)]
    pub failing_workers: Vec<usize>,
    /// The counters, one for each thread.
    pub counters: Box<[CachePadded<Counters>]>,
    /// The latest results, one for each thread.
    pub results: Box<[CachePadded<Mutex<ThreadResult>>]>,
}

impl SearchRun {
    fn new(task: &Assignment, rules: &SearchRules, launch: Launch) -> SearchRun {
        let threads = launch.threads;
        // A level searches with one thread.
        let is_in_rounds = rules.deterministic && threads > 1 && task.level.is_none();
        SearchRun {
            census: rules.telemetry.census(launch.pass_turn.is_some()),
            signals: Signals::new(launch.started, task.limits.ponder),
            reporter: ReportGate::new(Arc::clone(&launch.observer)),
            rounds: is_in_rounds.then(|| {
                let depth = task.limits.depth.unwrap_or(MAX_DEPTH);
                let variations = rules.stagger.variations(threads, depth);
                Rounds::new(variations, task.node_limit(task.limits.ponder).unwrap_or(u64::MAX))
            }),
            root: OnceLock::new(),
            #[cfg(test)]
            failing_workers: Vec::new(),
            counters: (0..threads).map(|_| Default::default()).collect(),
            results: (0..threads).map(|_| Default::default()).collect(),
            launch,
        }
    }
}

/// A search, as all its threads share it.
pub struct Job {
    /// What to search.
    pub task: Assignment,
    /// How the search works.
    pub rules: SearchRules,
    /// What outlives the search.
    pub shared: SharedState,
    /// The run itself.
    pub run: SearchRun,
}

impl Job {
    /// A search that no thread has begun yet.
    pub fn new(task: Assignment, rules: SearchRules, shared: SharedState, launch: Launch) -> Job {
        let run = SearchRun::new(&task, &rules, launch);
        Job { task, rules, shared, run }
    }

    /// What workers hold between searches: a job that is never searched, with a table of 1 MiB.
    ///
    /// # Errors
    /// If there is no memory for the table.
    pub fn idle(rules: SearchRules, network: Arc<Replicated<Network>>) -> Result<Job, TableError> {
        let task = Assignment::new(Game::startpos(), Limits::default());
        Ok(Job::new(task, rules, SharedState::new(network, 1)?, Launch::silent(0)))
    }

    /// A search of one thread by the default rules, with a table of 1 MiB.
    #[cfg(test)]
    pub(crate) fn plain(game: Game, limits: Limits) -> Arc<Job> {
        let network = Arc::new(Replicated::shared(Network::embedded()));
        let shared = SharedState::new(network, 1).expect("a small table");
        let task = Assignment::new(game, limits);
        Arc::new(Job::new(task, SearchRules::default(), shared, Launch::silent(1)))
    }

    /// The allowed root moves, ranked by the tablebases if these know the position. The first caller ranks them for all
    /// threads.
    pub fn root_moves(&self) -> &RootMoves {
        self.run.root.get_or_init(|| {
            let board = self.task.game.board();
            let mut root = RootMoves::new(board, &self.task.limits.search_moves);
            if self.shared.tablebases.cover(board, self.rules.probing.limit) {
                let moves: Vec<Move> = root.as_slice().iter().map(|root| root.mv).collect();
                let fifty_moves = self.rules.probing.fifty_moves;
                let ranking = self
                    .shared
                    .tablebases
                    .rank(&self.task.game, &moves, fifty_moves, &|text| self.run.reporter.message(text));
                if let Some(ranking) = ranking {
                    root.rank(&ranking, fifty_moves);
                    if let Some(counters) = self.run.counters.first() {
                        counters.tablebase_hits.fetch_add(moves.len() as u64, Ordering::Relaxed);
                    }
                }
            }
            root
        })
    }

    /// Number of lines to search, if there are that many moves. It covers the lines to report and those that a level
    /// chooses from.
    pub fn lines(&self) -> usize {
        self.task.multi_pv.max(self.task.level.map_or(1, |_| level::LINES))
    }

    /// The time budget and how much of it is spent.
    pub(crate) fn time_spent(&self) -> Option<(Budget, Duration)> {
        let by_nodes =
            || self.task.node_budget.map(|nodes| (nodes.budget, nodes.elapsed(self.total_nodes())));
        self.task.budget.map(|budget| (budget, self.run.launch.started.elapsed())).or_else(by_nodes)
    }

    /// Node limit for all threads together.
    pub(crate) fn node_limit(&self) -> Option<u64> {
        self.task.node_limit(self.run.signals.is_pondering())
    }

    /// How long from now the caller may wait for a move without losing the game on time; `None` without a clock.
    pub fn time_to_deadline(&self) -> Option<Duration> {
        let deadline = self.task.budget?.deadline?;
        Some(deadline.saturating_sub(self.run.launch.started.elapsed()))
    }

    /// Nodes of all threads. In a search in rounds, those of other threads count up to the last meeting.
    pub fn total_nodes(&self) -> u64 {
        self.run.counters.iter().map(|c| c.nodes.load(Ordering::Relaxed)).sum()
    }

    /// Tablebase hits of all threads.
    pub fn total_tablebase_hits(&self) -> u64 {
        self.run.counters.iter().map(|c| c.tablebase_hits.load(Ordering::Relaxed)).sum()
    }

    /// Ends a round for `thread`, as [`Rounds::meet`] says. Does nothing in a search without rounds.
    pub fn meet(&self, thread: usize, tally: Tally, overlay: Option<&mut Overlay>, next: NextRound) {
        if let Some(rounds) = &self.run.rounds {
            let context = MeetingContext {
                table: &self.shared.table,
                counters: &self.run.counters,
                signals: &self.run.signals,
                limit: self.node_limit().unwrap_or(u64::MAX),
                pass_turn: self.run.launch.pass_turn,
            };
            rounds.meet(&context, thread, tally, overlay, next);
        }
    }

    /// Tells the others not to wait for `thread`, which has failed and has nothing to hand in.
    pub fn abandon(&self, thread: usize) {
        if self.run.rounds.is_some() {
            self.meet(thread, self.run.counters[thread].tally(), None, NextRound::Leave);
        }
    }
}
