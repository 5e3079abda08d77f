//! What ends a search: the limits of a `go`, already resolved for the side to move.

use std::time::Duration;

use crate::chess::board::Move;
use crate::chess::types::{MAX_PLY, Score};

/// The deepest iteration.
pub const MAX_DEPTH: i32 = MAX_PLY as i32 - 1;

/// One side's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Time left on the clock; zero if the flag has fallen.
    pub remaining: Duration,
    /// Time added after each move.
    pub increment: Duration,
    /// Moves until the next time control; `None` if the time must last for the rest of the game.
    pub moves_to_go: Option<u32>,
}

/// The limits of one search. All given limits hold together: the first one that is reached ends the search. Without
/// limits the search runs until it is stopped or nothing is left to find.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// The last iteration of iterative deepening, in plies.
    pub depth: Option<i32>,
    /// Nodes of all threads together at which the search ends.
    pub nodes: Option<u64>,
    /// Nodes of all threads together after which no new iteration begins. Unlike [`Limits::nodes`], this limit never
    /// cuts an iteration short, so the score stays exact.
    pub soft_nodes: Option<u64>,
    /// Exact time for the move.
    pub move_time: Option<Duration>,
    /// The clock of the side to move, from which the soft and the hard time limit follow.
    pub clock: Option<Clock>,
    /// Stop at a mate in this many moves or fewer, for either side.
    pub mate: Option<u32>,
    /// Do not report a move before `stop`, whatever is found.
    pub infinite: bool,
    /// Like `infinite` until the ponder hit. The time limits count from the beginning of the search, so the hit may end
    /// it at once.
    pub ponder: bool,
    /// Root moves to consider; empty for all of them.
    pub search_moves: Vec<Move>,
}

impl Limits {
    /// Limits with only a depth, in plies.
    pub fn depth(depth: i32) -> Limits {
        Limits { depth: Some(depth), ..Limits::default() }
    }

    /// Limits with only a number of nodes, of all threads together.
    pub fn nodes(nodes: u64) -> Limits {
        Limits { nodes: Some(nodes), ..Limits::default() }
    }

    /// Whether the score is a mate within the requested number of moves, for either side. `-INFINITE` means that a move
    /// has no score, so it is no mate.
    pub fn is_mate_found(&self, score: Score) -> bool {
        let found = score.mate_moves().map(i32::unsigned_abs);
        score != -Score::INFINITE && self.mate.zip(found).is_some_and(|(wanted, found)| found <= wanted)
    }

    /// Whether the search ends by itself, after the ponder hit if it has one to wait for.
    pub fn ends(&self) -> bool {
        let Limits { depth, nodes, soft_nodes, move_time, clock, mate, infinite, .. } = self;
        let is_limited = depth.is_some() || nodes.or(*soft_nodes).is_some() || mate.is_some();
        !infinite && (is_limited || move_time.is_some() || clock.is_some())
    }

    /// Limits with only a time.
    pub fn move_time(time: Duration) -> Limits {
        Limits { move_time: Some(time), ..Limits::default() }
    }
}
