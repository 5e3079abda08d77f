//! The errors of tuning and screening.

use thiserror::Error;

use crate::base::crew::ThreadsRefused;
use crate::base::file::FileError;
use crate::engine::facade::EngineError;
use crate::engine::selfplay::games_log::GamesLogError;

/// A tuning or screening failed.
#[derive(Debug, Error)]
pub enum TuneError {
    /// There is no parameter of this name.
    #[error("there is no parameter called {0}")]
    Unknown(String),
    /// A parameter is given two values to try.
    #[error("{0} is named twice, and a screening tries one value of each parameter")]
    Twice(&'static str),
    /// There is not enough memory for a table or for virtual threads.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The result cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The log cannot be continued.
    #[error(transparent)]
    Log(#[from] GamesLogError),
    /// The system refused threads.
    #[error(transparent)]
    Threads(#[from] ThreadsRefused),
}
