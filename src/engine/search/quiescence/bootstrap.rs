//! Multi-level quiescence with depth bootstrapping, after H. G. Muller (talkchess threads 48244 and 47423).
//!
//! A capture that gains no more than the opponent's last one is followed for free. A capture that gains more costs a
//! level. If no level is left, it is assumed to fail high. A subtree that never needed this assumption is *resolved*:
//! its score holds at every level. Each result carries the highest level at which it is proven. So does its entry in
//! the table, where every thread finds it.
//!
//! Invariant: a score with validity `v` that was searched at level `k` is a correct bound of the plain minimax value of
//! every level from `k` to `v`. If it is resolved, it is a bound of every level from `k` on and of the search of all
//! captures. At a cut-off only the child that causes it must hold, at any other node all children must.
//!
//! A table entry may come from a deeper level than the one that asks, even from the search of all captures. That is a
//! better answer at this node. But a tree that mixes such nodes with others searches neither of the two trees exactly,
//! so its value need not lie between theirs.

use std::ops::ControlFlow;

use super::context::{FULL, LeafContext, LeafRequest, LeafVariant, PLAY};
use super::gain::Threshold;
use super::ordering::{Choice, LeafMoves};
use crate::chess::board::{Board, Move, Piece, Role, attacks};
use crate::chess::types::{Bound, MAX_PLY, Score, Window};
use crate::engine::history::{CorrectionKeys, Threats};
use crate::engine::run::leaf::Kind;
use crate::engine::run::leaf::{Leaf, Validity};
use crate::engine::search::worker::Worker;
use crate::engine::tt::{Draft, LeafClass, Record};

/// What a table entry says about a node.
enum TableResult {
    /// Nothing useful.
    Nothing,
    /// A result that holds at the requested level.
    Answer(Leaf),
    /// The result of a lower level than the requested one.
    LowerLevel(Leaf),
}

impl Worker {
    /// Searches the leaf at `ply` as the job's kind says.
    pub(super) fn bootstrap_leaf(&mut self, board: &Board, window: Window, ply: usize, is_pv: bool) -> Leaf {
        let variant = if self.job.rules.quiescence == Kind::BootstrapFull { FULL } else { PLAY };
        let context = LeafContext::first(board, ply, Threshold::Unlimited, variant, is_pv);
        self.bootstrap(board, window, context, variant)
    }

    /// [`Worker::bootstrap_leaf`] with everything explicit, for the tests of soundness.
    pub(in crate::engine::search) fn bootstrap_as_requested(
        &mut self,
        board: &Board,
        window: Window,
        ply: usize,
        request: &LeafRequest,
    ) -> Leaf {
        let &LeafRequest { level, threshold, see_skip, checks, is_pv, node_cap } = request;
        // `quiescence` checks the same before it searches.
        if self.is_drawn_leaf(board, ply) {
            self.pv.clear(ply);
            return Leaf::resolved(Score::ZERO);
        }
        let variant = LeafVariant { level, see_skip, checks };
        self.leaf_cap = self.nodes.saturating_add(node_cap);
        self.bootstrap(board, window, LeafContext::first(board, ply, threshold, variant, is_pv), variant)
    }

    fn bootstrap(
        &mut self,
        board: &Board,
        window: Window,
        mut context: LeafContext,
        variant: LeafVariant,
    ) -> Leaf {
        let ply = context.ply;
        self.pv.clear(ply);
        self.enter_node(ply);
        let in_check = board.in_check();
        if self.stopped || ply >= MAX_PLY - 1 {
            let is_judged = !self.stopped && !in_check;
            return Leaf::resolved(if is_judged { self.evaluator.evaluate(board) } else { Score::ZERO });
        }
        if !context.is_first && self.is_drawn_leaf(board, ply) {
            return Leaf::resolved(Score::ZERO);
        }
        if in_check {
            // Every evasion is extended, whatever was captured before, so there is one class for all.
            context.threshold = Threshold::Unlimited;
        }

        let correction_keys = self.prefetch_corrections(board, ply);
        // What the table knows: an answer, or the level from which to go on.
        let entry = self.table.probe(board.key());
        context.was_pv = context.is_pv || entry.is_some_and(|hit| hit.pv);
        let lower_level = match entry
            .map_or(TableResult::Nothing, |hit| self.table_result(board, &hit, window, &context))
        {
            TableResult::Answer(leaf) => return leaf,
            TableResult::LowerLevel(leaf) => Some(leaf),
            TableResult::Nothing => None,
        };

        // Standing pat holds at every level.
        let mut node = LeafNode::new(self, board, window, context, variant);
        if !in_check {
            node.evaluate(entry.and_then(|hit| hit.static_eval), correction_keys);
            if node.stand_pat >= window.beta {
                node.best = Leaf::resolved(node.stand_pat);
                if entry.is_none() {
                    node.store();
                }
                return node.best;
            }
        }

        // A move that is not among the candidates has no effect.
        let tt_move = entry.and_then(|hit| hit.mv);
        let choice = if in_check { Choice::All } else { Choice::Noisy };
        let mut candidates = LeafMoves::new();
        node.worker.candidates(board, ply, choice, context.threshold, tt_move, &mut candidates);
        if candidates.is_empty() && !context.with_checks {
            return Leaf::resolved(if in_check { Score::mated_in(ply) } else { node.stand_pat });
        }
        node.search_levels(&candidates, lower_level)
    }

    /// What a table entry says about a node that is not on the principal variation.
    fn table_result(
        &mut self,
        board: &Board,
        hit: &Record,
        window: Window,
        context: &LeafContext,
    ) -> TableResult {
        if context.is_pv || !self.job.rules.selectivity.table {
            return TableResult::Nothing;
        }
        let score = hit.score.from_table(context.ply);
        let Some(validity) = entry_validity(hit, score, window, context) else { return TableResult::Nothing };
        let requested = Validity::level(context.level);
        let leaf = Leaf { score, validity };
        // An entry of a higher level does not say at which level its search began. Below that level, nothing is proven.
        let result = if validity.is_resolved() || validity == requested {
            TableResult::Answer(leaf)
        } else if validity < requested {
            TableResult::LowerLevel(leaf)
        } else {
            return TableResult::Nothing;
        };
        if let Some(telemetry) = &mut self.table.telemetry {
            match result {
                TableResult::LowerLevel(_) => telemetry.count_bootstrap(board.key()),
                _ => telemetry.count_answer(board.key()),
            }
        }
        result
    }
}

/// A node of the leaf search whose moves are searched, once for each level.
struct LeafNode<'a> {
    worker: &'a mut Worker,
    board: &'a Board,
    window: Window,
    context: LeafContext,
    variant: LeafVariant,
    /// The score of standing pat; `-INFINITE` in check.
    stand_pat: Score,
    raw_eval: Option<Score>,
    /// The level of the current pass over the moves.
    level: u8,
    best: Leaf,
    best_move: Option<Move>,
    /// The score that the next move has to beat: the window's alpha, or the best score above it.
    alpha: Score,
}

impl<'a> LeafNode<'a> {
    fn new(
        worker: &'a mut Worker,
        board: &'a Board,
        window: Window,
        context: LeafContext,
        variant: LeafVariant,
    ) -> LeafNode<'a> {
        LeafNode {
            worker,
            board,
            window,
            context,
            variant,
            stand_pat: -Score::INFINITE,
            raw_eval: None,
            level: 0,
            best: Leaf::resolved(-Score::INFINITE),
            best_move: None,
            alpha: window.alpha,
        }
    }

    /// Sets the score of standing pat to the static evaluation. `known` is the raw evaluation from the table, if it has
    /// one, and `keys` are those of its corrections.
    fn evaluate(&mut self, known: Option<Score>, keys: CorrectionKeys) {
        let raw = known.unwrap_or_else(|| self.worker.evaluator.evaluate(self.board));
        self.raw_eval = Some(raw);
        self.stand_pat = self.worker.corrected(raw, keys);
    }

    /// Searches the moves at rising levels, from the one above `finished` to the requested one.
    fn search_levels(&mut self, candidates: &LeafMoves, mut finished: Option<Leaf>) -> Leaf {
        let requested = self.context.level;
        let begin = finished.map_or(0, |leaf| leaf.validity.highest_level() + 1);
        self.level = begin.min(requested);
        loop {
            self.run_pass(candidates);
            let result = self.best;
            if self.worker.stopped {
                return result;
            }
            if result.validity < Validity::level(self.level) {
                // A node below reached the node cap, so the last finished level stands.
                return finished.unwrap_or(result);
            }
            if result.validity >= Validity::level(requested) || self.level >= requested {
                return result;
            }
            self.level = result.validity.highest_level().max(self.level) + 1;
            if self.worker.nodes > self.worker.leaf_cap {
                return result;
            }
            finished = Some(result);
        }
    }

    /// Searches the moves once, at the current level.
    fn run_pass(&mut self, candidates: &LeafMoves) {
        let in_check = self.board.in_check();
        if self.level == 0 && !in_check && candidates.iter().any(|candidate| !candidate.is_extended) {
            // No level is left for a capture that wins more than the last one, so it is assumed to refute that one. The
            // result holds at level 0 only, and it is never stored.
            if let Some(telemetry) = &mut self.worker.table.telemetry {
                telemetry.auto_fail_highs += 1;
            }
            self.best = Leaf { score: self.window.beta, validity: Validity::level(0) };
            return;
        }
        self.best = Leaf::resolved(self.stand_pat);
        self.best_move = None;
        self.alpha = self.window.alpha.max(self.stand_pat);
        for candidate in candidates {
            let cost = u8::from(!candidate.is_extended);
            if self.variant.see_skip && self.level == cost && !in_check && !self.board.see_ge(candidate.mv, 0)
            {
                // The reply would gain more than this capture, so its auto-fail-high is predicted.
                self.best.validity = self.best.validity.min(Validity::level(cost));
                continue;
            }
            let threshold =
                if in_check { Threshold::Unlimited } else { Threshold::after(self.board, candidate.mv) };
            if self.search_move(candidate.mv, cost, threshold).is_break() {
                break;
            }
        }
        if self.context.with_checks && self.best.score < self.window.beta && !self.worker.stopped {
            self.try_quiet_checks();
        }
        // A child that reached the node cap answers for a lower level than it was asked for. A score that mixes several
        // levels is a bound at none of them.
        if self.best.validity >= Validity::level(self.level) && !self.worker.stopped {
            self.store();
        }
    }

    /// Tries safe direct checks by quiet moves of pieces, after the captures of the first ply. The replies are
    /// evasions, so these checks cost no level.
    fn try_quiet_checks(&mut self) {
        let board = self.board;
        let squares = board.check_squares();
        let occupied = board.occupied();
        let threats = Threats::new(&self.worker.evaluator.opponent_attacks(board));
        for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
            let targets = squares.squares(role) & !occupied;
            if targets.is_empty() {
                continue;
            }
            for from in board.pieces(board.turn(), role) {
                let piece = Piece { color: board.turn(), role };
                for to in attacks::attacks(from, piece, occupied) & targets {
                    let mv = Move::normal(from, to);
                    let is_safe = board.is_legal(mv) && (threats.spare(mv) || board.see_ge(mv, 0));
                    if is_safe && self.search_move(mv, 0, Threshold::Unlimited).is_break() {
                        return;
                    }
                }
            }
        }
    }

    /// Searches one move, which costs `cost` levels, and keeps its result if it is the best. A cut-off breaks off
    /// the pass, and so does the end of the search.
    fn search_move(&mut self, mv: Move, cost: u8, threshold: Threshold) -> ControlFlow<()> {
        let &mut LeafNode { board, context, .. } = self;
        self.worker.prefetch_after(board, mv);
        let mut child = board.clone();
        self.worker.make(&mut child, context.ply, mv);
        let below = LeafContext {
            ply: context.ply + 1,
            level: self.level - cost,
            threshold,
            with_checks: false,
            is_first: false,
            is_pv: context.is_pv,
            was_pv: context.is_pv,
        };
        let window = Window::new(self.alpha, self.window.beta);
        let reply = self.worker.bootstrap(&child, -window, below, self.variant);
        self.worker.unmake();
        if self.worker.stopped {
            return ControlFlow::Break(());
        }
        let score = -reply.score;
        let validity = reply.validity.seen_from_parent(cost);
        if score > self.best.score {
            self.best.score = score;
            if score > self.alpha {
                self.alpha = score;
                self.best_move = Some(mv);
                if context.is_pv {
                    self.worker.pv.extend(context.ply, mv);
                }
            }
            if score >= self.window.beta {
                self.best.validity = validity;
                return ControlFlow::Break(());
            }
        }
        self.best.validity = self.best.validity.min(validity);
        ControlFlow::Continue(())
    }

    /// Stores the result in the table.
    fn store(&mut self) {
        let context = &self.context;
        let Leaf { score, validity } = self.best;
        let class = if validity.is_resolved() { context.resolved_class() } else { context.class() };
        let record = Record {
            mv: self.best_move,
            score: score.to_table(context.ply),
            static_eval: self.raw_eval,
            draft: Draft::leaf(validity.highest_level(), class),
            bound: self.window.bound(score),
            pv: context.was_pv,
        };
        self.worker.table.store(self.board.key(), record);
    }
}

/// How far an entry's `score` holds at this node; `None` if its bound does not decide the window or its class is
/// another one.
fn entry_validity(hit: &Record, score: Score, window: Window, context: &LeafContext) -> Option<Validity> {
    if !window.is_decided_by(score, hit.bound) {
        return None;
    }
    let Some((level, class)) = hit.draft.leaf_parts() else {
        return Some(Validity::RESOLVED);
    };
    let resolved = match class {
        // With checks the side to move has more choices than without. A score that is enough without checks is enough
        // with them. A score that is not enough with checks is not enough without them.
        LeafClass::Resolved => !context.with_checks || (hit.bound != Bound::Upper && score >= window.beta),
        LeafClass::ResolvedWithChecks => {
            context.with_checks || (hit.bound != Bound::Lower && score <= window.alpha)
        }
        _ => false,
    };
    if resolved {
        Some(Validity::RESOLVED)
    } else {
        (class == context.class()).then(|| Validity::level(level))
    }
}
