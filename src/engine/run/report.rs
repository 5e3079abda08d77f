//! How a search reports: it hands values to an [`Observer`] and never writes text to a stream.

use std::fmt::{self, Display, Formatter};
use std::time::Duration;

use crate::chess::board::Move;
use crate::chess::types::{Bound, Score};

/// What is known about one line of play at the end of an iteration or of a search with an aspiration window.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Rank of the line, from 1.
    pub multi_pv: usize,
    /// Depth of the iteration, in plies.
    pub depth: i32,
    /// The deepest ply reached.
    pub seldepth: usize,
    /// The score, for the side to move at the root.
    pub score: Score,
    /// Exact, or a bound after a failed aspiration window.
    pub bound: Bound,
    /// Nodes of all threads so far.
    pub nodes: u64,
    /// Tablebase hits of all threads so far.
    pub tablebase_hits: u64,
    /// Use of the table in permille.
    pub hashfull: u32,
    /// Time since the search began.
    pub time: Duration,
    /// The principal variation from the root; at least one move unless the game is over.
    pub pv: Vec<Move>,
    /// How many of these moves the search found. The moves after them come from the table at the time when the line was
    /// made.
    pub searched: usize,
}

/// How a search ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The move to play; `None` where there is no legal move.
    pub best_move: Option<Move>,
    /// The expected reply.
    pub ponder_move: Option<Move>,
    /// The final lines, best first. A position without a legal move has one line, with an empty variation.
    pub lines: Vec<Line>,
    /// Nodes of all threads, the same as in the lines.
    pub nodes: u64,
    /// Time since the search began.
    pub time: Duration,
}

/// A defect in a part of a search. The search still ends with a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The worker with this index panicked. Its earlier results count.
    Worker(usize),
    /// The choice of the move panicked. The engine plays any legal move.
    Choice,
}

impl Display for Failure {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Worker(index) => write!(f, "worker {index} failed; what it had found before stands"),
            Failure::Choice => f.write_str("the choice of a move failed; any legal move is played"),
        }
    }
}

/// Receives the reports of a search. During the search, lines and current moves come from the main search thread, and
/// messages from any thread. The coordinator reports the end.
pub trait Observer: Send + Sync {
    /// A line that is worth showing: a finished iteration, or a bound after some seconds.
    fn line(&self, line: &Line);
    /// The root move that is being searched, if the search takes more than some seconds; `number` counts from 1.
    fn current_move(&self, depth: i32, mv: Move, number: usize);
    /// Free text for the user.
    fn message(&self, text: &str);
    /// A part of the search has failed. Any thread may report it. By default it is a message for the user.
    fn failed(&self, failure: Failure) {
        self.message(&failure.to_string());
    }
    /// The end of the search; called exactly once for each `go`.
    fn finished(&self, outcome: &Outcome);
    /// Whether the observer ignores everything but the end. Then lines need not be made.
    fn is_silent(&self) -> bool {
        false
    }
    /// Whether the reports reach nobody any more. Then the search need not go on.
    fn is_lost(&self) -> bool {
        false
    }
}

/// An observer that ignores all reports.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn line(&self, _line: &Line) {}
    fn current_move(&self, _depth: i32, _mv: Move, _number: usize) {}
    fn message(&self, _text: &str) {}
    fn finished(&self, _outcome: &Outcome) {}
    fn is_silent(&self) -> bool {
        true
    }
}
