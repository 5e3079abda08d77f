//! Files that are put in place whole: a reader, or a kill, never meets half of one; and the error of a file or directory
//! that cannot be used.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

/// A file or directory that cannot be used.
#[derive(Debug, Error)]
#[error("{action} {path}: {source}", path = .path.display())]
pub struct FileError {
    action: &'static str,
    path: PathBuf,
    source: io::Error,
}

impl FileError {
    /// For `map_err`: what was being done with which file.
    pub fn because(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> FileError {
        let path = path.to_owned();
        move |source| FileError { action, path, source }
    }

    /// What kind of error the system reported.
    pub fn kind(&self) -> io::ErrorKind {
        self.source.kind()
    }
}

/// Writes `bytes` beside `path` and then puts the new file in its place.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    replace_with(path, |file| file.write_all(bytes))
}

/// Has `fill` write a file beside `path` and then puts it in its place.
pub fn replace_with(path: &Path, fill: impl FnOnce(&mut File) -> io::Result<()>) -> Result<(), FileError> {
    let unfinished = unfinished(path);
    let write = || {
        let mut file = File::create(&unfinished)?;
        fill(&mut file)?;
        file.sync_all()?;
        fs::rename(&unfinished, path)
    };
    write().map_err(|error| {
        // On a full disk the half of it would only be in the way.
        let _ = fs::remove_file(&unfinished);
        FileError::because("cannot write", path)(error)
    })
}

/// Whether [`replace`] could write to `path`, asked before hours of work; leaves nothing behind. It takes the place of files
/// alone: to put one where a device or a pipe was would take that away.
pub fn check_writable(path: &Path) -> Result<(), FileError> {
    let unfinished = unfinished(path);
    let probe = || {
        if path.is_dir() {
            return Err(io::Error::from(io::ErrorKind::IsADirectory));
        }
        if path.exists() && !path.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
        }
        File::create(&unfinished)?;
        fs::remove_file(&unfinished)
    };
    probe().map_err(FileError::because("cannot write", path))
}

/// A name of this process's own: several may replace the same file at the same time.
fn unfinished(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(format!(".{}.unfinished", std::process::id()));
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_and_nothing_is_left_beside_it() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.bin");
        check_writable(&path).unwrap();
        assert!(!path.exists());
        replace(&path, b"one").unwrap();
        replace(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_place_that_cannot_be_written_is_named() {
        let directory = tempfile::tempdir().unwrap();
        for path in [directory.path().join("missing/a.bin"), directory.path().to_owned()] {
            let error = check_writable(&path).unwrap_err().to_string();
            assert!(error.starts_with("cannot write ") && error.contains(path.to_str().unwrap()), "{error}");
            assert!(replace(&path, b"x").is_err());
        }
        #[cfg(unix)]
        assert!(
            check_writable(Path::new("/dev/null")).unwrap_err().to_string().contains("not a regular file")
        );
    }
}
