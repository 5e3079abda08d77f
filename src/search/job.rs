//! What all threads of one search share: the task, its signals, counters, and the place
//! where each thread leaves its latest result.

use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use crossbeam_utils::CachePadded;
use parking_lot::Mutex;

use super::level::{self, Level};
use super::limits::Limits;
use super::quiescence::Kind;
use super::report::{Line, Observer};
use super::root::{RootMove, RootMoves};
use super::rounds::Rounds;
use super::signals::Signals;
use super::stagger::Stagger;
use crate::board::{Game, Move};
use crate::eval::network::Network;
use crate::history::Common;
use crate::numa::Replicated;
use crate::params::Params;
use crate::tablebase::{Probing, Tablebases};
use crate::time::Budget;
use crate::tt::Table;

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

/// Counters of one thread, on a cache line of their own.
#[derive(Default)]
pub struct Counters {
    /// Nodes searched, up to date within some hundred.
    pub nodes: AtomicU64,
    /// Tablebase positions found.
    pub tablebase_hits: AtomicU64,
    /// Depth of the iteration that the thread is or was in, in plies; 0 before the first.
    pub depth: AtomicI32,
    /// Records found in the table that this thread stored itself, and that only others did: about one in 64, if
    /// [`Job::sharing`] is on, counted at the end of the search.
    pub table_hits: [AtomicU64; 2],
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

/// What one thread has counted so far.
#[derive(Clone, Copy, Default)]
pub struct Tally {
    /// Nodes searched.
    pub nodes: u64,
    /// Tablebase positions found.
    pub tablebase_hits: u64,
}

impl Counters {
    /// Lets the others see these counts.
    pub fn publish(&self, tally: Tally) {
        self.nodes.store(tally.nodes, Ordering::Relaxed);
        self.tablebase_hits.store(tally.tablebase_hits, Ordering::Relaxed);
    }

    /// The counts published last.
    pub fn tally(&self) -> Tally {
        Tally {
            nodes: self.nodes.load(Ordering::Relaxed),
            tablebase_hits: self.tablebase_hits.load(Ordering::Relaxed),
        }
    }
}

/// A task for all threads.
pub struct Job {
    /// The position and how it came about.
    pub game: Game,
    /// What ends the search.
    pub limits: Limits,
    /// Time limits, if there are any.
    pub budget: Option<Budget>,
    /// Number of lines to report, from 1.
    pub multi_pv: usize,
    /// The limit of the engine's strength, if there is one. It knows no tablebases and thinks with the main thread alone.
    pub level: Option<Level>,
    /// Of the level's random choice.
    pub seed: u64,
    /// The quiescence search.
    pub quiescence: Kind,
    /// Whether to count what the quiescence search does.
    pub statistics: bool,
    /// Whether to count whose results each thread finds in the table.
    pub sharing: bool,
    /// What of its judgement the search may use.
    pub selectivity: Selectivity,
    /// How helpers differ from the main thread.
    pub stagger: Stagger,
    /// The parameters.
    pub params: Arc<Params>,
    /// The evaluation's network, once for each node of the machine that threads are bound to.
    pub network: Arc<Replicated<Network>>,
    /// The table.
    pub table: Arc<Table>,
    /// What histories threads have in common, once for each node.
    pub common: Option<Arc<Replicated<Common>>>,
    /// Whether two searches of the same are to go the same way, whatever the time that they take.
    pub deterministic: bool,
    /// Where the threads of such a search meet, if there are several.
    pub rounds: Option<Rounds>,
    /// The endgame tablebases.
    pub tablebases: Arc<Tablebases>,
    /// When they are asked.
    pub probing: Probing,
    /// The root moves, once they are ranked; see [`Job::root_moves`].
    pub root: OnceLock<RootMoves>,
    /// When the search began.
    pub started: Instant,
    /// Orders from outside.
    pub signals: Signals,
    /// One for each thread.
    pub counters: Box<[CachePadded<Counters>]>,
    /// One for each thread.
    pub results: Box<[CachePadded<Mutex<ThreadResult>>]>,
    /// Hears the search; nothing once the end was reported.
    pub reporter: Reporter,
}

impl Job {
    /// Number of lines to search, if there are so many moves: those to report, and what a level chooses from.
    pub fn lines(&self) -> usize {
        self.multi_pv.max(self.level.map_or(1, |_| level::LINES))
    }

    /// How long from now a move may be waited for before the clock is in danger, if there is one.
    pub fn patience(&self) -> Option<Duration> {
        let last = self.budget?.last?;
        Some(last.saturating_sub(self.started.elapsed()))
    }

    /// Nodes of all threads; in rounds, those of others up to the last meeting.
    pub fn total_nodes(&self) -> u64 {
        self.counters.iter().map(|c| c.nodes.load(Ordering::Relaxed)).sum()
    }

    /// Tablebase hits of all threads.
    pub fn total_tablebase_hits(&self) -> u64 {
        self.counters.iter().map(|c| c.tablebase_hits.load(Ordering::Relaxed)).sum()
    }
}

/// Passes reports on until the end was reported: after that the search is silent, however
/// late a thread notices.
pub struct Reporter {
    observer: Arc<dyn Observer>,
    state: CachePadded<Mutex<ReporterState>>,
}

struct ReporterState {
    is_open: bool,
    /// The lines reported last.
    last: Vec<Line>,
}

impl Reporter {
    /// Speaks to `observer`.
    pub fn new(observer: Arc<dyn Observer>) -> Reporter {
        Reporter { observer, state: Mutex::new(ReporterState { is_open: true, last: Vec::new() }).into() }
    }

    /// Whether lines go to nobody.
    pub fn is_silent(&self) -> bool {
        self.observer.is_silent()
    }

    /// Whether nobody listens any more.
    pub fn is_lost(&self) -> bool {
        self.observer.is_lost()
    }

    /// Reports lines, all or none of them.
    pub fn lines(&self, lines: &[Line]) {
        let mut state = self.state.lock();
        if state.is_open {
            lines.iter().for_each(|line| self.observer.line(line));
            state.last = lines.to_vec();
        }
    }

    /// Reports the root move being searched.
    pub fn current_move(&self, depth: i32, mv: Move, number: usize) {
        let state = self.state.lock();
        if state.is_open {
            self.observer.current_move(depth, mv, number);
        }
    }

    /// Reports text.
    pub fn message(&self, text: &str) {
        let state = self.state.lock();
        if state.is_open {
            self.observer.message(text);
        }
    }

    /// The last words, after which nobody speaks: `conclude` is given the observer, the final
    /// lines, and whether they say anything that the last reported ones did not.
    pub fn close(&self, lines: &[Line], conclude: impl FnOnce(&dyn Observer, &[Line], bool)) {
        let mut state = self.state.lock();
        if std::mem::replace(&mut state.is_open, false) {
            // The tail that the table adds to a line may be another one by now: that alone is no news.
            let is_same = |(a, b): (&Line, &Line)| {
                let common = a.searched.min(b.searched);
                a.pv[..common] == b.pv[..common] && (a.score, a.bound) == (b.score, b.bound)
            };
            let is_news = state.last.len() != lines.len() || !state.last.iter().zip(lines).all(is_same);
            // What was shown stands, but for a move to ponder on that it may lack.
            let is_enough = state.last.first().is_some_and(|best| best.pv.len() > 1);
            let lines = if is_news || !is_enough { lines } else { &state.last };
            conclude(&*self.observer, lines, is_news);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::search::Silent;
    use crate::types::{Bound, Score};

    /// A line of legal moves, of which so many come from the search.
    fn line(score: i32, searched: usize, moves: &[&str]) -> Line {
        let mut board = Board::startpos();
        let mut pv = Vec::new();
        for text in moves {
            let mv = board.parse_uci(text).unwrap();
            board = board.after(mv);
            pv.push(mv);
        }
        Line {
            multi_pv: 1,
            depth: 5,
            seldepth: 5,
            score: Score::new(score),
            bound: Bound::Exact,
            nodes: 100,
            tablebase_hits: 0,
            hashfull: 0,
            time: Duration::ZERO,
            searched,
            pv,
        }
    }

    /// What is concluded with after `last` was reported and `end` is the result, and whether it is news.
    fn closed(last: &Line, end: &Line) -> (Line, bool) {
        let reporter = Reporter::new(Arc::new(Silent));
        reporter.lines(std::slice::from_ref(last));
        let mut found = None;
        reporter
            .close(std::slice::from_ref(end), |_, lines, is_news| found = Some((lines[0].clone(), is_news)));
        found.unwrap()
    }

    #[test]
    fn another_tail_from_the_table_is_no_news_and_what_was_shown_stands() {
        let shown = line(20, 2, &["e2e4", "e7e5", "g1f3"]);
        for end in [line(20, 2, &["e2e4", "e7e5", "b1c3"]), line(20, 1, &["e2e4", "c7c5"])] {
            assert_eq!(closed(&shown, &end), (shown.clone(), false));
        }
        let short = line(20, 1, &["e2e4"]);
        let grown = line(20, 1, &["e2e4", "e7e5"]);
        assert_eq!(closed(&short, &grown), (grown, false), "a move to ponder on");
    }

    #[test]
    fn another_score_or_move_is_news() {
        let shown = line(20, 2, &["e2e4", "e7e5", "g1f3"]);
        for end in [line(21, 2, &["e2e4", "e7e5", "g1f3"]), line(20, 2, &["e2e4", "c7c5"])] {
            assert_eq!(closed(&shown, &end), (end, true));
        }
    }
}
