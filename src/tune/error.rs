//! The errors of tuning and screening.

use std::path::PathBuf;

use thiserror::Error;

use crate::crew::ThreadsRefused;
use crate::engine::EngineError;
use crate::file::{FileError, LogError};

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
    /// The log or the result cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// Another process works on the log.
    #[error("{}: another process is working on this file", .0.display())]
    Locked(PathBuf),
    /// The file is not a log of a tuning or screening, or it has more or fewer columns.
    #[error("{}: this is not a tuning or screening log of these parameters", .0.display())]
    ForeignLog(PathBuf),
    /// The log has other parameters or changes.
    #[error("{}: the file was begun with other columns: {old} (now {new})", path.display())]
    Column {
        /// The log.
        path: PathBuf,
        /// The first column that differs.
        old: String,
        /// The column that is expected there.
        new: String,
    },
    /// The lines of the log depend on other settings.
    #[error("{}: the file was begun with other settings: {differences}", path.display())]
    Settings {
        /// The log.
        path: PathBuf,
        /// Each setting that differs, with its old and its new value.
        differences: String,
    },
    /// A line of the log has the wrong form or impossible values.
    #[error("{}, line {number}: this is not a line of a tuning or screening log", path.display())]
    Line {
        /// The log.
        path: PathBuf,
        /// The number of the line, from 1.
        number: usize,
    },
    /// The system refused threads.
    #[error(transparent)]
    Threads(#[from] ThreadsRefused),
}

impl From<LogError> for TuneError {
    fn from(error: LogError) -> TuneError {
        match error {
            LogError::File(error) => TuneError::File(error),
            LogError::Irregular(path) => TuneError::ForeignLog(path),
            LogError::Locked(path) => TuneError::Locked(path),
        }
    }
}
