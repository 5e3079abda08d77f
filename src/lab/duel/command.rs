//! `enfilade duel`: plays a match of one setting against another.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use serde::Serialize;

use crate::base::console;
use crate::base::file::{FileError, check_writable, replace};
use crate::base::text::{counted, grouped};
use crate::engine::command::arguments::CommandArguments;
use crate::engine::command::error::CliError;
use crate::engine::command::interrupt::Interrupt;
use crate::engine::command::job_progress::JobProgress;
use crate::engine::command::json_arguments::JsonArguments;
use crate::engine::command::number;
use crate::engine::config::{AssignmentError, Assignments, Preset, Setup};
use crate::engine::facade::Settings;
use crate::engine::run::Telemetry;
use crate::engine::selfplay::allowance::Allowance;
use crate::lab::duel::contest::{self, MatchResults};
use crate::lab::duel::match_arguments::{self, MatchArguments};
use crate::lab::duel::pairs_log::{self, PairsLog};
use crate::lab::duel::pgn;
use crate::lab::duel::report::{DuelReport, SideReport, Test};
use crate::lab::duel::statistics::{Estimate, SprtVerdict};
use crate::lab::duel::{DuelPlan, DuelSide, MatchRules, Sprt};

/// The files are written once in this time while the match goes on.
const INTERVAL: Duration = Duration::from_secs(60);

/// Play one setting against another with virtual threads, such as 64 threads against 32 on two cores
#[derive(Debug, Args)]
pub(crate) struct DuelArguments {
    /// Settings of A: keys of a preset, and `nodes`, the nodes of all threads together for each move, as in
    /// threads=8,nodes=32000,stagger=none,params.iir_depth=5 (or `clock`, nodes as time for a game, as in
    /// clock=2000000+20000)
    #[arg(long, value_name = "KEY=VALUE,...")]
    pub a: Assignments,
    /// Settings of B
    #[arg(long, value_name = "KEY=VALUE,...")]
    pub b: Assignments,
    /// Preset of A. Settings in --a take precedence
    #[arg(long, value_name = "FILE.toml")]
    pub config_a: Option<PathBuf>,
    /// Preset of B. Settings in --b take precedence
    #[arg(long, value_name = "FILE.toml")]
    pub config_b: Option<PathBuf>,
    /// Games to play at most, two for each opening; an odd number is rounded up
    #[arg(long, value_name = "N", default_value = "400", value_parser = number::from(1u64))]
    pub games: u64,
    #[command(flatten)]
    pub common: MatchArguments,
    /// End as soon as it is clear whether A is worth ELO0 or ELO1 normalized Elo; either error has a chance of 5%
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true)]
    pub sprt: Option<Sprt>,
    /// Count table hits on other threads' results, repeated work, unfinished work and depths
    #[arg(long)]
    pub counters: bool,
    /// Print the report as JSON and nothing else, or write it to FILE
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    pub json: Option<PathBuf>,
    /// Write the games to a file
    #[arg(long, value_name = "FILE")]
    pub pgn: Option<PathBuf>,
}

/// What `duel` needs.
#[derive(Debug)]
pub(crate) struct DuelTask {
    pub plan: DuelPlan,
    /// A and B as the user described them.
    pub names: [String; 2],
    pub log: Option<PathBuf>,
    pub json: JsonArguments,
    pub pgn: Option<PathBuf>,
}

impl CommandArguments for DuelArguments {
    type Task = DuelTask;

    fn adjust_defaults(&self, settings: &mut Settings) {
        settings.hash = match_arguments::HASH;
    }

    fn resolve(self, setup: Setup) -> Result<DuelTask, CliError> {
        let DuelArguments { a, b, config_a, config_b, games, common, sprt, counters, json, pgn } = self;
        let rules = common.rules(games)?;
        let names = [(&a, &config_a), (&b, &config_b)].map(|(typed, config)| match config {
            Some(path) => format!("{}, {typed}", path.display()),
            None => typed.to_string(),
        });
        let side = |option, typed, config: &Option<PathBuf>| {
            let mut side = side(&setup, option, typed, config.as_deref())?;
            side.settings.telemetry = Telemetry::counting(counters);
            Ok::<DuelSide, CliError>(side)
        };
        let sides = [side("--a", a, &config_a)?, side("--b", b, &config_b)?];
        let plan = DuelPlan { sides, rules, first: 0, sprt };
        let json = JsonArguments::at(json);
        Ok(DuelTask { plan, names, log: common.log, json, pgn })
    }

    /// Plays the match, prints the report and writes the files. Also writes the files once a minute, so that a match
    /// that is interrupted leaves its results.
    fn run(task: DuelTask) -> Result<(), CliError> {
        task.json.check()?;
        task.pgn.as_deref().map_or(Ok(()), check_writable)?;
        for side in &task.plan.sides {
            side.settings.tablebases.notes().iter().for_each(console::warn);
        }
        let mut log = PairsLog::open(task.log.as_deref(), &pairs_log::of_duel(&task.plan))?;
        let interrupt = Interrupt::listen(Some(
            "interrupted: the games in progress are played to their ends (Ctrl-C again ends at once)",
        ));
        let pairs = task.plan.rules.pairs;
        let progress = JobProgress::new("pairs", log.count().min(pairs), pairs);
        let mut written = Instant::now();
        let played = contest::run(&task.plan, "duel", &mut log, |played| {
            let report = DuelReport::of(&task.plan, played);
            progress.advance(score_line(&report));
            if written.elapsed() >= INTERVAL {
                written = Instant::now();
                // An error is reported when the files are written for the last time.
                let _ = write_files(&task, played, &report);
            }
            if interrupt.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        progress.finish();
        let report = DuelReport::of(&task.plan, &played);
        if task.json.is_printed() {
            task.json.write(&document(&task, &report))?;
        } else {
            print(&mut console::stdout(), &task, &report)?;
        }
        write_files(&task, &played, &report)?;
        interrupt.end(match &task.log {
            Some(_) => "the same command goes on with the pairs in its --log",
            None => "the report has the pairs so far",
        })
    }
}

/// The settings of a side. `typed`, which was typed after `option`, overrides the side's preset, and the preset
/// overrides `base`.
fn side(
    base: &Setup,
    option: &'static str,
    mut typed: Assignments,
    config: Option<&Path>,
) -> Result<DuelSide, CliError> {
    let wrong = |source| CliError::Usage(format!("{option}: {source}"));
    let mut setup = base.clone();
    if let Some(path) = config {
        Preset::load(path)?.apply(&mut setup);
    }
    let wrong_value = |key: &str, value: &str, message: String| {
        wrong(AssignmentError::Value { assignment: format!("{key}={value}"), message })
    };
    let allowance = match (typed.take("nodes"), typed.take("clock")) {
        (Some(nodes), None) => match nodes.parse() {
            Ok(number) if number > 0 => Allowance::Move(number),
            _ => return Err(wrong_value("nodes", &nodes, "a whole number from 1 is needed".to_owned())),
        },
        (None, Some(clock)) => {
            Allowance::Clock(clock.parse().map_err(|message| wrong_value("clock", &clock, message))?)
        }
        (None, None) => {
            return Err(CliError::Usage(format!(
                "{option}: nodes=N is missing; N is the number of nodes of all threads for each move"
            )));
        }
        (Some(_), Some(clock)) => {
            return Err(wrong_value("clock", &clock, "there is a limit for each move already".to_owned()));
        }
    };
    typed.preset().map_err(wrong)?.apply(&mut setup);
    Ok(DuelSide { settings: setup.settings, allowance })
}

/// The JSON document.
#[derive(Serialize)]
struct DuelDocument<'a> {
    a: &'a str,
    b: &'a str,
    #[serde(flatten)]
    rules: &'a MatchRules,
    #[serde(flatten)]
    report: &'a DuelReport,
}

fn document<'a>(task: &'a DuelTask, report: &'a DuelReport) -> DuelDocument<'a> {
    let DuelTask { plan, names: [a, b], .. } = task;
    DuelDocument { a, b, rules: &plan.rules, report }
}

fn write_files(task: &DuelTask, played: &MatchResults, report: &DuelReport) -> Result<(), FileError> {
    task.json.write_file(&document(task, report))?;
    if let Some(path) = &task.pgn {
        replace(path, pgn::text(played, &task.names).as_bytes())?;
    }
    Ok(())
}

/// The results on one line, from A's point of view.
fn score_line(report: &DuelReport) -> String {
    format!("W-L-D {}-{}-{}, {}", report.wins, report.losses, report.draws, with_error("Elo", &report.elo))
}

/// A name, its value and its error, as in `Elo +12.3 +- 4.5`.
pub(crate) fn with_error(name: &str, Estimate { value, error }: &Estimate) -> String {
    if error.is_finite() { format!("{name} {value:+.1} +- {error:.1}") } else { format!("{name} unknown") }
}

fn print(out: &mut impl Write, task: &DuelTask, report: &DuelReport) -> io::Result<()> {
    let DuelTask { plan, names: [a, b], .. } = task;
    let MatchRules { openings, turn, seed, .. } = &plan.rules;
    writeln!(out, "A: {a}\nB: {b}\n{openings}, seed {seed}, turns of {turn} nodes\n")?;
    for (name, side) in ["A", "B"].into_iter().zip(&report.sides) {
        writeln!(out, "{}", side_line(name, side))?;
    }
    if let Some(Test { sprt, ratio, bound, verdict }) = report.sprt {
        let verdict = match verdict {
            SprtVerdict::Accepted => format!("{:+} or more", sprt.elo1),
            SprtVerdict::Rejected => format!("{:+} or less", sprt.elo0),
            SprtVerdict::Open => "undecided".to_owned(),
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
        score_line(report),
        with_error("normalized", &report.normalized_elo),
    )
}

/// A side's searches on one line.
fn side_line(name: &str, side: &SideReport) -> String {
    let threads = counted(side.threads as u64, "thread");
    let mut text = format!("{name}: {threads}, {} searches {}", grouped(side.searches), side.nodes_allowed);
    if let Some(speed) = side.nodes_per_second {
        text.push_str(&format!(", {} nodes a second of processor time", grouped(speed.round() as u64)));
    }
    if let Some(together) = side.threads_together {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::command::arguments::resolved;

    #[test]
    fn a_side_overrides_its_preset_and_that_overrides_the_common_one() {
        let folder = tempfile::tempdir().unwrap();
        let preset = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path.display().to_string()
        };
        let common = preset("common.toml", "threads = 2\nmultipv = 3\n[params]\nrazor_depth = 1\n");
        let own = preset("own.toml", "threads = 5\nhash = 7\n[stagger]\npolicy = \"none\"\n");
        let line = format!(
            "enfilade duel --config {common} --config-a {own} --a nodes=900,threads=6 --b nodes=800,stagger=offset --games 7 \
             --sprt -5,0 --jobs 3 --counters"
        );
        let task = resolved::<DuelArguments>(&line).unwrap();
        let [a, b] = &task.plan.sides;
        assert_eq!((a.settings.threads, a.settings.hash, a.allowance), (6, 7, Allowance::Move(900)));
        assert_eq!(
            (b.settings.threads, b.settings.hash, b.allowance),
            (2, match_arguments::HASH, Allowance::Move(800))
        );
        assert_eq!(
            [&a.settings.stagger, &b.settings.stagger].map(|policy| policy.name()),
            ["none", "offset"]
        );
        assert!(
            [a, b]
                .iter()
                .all(|side| side.settings.params.razor_depth == 1 && side.settings.telemetry.is_on())
        );
        assert_eq!((task.plan.rules.pairs, task.plan.rules.jobs, task.plan.rules.turn), (4, 3, 96));
        assert_eq!(task.plan.sprt.unwrap().elo0, -5.0);
        assert_eq!(
            task.names,
            [format!("{own}, nodes=900,threads=6"), "nodes=800,stagger=offset".to_owned()]
        );
        assert_eq!(task.plan.rules.openings, "random openings");
    }

    #[test]
    fn an_error_names_the_side() {
        let error = |line: &str| resolved::<DuelArguments>(line).unwrap_err().to_string();
        assert_eq!(
            error("enfilade duel --a nodes=5 --b threads=2"),
            "--b: nodes=N is missing; N is the number of nodes of all threads for each move"
        );
        assert_eq!(
            error("enfilade duel --a nodes=5 --b nodes=5,clock=5+5"),
            "--b: clock=5+5: there is a limit for each move already"
        );
        let control = error("enfilade duel --a nodes=5 --b clock=0+5");
        assert!(control.starts_with("--b: clock=0+5: nodes for the game"), "{control}");
        assert_eq!(
            error("enfilade duel --a nodes=0 --b nodes=1"),
            "--a: nodes=0: a whole number from 1 is needed"
        );
        let unknown = error("enfilade duel --a nodes=5,thread=2 --b nodes=5");
        assert!(unknown.starts_with("--a: thread=2: unknown field `thread`"), "{unknown}");
        let unread = error("enfilade duel --a nodes=5 --b nodes=5 --book no-such.epd");
        assert!(unread.starts_with("cannot read no-such.epd: "), "{unread}");
    }
}
