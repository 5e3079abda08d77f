//! A lock on a file that one process at a time may work on.

use std::fs::{File, TryLockError};
use std::thread;
use std::time::Duration;

/// How often the lock is tried, and how long the pause after each try is.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(20);

/// Locks `file` until it is closed. Returns false if another process holds the lock. A process that was killed, or a
/// child between its fork and its exec, holds a lock for some milliseconds more, so it is tried for 0.4 seconds.
///
/// A file system without locks does not prevent the work: there the answer is always true.
pub fn lock(file: &File) -> bool {
    for _ in 0..TRIES {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
            Ok(()) | Err(TryLockError::Error(_)) => return true,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;

    use super::*;

    /// A process that was killed a moment ago still held the lock, and the same command then failed.
    #[test]
    #[cfg_attr(miri, ignore = "Miri knows no locks of files")]
    fn a_lock_that_is_released_soon_is_waited_for() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("locked");
        let open = || OpenOptions::new().append(true).create(true).open(&path).unwrap();
        let held = open();
        assert!(lock(&held));
        assert!(!lock(&open()));
        let holder = thread::spawn(move || {
            thread::sleep(2 * PAUSE);
            drop(held);
        });
        assert!(lock(&open()));
        holder.join().unwrap();
    }
}
