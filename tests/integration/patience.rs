//! How long a test waits for an event.

use std::thread;
use std::time::{Duration, Instant};

/// After this time a test counts as hung, even on a loaded machine. It does not judge the speed: a late answer is
/// correct.
pub const PATIENCE: Duration = Duration::from_secs(240);

/// Waits until `has_come` returns true. A test that would wait forever fails instead.
#[track_caller]
pub fn wait_until(what: &str, mut has_come: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !has_come() {
        assert!(Instant::now() < end, "waited in vain: {what}");
        thread::sleep(Duration::from_millis(2));
    }
}
