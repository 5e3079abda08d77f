//! `enfilade speedup`: measures what threads are worth, and makes a table, a plot and JSON.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use crate::base::console;
use crate::base::file::{check_writable, replace};
use crate::engine::command::arguments::CommandArguments;
use crate::engine::command::error::CliError;
use crate::engine::command::job_progress::JobProgress;
use crate::engine::command::json_arguments::JsonArguments;
use crate::engine::command::number::{self, within};
use crate::engine::config::{Assignments, Setup};
use crate::engine::facade::Settings;
use crate::lab::duel::MatchRules;
use crate::lab::duel::command::with_error;
use crate::lab::duel::match_arguments::{self, MatchArguments, SEVERAL_THREADS};
use crate::lab::duel::pairs_log::PairsLog;
use crate::lab::duel::speedup::{self, SpeedupPlan, SpeedupRow, chart};
use crate::lab::duel::speedup_curve::Speedup;

/// Measure what several threads are worth: how many times the nodes a single thread needs to play as well
#[derive(Debug, Args)]
pub(crate) struct SpeedupArguments {
    /// Numbers of threads, as in 2,4,8
    #[arg(long, value_name = "LIST", value_delimiter = ',', required = true, value_parser = within(SEVERAL_THREADS))]
    pub threads: Vec<usize>,
    /// Nodes of each thread for each move
    #[arg(long, value_name = "N", value_parser = number::from(1u64))]
    pub nodes: u64,
    /// Settings of all sides: keys of a preset, as in stagger=none,shared-histories=all
    #[arg(long, value_name = "KEY=VALUE,...")]
    pub set: Option<Assignments>,
    /// Games for each number of threads, two for each opening
    #[arg(long, value_name = "N", default_value = "400", value_parser = number::from(1u64))]
    pub games: u64,
    /// Also play each number of threads against half that number, with the same number of games
    #[arg(long)]
    pub doublings: bool,
    #[command(flatten)]
    pub common: MatchArguments,
    /// Print the report as JSON and nothing else, or write it to FILE, anew after each number of threads
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    pub json: Option<PathBuf>,
    /// Draw the speed-ups into an SVG file, anew after each number of threads
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
}

/// What `speedup` needs.
#[derive(Debug)]
pub(crate) struct SpeedupTask {
    pub plan: SpeedupPlan,
    /// Settings of all sides as the user described them.
    pub name: String,
    pub log: Option<PathBuf>,
    pub json: JsonArguments,
    pub plot: Option<PathBuf>,
}

impl CommandArguments for SpeedupArguments {
    type Task = SpeedupTask;

    fn adjust_defaults(&self, settings: &mut Settings) {
        settings.hash = match_arguments::HASH;
    }

    fn resolve(self, mut setup: Setup) -> Result<SpeedupTask, CliError> {
        let SpeedupArguments { mut threads, nodes, set, games, doublings, common, json, plot } = self;
        threads.sort_unstable();
        threads.dedup();
        let set = set.unwrap_or_default();
        let wrong = |source| CliError::Usage(format!("--set: {source}"));
        set.preset().map_err(wrong)?.apply(&mut setup);
        let plan = SpeedupPlan {
            settings: setup.settings,
            counts: threads,
            nodes,
            has_doublings: doublings,
            rules: common.rules(games)?,
        };
        let json = JsonArguments::at(json);
        Ok(SpeedupTask { plan, name: set.to_string(), log: common.log, json, plot })
    }

    /// Measures and reports.
    fn run(task: SpeedupTask) -> Result<(), CliError> {
        task.json.check()?;
        task.plot.as_deref().map_or(Ok(()), check_writable)?;
        task.plan.settings.tablebases.notes().iter().for_each(console::warn);
        let mut log = PairsLog::open(task.log.as_deref(), &task.plan.recorded())?;
        let all = task.plan.all_pairs();
        let progress = JobProgress::new("pairs", log.count().min(all), all);
        let heard = |threads| progress.advance(format_args!("{threads} threads"));
        let rows = speedup::run(&task.plan, &mut log, heard, |rows| write_files(&task, rows))?;
        progress.finish();
        if task.json.is_printed() {
            return task.json.write(&document(&task, &rows));
        }
        Ok(print(&mut console::stdout(), &task, &rows)?)
    }
}

/// The JSON document.
#[derive(Serialize)]
struct SpeedupDocument<'a> {
    settings: &'a str,
    #[serde(flatten)]
    rules: &'a MatchRules,
    nodes_of_each_thread: u64,
    rows: &'a [SpeedupRow],
}

/// Writes JSON and plot. They are written after each number of threads, because the whole may take hours.
fn write_files(task: &SpeedupTask, rows: &[SpeedupRow]) -> Result<(), CliError> {
    if let Some(path) = &task.plot {
        replace(path, chart(&task.plan, rows).as_bytes())?;
    }
    Ok(task.json.write_file(&document(task, rows))?)
}

fn document<'a>(task: &'a SpeedupTask, rows: &'a [SpeedupRow]) -> SpeedupDocument<'a> {
    SpeedupDocument {
        settings: &task.name,
        rules: &task.plan.rules,
        nodes_of_each_thread: task.plan.nodes,
        rows,
    }
}

fn print(out: &mut impl Write, task: &SpeedupTask, rows: &[SpeedupRow]) -> io::Result<()> {
    let MatchRules { openings, turn, seed, .. } = &task.plan.rules;
    writeln!(
        out,
        "{} nodes of each thread for each move, {openings}, seed {seed}, turns of {turn} nodes\n",
        task.plan.nodes
    )?;
    writeln!(
        out,
        "{:>8} {:>7}  {:>20}  {:>10}  against half as many",
        "threads", "games", "speed-up", "a doubling"
    )?;
    rows.iter().try_for_each(|row| writeln!(out, "{}", table_row(row)))?;
    writeln!(
        out,
        "\n`speed-up`: a single thread needs this many times the nodes of each thread to play as well as all of them,\n\
         with the interval of 95%. `a doubling` is the Elo that a single thread gains from twice the nodes \
         near there.\n`against half as many` is the result against half the number of threads (--doublings)."
    )
}

fn table_row(row: &SpeedupRow) -> String {
    let games: u64 = row.points.iter().map(|point| 2 * point.results.pairs()).sum();
    let Speedup { factor, range: [low, high], elo_of_a_doubling } = row.speedup;
    let speedup = format!("{factor:.2} ({low:.2} to {high:.2})");
    let doubling = row.doubling.as_ref().map_or("-".to_owned(), |report| with_error("Elo", &report.elo));
    format!("{:>8} {games:>7}  {speedup:>20}  {elo_of_a_doubling:>+10.0}  {doubling}", row.threads)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::command::arguments::resolved;

    #[test]
    fn numbers_of_threads_are_sorted_and_distinct() {
        let line = "enfilade speedup --threads 8,2,8 --nodes 4000 --set stagger=none --games 9";
        let task = resolved::<SpeedupArguments>(line).unwrap();
        assert_eq!((&task.plan.counts[..], task.plan.nodes, task.plan.rules.pairs), (&[2, 8][..], 4_000, 5));
        assert_eq!((task.plan.settings.stagger.name(), task.name.as_str()), ("none", "stagger=none"));
    }

    #[test]
    fn a_wrong_setting_is_an_error() {
        let wrong = resolved::<SpeedupArguments>("enfilade speedup --threads 2 --nodes 5 --set hash=0");
        let error = wrong.unwrap_err().to_string();
        assert!(error.starts_with("--set: hash=0: Hash must lie"), "{error}");
    }
}
