//! Steps 11 to 16: the moves of a node in order, and what the search learns from them.

use super::learning::Tried;
use super::node::{Candidate, Node, NodeType, NonPv, Pv};
use super::picker::{MovePicker, QuietContext};
use super::pruning::Prune;
use super::singular::Extension;
use super::worker::Worker;
use crate::chess::board::{Board, Move};
use crate::chess::types::{Bound, Score, Window};
use crate::engine::history::{CorrectionKeys, History};
use crate::engine::tt::{Draft, Record};

/// The state of the loop over a node's moves.
struct LoopState {
    /// The window for the next move: alpha rises during the loop.
    window: Window,
    /// Remaining depth for the next move, in plies. Some moves that raise alpha reduce it by one.
    depth: i32,
    best_score: Score,
    /// The move that raised alpha last.
    best_move: Option<Move>,
    /// Number of moves so far, including those that were left out.
    count: usize,
    /// Moves that were searched and caused no cut-off.
    tried: Tried,
}

impl Worker {
    /// Steps 11 to 16.
    pub(super) fn search_moves<N: NodeType>(
        &mut self,
        node: &Node<'_>,
        correction_keys: CorrectionKeys,
    ) -> Score {
        let attacked = self.evaluator.opponent_attacks(node.board);
        let context = QuietContext::new(node.board, self.continuations(node.ply), attacked);
        let mut picker = MovePicker::new(node.board, node.tt_move, &context);
        let mut state = LoopState {
            window: node.window,
            depth: node.depth,
            best_score: node.floor,
            best_move: None,
            count: 0,
            tried: Tried::default(),
        };
        let may_prune = !N::ROOT && self.job.rules.selectivity.pruning;

        while let Some(mv) = picker.next(&self.history, &self.job.rules.params) {
            if Some(mv) == node.excluded || (N::ROOT && !self.root.is_candidate(mv, self.root_line)) {
                continue;
            }
            state.count += 1;
            self.prefetch_after(node.board, mv);
            let mut candidate = self.candidate(node, &context, &state, mv, &picker);
            if N::ROOT && self.index == 0 && self.is_long() {
                self.job.run.reporter.current_move(self.root_depth, mv, state.count + self.root_line);
            }

            // Step 11. Late moves that promise nothing are not searched at all: see `pruning`.
            if may_prune && !state.best_score.is_loss() {
                let reduced_depth = (state.depth - 1 - candidate.reduction / 1024).max(0);
                match self.prune_move(node, &candidate, context.threats, state.window.alpha, reduced_depth) {
                    Prune::Nothing => {}
                    Prune::Move => continue,
                    Prune::Quiets => {
                        picker.skip_quiets();
                        continue;
                    }
                }
            }
            // Step 12. Extensions: see `singular`.
            if !N::ROOT && Some(mv) == node.tt_move {
                match self.extension::<N>(node, mv) {
                    Extension::Plies(plies) => candidate.extension = plies,
                    Extension::Cut(score) => return score,
                }
                if self.stopped {
                    return Score::ZERO;
                }
            }
            // Step 13. The search of the move.
            let nodes_before = self.nodes;
            let score = self.search_child::<N>(node, &context, &state, &candidate);
            if self.stopped {
                return Score::ZERO;
            }
            if N::ROOT {
                let has_score = candidate.number == 1 || score > state.window.alpha;
                let result = has_score.then(|| (score, state.window.bound(score)));
                self.note_root_move(mv, result, self.nodes - nodes_before);
            }
            // Step 14. Checks whether the move is the best so far, and whether it causes a cut-off.
            if self.take_score::<N>(node, &mut state, &candidate, score) {
                break;
            }
            state.tried.note(&candidate);
        }

        // Step 15. Without a move it is mate or stalemate. In a singular search, the excluded move was the only one.
        if state.count == 0 {
            return match (node.excluded, node.in_check) {
                (Some(_), _) => node.window.alpha,
                (None, true) => Score::mated_in(node.ply),
                (None, false) => Score::ZERO,
            };
        }
        state.best_score = state.best_score.min(node.ceiling);
        // Step 16. Learns from the result.
        self.learn::<N>(node, &context, &state, correction_keys);
        state.best_score
    }

    /// Gathers what the steps need to know about the move that the picker has yielded.
    #[inline]
    fn candidate(
        &self,
        node: &Node<'_>,
        context: &QuietContext,
        state: &LoopState,
        mv: Move,
        picker: &MovePicker<'_>,
    ) -> Candidate {
        let board = node.board;
        let is_noisy = board.is_noisy(mv);
        let history = if is_noisy {
            self.history.noisy(board, mv)
        } else {
            picker
                .quiet_history()
                .unwrap_or_else(|| self.history.quiets(board, context.threats, &context.continuations).of(mv))
        };
        Candidate {
            mv,
            is_noisy,
            gives_check: board.gives_check_with(&context.checks, mv),
            known_gain: picker.known_gain(),
            history,
            number: state.count,
            reduction: self.reductions.get(is_noisy, state.depth, state.count),
            extension: 0,
        }
    }

    /// Step 13. Makes the move and searches it. Every move but the first is searched with a null window. Late moves are
    /// first searched to a reduced depth (docs/journal/search-parts.md has what this is worth). On the principal
    /// variation, the first move and each move that raises alpha are searched with the full window.
    fn search_child<N: NodeType>(
        &mut self,
        node: &Node<'_>,
        context: &QuietContext,
        state: &LoopState,
        candidate: &Candidate,
    ) -> Score {
        let &Node { board, ply, .. } = node;
        let &LoopState { window, depth, .. } = state;
        let &Candidate { mv, number, extension, .. } = candidate;
        self.frames[ply + 1].double_extensions =
            self.frames[ply].double_extensions + i32::from(extension >= 2);
        let mut child = board.clone();
        self.make(&mut child, ply, mv);
        self.frames[ply].number = number;
        if !candidate.is_noisy {
            self.frames[ply].quiet_slot = Some(History::quiet_slot(board, context.threats, mv));
        }
        let new_depth = depth - 1 + extension;
        let mut score = -Score::INFINITE;
        let mut asks_null_window = !N::PV || number > 1;
        let params = self.params();
        if self.job.rules.selectivity.pruning
            && depth >= params.reduction_depth
            && number > params.reduction_moves as usize + usize::from(N::ROOT)
        {
            let reduction = self.adjusted_reduction(node, candidate);
            let reduced = (new_depth - reduction / 1024).clamp(1, new_depth.max(1));
            if new_depth > 0 && reduced != new_depth {
                score = self.search_reduced(node, context, state, candidate, &child, reduced);
                asks_null_window = false;
            }
        }
        if asks_null_window {
            let null = Window::null_above(window.alpha);
            score = -self.search::<NonPv>(&child, -null, new_depth, ply + 1, !node.cut_node);
        }
        if N::PV && (number == 1 || score > window.alpha) && !self.stopped {
            score = -self.search::<Pv>(&child, -window, new_depth, ply + 1, false);
        }
        self.unmake();
        score
    }

    /// Searches a late move to a reduced depth with a null window. If the score raises alpha, a second search follows:
    /// a ply deeper if the score beats the best score by far, a ply shallower if it hardly does. Continuation history
    /// learns from the second search.
    fn search_reduced(
        &mut self,
        node: &Node<'_>,
        context: &QuietContext,
        state: &LoopState,
        candidate: &Candidate,
        child: &Board,
        reduced: i32,
    ) -> Score {
        let ply = node.ply;
        let alpha = state.window.alpha;
        let null = Window::null_above(alpha);
        let new_depth = state.depth - 1 + candidate.extension;
        self.frames[ply].reduction = new_depth - reduced;
        let score = -self.search::<NonPv>(child, -null, reduced, ply + 1, true);
        self.frames[ply].reduction = 0;
        if score <= alpha || self.stopped {
            return score;
        }
        let params = self.params();
        let deeper = score > state.best_score + params.deeper_margin + params.deeper_slope * new_depth;
        let shallower = score < state.best_score + params.shallower_slope * new_depth;
        let depth = new_depth + i32::from(deeper) - i32::from(shallower);
        if depth <= reduced {
            return score;
        }
        let score = -self.search::<NonPv>(child, -null, depth, ply + 1, !node.cut_node);
        if !candidate.is_noisy
            && !self.stopped
            && let Some(placement) = self.frames[ply].placement
        {
            let bonus =
                if score > alpha { self.history_bonus(new_depth) } else { -self.history_malus(new_depth) };
            self.history.update_continuations(&context.continuations, placement, bonus);
        }
        score
    }

    /// Step 14. Takes the score of a move into account. Returns whether it causes a cut-off. After a good move the
    /// others are less likely to be better, so they are searched a ply less deeply.
    #[inline]
    fn take_score<N: NodeType>(
        &mut self,
        node: &Node<'_>,
        state: &mut LoopState,
        candidate: &Candidate,
        score: Score,
    ) -> bool {
        if score <= state.best_score {
            return false;
        }
        state.best_score = score;
        if score <= state.window.alpha {
            return false;
        }
        state.best_move = Some(candidate.mv);
        if N::PV {
            self.pv.extend(node.ply, candidate.mv);
        }
        if score >= state.window.beta {
            self.frames[node.ply].cutoffs += i32::from(candidate.extension < 2 || N::PV);
            return true;
        }
        state.window.alpha = score;
        let params = self.params();
        if self.job.rules.selectivity.pruning
            && (params.better_move_least_depth..=params.better_move_greatest_depth).contains(&state.depth)
            && !score.is_decisive()
        {
            state.depth -= 1;
        }
        false
    }

    /// Step 16. The histories, the correction of the evaluation, and the table learn from the result. A singular search
    /// leaves out a move, so its score says nothing about the position.
    fn learn<N: NodeType>(
        &mut self,
        node: &Node<'_>,
        context: &QuietContext,
        state: &LoopState,
        correction_keys: CorrectionKeys,
    ) {
        let &Node { board, ply, depth, window, .. } = node;
        let &LoopState { best_score, best_move, .. } = state;
        if best_score <= window.alpha && node.excluded.is_none() {
            self.reward_prior_quiet(ply, depth);
        }
        if best_score >= window.beta
            && let Some(best) = best_move
        {
            self.reward(node, context, best, &state.tried);
        }
        if node.excluded.is_some() {
            return;
        }
        let bound = window.bound(best_score);
        if !best_move.is_some_and(|mv| board.is_noisy(mv)) {
            self.correct_evaluation(node, best_score, bound, correction_keys);
        }
        if N::ROOT && self.root_line > 0 {
            return;
        }
        let record = Record {
            mv: best_move,
            score: best_score.to_table(ply),
            static_eval: node.raw_eval,
            draft: Draft::main(depth),
            bound,
            pv: node.tt_pv,
        };
        self.table.store(board.key(), record);
    }

    /// Stores the nodes and the result of a root move. A move that did not raise alpha has no result.
    fn note_root_move(&mut self, mv: Move, result: Option<(Score, Bound)>, nodes: u64) {
        let root = self.root.get_mut(mv);
        root.nodes += nodes;
        match result {
            Some((score, bound)) => {
                root.score = score;
                root.bound = bound;
                root.seldepth = self.seldepth;
                root.pv.clear();
                root.pv.push(mv);
                root.pv.extend_from_slice(self.pv.line(1));
            }
            None => root.score = -Score::INFINITE,
        }
    }
}
