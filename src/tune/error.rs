//! Why there is no tuning or screening.

use std::path::PathBuf;

use thiserror::Error;

use crate::crew::ThreadsRefused;
use crate::file::FileError;
use crate::tt::TableError;

/// Why there was no tuning.
#[derive(Debug, Error)]
pub enum TuneError {
    /// A parameter that does not exist.
    #[error("there is no parameter called {0}")]
    Unknown(String),
    /// A parameter with two values to try.
    #[error("{0} is named twice, and a screening tries one value of each parameter")]
    Twice(&'static str),
    /// Memory for a table.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The log or the result.
    #[error(transparent)]
    File(#[from] FileError),
    /// A file that is no log of a tuning or screening, or one with more or fewer columns.
    #[error("{}: it is no log of these parameters", .0.display())]
    ForeignLog(PathBuf),
    /// A log of other parameters or changes.
    #[error("{}: it was begun with other columns: {old} (now {new})", path.display())]
    Column {
        /// The log.
        path: PathBuf,
        /// The first column that differs.
        old: String,
        /// What would have to stand there.
        new: String,
    },
    /// A log whose lines depend on other settings.
    #[error("{}: it was begun with other settings: {differences}", path.display())]
    Settings {
        /// The log.
        path: PathBuf,
        /// Each setting that differs, with its old and its new value.
        differences: String,
    },
    /// A log with a line that makes no sense.
    #[error("{}, line {number}: this is no line of such a log", path.display())]
    Line {
        /// The log.
        path: PathBuf,
        /// Which line, from 1.
        number: usize,
    },
    /// Threads.
    #[error(transparent)]
    Threads(#[from] ThreadsRefused),
}
