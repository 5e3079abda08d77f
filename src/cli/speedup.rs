//! `enfilade speedup`: what threads are worth, as a table, a plot, and JSON.

use std::io::{self, Write};

use serde::Serialize;

use super::CliError;
use super::duel::with_error;
use super::resolve::SpeedupTask;
use crate::console::{self, JobProgress};
use crate::duel::speedup::{self, Speedup, SpeedupRow, chart};
use crate::file::{check_writable, replace};

/// What programs read.
#[derive(Serialize)]
struct SpeedupDocument<'a> {
    settings: &'a str,
    openings: &'a str,
    turn: u64,
    seed: u64,
    nodes_of_each_thread: u64,
    rows: &'a [SpeedupRow],
}

/// Measures and reports.
pub(super) fn run(task: &SpeedupTask) -> Result<(), CliError> {
    for path in [&task.json, &task.plot].into_iter().flatten() {
        check_writable(path)?;
    }
    task.plan.settings.tablebases.notes().iter().for_each(console::warn);
    let progress = JobProgress::new("pairs", 0, task.plan.all_pairs());
    let rows = speedup::run(&task.plan, |threads| progress.advance(format_args!("{threads} threads")))?;
    progress.finish();
    print(&mut console::stdout(), task, &rows)?;
    if let Some(path) = &task.plot {
        replace(path, chart(&task.plan, &rows).as_bytes())?;
    }
    if let Some(path) = &task.json {
        let document = SpeedupDocument {
            settings: &task.name,
            openings: &task.openings,
            turn: task.plan.turn,
            seed: task.plan.seed,
            nodes_of_each_thread: task.plan.nodes,
            rows: &rows,
        };
        let text = serde_json::to_string_pretty(&document).expect("a report is made of numbers and texts");
        replace(path, format!("{text}\n").as_bytes())?;
    }
    Ok(())
}

fn print(out: &mut impl Write, task: &SpeedupTask, rows: &[SpeedupRow]) -> io::Result<()> {
    let plan = &task.plan;
    writeln!(
        out,
        "{} nodes of each thread for each move, {}, seed {}, turns of {} nodes\n",
        plan.nodes, task.openings, plan.seed, plan.turn
    )?;
    writeln!(
        out,
        "{:>8} {:>7}  {:>20}  {:>10}  against half as many",
        "threads", "games", "speed-up", "a doubling"
    )?;
    rows.iter().try_for_each(|row| writeln!(out, "{}", line(row)))?;
    writeln!(
        out,
        "\nSpeed-up: how many times the nodes of one of the threads a single thread needs to be as strong as all of them, and \
         the interval of 95%.\nA doubling: what twice the nodes are worth to a single thread near there, in Elo."
    )
}

fn line(row: &SpeedupRow) -> String {
    let games: u64 = row.points.iter().map(|point| 2 * point.results.pairs()).sum();
    let Speedup { factor, range: [low, high], elo_of_a_doubling } = row.speedup;
    let speedup = format!("{factor:.2} ({low:.2} to {high:.2})");
    let doubling = row.doubling.as_ref().map_or("-".to_owned(), |report| with_error("Elo", &report.elo));
    format!("{:>8} {games:>7}  {speedup:>20}  {elo_of_a_doubling:>+10.0}  {doubling}", row.threads)
}
