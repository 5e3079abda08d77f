//! The user's files. A written file is put in place whole and never replaces a device. Reading has a limit.

mod json;
mod lines;
mod lock;
mod log;
mod replacement;
mod source;
mod unfinished;

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

pub use json::json;
pub use lines::{Lines, TextLine};
pub use log::{Log, LogError, LogReader, append};
pub use replacement::{
    Replacement, check_place, check_writable, is_standard_output, replace, replace_with, stream,
};
pub use source::{Limit, check_regular, open, read, read_text};

/// A file or directory that cannot be used.
#[derive(Debug, Error)]
#[error("{action} {path}: {source}", path = .path.display())]
pub struct FileError {
    action: &'static str,
    path: PathBuf,
    source: io::Error,
}

impl FileError {
    /// For `map_err`: `action` says what was to be done with the file at `path`.
    pub fn because(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> FileError {
        let path = path.to_owned();
        move |source| FileError { action, path, source }
    }

    /// The error itself, for a message that names the file already.
    pub fn reason(&self) -> &io::Error {
        &self.source
    }

    /// What kind of error the system reported.
    pub fn kind(&self) -> io::ErrorKind {
        self.source.kind()
    }
}

fn not_regular() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")
}

/// A pipe made by the system's own program.
#[cfg(all(test, unix, not(miri)))]
pub(crate) fn pipe(directory: &Path) -> PathBuf {
    let path = directory.join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    path
}
