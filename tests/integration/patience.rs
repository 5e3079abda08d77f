//! How long a test waits for what has to come.

use std::thread;
use std::time::{Duration, Instant};

/// Tells a hang from an answer, also on a loaded machine. It judges no speed: an answer that comes late is right.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// Waits until `has_come`. A test that would wait forever fails instead.
#[track_caller]
pub fn wait_until(what: &str, mut has_come: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !has_come() {
        assert!(Instant::now() < end, "there is still no {what}");
        thread::sleep(Duration::from_millis(2));
    }
}
