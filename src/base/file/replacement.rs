//! Files that are put in place whole: a reader never meets half of one, even after a kill. All files that the program
//! writes go through here, except logs and shards of games, to which it appends.
//!
//! Only regular files are replaced. A rename would turn a device, a pipe or a link into a file, and a system without
//! `/dev/null` is broken.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::unfinished::Unfinished;
use super::{FileError, not_regular};

/// A file that is being written. If it is dropped before [`Replacement::finish`], everything stays as it was.
#[derive(Debug)]
pub struct Replacement {
    path: PathBuf,
    target: PathBuf,
    unfinished: Unfinished,
}

impl Replacement {
    /// Begins a file that will replace the one at `path`, or the one to which a symbolic link there leads.
    ///
    /// # Errors
    /// If something other than a regular file is there, or nothing can be written there.
    pub fn begin(path: &Path) -> Result<Replacement, FileError> {
        let begin = || {
            if is_standard_output(path) {
                let reason = "standard output cannot be replaced; a file of this name is ./-";
                return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
            }
            let target = target(path)?;
            let unfinished = Unfinished::beside(&target)?;
            if let Ok(old) = fs::metadata(&target) {
                keep_access(&old, &unfinished.file);
            }
            Ok(Replacement { path: path.to_owned(), target, unfinished })
        };
        begin().map_err(FileError::because("cannot write", path))
    }

    /// Puts the file in place.
    ///
    /// # Errors
    /// If the system refuses it. The old file then stays.
    pub fn finish(self) -> Result<(), FileError> {
        let Replacement { path, target, unfinished } = self;
        unfinished.place(&target).map_err(FileError::because("cannot write", &path))
    }
}

impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.unfinished.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.unfinished.file.flush()
    }
}

/// Replaces the file at `path` by one with these `bytes`.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    replace_with(path, |file| file.write_all(bytes))
}

/// Lets `fill` write a file beside `path` and then puts it in its place.
pub fn replace_with(
    path: &Path,
    fill: impl FnOnce(&mut Replacement) -> io::Result<()>,
) -> Result<(), FileError> {
    let mut file = Replacement::begin(path)?;
    fill(&mut file).map_err(FileError::because("cannot write", path))?;
    file.finish()
}

/// Checks whether [`replace`] could write to `path`, before hours of work. It leaves nothing behind.
pub fn check_writable(path: &Path) -> Result<(), FileError> {
    Replacement::begin(path).map(drop)
}

/// Checks whether `path` is a place for a file: there is a regular file, or none yet.
pub fn check_place(path: &Path) -> Result<(), FileError> {
    target(path).map(drop).map_err(FileError::because("cannot write", path))
}

/// Opens `path` if it only takes what is written and keeps no file of it: a pipe, a device, or an open file of a
/// process, such as `/dev/stdout`. `None` for a file that is to be replaced.
pub fn stream(path: &Path) -> Result<Option<File>, FileError> {
    let open = || match fs::metadata(path) {
        Ok(found) if !found.is_dir() && (!found.is_file() || is_open_file(path)?) => {
            // Appends to what an open file already holds.
            OpenOptions::new().append(true).open(path).map(Some)
        }
        _ => Ok(None),
    };
    open().map_err(FileError::because("cannot write", path))
}

/// Whether a path as typed means standard output. Where this has no meaning, [`Replacement::begin`] refuses it: nobody
/// wants a file of this name.
pub fn is_standard_output(path: &Path) -> bool {
    path == Path::new("-")
}

/// Gives `new` the owner and permissions of `old`, as far as this process may do so and the file system has them.
fn keep_access(old: &fs::Metadata, new: &File) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        let _ = fchown(new, Some(old.uid()), Some(old.gid()));
    }
    let _ = new.set_permissions(old.permissions());
}

/// The regular file, or the place for a new one, to which `path` or the symbolic links there lead.
fn target(path: &Path) -> io::Result<PathBuf> {
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Ok(found) if !found.is_file() => return Err(not_regular()),
        // The write protection of the old file would not stop a new one, so it is checked here.
        Ok(_) => OpenOptions::new().write(true).open(path).map(drop)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    follow(path)?.ok_or_else(|| {
        let reason = "it is an open file of a process, not the name of one";
        io::Error::new(io::ErrorKind::InvalidInput, reason)
    })
}

fn is_open_file(path: &Path) -> io::Result<bool> {
    Ok(follow(path)?.is_none())
}

/// Where the symbolic links at `path` lead, perhaps to nothing yet; `None` for an open file of a process. `/dev/stdout`
/// leads to such a file. It looks like a link, but only describes the file, which may have another name by now or none.
fn follow(path: &Path) -> io::Result<Option<PathBuf>> {
    let mut target = path.to_owned();
    while let Ok(link) = fs::read_link(&target) {
        let directory = target.parent().unwrap_or(Path::new(""));
        if directory.is_absolute() && fs::canonicalize(directory)?.starts_with("/proc") {
            return Ok(None);
        }
        target = directory.join(link);
    }
    Ok(Some(target))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replacing_a_file_leaves_no_temporary_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.bin");
        check_writable(&path).unwrap();
        assert!(!path.exists());
        replace(&path, b"one").unwrap();
        replace(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        let failed = replace_with(&path, |file| {
            file.write_all(b"three")?;
            Err(io::ErrorKind::StorageFull.into())
        });
        assert!(failed.is_err());
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    /// Such a file was made, and its name is hard to type.
    #[test]
    fn a_hyphen_is_not_the_name_of_a_file() {
        let error = check_writable(Path::new("-")).unwrap_err().to_string();
        assert!(error.starts_with("cannot write -: standard output cannot be replaced"), "{error}");
    }

    #[test]
    fn the_error_names_a_path_that_cannot_be_written() {
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

    /// A save to a pipe or a device used to turn it into a file.
    #[cfg(all(unix, not(miri)))]
    #[test]
    fn a_pipe_is_never_replaced() {
        use std::os::unix::fs::FileTypeExt;
        let directory = tempfile::tempdir().unwrap();
        let path = super::super::pipe(directory.path());
        let link = directory.path().join("link");
        std::os::unix::fs::symlink("pipe", &link).unwrap();
        for path in [&path, &link] {
            for error in [replace(path, b"x"), check_writable(path), check_place(path)] {
                assert!(error.unwrap_err().to_string().ends_with("it is not a regular file"));
            }
        }
        assert!(fs::metadata(&path).unwrap().file_type().is_fifo());
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 2);
    }

    /// A save to a link used to replace the link, and the link's target kept the old content.
    #[cfg(unix)]
    #[test]
    fn a_symbolic_link_stays_and_its_target_is_replaced() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let directory = tempfile::tempdir().unwrap();
        let [there, here] = ["there", "here"].map(|name| directory.path().join(name));
        fs::create_dir(&there).unwrap();
        fs::create_dir(&here).unwrap();
        symlink("../there/second", here.join("first")).unwrap();
        symlink("a.bin", there.join("second")).unwrap();
        let target = there.join("a.bin");
        // The link first leads to nothing, then to a file.
        for text in ["one", "two"] {
            replace(&here.join("first"), text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&target).unwrap(), text);
            fs::set_permissions(&target, fs::Permissions::from_mode(0o600)).unwrap();
        }
        assert!(here.join("first").is_symlink() && there.join("second").is_symlink());
        replace(&here.join("first"), b"three").unwrap();
        assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o600, "they stay");
        symlink("loop", here.join("loop")).unwrap();
        assert!(replace(&here.join("loop"), b"x").is_err());
        assert_eq!(fs::read_dir(&there).unwrap().count(), 2);
        assert_eq!(fs::read_dir(&here).unwrap().count(), 2);
    }

    /// `/dev/stdout` leads to an open file. A replacement would put a new file in the place of the shell's file, and
    /// what is printed would be lost.
    #[cfg(target_os = "linux")]
    #[test]
    fn an_open_file_is_a_stream_and_not_replaced() {
        use std::os::fd::AsRawFd;
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("output");
        let mut file = File::create(&path).unwrap();
        file.write_all(b"printed\n").unwrap();
        let link = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
        assert!(replace(&link, b"x").unwrap_err().to_string().contains("an open file of a process"));
        stream(&link).unwrap().expect("a stream").write_all(b"more\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "printed\nmore\n");
        assert!(stream(&path).unwrap().is_none());
        assert!(stream(&directory.path().join("new")).unwrap().is_none());
        assert!(stream(Path::new("/dev/null")).unwrap().is_some());
    }
}
