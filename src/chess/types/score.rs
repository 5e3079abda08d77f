//! The one score type of the engine, in centipawns from the side to move's point of view.
//!
//! The range is divided so that each value has one meaning: evaluations stay within [`Score::MAX_EVAL`], tablebase
//! results lie above them, and mates above those. A mate in `n` plies from the root is `MATE - n`. The table stores it
//! relative to its own node (see [`Score::to_table`]).

use std::fmt;
use std::ops::{Add, Neg, Sub};

/// The greatest distance from the root, in plies, that a search reaches.
pub const MAX_PLY: usize = 246;

/// A score in centipawns, from the side to move's point of view.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Score(i32);

impl Score {
    /// A draw, and the neutral evaluation.
    pub const ZERO: Score = Score(0);
    /// Mate on the board at the root.
    pub const MATE: Score = Score(32_000);
    /// Above every score that a search returns.
    pub const INFINITE: Score = Score(32_001);
    /// The least mate score: the longest mate that a search can prove.
    pub const MATE_BOUND: Score = Score(32_000 - MAX_PLY as i32);
    /// A tablebase win at the root; wins further away are one less for each ply.
    pub const TABLEBASE_WIN: Score = Score(31_000);
    /// The least tablebase win.
    pub const TABLEBASE_BOUND: Score = Score(31_000 - MAX_PLY as i32);
    /// The greatest absolute value of a static evaluation.
    pub const MAX_EVAL: Score = Score(30_000);

    /// A score of `centipawns`, which must be within +-[`Score::INFINITE`].
    #[inline]
    pub const fn new(centipawns: i32) -> Score {
        Score(centipawns)
    }

    /// The number of centipawns.
    #[inline]
    pub const fn value(self) -> i32 {
        self.0
    }

    /// The score of giving mate `ply` plies from the root.
    #[inline]
    pub const fn mate_in(ply: usize) -> Score {
        Score(Self::MATE.0 - ply as i32)
    }

    /// The score of being mated `ply` plies from the root.
    #[inline]
    pub const fn mated_in(ply: usize) -> Score {
        Score(ply as i32 - Self::MATE.0)
    }

    /// Whether the score is a proven mate, for either side.
    #[inline]
    pub const fn is_mate(self) -> bool {
        self.0.abs() >= Self::MATE_BOUND.0
    }

    /// Whether the score is a mate or a tablebase result, for either side. No evaluation is as high.
    #[inline]
    pub const fn is_decisive(self) -> bool {
        self.0.abs() >= Self::TABLEBASE_BOUND.0
    }

    /// Whether the score is a tablebase result, for either side, and no mate.
    #[inline]
    pub const fn is_tablebase(self) -> bool {
        self.is_decisive() && !self.is_mate()
    }

    /// Whether the score is a proven win: mate or tablebase.
    #[inline]
    pub const fn is_win(self) -> bool {
        self.0 >= Self::TABLEBASE_BOUND.0
    }

    /// Whether the score is a proven loss: mate or tablebase.
    #[inline]
    pub const fn is_loss(self) -> bool {
        self.0 <= -Self::TABLEBASE_BOUND.0
    }

    /// Moves until mate as UCI counts them: positive if the side to move mates, negative if it is mated, zero if it is
    /// mated already. `None` for other scores.
    pub const fn mate_moves(self) -> Option<i32> {
        if self.0 >= Self::MATE_BOUND.0 {
            Some((Self::MATE.0 - self.0 + 1) / 2)
        } else if self.0 <= -Self::MATE_BOUND.0 {
            Some(-(Self::MATE.0 + self.0) / 2)
        } else {
            None
        }
    }

    /// Converts a score that counts from the root to one that counts from the node at `ply`, as the table stores it.
    #[inline]
    pub const fn to_table(self, ply: usize) -> Score {
        if self.is_win() {
            Score(self.0 + ply as i32)
        } else if self.is_loss() {
            Score(self.0 - ply as i32)
        } else {
            self
        }
    }

    /// The inverse of [`Score::to_table`].
    #[inline]
    pub const fn from_table(self, ply: usize) -> Score {
        if self.is_win() {
            Score(self.0 - ply as i32)
        } else if self.is_loss() {
            Score(self.0 + ply as i32)
        } else {
            self
        }
    }

    /// The nearest value that a static evaluation may have.
    #[inline]
    pub fn clamp_eval(self) -> Score {
        Score(self.0.clamp(-Self::MAX_EVAL.0, Self::MAX_EVAL.0))
    }
}

impl Neg for Score {
    type Output = Score;
    #[inline]
    fn neg(self) -> Score {
        Score(-self.0)
    }
}

impl Add<i32> for Score {
    type Output = Score;
    #[inline]
    fn add(self, centipawns: i32) -> Score {
        Score(self.0 + centipawns)
    }
}

impl Sub<i32> for Score {
    type Output = Score;
    #[inline]
    fn sub(self, centipawns: i32) -> Score {
        Score(self.0 - centipawns)
    }
}

impl Sub for Score {
    type Output = i32;
    /// The distance between two scores, in centipawns.
    #[inline]
    fn sub(self, other: Score) -> i32 {
        self.0 - other.0
    }
}

impl fmt::Debug for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Writes the score as UCI does: `cp 34` or `mate -3`.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.mate_moves() {
            Some(moves) => write!(f, "mate {moves}"),
            None => write!(f, "cp {}", self.0),
        }
    }
}

/// What a score says about the true value of its node.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[repr(u8)]
pub enum Bound {
    /// The true value is at most the score (no move reached alpha).
    Upper = 1,
    /// The true value is at least the score (a move reached beta).
    Lower = 2,
    /// The score is the true value.
    Exact = 3,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mate_scores_are_printed_in_moves() {
        assert_eq!(Score::mate_in(1).to_string(), "mate 1");
        assert_eq!(Score::mate_in(3).to_string(), "mate 2");
        assert_eq!(Score::mated_in(0).to_string(), "mate 0");
        assert_eq!(Score::mated_in(2).to_string(), "mate -1");
        assert_eq!(Score::mated_in(4).to_string(), "mate -2");
        assert_eq!(Score::new(-17).to_string(), "cp -17");
    }

    #[test]
    fn table_scores_count_mates_from_their_own_node() {
        for score in [Score::mate_in(9), Score::mated_in(12), Score::TABLEBASE_WIN - 7, Score::new(40)] {
            assert_eq!(score.to_table(5).from_table(5), score);
        }
        assert_eq!(Score::mate_in(9).to_table(4), Score::mate_in(5));
        assert_eq!(Score::mated_in(9).to_table(4), Score::mated_in(5));
    }

    #[test]
    fn the_kinds_of_score_do_not_overlap() {
        assert!(!Score::MAX_EVAL.is_decisive());
        for distance in [0, MAX_PLY as i32] {
            let win = Score::TABLEBASE_WIN - distance;
            assert!(win.is_tablebase() && (-win).is_tablebase());
        }
        assert!(![Score::MAX_EVAL, Score::mate_in(3)].iter().any(|score| score.is_tablebase()));
        assert!(Score::mate_in(MAX_PLY).is_mate());
        assert!(Score::mated_in(MAX_PLY).is_mate());
    }
}
