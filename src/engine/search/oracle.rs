//! Access to the search for oracles: single leaf searches and whole searches of one thread, without a pool. The classic
//! searches end in these leaf searches, and the tests compare them with their definitions.
//!
//! Everything that would make a result depend on earlier searches is off: no correction of the evaluation, no history,
//! no repetitions. Only the table may carry something over, and only on request.

use std::sync::Arc;

pub use super::quiescence::LeafRequest;
use super::worker::Worker;
use crate::base::numa::{Binding, Replicated};
use crate::chess::board::{Board, Game};
use crate::chess::types::{MAX_PLY, Window};
use crate::engine::eval::network::Network;
use crate::engine::params::Params;
use crate::engine::run::job::{Assignment, Job, Launch, SearchRules, Selectivity, SharedState};
use crate::engine::run::leaf::{Kind, Leaf};
use crate::engine::run::limits::Limits;
use crate::engine::run::root::RootMove;
use crate::engine::run::telemetry::Telemetry;
use crate::engine::tt::TableError;

/// Size of a leaf searcher's table, in MiB. It is small because the leaves are many, but not worth keeping for long.
const LEAF_TABLE: usize = 1;

/// What a search evaluates positions with.
#[derive(Clone, Debug)]
pub struct OracleBasis {
    /// The evaluation's network.
    pub network: Arc<Network>,
    /// The search's parameters.
    pub params: Arc<Params>,
    /// The kind of leaf search.
    pub quiescence: Kind,
}

impl From<Kind> for OracleBasis {
    /// The basis with the embedded network and the default parameters.
    fn from(quiescence: Kind) -> OracleBasis {
        OracleBasis { network: Network::embedded(), params: Arc::default(), quiescence }
    }
}

/// Whether table entries may end a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableUse {
    /// The search writes to the table, but its entries end no search.
    Ignored,
    /// Entries may end a search, as in play.
    Trusted,
}

/// Searches leaves one at a time.
pub struct LeafSearcher {
    worker: Worker,
    below: u64,
}

impl LeafSearcher {
    /// A searcher with a small table of its own. `basis` may also be just a kind of leaf search.
    ///
    /// # Errors
    /// If there is no memory for the table.
    pub fn new(basis: impl Into<OracleBasis>, table: TableUse) -> Result<LeafSearcher, TableError> {
        let selectivity = Selectivity {
            pruning: false,
            table: table == TableUse::Trusted,
            repetition: false,
            quiescence: true,
        };
        let task = Assignment::new(Game::startpos(), Limits::default());
        let job = job(task, basis, selectivity, Telemetry::Off, LEAF_TABLE)?;
        Ok(LeafSearcher { worker: Worker::ready(job), below: 0 })
    }

    /// Searches `board` as a leaf, `ply` plies from the root. The score is for the side to move: exact within `window`,
    /// a bound outside of it. With an open window, the leaf counts as part of the principal variation.
    pub fn quiescence(&mut self, board: &Board, window: Window, ply: usize) -> Leaf {
        self.at(board, ply, |worker| worker.quiescence(board, window, ply, !window.is_null()))
    }

    /// Searches `board` as a leaf by the bootstrapped search, whatever the kind, exactly as `request` says.
    pub fn bootstrap(&mut self, board: &Board, window: Window, ply: usize, request: &LeafRequest) -> Leaf {
        self.at(board, ply, |worker| worker.bootstrap_as_requested(board, window, ply, request))
    }

    fn at(&mut self, board: &Board, ply: usize, search: impl FnOnce(&mut Worker) -> Leaf) -> Leaf {
        debug_assert!(ply < MAX_PLY);
        self.worker.evaluator.reset(board);
        let before = self.worker.nodes;
        let leaf = search(&mut self.worker);
        // A leaf that is drawn by rule counts no node.
        self.below += (self.worker.nodes - before).saturating_sub(1);
        leaf
    }

    /// Empties the table.
    pub fn clear(&mut self) {
        self.worker.job.shared.table.clear(&Binding::unbound(1));
    }

    /// Nodes visited below the leaves so far, without the leaves themselves.
    pub fn nodes_below(&self) -> u64 {
        self.below
    }
}

/// What a whole search found.
#[derive(Clone, Debug)]
pub struct OracleResult {
    /// The best root move with its score and line; `None` if there is no legal move or if no iteration was finished.
    pub best: Option<RootMove>,
    /// Depth of the iteration that it comes from, in plies.
    pub depth: i32,
    /// Nodes visited.
    pub nodes: u64,
    /// Number of leaves that the quiescence search searched; `None` if it was off.
    pub leaves: Option<u64>,
    /// Whether the search ended at a limit other than its depth.
    pub is_stopped: bool,
}

/// Searches `game` by `basis` in this thread, with a table of `mebibytes` MiB of its own. Only the limits of depth,
/// nodes and search moves have an effect, because nothing watches the clock.
///
/// # Errors
/// If there is no memory for the table.
pub fn search(
    game: &Game,
    limits: Limits,
    basis: impl Into<OracleBasis>,
    selectivity: Selectivity,
    mebibytes: usize,
) -> Result<OracleResult, TableError> {
    let task = Assignment::new(game.clone(), limits);
    // The telemetry has the number of leaves.
    let telemetry = Telemetry::counting(selectivity.quiescence);
    let job = job(task, basis, selectivity, telemetry, mebibytes)?;
    let mut worker = Worker::ready(Arc::clone(&job));
    worker.run();
    let result = job.run.results[0].lock().clone();
    Ok(OracleResult {
        best: result.moves.into_iter().next().filter(|_| result.depth > 0),
        depth: result.depth,
        nodes: worker.nodes(),
        leaves: worker.telemetry().map(|telemetry| telemetry.leaves.iter().sum()),
        is_stopped: job.run.signals.is_stopped(),
    })
}

/// A job for one thread with a table of its own.
fn job(
    task: Assignment,
    basis: impl Into<OracleBasis>,
    selectivity: Selectivity,
    telemetry: Telemetry,
    mebibytes: usize,
) -> Result<Arc<Job>, TableError> {
    let OracleBasis { network, params, quiescence } = basis.into();
    let shared = SharedState::new(Arc::new(Replicated::shared(network)), mebibytes)?;
    let rules = SearchRules { quiescence, selectivity, params, telemetry, ..SearchRules::default() };
    Ok(Arc::new(Job::new(task, rules, shared, Launch::silent(1))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leaf_searcher_wins_a_hanging_piece_with_every_kind() {
        let board = Board::from_fen("4k3/8/2n5/3p4/8/8/6B1/4K3 w - - 0 1").unwrap().0;
        let stand = crate::engine::eval::evaluate(&board);
        for kind in Kind::ALL {
            let mut searcher = LeafSearcher::new(kind, TableUse::Trusted).unwrap();
            let leaf = searcher.quiescence(&board, Window::FULL, 3);
            assert!(leaf.score > stand, "{kind}: the pawn on d5 hangs");
            assert!(searcher.nodes_below() > 0, "{kind}");
        }
    }

    #[test]
    fn a_search_reports_nodes_leaves_and_why_it_ended() {
        let game = Game::startpos();
        let searched = search(&game, Limits::depth(3), Kind::default(), Selectivity::default(), 1).unwrap();
        assert_eq!((searched.depth, searched.is_stopped), (3, false));
        assert!(searched.best.is_some_and(|best| best.pv.len() >= 2));
        assert!(searched.leaves.is_some_and(|leaves| leaves > 0 && leaves < searched.nodes));

        let limits = Limits { depth: Some(30), nodes: Some(500), ..Limits::default() };
        let searched = search(&game, limits, Kind::default(), Selectivity::default(), 1).unwrap();
        assert!(searched.is_stopped && searched.depth < 30);
        assert_eq!(searched.nodes, 500);
    }
}
