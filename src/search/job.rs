//! What all threads of one search share, in four parts: the task, by what positions are judged, the state that outlives
//! the search, and the run itself with its signals, counters, and the place where each thread leaves its latest result.

use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use crossbeam_utils::CachePadded;
use parking_lot::Mutex;

use super::census::Census;
use super::counters::{Counters, Tally};
use super::level::{self, Level};
use super::limits::{Limits, MAX_DEPTH};
use super::quiescence::Kind;
use super::report::{Observer, Silent};
use super::report_gate::ReportGate;
use super::root::{RootMove, RootMoves};
use super::rounds::{After, MeetingPlace, Rounds};
use super::signals::Signals;
use super::stagger::Stagger;
use super::turn::PassTurn;
use crate::board::Game;
use crate::eval::network::Network;
use crate::history::SharedHistories;
use crate::numa::{Binding, Replicated};
use crate::params::Params;
use crate::tablebase::{Probing, Tablebases};
use crate::time::{Budget, NodeBudget};
use crate::tt::{Overlay, Table, TableError};

/// What is asked.
pub struct Assignment {
    /// The position and how it came about.
    pub game: Game,
    /// What ends the search.
    pub limits: Limits,
    /// Time limits, if there are any.
    pub budget: Option<Budget>,
    /// The same where nodes are time: then there is no other.
    pub node_budget: Option<NodeBudget>,
    /// Number of lines to report, from 1.
    pub multi_pv: usize,
    /// The limit of the engine's strength, if there is one. It knows no tablebases and thinks with the main thread
    /// alone.
    pub level: Option<Level>,
    /// Seed of the level's random choices.
    pub seed: u64,
}

impl Assignment {
    /// One line at full strength; of the limits, those of time count for nothing without a budget.
    pub fn new(game: Game, limits: Limits) -> Assignment {
        Assignment { game, limits, budget: None, node_budget: None, multi_pv: 1, level: None, seed: 0 }
    }

    /// Nodes of all threads at which the search ends. Where nodes are time, that does not run out while the opponent
    /// thinks.
    fn node_limit(&self, is_pondering: bool) -> Option<u64> {
        let budget = self.node_budget.filter(|_| !is_pondering);
        [self.limits.nodes, budget.map(NodeBudget::hard)].into_iter().flatten().min()
    }
}

/// What of its judgement the search may use. Everything off makes it plain alpha-beta over
/// the tree of NegaMax, which the tests compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selectivity {
    /// Pruning, reductions and extensions.
    pub pruning: bool,
    /// Cut-offs by the table (its moves are always used).
    pub table: bool,
    /// Draws by repetition: they depend on the path, which table entries do not know.
    pub repetition: bool,
    /// The quiescence search; without it a leaf is worth its static evaluation.
    pub quiescence: bool,
}

impl Default for Selectivity {
    fn default() -> Selectivity {
        Selectivity { pruning: true, table: true, repetition: true, quiescence: true }
    }
}

/// By what positions are judged.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// The quiescence search.
    pub quiescence: Kind,
    /// What of its judgement the search may use.
    pub selectivity: Selectivity,
    /// The parameters.
    pub params: Arc<Params>,
    /// How helpers differ from the main thread.
    pub stagger: Stagger,
    /// When the tablebases are asked.
    pub probing: Probing,
}

/// What outlives the search.
#[derive(Clone)]
pub struct SharedState {
    /// The evaluation's network, once for each node of the machine that threads are bound to.
    pub network: Arc<Replicated<Network>>,
    /// The table.
    pub table: Arc<Table>,
    /// The histories that threads share, once for each node.
    pub histories: Option<Arc<Replicated<SharedHistories>>>,
    /// The endgame tablebases.
    pub tablebases: Arc<Tablebases>,
}

/// How a search is begun.
pub struct Launch {
    /// When.
    pub started: Instant,
    /// The most threads that may take part.
    pub threads: usize,
    /// Whether two searches of the same position are to go the same way, whatever the time that they take.
    pub deterministic: bool,
    /// Whether to count what the quiescence search does.
    pub statistics: bool,
    /// Whether to count whose results each thread finds in the table.
    pub sharing: bool,
    /// What virtual threads call at the end of each of their turns; nothing for real ones.
    pub pass_turn: Option<PassTurn>,
    /// Hears the search.
    pub observer: Arc<dyn Observer>,
}

impl Launch {
    /// A deterministic search of so many threads that begins now, counts nothing besides, and that nobody hears.
    pub fn silent(threads: usize) -> Launch {
        Launch {
            started: Instant::now(),
            threads,
            deterministic: true,
            statistics: false,
            sharing: false,
            pass_turn: None,
            observer: Arc::new(Silent),
        }
    }
}

/// The latest finished result of one thread, for the vote.
#[derive(Clone, Debug, Default)]
pub struct ThreadResult {
    /// Depth of the iteration that the result comes from; 0 for none yet.
    pub depth: i32,
    /// The deepest ply reached.
    pub seldepth: usize,
    /// Root moves, best first.
    pub moves: Vec<RootMove>,
}

/// A search under way.
pub struct SearchRun {
    /// When the search began.
    pub started: Instant,
    /// Whether two searches of the same position are to go the same way, whatever the time that they take.
    pub deterministic: bool,
    /// Whether to count what the quiescence search does.
    pub statistics: bool,
    /// Whether to count whose results each thread finds in the table.
    pub sharing: bool,
    /// What virtual threads have stored, if `sharing` is on. Real ones would wait for each other there.
    pub census: Option<Arc<Census>>,
    /// What virtual threads call at the end of each of their turns; nothing for real ones.
    pub pass_turn: Option<PassTurn>,
    /// Orders from outside.
    pub signals: Signals,
    /// Hears the search; nothing once the end was reported.
    pub reporter: ReportGate,
    /// Where the threads of a deterministic search meet, if there are several.
    pub rounds: Option<Rounds>,
    /// The root moves, once they are ranked; see [`Job::root_moves`].
    pub root: OnceLock<RootMoves>,
    /// One for each thread.
    pub counters: Box<[CachePadded<Counters>]>,
    /// One for each thread.
    pub results: Box<[CachePadded<Mutex<ThreadResult>>]>,
}

impl SearchRun {
    fn new(task: &Assignment, judgement: &Judgement, launch: Launch) -> SearchRun {
        let Launch { started, threads, deterministic, statistics, sharing, pass_turn, observer } = launch;
        // A level thinks with one thread.
        let is_in_rounds = deterministic && threads > 1 && task.level.is_none();
        SearchRun {
            started,
            deterministic,
            statistics,
            sharing,
            census: (sharing && pass_turn.is_some()).then(Arc::default),
            pass_turn,
            signals: Signals::new(started, task.limits.ponder),
            reporter: ReportGate::new(observer),
            rounds: is_in_rounds.then(|| {
                let depth = task.limits.depth.unwrap_or(MAX_DEPTH);
                let variations = judgement.stagger.variations(threads, depth);
                Rounds::new(variations, task.node_limit(task.limits.ponder).unwrap_or(u64::MAX))
            }),
            root: OnceLock::new(),
            counters: (0..threads).map(|_| Default::default()).collect(),
            results: (0..threads).map(|_| Default::default()).collect(),
        }
    }
}

/// A search for all its threads.
pub struct Job {
    /// What is asked.
    pub task: Assignment,
    /// By what positions are judged.
    pub judgement: Judgement,
    /// What outlives the search.
    pub shared: SharedState,
    /// The search itself.
    pub run: SearchRun,
}

impl Job {
    /// A search that nobody has begun yet.
    pub fn new(task: Assignment, judgement: Judgement, shared: SharedState, launch: Launch) -> Job {
        let run = SearchRun::new(&task, &judgement, launch);
        Job { task, judgement, shared, run }
    }

    /// What workers hold between searches: a job that is never searched, with a table of 1 MiB.
    ///
    /// # Errors
    /// If there is no memory for the table.
    pub fn idle(judgement: Judgement, network: Arc<Replicated<Network>>) -> Result<Job, TableError> {
        let table = Arc::new(Table::new(1, &Binding::unbound(1))?);
        let shared = SharedState { network, table, histories: None, tablebases: Arc::default() };
        let task = Assignment::new(Game::startpos(), Limits::default());
        Ok(Job::new(task, judgement, shared, Launch::silent(0)))
    }

    /// Number of lines to search, if there are so many moves: those to report, and what a level chooses from.
    pub fn lines(&self) -> usize {
        self.task.multi_pv.max(self.task.level.map_or(1, |_| level::LINES))
    }

    /// The time limits, and how much of them is spent.
    pub(super) fn time_spent(&self) -> Option<(Budget, Duration)> {
        let by_nodes =
            || self.task.node_budget.map(|nodes| (nodes.budget, nodes.elapsed(self.total_nodes())));
        self.task.budget.map(|budget| (budget, self.run.started.elapsed())).or_else(by_nodes)
    }

    /// Nodes of all threads at which the search ends.
    pub(super) fn node_limit(&self) -> Option<u64> {
        self.task.node_limit(self.run.signals.is_pondering())
    }

    /// How long from now a move may be waited for before the clock is in danger, if there is one.
    pub fn patience(&self) -> Option<Duration> {
        let last = self.task.budget?.last?;
        Some(last.saturating_sub(self.run.started.elapsed()))
    }

    /// Nodes of all threads; in rounds, those of others up to the last meeting.
    pub fn total_nodes(&self) -> u64 {
        self.run.counters.iter().map(|c| c.nodes.load(Ordering::Relaxed)).sum()
    }

    /// Tablebase hits of all threads.
    pub fn total_tablebase_hits(&self) -> u64 {
        self.run.counters.iter().map(|c| c.tablebase_hits.load(Ordering::Relaxed)).sum()
    }

    /// Ends a round for `thread`, as [`Rounds::meet`] says; nothing in a search without rounds.
    pub fn meet(&self, thread: usize, tally: Tally, overlay: Option<&mut Overlay>, after: After) {
        if let Some(rounds) = &self.run.rounds {
            let place = MeetingPlace {
                table: &self.shared.table,
                counters: &self.run.counters,
                signals: &self.run.signals,
                limit: self.node_limit().unwrap_or(u64::MAX),
                pass_turn: self.run.pass_turn,
            };
            rounds.meet(&place, thread, tally, overlay, after);
        }
    }

    /// Nobody waits any more for `thread`, which has failed and has nothing to hand in.
    pub fn abandon(&self, thread: usize) {
        if self.run.rounds.is_some() {
            self.meet(thread, self.run.counters[thread].tally(), None, After::Leave);
        }
    }
}
