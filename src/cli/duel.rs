//! `enfilade duel`: one setting against another.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use serde::Serialize;

use super::CliError;
use super::format::grouped;
use super::resolve::DuelTask;
use crate::console::{self, Progress};
use crate::duel::contest::{self, Course};
use crate::duel::pgn;
use crate::duel::report::{Effort, Report, Test};
use crate::duel::statistics::{Estimate, Verdict};
use crate::file::{FileError, check_writable, replace};

/// How often files are written before the end.
const INTERVAL: Duration = Duration::from_secs(60);

/// What programs read.
#[derive(Serialize)]
struct Document<'a> {
    a: &'a str,
    b: &'a str,
    openings: &'a str,
    turn: u64,
    seed: u64,
    #[serde(flatten)]
    report: &'a Report,
}

/// Plays, reports, and writes what was asked for: also once a minute, for a match that is not played to its end.
pub(super) fn run(task: &DuelTask) -> Result<(), CliError> {
    for path in [&task.json, &task.pgn].into_iter().flatten() {
        check_writable(path)?;
    }
    for side in &task.plan.sides {
        side.settings.tablebases.notes().iter().for_each(console::warn);
    }
    let progress = Progress::new("pairs", 0, task.plan.pairs);
    let mut written = Instant::now();
    let course = contest::run(&task.plan, |course| {
        let report = Report::of(&task.plan, course);
        progress.advance(standing(&report));
        if written.elapsed() >= INTERVAL {
            written = Instant::now();
            // The last time tells whether it can be done.
            let _ = write_files(task, course, &report);
        }
    })?;
    progress.finish();
    let report = Report::of(&task.plan, &course);
    print(&mut console::stdout(), task, &report)?;
    Ok(write_files(task, &course, &report)?)
}

fn write_files(task: &DuelTask, course: &Course, report: &Report) -> Result<(), FileError> {
    if let Some(path) = &task.json {
        let DuelTask { plan, names: [a, b], openings, .. } = task;
        let document = Document { a, b, openings, turn: plan.turn, seed: plan.seed, report };
        let text = serde_json::to_string_pretty(&document).expect("a report is made of numbers and texts");
        replace(path, format!("{text}\n").as_bytes())?;
    }
    if let Some(path) = &task.pgn {
        replace(path, pgn::text(course, &task.names).as_bytes())?;
    }
    Ok(())
}

/// Results in short, seen from A.
fn standing(report: &Report) -> String {
    format!("W-L-D {}-{}-{}, {}", report.wins, report.losses, report.draws, with_error("Elo", &report.elo))
}

/// A figure after its name, as in `Elo +12.3 +- 4.5`.
pub(super) fn with_error(name: &str, Estimate { value, error }: &Estimate) -> String {
    if error.is_finite() { format!("{name} {value:+.1} +- {error:.1}") } else { format!("{name} unknown") }
}

fn print(out: &mut impl Write, task: &DuelTask, report: &Report) -> io::Result<()> {
    let DuelTask { plan, names: [a, b], openings, .. } = task;
    writeln!(out, "A: {a}\nB: {b}\n{openings}, seed {}, turns of {} nodes\n", plan.seed, plan.turn)?;
    for (name, effort) in ["A", "B"].into_iter().zip(&report.sides) {
        writeln!(out, "{}", line(name, effort))?;
    }
    if let Some(Test { sprt, ratio, bound, verdict }) = report.sprt {
        let verdict = match verdict {
            Verdict::Accepted => format!("{:+} or more", sprt.elo1),
            Verdict::Rejected => format!("{:+} or less", sprt.elo0),
            Verdict::Open => "undecided".to_owned(),
        };
        writeln!(
            out,
            "\nSPRT of {:+} and {:+} normalized Elo: {verdict}, log-likelihood ratio {ratio:.2} of +-{bound:.2}",
            sprt.elo0, sprt.elo1
        )?;
    }
    let pairs = report.pentanomial.0.map(|count| count.to_string()).join("-");
    writeln!(
        out,
        "\nA against B, {} games: {}, {}, pairs {pairs}",
        report.games,
        standing(report),
        with_error("normalized", &report.normalized_elo),
    )
}

/// What a side did.
fn line(name: &str, effort: &Effort) -> String {
    let threads = format!("{} thread{}", effort.threads, if effort.threads == 1 { "" } else { "s" });
    let mut text =
        format!("{name}: {threads}, {} searches of {} nodes", grouped(effort.searches), effort.nodes_allowed);
    if let Some(speed) = effort.nodes_per_second {
        text.push_str(&format!(", {} nodes a second of processor time", grouped(speed.round() as u64)));
    }
    if let Some(together) = effort.threads_together {
        let percent =
            |share: Option<f64>| share.map_or("-".to_owned(), |share| format!("{:.1}%", 100.0 * share));
        text.push_str(&format!(
            "\n   table hits by others {}, work repeated {}, deepened {}, unfinished {}; depth {:.1}, spread {:.2}, range {:.1}",
            percent(together.foreign_hits),
            percent(together.repeated),
            percent(together.deepened),
            percent(together.unfinished),
            together.depth_mean,
            together.depth_deviation,
            together.depth_range
        ));
    }
    text
}
