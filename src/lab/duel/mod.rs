//! Matches of one setting against another with virtual threads: the commands `duel`, `speedup` and `tune-threads`.
//!
//! Each game runs on one thread of the system, with an [`crate::engine::facade::Laboratory`] for each side. So two
//! cores can play 64 threads against 32. Limits count the nodes of all threads. A game depends only on the settings,
//! the seed and its number. So the same seed gives the same games, whatever the number of cores and their load.

pub(crate) mod command;
mod contender;
pub mod contest;
pub(crate) mod match_arguments;
pub mod match_rules;
pub mod pair;
pub mod pairs_log;
pub mod pgn;
pub mod policies;
pub(crate) mod policies_command;
pub mod report;
pub mod speedup;
pub(crate) mod speedup_command;
pub mod speedup_curve;
pub mod statistics;

use thiserror::Error;

use crate::base::crew::ThreadsRefused;
use crate::engine::facade::{EngineError, Settings};
use crate::engine::selfplay::allowance::Allowance;
use crate::engine::selfplay::games_log::GamesLogError;
pub use match_rules::{MatchRules, Starts};
pub use statistics::Sprt;

/// A match could not be played.
#[derive(Debug, Error)]
pub enum DuelError {
    /// The system refused memory.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The system refused threads.
    #[error(transparent)]
    Threads(#[from] ThreadsRefused),
    /// The log of the match cannot be continued.
    #[error(transparent)]
    Log(#[from] GamesLogError),
}

/// One side of a match.
#[derive(Clone, Debug, PartialEq)]
pub struct DuelSide {
    /// The settings. [`crate::engine::facade::Laboratory`] ignores some of them.
    pub settings: Settings,
    /// What all its threads may search.
    pub allowance: Allowance,
}

/// The plan of a match.
#[derive(Clone, Debug)]
pub struct DuelPlan {
    /// A and B.
    pub sides: [DuelSide; 2],
    /// How the games are played.
    pub rules: MatchRules,
    /// The number of the first pair of games. The number of a pair determines its opening and its turns.
    pub first: u64,
    /// A sequential test that may end the match early.
    pub sprt: Option<Sprt>,
}
