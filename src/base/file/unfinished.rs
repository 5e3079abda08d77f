//! A file before it is put in place: `NAME.NUMBER.unfinished` beside that place, locked by the process that writes it.
//!
//! The lock shows whether the writing process is alive. The system releases it when its process ends, however that
//! happens. It works across containers and, by default, across the hosts of an NFS. A process's number would not be
//! enough: other processes get it later, and other hosts and containers have it at the same time. Here the number only
//! keeps names apart.
//!
//! Invariant: a process renames or removes a file only if it holds the lock of the file that still has that name. If a
//! file system has no locks, nothing is cleaned up. (On an NFS mounted with `local_lock`, a host does not see the
//! others' locks. There a save may lose its unfinished file to another host. It then fails with an error, and the older
//! file stays.)

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::process;

const END: &str = ".unfinished";
/// Number of names that are tried. A name is taken only if a process of this number elsewhere writes to the same place,
/// or if such a process left a file that this one must not remove.
const ATTEMPTS: u64 = 100;

/// The file, which is removed when it is dropped, unless it has been put in place.
#[derive(Debug)]
pub struct Unfinished {
    pub file: File,
    path: PathBuf,
    is_placed: bool,
}

impl Unfinished {
    /// A new file in the directory of `target`. First removes what killed processes have left of the same target.
    pub fn beside(target: &Path) -> io::Result<Unfinished> {
        remove_abandoned(target);
        let first = u64::from(process::id());
        for number in first..first + ATTEMPTS {
            let path = named(target, number);
            match File::create_new(&path) {
                Ok(file) => {
                    // Another process may have cleaned up between the creation and the lock. Then the file belongs to
                    // that process.
                    if is_owned(&file, &path).unwrap_or(true) {
                        return Ok(Unfinished { file, path, is_placed: false });
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::new(io::ErrorKind::AlreadyExists, "there are too many unfinished files beside it"))
    }

    /// Puts the file in the place of `target`, once it is safe on the disk.
    pub fn place(mut self, target: &Path) -> io::Result<()> {
        self.file.sync_all()?;
        rename(&self.path, target)?;
        self.is_placed = true;
        Ok(())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if !self.is_placed {
            // On a full disk, half a file would only be in the way. An error here would hide a more important one.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Renames a file. Windows may refuse it while another program has the old file open, such as a virus scanner or
/// another save. That is over after a moment, so the rename is tried for a second.
#[cfg(windows)]
fn rename(path: &Path, target: &Path) -> io::Result<()> {
    const TRIES: u32 = 50;
    const PAUSE: std::time::Duration = std::time::Duration::from_millis(20);
    for _ in 1..TRIES {
        match fs::rename(path, target) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => std::thread::sleep(PAUSE),
            // A program that does not share the file.
            Err(error) if error.raw_os_error() == Some(ERROR_SHARING_VIOLATION) => std::thread::sleep(PAUSE),
            renamed => return renamed,
        }
    }
    fs::rename(path, target)
}

/// The standard library has no kind for this error of Windows.
#[cfg(windows)]
const ERROR_SHARING_VIOLATION: i32 = windows_sys::Win32::Foundation::ERROR_SHARING_VIOLATION as i32;

#[cfg(not(windows))]
fn rename(path: &Path, target: &Path) -> io::Result<()> {
    fs::rename(path, target)
}

fn named(target: &Path, number: u64) -> PathBuf {
    let mut name = OsString::from(target);
    name.push(format!(".{number}{END}"));
    PathBuf::from(name)
}

/// Whether `name` is one that [`named`] gives to an unfinished file of `target`.
fn is_named(name: &OsStr, target: &OsStr) -> bool {
    let rest = name.as_encoded_bytes().strip_prefix(target.as_encoded_bytes());
    let number = rest.and_then(|rest| rest.strip_prefix(b".")?.strip_suffix(END.as_bytes()));
    number.is_some_and(|number| !number.is_empty() && number.iter().all(u8::is_ascii_digit))
}

/// Removes the unfinished files of `target` that nobody writes any more. Those of other users stay, because they must
/// not be opened.
fn remove_abandoned(target: &Path) {
    let (Some(name), Some(directory)) = (target.file_name(), target.parent()) else { return };
    let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        // Links and pipes are left alone: a link leads elsewhere, and opening a pipe would wait for a reader.
        let is_candidate =
            is_named(&entry.file_name(), name) && entry.file_type().is_ok_and(|kind| kind.is_file());
        let path = entry.path();
        // The file is opened for writing, because an NFS gives exclusive locks only to writers.
        if is_candidate
            && let Ok(file) = OpenOptions::new().write(true).open(&path)
            && is_owned(&file, &path).unwrap_or(false)
        {
            let _ = fs::remove_file(&path);
        }
    }
}

/// Locks `file`, unless another process has locked it. Returns whether this process may now rename or remove it at
/// `path`.
///
/// # Errors
/// If the file system has no locks.
fn is_owned(file: &File, path: &Path) -> io::Result<bool> {
    match file.try_lock() {
        // The file may have been put in place or removed between its opening and its lock.
        Ok(()) => Ok(fs::symlink_metadata(path).is_ok_and(|named| is_same(&named, &file.metadata()))),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

#[cfg(unix)]
fn is_same(named: &fs::Metadata, opened: &io::Result<fs::Metadata>) -> bool {
    use std::os::unix::fs::MetadataExt;
    opened.as_ref().is_ok_and(|opened| (opened.dev(), opened.ino()) == (named.dev(), named.ino()))
}

#[cfg(not(unix))]
fn is_same(_named: &fs::Metadata, opened: &io::Result<fs::Metadata>) -> bool {
    opened.is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        let entries = fs::read_dir(directory).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Three killed saves of 512 MiB used to leave 920 MB for good.
    #[test]
    fn files_of_dead_processes_are_removed_and_those_of_live_ones_kept() {
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("a.hash");
        // It proves nothing that a process with this number lives, because it may be another one.
        for number in [1, 77, process::id()] {
            fs::write(named(&target, number.into()), "left").unwrap();
        }
        let living = File::create(named(&target, 5)).unwrap();
        living.lock().unwrap();
        let others = ["b.hash.1.unfinished", "a.hash.notes.unfinished", "a.hash..unfinished", "a.hash.1"];
        for name in others {
            fs::write(directory.path().join(name), "of the user").unwrap();
        }
        let mut expected: Vec<String> = others.map(str::to_owned).into();
        expected.push("a.hash.5.unfinished".to_owned());
        let own = Unfinished::beside(&target).unwrap();
        let second = Unfinished::beside(&target).unwrap();
        assert_eq!(names(directory.path()).len(), expected.len() + 2, "each writer has a file of its own");
        drop((own, second));
        expected.sort();
        assert_eq!(names(directory.path()), expected);
        // Closing the file would not be enough while another thread starts a process, which has a copy of the file for
        // a moment. The standard library unlocks a file twice on Windows, and Wine calls the second time an error.
        let _ = living.unlock();
        drop(living);
        drop(Unfinished::beside(&target).unwrap());
        expected.retain(|name| name != "a.hash.5.unfinished");
        assert_eq!(names(directory.path()), expected);
    }

    /// Opening the pipe would wait for ever, and a link may lead to a file of the user.
    #[cfg(all(unix, not(miri)))]
    #[test]
    fn pipes_links_and_directories_with_such_a_name_are_kept() {
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("a.hash");
        fs::rename(super::super::pipe(directory.path()), named(&target, 1)).unwrap();
        fs::create_dir(named(&target, 2)).unwrap();
        let linked = directory.path().join("linked");
        fs::write(&linked, "of the user").unwrap();
        std::os::unix::fs::symlink(&linked, named(&target, 3)).unwrap();
        let before = names(directory.path());
        drop(Unfinished::beside(&target).unwrap());
        assert_eq!(names(directory.path()), before);
        assert_eq!(fs::read(&linked).unwrap(), b"of the user");
    }

    /// The lock of a file that was put in place meanwhile says nothing about the next file with its old name.
    #[cfg(unix)]
    #[test]
    fn a_lock_on_a_renamed_file_does_not_count() {
        let directory = tempfile::tempdir().unwrap();
        let path = named(&directory.path().join("a.hash"), 1);
        let seen = File::create(&path).unwrap();
        fs::rename(&path, directory.path().join("a.hash")).unwrap();
        assert!(!is_owned(&seen, &path).unwrap());
        let next = File::create(&path).unwrap();
        assert!(!is_owned(&seen, &path).unwrap());
        assert!(is_owned(&next, &path).unwrap());
    }

    /// Writers and cleaners work on one place at the same time. Nobody loses what is being written.
    #[test]
    fn many_threads_can_replace_one_file_at_the_same_time() {
        use std::io::Write;
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("a.hash");
        std::thread::scope(|scope| {
            for thread in 0..4_u8 {
                let target = &target;
                scope.spawn(move || {
                    for _ in 0..50 {
                        let mut own = Unfinished::beside(target).unwrap();
                        own.file.write_all(&[thread; 100]).unwrap();
                        own.place(target).unwrap();
                    }
                });
            }
        });
        let written = fs::read(&target).unwrap();
        assert!(written.len() == 100 && written.iter().all(|byte| *byte == written[0]));
        assert_eq!(names(directory.path()), ["a.hash"]);
    }
}
