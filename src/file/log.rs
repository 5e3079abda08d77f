//! Logs: files to which lines are appended.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

use super::FileError;

/// Opens the file or device at `path` to append lines, and makes the file if there is none. A pipe is refused, because
/// opening it would wait for a reader.
pub fn append(path: &Path) -> Result<File, FileError> {
    let open = || {
        if is_pipe(path) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a pipe"));
        }
        OpenOptions::new().create(true).append(true).open(path)
    };
    open().map_err(FileError::because("cannot write", path))
}

#[cfg(unix)]
fn is_pipe(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    fs::metadata(path).is_ok_and(|found| found.file_type().is_fifo())
}

#[cfg(not(unix))]
fn is_pipe(_path: &Path) -> bool {
    false
}
