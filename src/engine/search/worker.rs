//! One thread's search: its stacks, histories and counters, and its reference to what all threads share.

use std::sync::Arc;

use super::reductions::Reductions;
use crate::chess::board::{Board, Move};
use crate::chess::types::{MAX_PLY, Score};
use crate::engine::eval::Evaluator;
use crate::engine::history::{
    Continuations, CorrectionKeys, CorrectionWeights, History, Placement, QuietSlot,
};
use crate::engine::params::Params;
use crate::engine::run::counters::Tally;
use crate::engine::run::job::Job;
use crate::engine::run::pv::PvTable;
use crate::engine::run::root::RootMoves;
use crate::engine::run::rounds::NextRound;
use crate::engine::run::stagger::Variation;
use crate::engine::run::table_view::TableView;
use crate::engine::run::telemetry::ThreadTelemetry;

/// Nodes between two checks of the limits that concern all threads.
const PUBLISH_INTERVAL: u64 = 512;
/// Milliseconds after which a search is long. From then on it also reports from within an iteration.
const LONG_MILLISECONDS: u128 = 3_000;
/// Nodes of the main thread after which a search is long, for searches whose reports may not depend on time. They take
/// a few seconds.
const LONG_NODES: u64 = 2_000_000;
/// Nodes after which even the main thread's first iteration obeys a stop. Positions of games need far fewer.
const FIRST_ITERATION_NODES: u64 = 10_000;

/// What a node remembers for its descendants and its siblings.
#[derive(Clone, Copy, Default)]
pub(super) struct Frame {
    /// The corrected static evaluation; `None` in check.
    pub static_eval: Option<Score>,
    /// The move being searched; `None` for a null move.
    pub current_move: Option<Move>,
    /// Piece and target square of that move.
    pub placement: Option<Placement>,
    /// The move that a singular search at this node leaves out.
    pub excluded: Option<Move>,
    /// Quiet moves that caused cut-offs at this ply.
    pub killers: [Option<Move>; 2],
    /// Number of double extensions on the line to this node.
    pub double_extensions: i32,
    /// Where the history keeps the current move, if it is quiet.
    pub quiet_slot: Option<QuietSlot>,
    /// The current move's number within its node, from 1.
    pub number: usize,
    /// Plies by which the search of the current move is reduced.
    pub reduction: i32,
    /// Number of nodes at this ply that were cut off since their grandparent was entered.
    pub cutoffs: i32,
}

/// A thread's search state, kept from one search to the next.
pub struct Worker {
    /// Number of the thread; 0 is the main thread, which reports.
    pub index: usize,
    pub(super) job: Arc<Job>,
    /// Keys of the positions before the current one, oldest first: those of the game, then those of the searched line.
    pub(super) keys: Vec<u64>,
    /// How many of these keys belong to the game.
    pub(super) game_keys: usize,
    pub(super) frames: Box<[Frame]>,
    pub(super) pv: PvTable,
    pub(super) evaluator: Evaluator,
    /// Move histories and evaluation corrections.
    pub history: History,
    pub(super) root: RootMoves,
    /// Rank of the line that is being searched at the root, from 0.
    pub(super) root_line: usize,
    /// Depth of the current iteration.
    pub(super) root_depth: i32,
    pub(super) reductions: Reductions,
    /// How this thread differs from others in a search in rounds.
    pub(super) variation: Variation,
    pub(super) nodes: u64,
    pub(super) tablebase_hits: u64,
    next_publish: u64,
    pub(super) seldepth: usize,
    pub(super) stopped: bool,
    /// Null moves are forbidden above this ply, while one is being verified; otherwise 0.
    pub(super) null_verify_until: usize,
    /// The tablebases are probed below the root for positions of at most this many men; 0 for never.
    pub(super) probed_men: usize,
    /// Once the node count exceeds this, the current leaf search begins no further level.
    pub(super) leaf_cap: u64,
    pub(super) table: TableView,
}

impl Worker {
    /// A worker without history. `job` may be any job: [`Worker::prepare`] replaces it.
    pub fn new(index: usize, job: Arc<Job>) -> Worker {
        Worker {
            index,
            reductions: Reductions::new(&job.rules.params),
            variation: Variation::default(),
            evaluator: Evaluator::new(Arc::clone(job.shared.network.original())),
            table: TableView::new(Arc::clone(&job.shared.table)),
            job,
            keys: Vec::with_capacity(MAX_PLY + 128),
            game_keys: 0,
            frames: vec![Frame::default(); MAX_PLY + 8].into_boxed_slice(),
            pv: PvTable::default(),
            history: History::default(),
            root: RootMoves::default(),
            root_line: 0,
            root_depth: 0,
            nodes: 0,
            tablebase_hits: 0,
            next_publish: 0,
            seldepth: 0,
            stopped: false,
            null_verify_until: 0,
            probed_men: 0,
            leaf_cap: u64::MAX,
        }
    }

    /// The main thread's worker, ready to search `job`.
    pub fn ready(job: Arc<Job>) -> Worker {
        let mut worker = Worker::new(0, Arc::clone(&job));
        worker.prepare(job);
        worker
    }

    /// Forgets what earlier games have taught the histories.
    pub fn new_game(&mut self) {
        self.history.clear();
        // The table was emptied too, so this thread has no results in it any more.
        self.table.telemetry = None;
    }

    /// Takes a new job: sets up its position and clears everything that belongs to a single search.
    pub fn prepare(&mut self, job: Arc<Job>) {
        self.keys.clear();
        self.keys.extend_from_slice(job.task.game.keys());
        self.game_keys = self.keys.len();
        self.evaluator.set_network(job.shared.network.of_thread(self.index));
        self.evaluator.set_fades(job.rules.fades);
        self.evaluator.reset(job.task.game.board());
        self.history.share(job.shared.histories.as_ref().map(|histories| histories.of_thread(self.index)));
        self.frames.fill(Frame::default());
        self.root = job.root_moves().clone();
        self.probed_men =
            if self.root.is_settled() { 0 } else { job.rules.probing.limit.min(job.shared.tablebases.men()) };
        self.reductions.follow(&job.rules.params);
        let rounds = job.run.rounds.as_ref();
        self.variation = rounds.map_or_else(Variation::default, |rounds| rounds.variation(self.index));
        self.root_line = 0;
        self.root_depth = 0;
        self.nodes = 0;
        // The probes that ranked the root moves count as the main thread's.
        self.tablebase_hits = job.run.counters[self.index].tally().tablebase_hits;
        self.next_publish = job.run.rounds.as_ref().map_or(0, |rounds| rounds.share(self.index));
        self.seldepth = 0;
        self.stopped = false;
        self.null_verify_until = 0;
        self.table.prepare(&job, self.index);
        self.job = job;
    }

    /// Releases the job, so that its table can be resized.
    pub fn release(&mut self, idle: &Arc<Job>) {
        self.table.release(idle);
        self.job = Arc::clone(idle);
    }

    /// What the leaf searches did and whose results were found; `None` if that was not requested.
    pub fn telemetry(&self) -> Option<&ThreadTelemetry> {
        self.table.telemetry.as_deref()
    }

    /// Nodes that this thread visited in the current search.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    #[inline]
    pub(super) fn params(&self) -> &Params {
        &self.job.rules.params
    }

    /// Counts a node and checks whether the search is over.
    #[inline]
    pub(super) fn enter_node(&mut self, ply: usize) {
        self.nodes += 1;
        self.seldepth = self.seldepth.max(ply);
        if self.nodes >= self.next_publish {
            self.publish_nodes();
        }
        // The main thread finishes its first iteration if that takes only milliseconds, so that there is a considered
        // move. With thirty queens the iteration would never end.
        if self.job.run.signals.is_stopped()
            && (self.root_depth > 1 || self.index > 0 || self.nodes >= FIRST_ITERATION_NODES)
        {
            self.stopped = true;
        }
    }

    /// Publishes how many nodes were searched, and ends the search at a node limit.
    #[cold]
    fn publish_nodes(&mut self) {
        if self.job.run.rounds.is_some() {
            self.meet(NextRound::Stay);
            return;
        }
        self.publish_counts();
        // The other virtual threads search between two turns of this one.
        let interval = self.job.run.launch.pass_turn.map_or(PUBLISH_INTERVAL, |pass_turn| pass_turn());
        self.next_publish = self.nodes + interval;
        if let Some(limit) = self.job.node_limit() {
            let others = self.job.total_nodes() - self.nodes;
            if self.nodes + others >= limit {
                self.job.run.signals.reach_limit();
            }
            // A single thread stops at the exact node, so that its search can be repeated.
            self.next_publish = self.next_publish.min(limit.saturating_sub(others)).max(self.nodes + 1);
        }
    }

    /// Meets the other threads between two rounds.
    fn meet(&mut self, next: NextRound) {
        let Some(rounds) = &self.job.run.rounds else { return };
        self.job.meet(self.index, self.tally(), self.table.overlay(), next);
        self.next_publish = self.nodes + rounds.share(self.index);
    }

    /// Ends this thread's search: its counts become exact, and no other thread waits for it any more.
    pub(super) fn conclude(&mut self) {
        self.publish_telemetry();
        if self.job.run.rounds.is_some() {
            self.meet(NextRound::Leave);
        } else {
            self.publish_counts();
        }
    }

    /// Brings the counts that others see up to date.
    pub(super) fn publish_counts(&self) {
        self.job.run.counters[self.index].publish(self.tally());
        self.publish_telemetry();
    }

    fn publish_telemetry(&self) {
        if let Some(telemetry) = self.telemetry() {
            telemetry.publish(&self.job.run.counters[self.index].telemetry);
        }
    }

    fn tally(&self) -> Tally {
        Tally { nodes: self.nodes, tablebase_hits: self.tablebase_hits }
    }

    /// Whether the search has taken so long that it should report from within an iteration.
    #[inline]
    pub(super) fn is_long(&self) -> bool {
        if self.job.run.reporter.is_silent() {
            false
        } else if self.job.rules.deterministic {
            self.nodes >= LONG_NODES
        } else {
            self.job.run.launch.started.elapsed().as_millis() >= LONG_MILLISECONDS
        }
    }

    /// Prefetches the table's record of the position after a legal move. Call it as soon as the move is known: the work
    /// between making the move and the probe takes less time than a memory access.
    #[inline]
    pub(super) fn prefetch_after(&self, board: &Board, mv: Move) {
        self.table.prefetch(board.key_after(mv));
    }

    /// Makes a legal move at `ply` on `child`, which is a copy of the node's board. [`Worker::unmake`] takes the move
    /// back. If this function made the copy, returning it would copy the board again.
    #[inline]
    pub(super) fn make(&mut self, child: &mut Board, ply: usize, mv: Move) {
        let frame = &mut self.frames[ply];
        frame.current_move = Some(mv);
        frame.placement = Some(Placement::new(child.moved_piece(mv), mv.king_target()));
        frame.quiet_slot = None;
        self.keys.push(child.key());
        child.make(mv);
        self.evaluator.push(child);
    }

    /// Makes a null move at `ply`. The side to move must not be in check.
    pub(super) fn make_null(&mut self, board: &Board, ply: usize) -> Board {
        let child = board.after_null();
        self.table.prefetch(child.key());
        self.frames[ply].current_move = None;
        self.frames[ply].placement = None;
        self.frames[ply].quiet_slot = None;
        self.keys.push(board.key());
        self.evaluator.push(&child);
        child
    }

    /// Takes back the last move or null move.
    #[inline]
    pub(super) fn unmake(&mut self) {
        self.keys.pop();
        self.evaluator.pop();
    }

    /// The keys of the corrections of the static evaluation of a node at `ply`. They are prefetched: what happens
    /// before they are read takes about as long as it takes to fetch them.
    #[inline]
    pub(super) fn prefetch_corrections(&self, board: &Board, ply: usize) -> CorrectionKeys {
        let keys = CorrectionKeys::of(board, &self.continuations(ply));
        self.history.correction.prefetch(keys);
        keys
    }

    /// The static evaluation: the raw one plus the correction that earlier searches suggest.
    #[inline]
    pub(super) fn corrected(&self, raw: Score, keys: CorrectionKeys) -> Score {
        if !self.job.rules.selectivity.pruning {
            return raw;
        }
        let params = self.params();
        let weights = CorrectionWeights {
            pawns: params.correction_pawns,
            minors: params.correction_minors,
            pieces: params.correction_pieces,
            moves: params.correction_moves,
        };
        (raw + self.history.correction.get(keys, &weights, params.correction_limit)).clamp_eval()
    }

    /// The moves that led to the node at `ply`: those one, two and four plies ago.
    #[inline]
    pub(super) fn continuations(&self, ply: usize) -> Continuations {
        let ago = |n: usize| if ply >= n { self.frames[ply - n].placement } else { None };
        [ago(1), ago(2), ago(4)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::board::Game;
    use crate::engine::run::Limits;
    use crate::engine::run::rounds::Rounds;

    const NODES: u64 = 60_000;

    fn job() -> Arc<Job> {
        Job::plain(Game::startpos(), Limits::nodes(NODES))
    }

    /// A thread sees its own writes at once. If it searches alone, they also reach the table in that order.
    #[test]
    fn one_thread_searches_in_rounds_as_it_does_without() {
        let searched = |job: Arc<Job>| {
            let mut worker = Worker::ready(Arc::clone(&job));
            worker.run();
            let result = job.run.results[0].lock().clone();
            let best = result.moves[0].clone();
            (worker.nodes(), job.total_nodes(), result.depth, best.mv, best.score, best.pv)
        };
        let mut in_rounds = job();
        Arc::get_mut(&mut in_rounds).expect("not shared yet").run.rounds =
            Some(Rounds::new([Variation::default()].into(), NODES));
        let found = searched(in_rounds);
        assert_eq!((found.0, found.1), (NODES, NODES));
        assert_eq!(found, searched(job()));
    }
}
