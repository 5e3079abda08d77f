//! What the server counts, in the text format of Prometheus (version 0.0.4).

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

/// The upper bounds of the buckets of times, in milliseconds.
const BUCKETS: [u64; 14] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000];

/// How often times of different lengths were seen.
#[derive(Default)]
pub(super) struct Latencies {
    buckets: [AtomicU64; BUCKETS.len()],
    count: AtomicU64,
    micros: AtomicU64,
}

// Relaxed everywhere: these are sums for reports, and publish no other data.
impl Latencies {
    /// Notes a time.
    pub fn note(&self, time: Duration) {
        if let Some(bucket) = BUCKETS.iter().position(|&bound| time <= Duration::from_millis(bound)) {
            self.buckets[bucket].fetch_add(1, Ordering::Relaxed);
        }
        self.count.fetch_add(1, Ordering::Relaxed);
        self.micros.fetch_add(u64::try_from(time.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    fn write(&self, text: &mut String, name: &str, help: &str) {
        let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} histogram");
        let mut below = 0;
        for (bound, bucket) in BUCKETS.iter().zip(&self.buckets) {
            below += bucket.load(Ordering::Relaxed);
            let _ = writeln!(text, "{name}_bucket{{le=\"{}\"}} {below}", *bound as f64 / 1000.0);
        }
        let count = self.count.load(Ordering::Relaxed).max(below);
        let seconds = self.micros.load(Ordering::Relaxed) as f64 / 1e6;
        let _ = writeln!(
            text,
            "{name}_bucket{{le=\"+Inf\"}} {count}\n{name}_sum {seconds}\n{name}_count {count}"
        );
    }
}

/// All counters of a server.
#[derive(Default)]
pub(super) struct Metrics {
    /// Open sessions.
    pub sessions: AtomicUsize,
    /// Connections that were refused: a wrong token, a strange origin, or no place.
    pub refused: AtomicU64,
    /// Clients that were dropped because they were slow or silent.
    pub dropped: AtomicU64,
    /// Searches that were begun: those that a person waits for, and the others.
    pub begun: [AtomicU64; 2],
    /// Searches that were answered.
    pub answered: AtomicU64,
    /// Searches that run now.
    pub running: AtomicUsize,
    /// Searches that wait for threads now.
    pub waiting: AtomicUsize,
    /// Threads that search now.
    pub busy_threads: AtomicUsize,
    /// How often a search had to make room for another.
    pub pre_emptions: AtomicU64,
    /// Nodes of all searches that have paused or ended.
    pub nodes: AtomicU64,
    /// Nodes in the last second.
    pub speed: AtomicU64,
    /// From `go` to the first line.
    pub first_line: Latencies,
    /// From `stop` to `bestmove`.
    pub stop: Latencies,
    /// From the order to make room to the threads' being free.
    pub pre_emption: Latencies,
    /// Threads of the server.
    pub threads: AtomicUsize,
    /// The size of the table in MiB.
    pub table_mebibytes: AtomicUsize,
    /// The share of the table that was used of late.
    pub table_permille: AtomicUsize,
}

impl Metrics {
    /// Adds one to a counter.
    pub fn add(counter: &AtomicU64) {
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// Adds a number to a counter.
    pub fn count(counter: &AtomicU64, number: u64) {
        counter.fetch_add(number, Ordering::Relaxed);
    }

    /// The text for Prometheus.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut one = |name: &str, kind: &str, help: &str, value: u64| {
            let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}");
        };
        let number = |gauge: &AtomicUsize| gauge.load(Ordering::Relaxed) as u64;
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        one("enfilade_threads", "gauge", "Threads of the server.", number(&self.threads));
        one("enfilade_threads_busy", "gauge", "Threads that search.", number(&self.busy_threads));
        one("enfilade_sessions", "gauge", "Open sessions.", number(&self.sessions));
        one("enfilade_searches_running", "gauge", "Searches that have threads.", number(&self.running));
        one("enfilade_searches_waiting", "gauge", "Searches that wait for threads.", number(&self.waiting));
        one("enfilade_searches_answered_total", "counter", "Answered searches.", count(&self.answered));
        one("enfilade_pre_emptions_total", "counter", "Pauses of searches.", count(&self.pre_emptions));
        one("enfilade_connections_refused_total", "counter", "Refused connections.", count(&self.refused));
        one("enfilade_clients_dropped_total", "counter", "Slow or silent clients.", count(&self.dropped));
        one("enfilade_nodes_total", "counter", "Nodes of paused and ended searches.", count(&self.nodes));
        one("enfilade_nodes_per_second", "gauge", "Nodes in the last second.", count(&self.speed));
        one("enfilade_table_bytes", "gauge", "Size of the table.", number(&self.table_mebibytes) << 20);
        one(
            "enfilade_table_permille",
            "gauge",
            "Recently used part of the table.",
            number(&self.table_permille),
        );
        let name = "enfilade_searches_begun_total";
        let _ = writeln!(text, "# HELP {name} Begun searches.\n# TYPE {name} counter");
        for (class, counter) in ["interactive", "batch"].into_iter().zip(&self.begun) {
            let _ = writeln!(text, "{name}{{class=\"{class}\"}} {}", count(counter));
        }
        self.first_line.write(&mut text, "enfilade_first_line_seconds", "From go to the first line.");
        self.stop.write(&mut text, "enfilade_stop_seconds", "From stop to bestmove.");
        self.pre_emption.write(&mut text, "enfilade_pre_emption_seconds", "From an order to free threads.");
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_cumulative() {
        let times = Latencies::default();
        for millis in [0, 1, 3, 40, 99_999] {
            times.note(Duration::from_millis(millis));
        }
        let mut text = String::new();
        times.write(&mut text, "t", "Times.");
        let expected = ["t_bucket{le=\"0.001\"} 2", "t_bucket{le=\"0.005\"} 3", "t_bucket{le=\"0.05\"} 4"];
        for line in
            expected.into_iter().chain(["t_bucket{le=\"30\"} 4", "t_bucket{le=\"+Inf\"} 5", "t_count 5"])
        {
            assert!(text.lines().any(|found| found == line), "{line} in {text}");
        }
    }

    #[test]
    fn every_metric_has_a_help_and_a_type() {
        let metrics = Metrics::default();
        metrics.table_mebibytes.store(16, Ordering::Relaxed);
        let text = metrics.text();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let name = line.split(['{', ' ']).next().unwrap();
            let stem =
                ["_bucket", "_sum", "_count"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
            assert!(text.contains(&format!("# TYPE {stem} ")), "{line}");
            assert!(line.rsplit_once(' ').unwrap().1.parse::<f64>().is_ok(), "{line}");
        }
        assert!(text.contains("enfilade_table_bytes 16777216"));
    }
}
