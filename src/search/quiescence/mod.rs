//! The leaf searches: what a position is worth once the main search's depth is used up.
//!
//! All of them answer one call, [`Worker::quiescence`], with a score and with how far it holds. The default is
//! H. G. Muller's multi-level search with depth bootstrapping; the others are the classic
//! searches that it grew from, kept for research and as oracles.

mod bootstrap;
mod captures;
mod gain;
mod static_search;
mod statistics;

use std::fmt;
use std::str::FromStr;

pub use gain::Threshold;
use static_search::Promise;
pub use statistics::Statistics;

use super::worker::Worker;
use crate::board::Board;
use crate::tt::Draft;
use crate::types::{Score, Window};

/// Which leaf search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum Kind {
    /// Level 0 at every leaf with the SEE skip and safe quiet checks at the first ply.
    #[default]
    Bootstrap,
    /// All five levels, bootstrapped, without any skip: as Muller wrote it.
    BootstrapFull,
    /// Stand pat and captures, most valuable victim first, to the end.
    Captures,
    /// Captures that do not lose material, and all evasions of checks: what most engines do.
    CapturesSee,
    /// All moves to quiescence depth 2 with free checks and the static cut-off; then captures.
    Static,
    /// The same with a null-move search in place of the static cut-off.
    Selective,
}

impl Kind {
    /// All of them, the default first.
    pub const ALL: [Kind; 6] = [
        Kind::Bootstrap,
        Kind::BootstrapFull,
        Kind::Captures,
        Kind::CapturesSee,
        Kind::Static,
        Kind::Selective,
    ];

    /// The name as options and tables show it.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Bootstrap => "bootstrap",
            Kind::BootstrapFull => "bootstrap-full",
            Kind::Captures => "captures",
            Kind::CapturesSee => "captures-see",
            Kind::Static => "static",
            Kind::Selective => "selective",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// No quiescence search has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no quiescence search is called '{0}'; there are bootstrap, bootstrap-full, captures, captures-see, static, selective"
)]
pub struct UnknownKind(String);

impl FromStr for Kind {
    type Err = UnknownKind;

    fn from_str(name: &str) -> Result<Kind, UnknownKind> {
        Kind::ALL
            .into_iter()
            .find(|kind| kind.name().eq_ignore_ascii_case(name))
            .ok_or_else(|| UnknownKind(name.to_string()))
    }
}

/// How far a leaf's score holds: at which levels the proof tree stands without an assumption.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Validity(u8);

impl Validity {
    /// The highest level.
    pub const MAX_LEVEL: u8 = Draft::MAX_LEVEL;
    /// The proof tree holds no auto-fail-high: the score stands at every level, but for what the table may have said of
    /// the search of all captures (see `bootstrap`).
    pub const RESOLVED: Validity = Validity(Validity::MAX_LEVEL + 1);

    /// Holds up to `level`, 0 to 4.
    #[inline]
    pub const fn level(level: u8) -> Validity {
        Validity(if level > Validity::MAX_LEVEL { Validity::MAX_LEVEL } else { level })
    }

    /// Whether nothing was assumed.
    #[inline]
    pub const fn is_resolved(self) -> bool {
        self.0 > Validity::MAX_LEVEL
    }

    /// The highest level at which the score is known to hold, 0 to 4.
    #[inline]
    pub const fn highest_level(self) -> u8 {
        if self.is_resolved() { Validity::MAX_LEVEL } else { self.0 }
    }

    /// What a child's validity means for its parent, when the move to it cost `cost` levels.
    #[inline]
    const fn seen_from_parent(self, cost: u8) -> Validity {
        if self.is_resolved() { self } else { Validity::level(self.0 + cost) }
    }
}

/// The answer of a leaf search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leaf {
    /// The score, fail-soft.
    pub score: Score,
    /// How far it holds.
    pub validity: Validity,
}

impl Leaf {
    #[inline]
    const fn resolved(score: Score) -> Leaf {
        Leaf { score, validity: Validity::RESOLVED }
    }
}

impl Worker {
    /// Searches a leaf of the main search with the kind of quiescence that the job asks for.
    pub(super) fn quiescence(&mut self, board: &Board, window: Window, ply: usize, is_pv: bool) -> Leaf {
        if !self.job.selectivity.quiescence {
            return self.plain_leaf(board, ply);
        }
        if self.is_drawn_leaf(board, ply) {
            self.pv.clear(ply);
            return Leaf::resolved(Score::ZERO);
        }
        self.leaf_cap = self.nodes + self.params().leaf_node_cap as u64;
        let Window { alpha, beta } = window;
        let leaf = match self.job.quiescence {
            Kind::Bootstrap | Kind::BootstrapFull => self.bootstrap_leaf(board, alpha, beta, ply, is_pv),
            Kind::Captures => Leaf::resolved(self.captures(board, alpha, beta, ply)),
            Kind::CapturesSee => Leaf::resolved(self.captures_see(board, alpha, beta, ply)),
            Kind::Static => Leaf::resolved(self.static_search(board, alpha, beta, ply, Promise::Evaluation)),
            Kind::Selective => Leaf::resolved(self.static_search(board, alpha, beta, ply, Promise::NullMove)),
        };
        if let Some(statistics) = &mut self.statistics {
            statistics.count_leaf(leaf.validity);
        }
        leaf
    }

    /// A draw by rule at a node of the quiescence search; `captures` asks at its first node only. Only after an evasion or a quiet check can it be one by
    /// repetition or moves; that nothing is left to win with, a capture brings about.
    #[inline]
    fn is_drawn_leaf(&self, board: &Board, ply: usize) -> bool {
        if board.halfmove_clock() == 0 { board.is_insufficient_material() } else { self.is_draw(board, ply) }
    }

    /// Without a quiescence search: the evaluation, or the result where the game is over.
    fn plain_leaf(&mut self, board: &Board, ply: usize) -> Leaf {
        self.pv.clear(ply);
        self.enter_node(ply);
        if self.is_draw(board, ply) {
            return Leaf::resolved(Score::ZERO);
        }
        if board.legal_moves().is_empty() {
            return Leaf::resolved(if board.in_check() { Score::mated_in(ply) } else { Score::ZERO });
        }
        Leaf::resolved(self.evaluator.evaluate(board))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::oracle::{LeafSearcher, TableUse};

    #[test]
    fn names_are_parsed_back() {
        for kind in Kind::ALL {
            assert_eq!(kind.name().to_uppercase().parse(), Ok(kind));
        }
        assert!("nonsense".parse::<Kind>().is_err());
    }

    #[test]
    fn nothing_left_to_win_with_is_a_draw_right_after_a_capture() {
        let board = Board::from_fen("8/8/8/3k4/3N4/8/8/6K1 b - - 0 1").unwrap().0;
        for kind in Kind::ALL {
            let mut searcher = LeafSearcher::new(kind, TableUse::Ignored).unwrap();
            let leaf = searcher.leaf(&board, Window::FULL, 3);
            assert_eq!(leaf, Leaf::resolved(Score::ZERO), "{kind}");
        }
    }

    #[test]
    fn a_capture_that_cost_a_level_lends_its_parent_one() {
        assert_eq!(Validity::level(0).seen_from_parent(1), Validity::level(1));
        assert_eq!(Validity::level(2).seen_from_parent(0), Validity::level(2));
        assert_eq!(Validity::level(4).seen_from_parent(1), Validity::level(4));
        assert_eq!(Validity::RESOLVED.seen_from_parent(1), Validity::RESOLVED);
        assert!(Validity::RESOLVED > Validity::level(4));
    }
}
