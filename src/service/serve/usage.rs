//! What clients have used of late, in thread-seconds.

use std::collections::HashMap;
use std::time::{Duration, Instant};

/// After this time what a client has used counts half.
const HALF_LIFE: Duration = Duration::from_secs(30);
/// The time between two looks.
const STEP: Duration = Duration::from_secs(1);
/// Thread-seconds that count as nothing.
const NOTHING: f64 = 0.001;

/// Thread-seconds by the names of clients.
pub(super) struct Usage {
    used: HashMap<String, f64>,
    decayed: Instant,
}

impl Usage {
    pub fn new(used: HashMap<String, f64>, now: Instant) -> Usage {
        Usage { used, decayed: now }
    }

    pub fn add(&mut self, client: &str, thread_seconds: f64) {
        if let Some(used) = self.used.get_mut(client) {
            *used += thread_seconds;
        } else {
            self.used.insert(client.to_owned(), thread_seconds);
        }
    }

    /// What all clients have used. The caller may count more for what runs now.
    pub fn all(&self) -> &HashMap<String, f64> {
        &self.used
    }

    /// Lets what was used count less as time passes.
    pub fn decay(&mut self, now: Instant) {
        let passed = now.saturating_duration_since(self.decayed);
        if passed >= STEP {
            self.decayed = now;
            let kept = 0.5f64.powf(passed.as_secs_f64() / HALF_LIFE.as_secs_f64());
            self.used.retain(|_, used| {
                *used *= kept;
                *used > NOTHING
            });
        }
    }

    /// What is kept when the server ends.
    pub fn into_all(self) -> HashMap<String, f64> {
        self.used
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_used_half_a_minute_ago_counts_half() {
        let start = Instant::now();
        let mut usage = Usage::new(HashMap::new(), start);
        usage.add("anna", 6.0);
        usage.add("anna", 2.0);
        usage.add("nightly", 0.0015);
        usage.decay(start + STEP / 2);
        assert_eq!(usage.all()["anna"], 8.0);
        usage.decay(start + HALF_LIFE);
        assert!((usage.all()["anna"] - 4.0).abs() < 1e-9);
        assert!(!usage.all().contains_key("nightly"), "what is next to nothing is forgotten");
    }
}
