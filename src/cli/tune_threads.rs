//! `enfilade tune-threads`: compares the stagger policies, and writes a preset with the best one.

use std::fmt::Write as _;
use std::io::Write;

use serde::Serialize;

use super::CliError;
use super::format::PROGRESS;
use super::resolve::TuneThreadsTask;
use crate::console;
use crate::file::{check_writable, replace};
use crate::pool::Stagger;
use crate::scaling::policies::{self, Comparison, ERRORS};

/// The two settings of the preset that is written.
#[derive(Serialize)]
struct Profile {
    threads: usize,
    stagger: Stagger,
}

/// Measures, prints the table and writes the preset, in this order. So the results are not lost if the file cannot be
/// written. The preset is written even if the output is closed.
pub(super) fn run(task: &TuneThreadsTask) -> Result<(), CliError> {
    check_writable(&task.out)?;
    let bar = console::bar(0, PROGRESS);
    let comparison = policies::compare(&task.plan, |done, all| {
        bar.set_length(all);
        bar.set_position(done);
    })?;
    bar.finish_and_clear();
    let mut out = console::stdout();
    writeln!(out, "{}\n{}", described(&comparison), verdict(&comparison))?;
    replace(&task.out, preset(&comparison).as_bytes())?;
    writeln!(out, "Written to {}", task.out.display())?;
    Ok(())
}

/// Describes the measurement, and adds the table.
fn described(comparison: &Comparison) -> String {
    let Comparison { threads, hash, positions, schedule, rows } = comparison;
    let mut text = format!(
        "{threads} threads, table of {hash} MiB, {positions} positions, {} x {:.3} s each.\n\
         Time to depth against the default policy, less is better, +- {ERRORS} standard errors:\n\n",
        schedule.rounds,
        schedule.each.as_secs_f64()
    );
    for row in rows {
        let time = match row.time {
            _ if row.stagger == Stagger::default() => "1      (default)".to_owned(),
            Some(time) => format!("{:.3} +- {:.3}", time.mean, time.error(ERRORS)),
            None => "no depth was reached".to_owned(),
        };
        writeln!(text, "{:>12}  {time}", row.stagger.name()).expect("writing to a string does not fail");
    }
    text
}

fn verdict(comparison: &Comparison) -> String {
    let choice = comparison.choice();
    if choice == Stagger::default() {
        format!("No policy is faster than the default beyond its error: {} stays.", choice.name())
    } else {
        format!("Faster than the default beyond its error: {}.", choice.name())
    }
}

/// The text of the preset. Its comments hold the measurement.
fn preset(comparison: &Comparison) -> String {
    let profile = Profile { threads: comparison.threads, stagger: comparison.choice() };
    let mut text = "# Written by enfilade tune-threads, for use with --config.\n#\n".to_owned();
    for line in described(comparison).lines().chain([verdict(comparison).as_str()]) {
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
    use std::time::Duration;

    use super::*;
    use crate::config::{Preset, Setup};
    use crate::scaling::Ratio;
    use crate::scaling::policies::{PolicyRow, TrialSchedule};

    /// A comparison in which `winner` is twice as fast as the others.
    fn comparison(winner: &Stagger) -> Comparison {
        let row = |stagger: Stagger| {
            let mean = if stagger == *winner { 0.5 } else { 1.0 };
            PolicyRow { stagger, time: Some(Ratio { mean, deviation: 0.01 }) }
        };
        let schedule = TrialSchedule { rounds: 2, each: Duration::from_millis(500) };
        let rows = Stagger::all().into_iter().map(row).collect();
        Comparison { threads: 6, hash: 32, positions: 40, schedule, rows }
    }

    #[test]
    fn the_preset_sets_the_policy_that_was_chosen() {
        for winner in Stagger::all() {
            let text = preset(&comparison(&winner));
            let read = Preset::parse(&text, Path::new("x.toml")).unwrap();
            let mut setup = Setup::default();
            read.apply(&mut setup);
            assert_eq!((setup.settings.threads, &setup.settings.stagger), (6, &winner), "{text}");
            assert_eq!(setup.settings.hash, Setup::default().settings.hash, "only these two are set");
            assert!(text.contains("# 6 threads, table of 32 MiB, 40 positions, 2 x 0.500 s each."), "{text}");
        }
    }

    #[test]
    fn the_verdict_says_whether_anything_was_won() {
        let default = Stagger::default();
        assert!(verdict(&comparison(&default)).contains(&format!("{} stays", default.name())));
        let other = Stagger::all().into_iter().find(|policy| *policy != default).unwrap();
        assert!(verdict(&comparison(&other)).ends_with(&format!(": {}.", other.name())));
        assert!(described(&comparison(&other)).contains("0.500 +- 0.01"));
    }
}
