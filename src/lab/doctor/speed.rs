//! What the recommended threads really achieve.

use super::finding::Finding;
use crate::base::text::counted;
use crate::lab::scaling::speedtest::SpeedtestRow;

const SUBJECT: &str = "speed";
/// The share of its cores that a search should have got.
const FULL: f64 = 0.9;

/// Judges the row of a speed test with the recommended number of threads.
pub fn judge(row: &SpeedtestRow, granted: f64) -> Finding {
    let threads = row.threads;
    let mega = row.nodes_per_second / 1e6;
    let mut text = format!("{mega:.2} million nodes a second with {}", counted(threads as u64, "thread"));
    if threads > 1 {
        text += &format!(", {:.2} times the speed of one", row.speed_ratio);
    }
    let Some(used) = row.cores_used else {
        let remedy = "On this system the used processor time is not known";
        return Finding::unknown(SUBJECT, text, remedy);
    };
    text += &format!(", on {used:.2} cores");
    if used >= FULL * threads as f64 {
        return Finding::good(SUBJECT, text);
    }
    let remedy = if granted < threads as f64 && used >= FULL * granted {
        "The limit on processor time took the rest: see the cores above"
    } else {
        "Other programs, or the host of a virtual machine, took the rest: see the load above"
    };
    Finding::bad(SUBJECT, text, remedy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::doctor::Grade;

    fn row(threads: usize, cores_used: Option<f64>) -> SpeedtestRow {
        SpeedtestRow {
            threads,
            beyond_cores: false,
            nodes: 1,
            nodes_per_second: 2_340_000.0,
            cores_used,
            speed_ratio: 1.95,
            speed_error: 0.0,
            depth_ms: None,
            depth_ratio: None,
            depth_error: None,
            hashfull: 0.0,
            foreign_hits: None,
            depth_mean: 1.0,
            depth_deviation: 0.0,
            depth_range: 0.0,
            stop_median_ms: 0.0,
            stop_max_ms: 0.0,
        }
    }

    #[test]
    fn cores_that_were_not_had_are_found() {
        let finding = judge(&row(2, Some(1.97)), 2.0);
        assert_eq!(
            finding.to_string(),
            "good      speed: 2.34 million nodes a second with 2 threads, 1.95 times the speed of one, on 1.97 cores."
        );
        let disturbed = judge(&row(2, Some(1.1)), 2.0).to_string();
        assert!(disturbed.starts_with("bad ") && disturbed.contains("Other programs"), "{disturbed}");
        let limited = judge(&row(1, Some(0.5)), 0.5).to_string();
        assert!(limited.contains("1 thread, on 0.50 cores") && limited.contains("The limit"), "{limited}");
        let both = judge(&row(1, Some(0.2)), 0.5).to_string();
        assert!(both.contains("Other programs"), "the limit was not reached: {both}");
        assert_eq!(judge(&row(2, None), 2.0).grade, Grade::Unknown);
    }
}
