//! `enfilade tune-threads`: compares the stagger policies by duels, and writes a preset with the best one.

use std::fmt::Write as _;
use std::io::Write;
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
use crate::engine::config::Setup;
use crate::engine::config::range::HASH;
use crate::engine::facade::Settings;
use crate::engine::pool::Stagger;
use crate::lab::duel::MatchRules;
use crate::lab::duel::command::with_error;
use crate::lab::duel::match_arguments::{self, MatchArguments, SEVERAL_THREADS};
use crate::lab::duel::pairs_log::PairsLog;
use crate::lab::duel::policies::{self, PoliciesPlan, PolicyRow, SURE_ERRORS};
use crate::lab::duel::report::DuelReport;

/// Find the best way for threads to differ from each other by games, and write it to a preset
#[derive(Debug, Args)]
pub(crate) struct TuneThreadsArguments {
    /// Threads of each side
    #[arg(long, value_name = "N", value_parser = within(SEVERAL_THREADS))]
    pub threads: usize,
    /// Nodes of each thread for each move
    #[arg(long, value_name = "N", default_value_t = 4_000, value_parser = number::from(1u64))]
    pub nodes: u64,
    /// Size of each side's table in MiB. Without it, the preset's size or 32
    #[arg(long, value_name = "MIB", value_parser = within(HASH))]
    pub hash: Option<usize>,
    /// Games of each policy against the default policy, two for each opening
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = number::from(1u64))]
    pub games: u64,
    #[command(flatten)]
    pub common: MatchArguments,
    /// The preset to write. An existing file is replaced
    #[arg(long, value_name = "FILE.toml")]
    pub out: PathBuf,
    #[command(flatten)]
    pub json: JsonArguments,
}

/// What `tune-threads` needs.
#[derive(Debug)]
pub(crate) struct TuneThreadsTask {
    pub plan: PoliciesPlan,
    pub log: Option<PathBuf>,
    pub out: PathBuf,
    pub json: JsonArguments,
}

impl CommandArguments for TuneThreadsArguments {
    type Task = TuneThreadsTask;

    fn adjust_defaults(&self, settings: &mut Settings) {
        settings.hash = match_arguments::HASH;
    }

    fn resolve(self, setup: Setup) -> Result<TuneThreadsTask, CliError> {
        let TuneThreadsArguments { threads, nodes, hash, games, common, out, json } = self;
        let mut settings = setup.settings;
        settings.threads = threads;
        settings.hash = hash.unwrap_or(settings.hash);
        let plan = PoliciesPlan { settings, nodes, rules: common.rules(games)? };
        Ok(TuneThreadsTask { plan, log: common.log, out, json })
    }

    /// Plays the matches, prints the table and writes the preset, in this order. So the results are not lost if the
    /// file cannot be written. The preset is written even if the output is closed.
    fn run(task: TuneThreadsTask) -> Result<(), CliError> {
        check_writable(&task.out)?;
        task.json.check()?;
        task.plan.settings.tablebases.notes().iter().for_each(console::warn);
        let mut log = PairsLog::open(task.log.as_deref(), &task.plan.recorded())?;
        let all = task.plan.all_pairs();
        let progress = JobProgress::new("pairs", log.count().min(all), all);
        let rows = policies::run(&task.plan, &mut log, |stagger, played| {
            let [wins, draws, losses] = played.games();
            progress.advance(format_args!("{} W-L-D {wins}-{losses}-{draws}", stagger.name()));
        })?;
        progress.finish();
        let mut out = console::stdout();
        task.json.write(&document(&task, &rows))?;
        if !task.json.is_printed() {
            writeln!(out, "{}\n{}", description(&task, &rows), verdict(&rows))?;
        }
        replace(&task.out, preset(&task, &rows).as_bytes())?;
        if !task.json.is_printed() {
            writeln!(out, "Written to {}", task.out.display())?;
        }
        Ok(())
    }
}

/// The JSON document.
#[derive(Serialize)]
struct PoliciesDocument<'a> {
    threads: usize,
    nodes_of_each_thread: u64,
    hash: usize,
    #[serde(flatten)]
    rules: &'a MatchRules,
    policies: Vec<PolicyDocument<'a>>,
    choice: &'static str,
}

/// A policy's match against the default policy.
#[derive(Serialize)]
struct PolicyDocument<'a> {
    stagger: &'static str,
    #[serde(flatten)]
    report: &'a DuelReport,
}

fn document<'a>(task: &'a TuneThreadsTask, rows: &'a [PolicyRow]) -> PoliciesDocument<'a> {
    let PoliciesPlan { settings, nodes, rules } = &task.plan;
    let of =
        |PolicyRow { stagger, report }: &'a PolicyRow| PolicyDocument { stagger: stagger.name(), report };
    PoliciesDocument {
        threads: settings.threads,
        nodes_of_each_thread: *nodes,
        hash: settings.hash,
        rules,
        policies: rows.iter().map(of).collect(),
        choice: policies::choice(rows).name(),
    }
}

/// The two settings of the preset that is written.
#[derive(Serialize)]
struct Profile {
    threads: usize,
    stagger: Stagger,
}

/// Describes the matches, and adds the table.
fn description(task: &TuneThreadsTask, rows: &[PolicyRow]) -> String {
    let PoliciesPlan { settings, nodes, rules: MatchRules { openings, pairs, turn, seed, .. } } = &task.plan;
    let mut text = format!(
        "{} threads, {nodes} nodes of each thread for each move, tables of {} MiB,\n\
         {} games of each policy against the default policy ({}),\n\
         {openings}, seed {seed}, turns of {turn} nodes:\n\n",
        settings.threads,
        settings.hash,
        2 * pairs,
        Stagger::default().name(),
    );
    for PolicyRow { stagger, report } in rows {
        writeln!(
            text,
            "{:>12}  W-L-D {}-{}-{}, {}",
            stagger.name(),
            report.wins,
            report.losses,
            report.draws,
            with_error("Elo", &report.elo)
        )
        .expect("writing to a string does not fail");
    }
    text
}

fn verdict(rows: &[PolicyRow]) -> String {
    let choice = policies::choice(rows);
    if choice == Stagger::default() {
        format!(
            "No policy is better than the default by {SURE_ERRORS} standard errors: {} stays.",
            choice.name()
        )
    } else {
        format!("Better than the default by {SURE_ERRORS} standard errors: {}.", choice.name())
    }
}

/// The text of the preset. Its comments hold the results.
fn preset(task: &TuneThreadsTask, rows: &[PolicyRow]) -> String {
    let profile = Profile { threads: task.plan.settings.threads, stagger: policies::choice(rows) };
    let mut text = "# Written by enfilade tune-threads, for use with --config.\n#\n".to_owned();
    for line in description(task, rows).lines().chain([verdict(rows).as_str()]) {
        text.push_str(format!("# {line}").trim_end());
        text.push('\n');
    }
    text.push('\n');
    text.push_str(&toml::to_string(&profile).expect("a profile is a table"));
    text
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::engine::config::Preset;
    use crate::lab::duel::policies::rivals;
    use crate::lab::duel::policies::tests::rows;

    fn task() -> TuneThreadsTask {
        let settings = Settings { threads: 6, hash: 32, ..Settings::default() };
        let plan = PoliciesPlan { settings, nodes: 4_000, rules: MatchRules::random(100) };
        TuneThreadsTask { plan, log: None, out: "x.toml".into(), json: JsonArguments::default() }
    }

    #[test]
    fn the_preset_sets_the_chosen_policy() {
        let better = [0, 5, 45, 45, 5];
        let even = [0, 20, 60, 20, 0];
        for (results, choice) in [(vec![even], Stagger::default()), (vec![even, better], rivals()[1].clone())]
        {
            let rows = rows(&results);
            let text = preset(&task(), &rows);
            let read = Preset::parse(&text, Path::new("x.toml")).unwrap();
            let mut setup = Setup::default();
            read.apply(&mut setup);
            assert_eq!((setup.settings.threads, &setup.settings.stagger), (6, &choice), "{text}");
            assert_eq!(setup.settings.hash, Setup::default().settings.hash, "only these two are set");
            assert!(text.contains("# 6 threads, 4000 nodes of each thread for each move"), "{text}");
            let name = choice.name();
            let end =
                if choice == Stagger::default() { format!("{name} stays.") } else { format!(": {name}.") };
            assert!(verdict(&rows).ends_with(&end), "{}", verdict(&rows));
        }
    }
}
