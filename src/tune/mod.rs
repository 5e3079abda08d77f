//! Tuning the search's parameters by games of the engine against itself: `enfilade tune`; and measuring what many changes of
//! them are worth at once, [`screen`].
//!
//! Games are played at a fixed number of nodes in this process, so that a machine's load does not matter and
//! thousands of them can be had in an hour. What comes out is a proposal: values are taken over only after
//! a match against the old ones with a clock.

mod error;
mod journal;
mod log;
mod opponents;
mod plot;
pub mod screen;
pub mod spsa;

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use clap::Args;
use parking_lot::Mutex;

use crate::console::Progress;
use crate::crew::{self};
use crate::engine::Settings;
use crate::number;
use crate::params::{Declaration, Params};
use crate::random::Random;
pub use error::TuneError;
use error::unless_failed;
use journal::Setting;
use log::Log;
use spsa::Spsa;

/// Pairs between two lines of the log.
const LOG_INTERVAL: u64 = 250;

/// What `enfilade tune` is asked to do.
#[derive(Args, Clone, Debug)]
pub struct Arguments {
    /// Directory for log.csv, its picture and params.toml; a log that is there already is continued, with the same settings
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Pairs of games in all; a finished tuning goes on if there are to be more
    #[arg(long, value_parser = number::from(1u64))]
    pub pairs: u64,
    /// Nodes for each move
    #[arg(long, default_value_t = 2_500, value_parser = number::from(1u64))]
    pub nodes: u64,
    /// Pairs played at the same time
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: u16,
    /// Tune these parameters only
    #[arg(long, num_args = 1.., value_name = "NAME")]
    pub only: Vec<String>,
    /// Learning rate at the end, relative to each parameter's step
    #[arg(long, default_value_t = 0.002, value_parser = positive)]
    pub rate: f64,
    /// How far the opponents lie on both sides of the current values, in each parameter's step
    #[arg(long, default_value_t = 1.0, value_parser = positive)]
    pub steps: f64,
    /// Of openings and perturbations
    #[arg(long, default_value_t = 1, value_parser = number::from(0u64))]
    pub seed: u64,
}

/// Tunes, with a progress bar on standard error. Network and first parameters are those of the settings.
pub fn run(arguments: &Arguments, settings: &Settings) -> Result<(), TuneError> {
    let declarations = chosen(&arguments.only)?;
    let mut spsa =
        Spsa::new(declarations, &settings.params, arguments.pairs, arguments.rate, arguments.steps);
    // The number of pairs may be raised to go on for longer.
    let mut basis = vec![
        Setting::new("nodes", arguments.nodes),
        Setting::new("seed", arguments.seed),
        Setting::new("rate", arguments.rate),
        Setting::new("steps", arguments.steps),
    ];
    basis.extend(Setting::of_games(settings));
    let log = Log::open(&arguments.out, &mut spsa, &basis)?;
    let begun = spsa.done();
    let missing = arguments.pairs.saturating_sub(begun);
    let players = opponents::players(missing, arguments.threads, arguments.nodes, settings)?;
    let progress = Progress::new("pairs", begun, arguments.pairs);
    let next_pair = AtomicU64::new(begun);
    let state = Mutex::new((spsa, log, Ok(())));
    crew::work(players, |mut opponents| {
        loop {
            let number = next_pair.fetch_add(1, Ordering::Relaxed);
            if number >= arguments.pairs || state.lock().2.is_err() {
                return;
            }
            let mut random = Random::stream(arguments.seed, number);
            let trial = state.lock().0.trial(&mut random);
            let difference = opponents.play_pair(&trial.players, &mut random);
            let (spsa, log, result) = &mut *state.lock();
            spsa.learn(&trial, difference);
            if spsa.done() % LOG_INTERVAL == 0 || spsa.done() == arguments.pairs {
                unless_failed(result, || log.append(spsa));
            }
            progress.advance(format_args!("{:.2} a second", progress.rate(spsa.done() - begun)));
        }
    })?;
    progress.finish();
    state.into_inner().2
}

fn positive(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "a number is needed".to_owned())?;
    if number.is_finite() && number > 0.0 { Ok(number) } else { Err("a number above 0 is needed".to_owned()) }
}

fn chosen(names: &[String]) -> Result<Vec<&'static Declaration>, TuneError> {
    if let Some(unknown) = names.iter().find(|name| Params::ALL.iter().all(|known| known.name != **name)) {
        return Err(TuneError::Unknown(unknown.clone()));
    }
    let is_chosen = |known: &&Declaration| names.is_empty() || names.iter().any(|name| known.name == name);
    Ok(Params::ALL.iter().filter(is_chosen).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(out: PathBuf, pairs: u64) -> Arguments {
        let only = vec!["razor_base".to_owned(), "late_move_base".to_owned()];
        Arguments { out, pairs, nodes: 30, threads: 2, only, rate: 0.002, steps: 1.0, seed: 3 }
    }

    #[test]
    fn a_tuning_leaves_its_log_and_values_and_can_be_continued() {
        let directory = tempfile::tempdir().unwrap();
        let out = directory.path().join("tuning");
        run(&arguments(out.clone(), 2), &Settings::default()).unwrap();
        let log = std::fs::read_to_string(out.join("log.csv")).unwrap();
        let lines: Vec<&str> = log.lines().filter(|line| !line.starts_with("# ")).collect();
        assert_eq!(lines[0], "pairs,razor_base,late_move_base");
        assert!(lines.len() == 2 && lines[1].starts_with("2,"), "{log}");
        let params = std::fs::read_to_string(out.join("params.toml")).unwrap();
        assert!(params.contains("razor_base = "), "{params}");

        run(&arguments(out.clone(), 3), &Settings::default()).unwrap();
        let longer = std::fs::read_to_string(out.join("log.csv")).unwrap();
        assert!(std::fs::read_to_string(out.join("log.svg")).unwrap().contains("<polyline"));
        assert!(longer.starts_with(&log) && longer.lines().last().unwrap().starts_with("3,"), "{longer}");
        let other = Arguments { only: vec!["razor_base".to_owned()], ..arguments(out, 4) };
        assert!(matches!(run(&other, &Settings::default()), Err(TuneError::ForeignLog(_))));
    }

    /// The log was once continued as a mixture of both.
    #[test]
    fn a_tuning_does_not_go_on_with_other_settings() {
        let directory = tempfile::tempdir().unwrap();
        let out = directory.path().to_owned();
        run(&arguments(out.clone(), 1), &Settings::default()).unwrap();
        let before = std::fs::read_to_string(out.join("log.csv")).unwrap();
        let other = Arguments { nodes: 3_000, seed: 99, rate: 0.9, ..arguments(out.clone(), 8) };
        let mut preset = Settings::default();
        preset.params.set("razor_depth", 0);
        preset.quiescence = crate::search::quiescence::Kind::Captures;
        for (arguments, settings, difference) in [
            (other, Settings::default(), "nodes 30 (now 3000), seed 3 (now 99), rate 0.002 (now 0.9)"),
            (Arguments { steps: 2.0, ..arguments(out.clone(), 8) }, Settings::default(), "steps 1 (now 2)"),
            (arguments(out.clone(), 8), preset, "quiescence bootstrap (now captures), razor_depth 4 (now 0)"),
        ] {
            let error = run(&arguments, &settings).unwrap_err().to_string();
            assert!(
                error.ends_with(&format!("log.csv: it was begun with other settings: {difference}")),
                "{error}"
            );
        }
        assert_eq!(std::fs::read_to_string(out.join("log.csv")).unwrap(), before);
    }

    #[test]
    fn the_first_error_is_kept_and_nothing_is_written_behind_it() {
        let mut result = Ok(());
        let mut writes = 0;
        for error in [None, Some("first"), None, Some("second")] {
            unless_failed(&mut result, || {
                writes += 1;
                error.map_or(Ok(()), |name| Err(TuneError::Unknown(name.to_owned())))
            });
        }
        assert_eq!(writes, 2);
        assert!(result.unwrap_err().to_string().ends_with("first"));
    }

    #[test]
    fn a_parameter_that_does_not_exist_is_named() {
        let directory = tempfile::tempdir().unwrap();
        let only = vec!["no_such_thing".to_owned()];
        let error =
            run(&Arguments { only, ..arguments(directory.path().to_owned(), 1) }, &Settings::default())
                .unwrap_err();
        assert_eq!(error.to_string(), "there is no parameter called no_such_thing");
    }
}
