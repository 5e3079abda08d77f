//! Depth-first proof-number search (df-pn): does one side mate within a number of plies, whatever the other side does?
//!
//! It searches where the fewest replies are left to refute. So it follows checks and positions with few moves far
//! deeper than alpha-beta does with as many nodes. Source: Nagai, "Df-pn Algorithm for Searching AND/OR Trees and Its
//! Applications", 2002. The plies left are part of the question, so the tree has no cycles (see `table`).
//!
//! Draws are refutations: stalemate, insufficient material, the third occurrence of a position in the game, and the
//! fifty-move rule. If the plies left reach the limit of that rule, the halfmove clock is part of the key.

use super::expansion::Child;
use super::numbers::{ChildChoice, Numbers, ProofSide};
use super::question::{MatePosition, MateQuestion};
use super::table::{Fact, ProofState, ProofTable};
use crate::chess::board::{Color, FIFTY_MOVES, Game, Move};

/// Counts the nodes of a mate search and says when it must end.
pub(in crate::engine::search) trait NodeCounting {
    /// Counts a node at `ply`.
    fn enter(&mut self, ply: usize);
    /// Number of nodes so far.
    fn count(&self) -> u64;
    /// Whether the search is over.
    fn is_over(&self) -> bool;
}

/// Searches for a mate by one side.
pub(super) struct Solver {
    pub question: MateQuestion,
    pub table: ProofTable,
    /// The node count at which the search is to pause.
    pub pause_at: u64,
}

impl Solver {
    /// A solver of the question whether `attacker` mates within `limit` plies, if one of `moves` is played first.
    pub fn new(game: &Game, moves: Vec<Move>, attacker: Color, limit: u8) -> Solver {
        let question = MateQuestion::new(game, moves, attacker, limit);
        Solver { question, table: ProofTable::new(), pause_at: u64::MAX }
    }

    /// Continues the search until the node count is `pause_at`, or the question is answered. If the numbers are not
    /// solved although the search neither paused nor ended, they have grown beyond [`Numbers::INFINITY`].
    pub fn search(&mut self, counting: &mut impl NodeCounting, pause_at: u64) -> ProofState {
        self.pause_at = pause_at;
        let root = self.question.root.clone();
        let position = MatePosition { board: &root, remaining: self.question.limit, ply: 0 };
        self.visit(counting, position, Numbers::UNLIMITED)
    }

    /// Searches a position until it is solved, one of its numbers reaches its limit, or the search must pause.
    pub fn visit(
        &mut self,
        counting: &mut impl NodeCounting,
        position: MatePosition<'_>,
        limits: Numbers,
    ) -> ProofState {
        counting.enter(position.ply);
        let before = counting.count();
        let fact = match self.rule(position) {
            Some(fact) => fact,
            None => self.search_moves(counting, position, limits),
        };
        // The root is not stored, because some of its moves may be left out.
        if position.ply > 0 {
            self.table.store(position.key(), fact, counting.count() - before);
        }
        fact.with(position.remaining).unwrap_or(ProofState { numbers: Numbers::DISPROVEN, mate_in: 0 })
    }

    /// What the rules say about a position before any move is looked at.
    fn rule(&self, position: MatePosition<'_>) -> Option<Fact> {
        let MatePosition { board, remaining, ply } = position;
        if board.is_insufficient_material() || (ply > 0 && self.question.drawn.contains(&board.key())) {
            return Some(Fact::NEVER);
        }
        if remaining > 0 {
            return None;
        }
        // The last ply was a move of the attacker, so the defender is to move.
        match (board.legal_moves().is_empty(), board.in_check()) {
            (true, true) => Some(Fact::mate(0)),
            (true, false) => Some(Fact::NEVER),
            (false, _) => Some(Fact::no_mate(0)),
        }
    }

    fn search_moves(
        &mut self,
        counting: &mut impl NodeCounting,
        position: MatePosition<'_>,
        limits: Numbers,
    ) -> Fact {
        let MatePosition { board, remaining, ply } = position;
        let side = self.question.side_to_move(board);
        let mut children = self.question.children(&self.table, position);
        if children.is_empty() {
            return match (side, board.in_check()) {
                (ProofSide::Defender, true) => Fact::mate(0),
                (ProofSide::Defender, false) => Fact::NEVER,
                (ProofSide::Attacker, _) => Fact::no_mate(remaining),
            };
        }
        if ply > 0 && board.halfmove_clock() >= FIFTY_MOVES {
            return Fact::no_mate(remaining);
        }
        loop {
            let choice = ChildChoice::of(side, children.iter().map(|child| child.known.numbers));
            let numbers = choice.numbers();
            if numbers.is_solved() {
                return solution(side, numbers, &children, remaining);
            }
            if numbers.reach(limits) || counting.count() >= self.pause_at || counting.is_over() {
                return Fact::Open { remaining, numbers };
            }
            let child = &mut children[choice.best];
            let limits = choice.limits_of_best(limits, child.known.numbers);
            let after = board.after(child.mv);
            child.known = self.visit(counting, position.after(&after), limits);
        }
    }
}

/// The fact that follows from the moves of a solved position. The attacker takes the shortest mate, the defender the
/// longest.
fn solution(side: ProofSide, numbers: Numbers, children: &[Child], remaining: u8) -> Fact {
    if !numbers.is_proven() {
        return Fact::no_mate(remaining);
    }
    let proven =
        children.iter().filter(|child| child.known.numbers.is_proven()).map(|child| child.known.mate_in);
    let plies = match side {
        ProofSide::Attacker => proven.min(),
        ProofSide::Defender => proven.max(),
    };
    plies.map_or(Fact::no_mate(remaining), |plies| Fact::mate(plies + 1))
}
