//! `enfilade speedtest`: measures what more threads gain, and prints a table, a plot or JSON.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::base::console;
use crate::base::file::{check_writable, replace};
use crate::base::text::{counted, grouped};
use crate::engine::command::arguments::CommandArguments;
use crate::engine::command::error::CliError;
use crate::engine::command::job_progress::JobProgress;
use crate::engine::command::json_arguments::JsonArguments;
use crate::engine::command::number::{cores, within};
use crate::engine::config::Setup;
use crate::engine::config::range::{HASH, THREADS};
use crate::engine::pool::MAX_THREADS;
use crate::lab::scaling;
use crate::lab::scaling::speedtest::{self, SpeedtestPlan, SpeedtestReport, SpeedtestRow};

/// Measure what more threads gain
#[derive(Debug, Args)]
pub(crate) struct SpeedtestArguments {
    /// Numbers of threads, as in 1,2,4. Without it, the powers of two up to the number of cores, and that number
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = within(THREADS))]
    pub threads: Vec<usize>,
    /// Size of the hash table in MiB. Without it, the preset's size or 64
    #[arg(long, value_name = "MIB", value_parser = within(HASH))]
    pub hash: Option<usize>,
    /// Seconds of searching for each number of threads, shared by 40 positions
    #[arg(long, value_name = "S", default_value = "20", value_parser = seconds)]
    pub seconds: Duration,
    /// Draw the ratios into an SVG file
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    #[command(flatten)]
    pub json: JsonArguments,
}

/// What `speedtest` needs.
#[derive(Debug)]
pub(crate) struct SpeedtestTask {
    plan: SpeedtestPlan,
    plot: Option<PathBuf>,
    json: JsonArguments,
}

impl CommandArguments for SpeedtestArguments {
    type Task = SpeedtestTask;

    fn resolve(self, setup: Setup) -> Result<SpeedtestTask, CliError> {
        let mut settings = setup.settings;
        settings.hash = self.hash.unwrap_or(settings.hash);
        let cores = cores();
        let mut counts = if self.threads.is_empty() { default_counts(cores) } else { self.threads };
        counts.sort_unstable();
        counts.dedup();
        let plan = SpeedtestPlan { settings, counts, time: self.seconds, cores };
        Ok(SpeedtestTask { plan, plot: self.plot, json: self.json })
    }

    /// Prints the results before it writes the plot, so that they are not lost if the disk is full. Writes the plot
    /// even if the output is closed.
    fn run(task: SpeedtestTask) -> Result<(), CliError> {
        task.json.check()?;
        if let Some(path) = &task.plot {
            check_writable(path)?;
        }
        let searches = task.plan.counts.len() * scaling::positions().len();
        let progress = JobProgress::new("searches", 0, searches as u64);
        let report = speedtest::run(&task.plan, |count| progress.advance(counted(count as u64, "thread")))?;
        progress.clear();
        task.json.write(&report)?;
        if !task.json.is_printed() {
            print_table(&mut console::stdout(), &report)?;
        }
        if let Some(path) = &task.plot {
            replace(path, report.chart().as_bytes())?;
        }
        Ok(())
    }
}

/// Parses the duration of a measurement, from 0.1 seconds to a day.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    match text.parse() {
        Ok(seconds) if (0.1..=86_400.0).contains(&seconds) => Ok(Duration::from_secs_f64(seconds)),
        _ => Err("a number of seconds from 0.1 to 86400 is needed".to_owned()),
    }
}

/// The powers of two below the number of cores, and that number itself.
fn default_counts(cores: usize) -> Vec<usize> {
    let cores = cores.min(MAX_THREADS);
    let powers = (0..).map(|exponent| 1 << exponent).take_while(|count| *count < cores);
    powers.chain([cores]).collect()
}

fn print_table(out: &mut impl Write, report: &SpeedtestReport) -> io::Result<()> {
    writeln!(
        out,
        "{} positions of real games, {:.3} s each; table of {} MiB, stagger policy {}; usable cores: {}\n",
        report.positions,
        report.search_ms / 1000.0,
        report.hash,
        report.stagger,
        report.cores
    )?;
    writeln!(
        out,
        "{:>8} {:>6}  {:>13} {:>14}  {:>10} {:>14}  {:>6} {:>8}  {:>6} {:>7} {:>6}  {:>8} {:>8}",
        "threads",
        "cores",
        "nodes/second",
        "ratio",
        "to depth",
        "ratio",
        "hash",
        "foreign",
        "depth",
        "spread",
        "range",
        "stop",
        "longest"
    )?;
    for row in &report.rows {
        writeln!(out, "{}", table_row(row))?;
    }
    writeln!(
        out,
        "\n`cores` is the mean number of cores that the process used. `nodes/second` counts the nodes of all threads.\n\
         Each `ratio` is against {}: above 1 is better, and the error is that of 95% confidence.\n\
         `to depth` is the geometric mean of the milliseconds to the deepest iteration that all rows finished.\n\
         `hash` is the share of the table that the search of a position filled.\n\
         `foreign` is the share of table hits on positions that only other threads had stored.\n\
         `depth` is the mean depth of the threads at the end, and `spread` is the standard deviation among them.\n\
         `range` is the difference between the deepest thread and the least deep one.\n\
         `stop` is the median of the milliseconds from `stop` to the report, and `longest` is the maximum.",
        counted(report.baseline as u64, "thread")
    )?;
    if report.rows.iter().any(|row| row.beyond_cores) {
        writeln!(
            out,
            "* There are more threads than usable cores. These rows show the cost of sharing cores, and not how the \
             search scales."
        )?;
    }
    Ok(())
}

fn table_row(row: &SpeedtestRow) -> String {
    let with_error = |ratio: f64, error: f64| format!("{ratio:.2} +- {error:.2}");
    let depth_ratio = row.depth_ratio.zip(row.depth_error);
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let mark = if row.beyond_cores { "*" } else { "" };
    format!(
        "{:>8} {:>6}  {:>13} {:>14}  {:>10} {:>14}  {:>5.1}% {:>8}  {:>6.1} {:>7.2} {:>6.1}  {:>8.2} {:>8.2}",
        format!("{mark}{}", row.threads),
        or_dash(row.cores_used.map(|cores| format!("{cores:.2}"))),
        grouped(row.nodes_per_second.round() as u64),
        with_error(row.speed_ratio, row.speed_error),
        or_dash(row.depth_ms.map(|time| format!("{time:.1}"))),
        or_dash(depth_ratio.map(|(ratio, error)| with_error(ratio, error))),
        row.hashfull / 10.0,
        or_dash(row.foreign_hits.map(|share| format!("{:.1}%", 100.0 * share))),
        row.depth_mean,
        row.depth_deviation,
        row.depth_range,
        row.stop_median_ms,
        row.stop_max_ms
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::command::arguments::resolved;

    #[test]
    fn numbers_of_threads_are_sorted_and_distinct() {
        let line = "enfilade speedtest --threads 4,1,4 --hash 3 --seconds 1.5";
        let plan = resolved::<SpeedtestArguments>(line).unwrap().plan;
        assert_eq!((&plan.counts[..], plan.settings.hash), (&[1, 4][..], 3));
        assert_eq!(plan.time, Duration::from_millis(1500));
        assert_eq!(default_counts(1), [1]);
        assert_eq!(default_counts(2), [1, 2]);
        assert_eq!(default_counts(12), [1, 2, 4, 8, 12]);
        assert_eq!(default_counts(16), [1, 2, 4, 8, 16]);
        assert_eq!(default_counts(5000).last(), Some(&MAX_THREADS));
    }

    fn report() -> SpeedtestReport {
        let row = |threads| SpeedtestRow {
            threads,
            beyond_cores: threads > 2,
            nodes: 12_000_000,
            nodes_per_second: 1_234_567.8,
            cores_used: Some(1.73),
            speed_ratio: 1.9,
            speed_error: 0.04,
            depth_ms: Some(321.0),
            depth_ratio: None,
            depth_error: None,
            hashfull: 123.0,
            foreign_hits: Some(0.256),
            depth_mean: 14.0,
            depth_deviation: 0.5,
            depth_range: 1.0,
            stop_median_ms: 0.1,
            stop_max_ms: 1.5,
        };
        let rows = vec![row(2), row(4)];
        SpeedtestReport {
            cores: 2,
            hash: 64,
            stagger: "none",
            positions: 40,
            search_ms: 500.0,
            baseline: 2,
            rows,
        }
    }

    #[test]
    fn the_table_has_every_value_and_marks_more_threads_than_cores() {
        let mut text = Vec::new();
        print_table(&mut text, &report()).unwrap();
        let text = String::from_utf8(text).unwrap();
        for part in [
            "1,234,568",
            " 1.73 ",
            "1.90 +- 0.04",
            "321.0",
            "12.3%",
            "25.6%",
            "against 2 threads",
            "*4 ",
            "* There are more",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert!(!text.contains("*2 "), "{text}");
    }

    #[test]
    fn the_chart_shows_the_ratios() {
        let text = report().chart();
        assert!(text.contains(">nodes/second</text>") && text.contains("2 usable cores"), "{text}");
        assert!(!text.contains(">time to depth</text>"), "none was measured");
    }
}
