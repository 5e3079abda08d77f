//! The main search: principal variation search in numbered steps.
//!
//! Fail-soft negamax with null windows off the principal variation. [`Worker::search`] calls the steps in order. A step
//! that has to decide something is a function of its own, in this file or in another file of this folder.
//!
//! docs/journal/search-parts.md lists what each step was worth when it was taken away, in games of 5,000 nodes a move.
//! A step quotes that figure only if the effect was greater than its error. This test cannot measure parts that work
//! only at high depth, nor parts that do each other's work.

use super::node::{Node, NodeType};
use super::worker::Worker;
use crate::chess::board::Board;
use crate::chess::types::{Bound, MAX_PLY, Score, Window};
use crate::engine::history::{CorrectionKeys, Threats};

impl Worker {
    /// Returns the score of `board`, searched to `depth` plies: exact within `window`, a bound outside of it. The
    /// result is meaningless once `self.stopped` is set.
    pub(super) fn search<N: NodeType>(
        &mut self,
        board: &Board,
        window: Window,
        depth: i32,
        ply: usize,
        cut_node: bool,
    ) -> Score {
        // Step 1. The quiescence search takes over at the horizon.
        if depth <= 0 {
            return self.quiescence(board, window, ply, N::PV).score;
        }
        self.pv.clear(ply);
        self.enter_node(ply);
        if self.stopped {
            return Score::ZERO;
        }
        let mut node = Node::new(board, window, depth, ply, cut_node);
        node.excluded = self.frames[ply].excluded;

        // Step 2. Draws and the nearest mates.
        if !N::ROOT
            && let Some(score) = self.settle_by_rule(&mut node)
        {
            return score;
        }
        // Step 5 needs the corrections of the evaluation.
        let correction_keys = self.prefetch_corrections(board, ply);
        // Step 3. The table.
        if let Some(score) = self.consult_table::<N>(&mut node) {
            return score;
        }
        // Step 4. The tablebases.
        if !N::ROOT
            && let Some(score) = self.consult_tablebases::<N>(&mut node)
        {
            return score;
        }
        // Step 5. The static evaluation, and what it says about the move that led here.
        self.evaluate_node(&mut node, correction_keys);
        if ply > 0 && node.excluded.is_none() {
            self.update_history_by_eval(ply);
            if self.job.rules.selectivity.pruning {
                node.depth = self.hindsight(ply, depth);
            }
        }
        self.frames[ply + 2].killers = [None; 2];
        self.frames[ply + 2].cutoffs = 0;
        self.frames[ply + 1].double_extensions = self.frames[ply].double_extensions;
        self.frames[ply + 1].excluded = None;

        // Steps 6 to 9. Nodes that need no move loop: see `pruning`.
        if !N::PV
            && let Some(score) = self.prune_node(&node)
        {
            return score;
        }
        if self.stopped {
            return Score::ZERO;
        }
        // Step 10. Internal iterative reduction.
        if N::PV || cut_node {
            self.reduce_without_table_move::<N>(&mut node);
        }
        // Steps 11 to 16. The moves, and what is learned from them: see `move_loop`.
        self.search_moves::<N>(&node, correction_keys)
    }

    /// Step 2. Draws by rule, the end of the stacks, and mate distance pruning: no line from here can beat a mate that
    /// is already nearer to the root. A side that can return to an earlier position with one move need not lose.
    fn settle_by_rule(&mut self, node: &mut Node<'_>) -> Option<Score> {
        let &mut Node { board, ply, .. } = node;
        if self.is_draw(board, ply) {
            return Some(Score::ZERO);
        }
        if ply >= MAX_PLY - 1 {
            return Some(if node.in_check { Score::ZERO } else { self.evaluator.evaluate(board) });
        }
        if !self.job.rules.selectivity.pruning {
            return None;
        }
        node.window.alpha = node.window.alpha.max(Score::mated_in(ply));
        node.window.beta = node.window.beta.min(Score::mate_in(ply + 1));
        if node.window.is_empty() {
            return Some(node.window.alpha);
        }
        if node.window.alpha < Score::ZERO && self.can_repeat(board, ply) {
            node.window.alpha = Score::ZERO;
            node.floor = Score::ZERO;
            if node.window.is_empty() {
                return Some(node.window.alpha);
            }
        }
        None
    }

    /// Step 3. A table entry ends a null-window node if it was searched deeply enough. Near the fifty-move limit it
    /// does not, because an entry does not know the halfmove clock. The table's move is checked for legality before
    /// anything uses it.
    fn consult_table<N: NodeType>(&mut self, node: &mut Node<'_>) -> Option<Score> {
        let &mut Node { board, ply, depth, window, .. } = node;
        node.tt = if node.excluded.is_some() { None } else { self.table.probe(board.key()) };
        node.tt_score = node.tt.map_or(Score::ZERO, |hit| hit.score.from_table(ply));
        node.tt_depth = node.tt.and_then(|hit| hit.draft.main_depth()).unwrap_or(0);
        node.tt_pv = N::PV || node.tt.is_some_and(|hit| hit.pv);
        node.tt_move = if N::ROOT {
            Some(self.root.as_slice()[self.root_line].pv[0])
        } else {
            node.tt.and_then(|hit| hit.mv).filter(|&mv| board.can_play(mv))
        };
        if N::PV || !self.job.rules.selectivity.table {
            return None;
        }
        let is_deep_enough =
            if self.job.rules.selectivity.pruning { node.tt_depth >= depth } else { node.tt_depth == depth };
        let decides = is_deep_enough
            && window.is_decided_by(node.tt_score, node.tt?.bound)
            && (board.halfmove_clock() as i32) < self.params().table_clock;
        if !decides {
            return None;
        }
        if let Some(mv) = node.tt_move
            && node.tt_score >= window.beta
            && !board.is_noisy(mv)
        {
            let bonus = self.history_bonus(depth);
            let continuations = self.continuations(ply);
            self.history.update_quiet(board, Threats::of(board), &continuations, mv, bonus);
            self.penalize_refuted_quiet(ply, depth);
        }
        Some(node.tt_score)
    }

    /// Step 5. The static evaluation is the network's evaluation plus the correction that earlier searches suggest. If
    /// the table's score says more, `node.eval` is that score. A singular search uses the static evaluation of the
    /// search around it. In check there is none.
    fn evaluate_node(&mut self, node: &mut Node<'_>, keys: CorrectionKeys) {
        let &mut Node { board, ply, .. } = node;
        if node.excluded.is_none() {
            if !node.in_check {
                let known = node.tt.and_then(|hit| hit.static_eval);
                node.raw_eval = Some(known.unwrap_or_else(|| self.evaluator.evaluate(board)));
            }
            self.frames[ply].static_eval = node.raw_eval.map(|raw| self.corrected(raw, keys));
        }
        let Some(static_eval) = self.frames[ply].static_eval else { return };
        let says_more = |bound: Bound| match bound {
            Bound::Exact => true,
            Bound::Lower => node.tt_score > static_eval,
            Bound::Upper => node.tt_score < static_eval,
        };
        let is_better = !node.tt_score.is_decisive() && node.tt.is_some_and(|hit| says_more(hit.bound));
        node.eval = if is_better { node.tt_score } else { static_eval };
        let before = |plies: usize| if ply >= plies { self.frames[ply - plies].static_eval } else { None };
        node.improving = before(2).or(before(4)).is_none_or(|earlier| static_eval > earlier);
    }

    /// Step 10. Without a table move the move ordering is poor and a full search is expensive. The next iteration will
    /// find a move in the table (Ed Schröder). At high depth, nodes off the principal variation are reduced by two
    /// plies (Stockfish 15.1). Step 8 names the gain.
    fn reduce_without_table_move<N: NodeType>(&self, node: &mut Node<'_>) {
        let params = self.params();
        if self.job.rules.selectivity.pruning
            && node.tt_move.is_none()
            && node.excluded.is_none()
            && node.depth >= params.iir_depth
        {
            let plies = if N::PV || node.depth < params.iir_cut_depth { 1 } else { params.iir_cut_plies };
            node.depth = (node.depth - plies).max(1);
        }
    }
}
