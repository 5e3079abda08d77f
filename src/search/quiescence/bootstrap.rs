//! Multi-level quiescence with depth bootstrapping, after H. G. Muller (talkchess threads
//! 48244 and 47423).
//!
//! A capture that gains no more than the opponent's last one is followed for free; one that
//! gains more costs a level; with no level left it is assumed to fail high. A subtree that
//! never needed that assumption is *resolved*: its score stands at every level. Each result
//! carries the highest level at which it is proven, and so does its entry in the table, where
//! every thread finds it.
//!
//! Invariant: a score with validity `v` that was searched at level `k` is a correct bound of
//! the plain minimax value of every level from `k` to `v`; when resolved, of every level from `k`
//! on and of the search of all captures. A cut needs its one child to hold, any other node all
//! of its children. An entry of the table may stand for more than the level that it answers: it
//! then holds for the search of all captures where the level would have assumed something. Where several nodes
//! would have, the answer may so lie outside of both searches' values.

use arrayvec::ArrayVec;

use super::gain::{Threshold, gain, victim_value};
use super::{Kind, Leaf, Validity};
use crate::board::{Board, Move, MoveList, Piece, Role, attacks};
use crate::history::{CorrectionKeys, Threats};
use crate::search::oracle::Demand;
use crate::search::worker::Worker;
use crate::tt::{Draft, LeafClass, Record};
use crate::types::{Bound, MAX_PLY, Score, Window};

/// Which of its parts a search uses; the same at all nodes of a leaf.
#[derive(Clone, Copy)]
struct Variant {
    /// The level that a leaf is searched to.
    level: u8,
    /// Predicts an auto-fail-high from a losing exchange, without making the move.
    see_skip: bool,
    /// Tries safe quiet checks at the first ply. Without them +7 +- 30 Elo (as in `alpha_beta`).
    checks: bool,
}

/// For play: verifying at level 1 what the exchange evaluation knows costs a ply.
const PLAY: Variant = Variant { level: 0, see_skip: true, checks: true };
/// For research and analysis.
const FULL: Variant = Variant { level: Validity::MAX_LEVEL, see_skip: false, checks: false };

/// Where in the leaf's tree a node stands.
#[derive(Clone, Copy)]
struct Place {
    ply: usize,
    level: u8,
    threshold: Threshold,
    /// The first ply, which also tries quiet checks. Never in check.
    with_checks: bool,
    is_first: bool,
    is_pv: bool,
    /// On a principal variation now or when the table's entry was made.
    was_pv: bool,
}

impl Place {
    /// How the table names results of this node that are not resolved.
    fn class(&self) -> LeafClass {
        self.threshold.class(self.with_checks)
    }

    /// How it names those that are.
    fn resolved_class(&self) -> LeafClass {
        if self.with_checks { LeafClass::ResolvedWithChecks } else { LeafClass::Resolved }
    }
}

struct Candidate {
    mv: Move,
    order: i32,
    /// Costs no level.
    is_extended: bool,
}

type Candidates = ArrayVec<Candidate, 256>;

impl Worker {
    /// The leaf at `ply`, searched as the job's kind says.
    pub(super) fn bootstrap_leaf(
        &mut self,
        board: &Board,
        alpha: Score,
        beta: Score,
        ply: usize,
        is_pv: bool,
    ) -> Leaf {
        let variant = if self.job.quiescence == Kind::BootstrapFull { FULL } else { PLAY };
        let with_checks = variant.checks && !board.in_check();
        let place = Place {
            ply,
            level: variant.level,
            threshold: Threshold::Unlimited,
            with_checks,
            is_first: true,
            is_pv,
            was_pv: is_pv,
        };
        self.bootstrap(board, alpha, beta, place, variant)
    }

    /// The same with everything explicit, for the tests of soundness.
    pub(in crate::search) fn bootstrap_as_demanded(
        &mut self,
        board: &Board,
        alpha: Score,
        beta: Score,
        ply: usize,
        demand: &Demand,
    ) -> Leaf {
        let &Demand { level, threshold, see_skip, checks, is_pv, node_cap } = demand;
        // As `leaf` does before it asks.
        if self.is_drawn_leaf(board, ply) {
            self.pv.clear(ply);
            return Leaf::resolved(Score::ZERO);
        }
        let variant = Variant { level, see_skip, checks };
        let with_checks = checks && !board.in_check();
        self.leaf_cap = self.nodes.saturating_add(node_cap);
        let place = Place { ply, level, threshold, with_checks, is_first: true, is_pv, was_pv: is_pv };
        self.bootstrap(board, alpha, beta, place, variant)
    }

    fn bootstrap(
        &mut self,
        board: &Board,
        alpha: Score,
        beta: Score,
        mut place: Place,
        variant: Variant,
    ) -> Leaf {
        let ply = place.ply;
        self.pv.clear(ply);
        self.enter_node(ply);
        let in_check = board.in_check();
        if self.stopped || ply >= MAX_PLY - 1 {
            let is_judged = !self.stopped && !in_check;
            return Leaf::resolved(if is_judged { self.evaluator.evaluate(board) } else { Score::ZERO });
        }
        if !place.is_first && self.is_drawn_leaf(board, ply) {
            return Leaf::resolved(Score::ZERO);
        }
        if in_check {
            // Every evasion is extended, whatever was captured before: one class for all.
            place.threshold = Threshold::Unlimited;
        }

        // What the table knows: an answer, or the level from which to go on.
        let entry = self.probe(board.key());
        place.was_pv = place.is_pv || entry.is_some_and(|hit| hit.pv);
        let mut begin = 0;
        let mut last = None;
        if let Some(hit) = entry
            && self.job.selectivity.table
        {
            let score = hit.score.from_table(ply);
            if let Some(validity) = believed(&hit, score, alpha, beta, &place)
                && !place.is_pv
            {
                let own = self.statistics.as_ref().and_then(|s| s.is_own(board.key()));
                // An entry of a higher level does not say at which level its search began: below that, nothing is proven.
                if validity.is_resolved() || validity == Validity::level(place.level) {
                    if let (Some(statistics), Some(own)) = (&mut self.statistics, own) {
                        statistics.count_hit(own, false);
                    }
                    return Leaf { score, validity };
                }
                if validity < Validity::level(place.level) {
                    if let (Some(statistics), Some(own)) = (&mut self.statistics, own) {
                        statistics.count_hit(own, true);
                    }
                    begin = validity.highest_level() + 1;
                    last = Some(Leaf { score, validity });
                }
            }
        }

        // Standing pat holds at every level.
        let mut raw_eval = None;
        let mut stand = -Score::INFINITE;
        if !in_check {
            let raw = match entry.and_then(|hit| hit.static_eval) {
                Some(raw) => raw,
                None => self.evaluator.evaluate(board),
            };
            raw_eval = Some(raw);
            stand = self.corrected(raw, CorrectionKeys::of(board, &self.continuations(ply)));
            if stand >= beta {
                if entry.is_none() {
                    let leaf = Leaf::resolved(stand);
                    self.store_leaf(board, None, leaf, Bound::Lower, raw_eval, &place);
                }
                return Leaf::resolved(stand);
            }
        }

        let tt_move = entry.and_then(|hit| hit.mv).filter(|&mv| {
            board.is_pseudo_legal(mv) && (in_check || board.is_noisy(mv)) && board.is_legal(mv)
        });
        let candidates = self.candidates(board, &place, tt_move, in_check);
        if candidates.is_empty() && !place.with_checks {
            return Leaf::resolved(if in_check { Score::mated_in(ply) } else { stand });
        }

        let mut level = begin.min(place.level);
        loop {
            let result =
                self.iteration(board, alpha, beta, &place, variant, level, stand, raw_eval, &candidates);
            if self.stopped {
                return result;
            }
            if result.validity < Validity::level(level) {
                // The node cap was reached below: the last finished level stands.
                return last.unwrap_or(result);
            }
            if result.validity >= Validity::level(place.level) || level >= place.level {
                return result;
            }
            level = result.validity.highest_level().max(level) + 1;
            if self.nodes > self.leaf_cap {
                return result;
            }
            last = Some(result);
        }
    }

    /// All captures and queen promotions, or all evasions, in the order in which they are tried.
    fn candidates(&self, board: &Board, place: &Place, tt_move: Option<Move>, in_check: bool) -> Candidates {
        let mut moves = MoveList::new();
        board.noisy_moves(&mut moves);
        let noisy = moves.len();
        if in_check {
            board.quiet_moves(&mut moves);
        }
        let threshold = place.threshold.value();
        let quiets = in_check.then(|| {
            let threats = Threats::of(board);
            self.history.quiets(board, threats, &self.continuations(place.ply))
        });
        let mut candidates = Candidates::new();
        for (index, &mv) in moves.iter().enumerate() {
            if !board.is_legal(mv) {
                continue;
            }
            let mut is_extended = true;
            let mut order;
            if index < noisy {
                let victim = victim_value(board, mv);
                order = victim * 16 - attacker_rank(board.moved_role(mv));
                if victim > threshold {
                    // Those that cost a level first, then those whose target is protected.
                    is_extended = gain(board, mv) <= threshold;
                    order += if is_extended { 10_000 } else { 20_000 };
                }
            } else {
                order = quiets.as_ref().map_or(0, |quiets| quiets.of(mv)) / 64 - 2_000;
            }
            if Some(mv) == tt_move {
                order += 100_000;
            }
            candidates.push(Candidate { mv, order, is_extended });
        }
        candidates.sort_unstable_by_key(|c| std::cmp::Reverse(c.order));
        candidates
    }

    /// One pass over the candidates at `level`.
    #[allow(clippy::too_many_arguments)]
    fn iteration(
        &mut self,
        board: &Board,
        alpha: Score,
        beta: Score,
        place: &Place,
        variant: Variant,
        level: u8,
        stand: Score,
        raw_eval: Option<Score>,
        candidates: &Candidates,
    ) -> Leaf {
        let in_check = board.in_check();
        if level == 0 && !in_check && candidates.iter().any(|c| !c.is_extended) {
            // With no level left for it, a capture that wins more than the last one is taken to
            // refute that one. Only true at level 0, and never stored.
            if let Some(statistics) = &mut self.statistics {
                statistics.auto_fail_highs += 1;
            }
            return Leaf { score: beta, validity: Validity::level(0) };
        }
        let mut best = Leaf::resolved(stand);
        let mut best_move = None;
        let mut raised = alpha.max(stand);
        for candidate in candidates.iter() {
            let cost = u8::from(!candidate.is_extended);
            let child_level = level - cost;
            if variant.see_skip && child_level == 0 && !in_check && !board.see_ge(candidate.mv, 0) {
                // The reply would gain more than this capture: its auto-fail-high is predicted.
                best.validity = best.validity.min(Validity::level(cost));
                continue;
            }
            let threshold =
                if in_check { Threshold::Unlimited } else { Threshold::after(board, candidate.mv) };
            let done = self.try_move(
                board,
                candidate.mv,
                beta,
                place,
                variant,
                child_level,
                cost,
                threshold,
                &mut best,
                &mut best_move,
                &mut raised,
            );
            if self.stopped {
                return best;
            }
            if done {
                break;
            }
        }
        if place.with_checks && best.score < beta {
            self.quiet_checks(board, beta, place, variant, level, &mut best, &mut best_move, &mut raised);
            if self.stopped {
                return best;
            }
        }
        // A child that reached the node cap answers for a lower level than it was asked for. What
        // is mixed of several levels is a bound at none of them.
        if best.validity >= Validity::level(level) {
            let bound = Window::new(alpha, beta).bound(best.score);
            self.store_leaf(board, best_move, best, bound, raw_eval, place);
        }
        best
    }

    /// Safe direct checks by quiet moves of pieces, after the captures of the first ply. Their replies
    /// are evasions, so that they cost no level.
    #[allow(clippy::too_many_arguments)]
    fn quiet_checks(
        &mut self,
        board: &Board,
        beta: Score,
        place: &Place,
        variant: Variant,
        level: u8,
        best: &mut Leaf,
        best_move: &mut Option<Move>,
        raised: &mut Score,
    ) {
        let squares = board.check_squares();
        let occupied = board.occupied();
        for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
            let targets = squares.squares(role) & !occupied;
            if targets.is_empty() {
                continue;
            }
            for from in board.pieces(board.turn(), role) {
                let piece = Piece { color: board.turn(), role };
                for to in attacks::attacks(from, piece, occupied) & targets {
                    let mv = Move::normal(from, to);
                    if !board.is_legal(mv) || !board.see_ge(mv, 0) {
                        continue;
                    }
                    let done = self.try_move(
                        board,
                        mv,
                        beta,
                        place,
                        variant,
                        level,
                        0,
                        Threshold::Unlimited,
                        best,
                        best_move,
                        raised,
                    );
                    if done || self.stopped {
                        return;
                    }
                }
            }
        }
    }

    /// Searches one move and keeps its result if it is the best; true at a cut.
    #[allow(clippy::too_many_arguments)]
    fn try_move(
        &mut self,
        board: &Board,
        mv: Move,
        beta: Score,
        place: &Place,
        variant: Variant,
        level: u8,
        cost: u8,
        threshold: Threshold,
        best: &mut Leaf,
        best_move: &mut Option<Move>,
        raised: &mut Score,
    ) -> bool {
        self.prefetch_after(board, mv);
        let child = self.make(board, place.ply, mv);
        let below = Place {
            ply: place.ply + 1,
            level,
            threshold,
            with_checks: false,
            is_first: false,
            is_pv: place.is_pv,
            was_pv: place.is_pv,
        };
        let reply = self.bootstrap(&child, -beta, -*raised, below, variant);
        self.unmake();
        if self.stopped {
            return true;
        }
        let score = -reply.score;
        let validity = reply.validity.seen_from_parent(cost);
        if score > best.score {
            best.score = score;
            if score > *raised {
                *raised = score;
                *best_move = Some(mv);
                if place.is_pv {
                    self.pv.extend(place.ply, mv);
                }
            }
            if score >= beta {
                best.validity = validity;
                return true;
            }
        }
        best.validity = best.validity.min(validity);
        false
    }

    fn store_leaf(
        &mut self,
        board: &Board,
        mv: Option<Move>,
        leaf: Leaf,
        bound: Bound,
        static_eval: Option<Score>,
        place: &Place,
    ) {
        let class = if leaf.validity.is_resolved() { place.resolved_class() } else { place.class() };
        let record = Record {
            mv,
            score: leaf.score.to_table(place.ply),
            static_eval,
            draft: Draft::leaf(leaf.validity.highest_level(), class),
            bound,
            pv: place.was_pv,
        };
        self.store(board.key(), record);
    }
}

/// How far an entry's `score` holds at this node, if its bound decides the window.
fn believed(hit: &Record, score: Score, alpha: Score, beta: Score, place: &Place) -> Option<Validity> {
    if !Window::new(alpha, beta).is_decided_by(score, hit.bound) {
        return None;
    }
    let Some((level, class)) = hit.draft.leaf_parts() else {
        return Some(Validity::RESOLVED);
    };
    let resolved = match class {
        // The side to move has more choices with checks than without: what is enough for it
        // without them is enough with them, and what is not with them is not without.
        LeafClass::Resolved => !place.with_checks || (hit.bound != Bound::Upper && score >= beta),
        LeafClass::ResolvedWithChecks => place.with_checks || (hit.bound != Bound::Lower && score <= alpha),
        _ => false,
    };
    if resolved { Some(Validity::RESOLVED) } else { (class == place.class()).then(|| Validity::level(level)) }
}

/// Among captures of the same victim the least valuable attacker comes first.
#[inline]
fn attacker_rank(role: Role) -> i32 {
    usize::from(role) as i32
}
