//! The main search: principal variation search in numbered steps.
//!
//! Fail-soft negamax with zero windows off the principal variation. What a step decides with
//! some judgement of its own stands in a function of its name, here or beside.
//!
//! "Without it -44 +- 30" is what leaving a step out did to the Elo in 300 games at 5,000 nodes a
//! move with network 10 (2026-11-22; docs/strength.md has the games). At such depths many steps do each
//! other's work, so that one alone is hardly missed.

use arrayvec::ArrayVec;

use super::node::{Node, NodeType, NonPv, Pv};
use super::picker::{Context, MovePicker};
use super::worker::Worker;
use crate::board::{Board, Move};
use crate::history::{CorrectionKeys, History, Threats};
use crate::tt::{Draft, Record};
use crate::types::{Bound, MAX_PLY, Score};

/// Depths that are reduced by a ply for the moves after one that raised alpha.
const LESS_AFTER_BETTER: std::ops::RangeInclusive<i32> = 3..=13;
/// Near the fifty-move limit the table, which knows no clock, is not believed.
const CLOCK_GUARD: u32 = 90;

impl Worker {
    /// The score of `board` to `depth` plies, exact within `(alpha, beta)` and a bound
    /// outside of it. Meaningless once `self.stopped`.
    pub(super) fn search<N: NodeType>(
        &mut self,
        board: &Board,
        mut alpha: Score,
        mut beta: Score,
        depth: i32,
        ply: usize,
        cut_node: bool,
    ) -> Score {
        // Step 1. The quiescence search takes over at the horizon.
        if depth <= 0 {
            return self.leaf(board, alpha, beta, ply, N::PV).score;
        }
        self.pv.clear(ply);
        self.enter_node(ply);
        if self.stopped {
            return Score::ZERO;
        }
        let pruning = self.job.selectivity.pruning;
        let in_check = board.in_check();

        // Step 2. Draws, the end of the stacks, and mate distance: no line from here can beat
        // a mate that is already nearer to the root.
        if !N::ROOT {
            if self.is_draw(board, ply) {
                return Score::ZERO;
            }
            if ply >= MAX_PLY - 1 {
                return if in_check { Score::ZERO } else { self.evaluator.evaluate(board) };
            }
            if pruning {
                alpha = alpha.max(Score::mated_in(ply));
                beta = beta.min(Score::mate_in(ply + 1));
                if alpha >= beta {
                    return alpha;
                }
            }
        }

        // What the score is at least and at most.
        let (mut floor, mut ceiling) = (-Score::INFINITE, Score::INFINITE);

        // Whoever is a move away from a position of before need not lose.
        if !N::ROOT && pruning && alpha < Score::ZERO && self.can_repeat(board, ply) {
            (alpha, floor) = (Score::ZERO, Score::ZERO);
            if alpha >= beta {
                return alpha;
            }
        }

        // Step 3. The table. Its move is checked for legality here before anything uses it.
        let excluded = self.frames[ply].excluded;
        let tt = if excluded.is_some() { None } else { self.probe(board.key()) };
        let tt_score = tt.map_or(Score::ZERO, |hit| hit.score.from_table(ply));
        let tt_depth = tt.and_then(|hit| hit.draft.main_depth()).unwrap_or(0);
        let tt_move = if N::ROOT {
            Some(self.root.as_slice()[self.root_line].pv[0])
        } else {
            tt.and_then(|hit| hit.mv).filter(|&mv| board.is_pseudo_legal(mv) && board.is_legal(mv))
        };
        if !N::PV
            && let Some(hit) = tt
            && self.job.selectivity.table
            && (if pruning { tt_depth >= depth } else { tt_depth == depth })
            && hit.bound.decides(tt_score, alpha, beta)
            && board.halfmove_clock() < CLOCK_GUARD
        {
            if let Some(mv) = tt_move
                && tt_score >= beta
                && !board.is_noisy(mv)
            {
                let bonus = self.history_bonus(depth);
                let (threats, continuations) =
                    (Threats(board.threats(!board.turn())), self.continuations(ply));
                self.history.update_quiet(board, threats, &continuations, mv, bonus);
                self.blame_last_move(ply, depth);
            }
            return tt_score;
        }

        // Step 4. The tablebases. What they say is as good as any depth, and so is kept; where a mate may be better
        // still, it bounds the score of the search.
        if !N::ROOT
            && excluded.is_none()
            && self.probed_men > 0
            && let Some((score, bound)) = self.probe_tablebases(board, depth, ply)
        {
            if bound.decides(score, alpha, beta) {
                let pv = N::PV || tt.is_some_and(|hit| hit.pv);
                self.keep_tablebase_result(board, depth, score.to_table(ply), bound, pv);
                return score;
            }
            if N::PV && bound == Bound::Lower {
                floor = floor.max(score);
                alpha = alpha.max(score);
            } else if N::PV {
                ceiling = score;
            }
        }

        // Step 5. The static evaluation (its corrections: without them -41 +- 30), and what the table's
        // score says beyond it (+14 +- 28).
        let correction_keys = CorrectionKeys::of(board, &self.continuations(ply));
        let mut raw_eval = None;
        let mut static_eval = None;
        if excluded.is_some() {
            static_eval = self.frames[ply].static_eval;
        } else if !in_check {
            let raw = match tt.and_then(|hit| hit.static_eval) {
                Some(raw) => raw,
                None => self.evaluator.evaluate(board),
            };
            raw_eval = Some(raw);
            static_eval = Some(self.corrected(raw, correction_keys));
        }
        self.frames[ply].static_eval = static_eval;
        let mut eval = static_eval.unwrap_or(Score::ZERO);
        if let (Some(hit), Some(_)) = (tt, static_eval)
            && !tt_score.is_decisive()
            && match hit.bound {
                Bound::Exact => true,
                Bound::Lower => tt_score > eval,
                Bound::Upper => tt_score < eval,
            }
        {
            eval = tt_score;
        }
        let before = |plies: usize| if ply >= plies { self.frames[ply - plies].static_eval } else { None };
        let improving = match (static_eval, before(2).or(before(4))) {
            (Some(now), Some(earlier)) => now > earlier,
            (Some(_), None) => true,
            (None, _) => false,
        };

        // What the last move did to the evaluation tells how good it was, and how far to look after it.
        let mut depth = depth;
        if ply > 0 && excluded.is_none() {
            self.credit_last_move(ply, static_eval);
            if pruning {
                depth = self.hindsight(ply, depth, static_eval);
            }
        }

        let mut node = Node {
            board,
            ply,
            depth,
            in_check,
            cut_node,
            eval,
            improving,
            excluded,
            tt,
            tt_move,
            tt_score,
            tt_depth,
            tt_pv: N::PV || tt.is_some_and(|hit| hit.pv),
            raw_eval,
            floor,
            ceiling,
        };
        self.frames[ply + 2].killers = [None; 2];
        self.frames[ply + 2].cutoffs = 0;
        self.frames[ply + 1].double_extensions = self.frames[ply].double_extensions;
        self.frames[ply + 1].excluded = None;

        // Steps 6 to 9. Nodes that need no move loop: see `pruning`.
        if !N::PV
            && !in_check
            && excluded.is_none()
            && pruning
            && ply >= self.full_width
            && let Some(score) = self.prune_node(&node, alpha, beta)
        {
            return score;
        }
        if self.stopped {
            return Score::ZERO;
        }

        // Step 10. Internal iterative reduction: without a table move the ordering is poor and a
        // full search is dear; the next iteration will find a move in the table (Ed Schröder). Without
        // it +1 +- 31.
        if pruning
            && tt_move.is_none()
            && excluded.is_none()
            && (N::PV || cut_node)
            && node.depth >= self.params().iir_depth
        {
            node.depth -= 1;
        }

        self.search_moves::<N>(&node, alpha, beta, correction_keys)
    }

    /// Steps 11 to 16: the move loop and what follows from it.
    fn search_moves<N: NodeType>(
        &mut self,
        node: &Node<'_>,
        mut alpha: Score,
        beta: Score,
        correction_keys: CorrectionKeys,
    ) -> Score {
        let &Node { board, ply, mut depth, in_check, excluded, tt_move, .. } = node;
        let full_depth = depth;
        let pruning = self.job.selectivity.pruning;
        let original_alpha = alpha;
        let continuations = self.continuations(ply);
        let threats = Threats(board.threats(!board.turn()));
        let checks = board.check_squares();
        let mut picker = MovePicker::new(Context { tt_move, continuations, threats, checks: Some(&checks) });
        let mut best_score = node.floor;
        let mut best_move = None;
        let mut count = 0;
        let mut quiets_tried: ArrayVec<Move, 64> = ArrayVec::new();
        let mut noisy_tried: ArrayVec<Move, 32> = ArrayVec::new();

        while let Some(mv) = picker.next(self, board) {
            if Some(mv) == excluded || (N::ROOT && !self.root.is_candidate(mv, self.root_line)) {
                continue;
            }
            count += 1;
            self.prefetch_after(board, mv);
            let is_noisy = board.is_noisy(mv);
            let gives_check = board.gives_check_with(&checks, mv);
            let history = if is_noisy {
                self.history.noisy(board, mv)
            } else {
                let known = picker.quiet_history();
                known.unwrap_or_else(|| self.history.quiets(board, threats, &continuations).of(mv))
            };
            if N::ROOT && self.index == 0 && self.is_long() {
                self.job.reporter.current_move(self.root_depth, mv, count + self.root_line);
            }

            // Step 11. Late moves that promise nothing are not searched at all.
            let mut reduction = self.reductions.get(is_noisy, depth, count);
            if pruning && !N::ROOT && ply >= self.full_width && !best_score.is_loss() {
                let reduced_depth = (depth - 1 - reduction / 1024).max(0);
                match self.prune_move(node, mv, alpha, count, reduced_depth, is_noisy, gives_check, history) {
                    super::pruning::Verdict::Search => {}
                    super::pruning::Verdict::SkipMove => continue,
                    super::pruning::Verdict::SkipQuiets => {
                        picker.skip_quiets();
                        if !is_noisy {
                            continue;
                        }
                    }
                }
            }

            // Step 12. Extensions.
            let mut extension = 0;
            if pruning && !N::ROOT && Some(mv) == tt_move && ply < 2 * self.root_depth as usize {
                match self.singular::<N>(node, mv, beta) {
                    super::singular::Verdict::Extend(plies) => extension = plies,
                    super::singular::Verdict::Cut(score) => return score,
                }
                if self.stopped {
                    return Score::ZERO;
                }
            }

            // Step 13. Make the move and search it: with a zero window and reduced first (without it
            // -127 +- 35), again where that does not suffice (deeper or shallower: +1 +- 30).
            let nodes_before = self.nodes;
            self.frames[ply + 1].double_extensions =
                self.frames[ply].double_extensions + i32::from(extension >= 2);
            let child = self.make(board, ply, mv);
            self.frames[ply].number = count;
            if !is_noisy {
                self.frames[ply].quiet_slot = Some(History::quiet_slot(board, threats, mv));
            }
            let new_depth = depth - 1 + extension;
            let mut score = -Score::INFINITE;
            let mut full_zero_window = !N::PV || count > 1;
            if pruning && depth >= 2 && count > 1 + usize::from(N::ROOT) {
                reduction = self.adjust_reduction(node, reduction, mv, is_noisy, gives_check, history);
                let reduced = (new_depth - reduction / 1024).clamp(1, new_depth.max(1));
                if reduced < new_depth {
                    self.frames[ply].reduction = new_depth - reduced;
                    score = -self.search::<NonPv>(&child, -(alpha + 1), -alpha, reduced, ply + 1, true);
                    self.frames[ply].reduction = 0;
                    full_zero_window = score > alpha && !self.stopped;
                    if full_zero_window {
                        let deeper = score > best_score + self.params().deeper_margin + 2 * new_depth;
                        let shallower = score < best_score + new_depth;
                        let depth_again = new_depth + i32::from(deeper) - i32::from(shallower);
                        if depth_again > reduced {
                            score = -self.search::<NonPv>(
                                &child,
                                -(alpha + 1),
                                -alpha,
                                depth_again,
                                ply + 1,
                                !node.cut_node,
                            );
                            if !is_noisy
                                && !self.stopped
                                && let Some(placement) = self.frames[ply].placement
                            {
                                let bonus = if score > alpha {
                                    self.history_bonus(new_depth)
                                } else {
                                    -self.history_malus(new_depth)
                                };
                                self.history.update_continuations(&continuations, placement, bonus);
                            }
                        }
                        full_zero_window = false;
                    }
                }
            }
            if full_zero_window {
                score =
                    -self.search::<NonPv>(&child, -(alpha + 1), -alpha, new_depth, ply + 1, !node.cut_node);
            }
            if N::PV && (count == 1 || score > alpha) && !self.stopped {
                score = -self.search::<Pv>(&child, -beta, -alpha, new_depth, ply + 1, false);
            }
            self.unmake();
            if self.stopped {
                return Score::ZERO;
            }
            if N::ROOT {
                let bound = Bound::of(score, alpha, beta);
                self.note_root_move(mv, score, bound, count == 1 || score > alpha, self.nodes - nodes_before);
            }

            // Step 14. Is it the best so far, and good enough to stop?
            if score > best_score {
                best_score = score;
                if score > alpha {
                    best_move = Some(mv);
                    if N::PV {
                        self.pv.extend(ply, mv);
                    }
                    if score >= beta {
                        self.frames[ply].cutoffs += i32::from(extension < 2 || N::PV);
                        break;
                    }
                    alpha = score;
                    // One good move found, the others are less likely to be better. Without it +5 +- 27.
                    if pruning && LESS_AFTER_BETTER.contains(&depth) && !score.is_decisive() {
                        depth -= 1;
                    }
                }
            }
            if is_noisy {
                let _ = noisy_tried.try_push(mv);
            } else {
                let _ = quiets_tried.try_push(mv);
            }
        }

        // Step 15. No move: mate or stalemate. In a singular search the excluded move was the
        // only one.
        if count == 0 {
            return match (excluded, in_check) {
                (Some(_), _) => alpha,
                (None, true) => Score::mated_in(ply),
                (None, false) => Score::ZERO,
            };
        }

        best_score = best_score.min(node.ceiling);

        // Step 16. Learn from the result: histories, correction, table.
        let depth = full_depth;
        if best_score <= original_alpha && excluded.is_none() {
            self.reward_last_move(ply, depth);
        }
        if best_score >= beta
            && let Some(best) = best_move
        {
            self.reward(board, ply, best, depth, threats, &quiets_tried, &noisy_tried);
        }
        if excluded.is_none() {
            let bound = Bound::of(best_score, original_alpha, beta);
            if let Some(static_eval) = self.frames[ply].static_eval
                && pruning
                && !in_check
                && !best_score.is_decisive()
                && best_move.is_none_or(|mv| !board.is_noisy(mv))
                && !(bound == Bound::Lower && best_score <= static_eval)
                && !(bound == Bound::Upper && best_score >= static_eval)
            {
                self.history.correction.update(correction_keys, depth, best_score - static_eval);
            }
            if !(N::ROOT && self.root_line > 0) {
                self.store(
                    board.key(),
                    Record {
                        mv: best_move,
                        score: best_score.to_table(ply),
                        static_eval: node.raw_eval,
                        draft: Draft::main(depth),
                        bound,
                        pv: node.tt_pv,
                    },
                );
            }
        }
        best_score
    }

    /// Keeps the result of a root move; a move that did not raise alpha has none.
    fn note_root_move(&mut self, mv: Move, score: Score, bound: Bound, is_best: bool, nodes: u64) {
        let root = self.root.get_mut(mv);
        root.nodes += nodes;
        if is_best {
            root.score = score;
            root.bound = bound;
            root.seldepth = self.seldepth;
            root.pv.clear();
            root.pv.push(mv);
            root.pv.extend_from_slice(self.pv.line(1));
        } else {
            root.score = -Score::INFINITE;
        }
    }
}
