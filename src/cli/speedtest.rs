//! `enfilade speedtest`: measures what more threads gain, and prints a table, a plot or JSON.

use std::io::{self, Write};

use super::format::{PROGRESS, grouped};
use super::progress;
use super::resolve::SpeedtestTask;
use crate::cli::error::CliError;
use crate::console;
use crate::file::{check_writable, replace};
use crate::scaling::speedtest::{self, SpeedtestReport, SpeedtestRow};

/// Measures and reports. Prints the results before it writes the plot, so that they are not lost if the disk is full.
/// Writes the plot even if the output is closed.
pub(super) fn run(task: &SpeedtestTask) -> Result<(), CliError> {
    if let Some(path) = &task.plot {
        check_writable(path)?;
    }
    let searches = task.plan.counts.len() * crate::scaling::positions().len();
    let bar = progress::bar(searches as u64, PROGRESS);
    let report = speedtest::run(&task.plan, || bar.inc(1))?;
    bar.finish_and_clear();
    show(&mut console::stdout(), task, &report)?;
    if let Some(path) = &task.plot {
        replace(path, report.chart().as_bytes())?;
    }
    Ok(())
}

fn show(out: &mut impl Write, task: &SpeedtestTask, report: &SpeedtestReport) -> io::Result<()> {
    if task.json {
        serde_json::to_writer_pretty(&mut *out, report)?;
        writeln!(out)
    } else {
        print(out, report)
    }
}

fn print(out: &mut impl Write, report: &SpeedtestReport) -> io::Result<()> {
    writeln!(
        out,
        "{} positions of real games, {:.3} s each; table of {} MiB, stagger policy {}; usable cores: {}\n",
        report.positions, report.seconds_each, report.hash, report.stagger, report.cores
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
        writeln!(out, "{}", line(row))?;
    }
    writeln!(
        out,
        "\n`cores` is the mean number of cores that the process used. `nodes/second` counts the nodes of all threads.\n\
         Each `ratio` is against {} thread{}: above 1 is better, and the error is that of 95% confidence.\n\
         `to depth` is the geometric mean of the milliseconds to the deepest iteration that all rows finished.\n\
         `hash` is the share of the table that the search of a position filled.\n\
         `foreign` is the share of table hits on positions that only other threads had stored.\n\
         `depth` is the mean depth of the threads at the end, and `spread` is the standard deviation among them.\n\
         `range` is the difference between the deepest thread and the least deep one.\n\
         `stop` is the median of the milliseconds from `stop` to the report, and `longest` is the maximum.",
        report.baseline,
        if report.baseline == 1 { "" } else { "s" }
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

fn line(row: &SpeedtestRow) -> String {
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
            seconds_each: 0.5,
            baseline: 2,
            rows,
        }
    }

    #[test]
    fn the_table_has_every_figure_and_marks_what_the_cores_cannot_carry() {
        let mut text = Vec::new();
        print(&mut text, &report()).unwrap();
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
