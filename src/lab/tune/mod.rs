//! Tunes the search's parameters by games of the engine against itself (`enfilade tune`). [`main_effects`] measures
//! what many changes of the parameters are worth at once (`enfilade screen`).
//!
//! Games are played in this process, and their limits count nodes. So the load of the machine does not matter, and
//! thousands of games can be played in an hour. The result is only a proposal. New values are adopted only after a
//! match with a clock against the old values.

pub(crate) mod command;
mod error;
mod log;
pub mod main_effects;
mod opponents;
pub(crate) mod player_arguments;
mod plot;
pub(crate) mod screen_command;
pub mod spsa;

use std::ops::ControlFlow;
use std::path::PathBuf;

use parking_lot::Mutex;

use crate::base::crew;
use crate::base::random::Random;
use crate::engine::facade::Settings;
use crate::engine::params::{Declaration, Params};
use crate::engine::selfplay::allowance::Allowance;
use crate::engine::selfplay::games_log::RecordedSetting;
pub use error::TuneError;
use log::TuningFiles;
use spsa::Spsa;

/// The number of pairs between two lines of the log.
const LOG_INTERVAL: u64 = 250;

/// What to tune, and by which games.
#[derive(Clone, Debug)]
pub struct TuningPlan {
    /// The directory for `log.csv`, its chart and `params.toml`. An existing log is continued if it was begun with the
    /// same settings.
    pub out: PathBuf,
    /// The number of pairs of games, including those of earlier runs.
    pub pairs: u64,
    /// What the threads of each search may search together.
    pub allowance: Allowance,
    /// The number of pairs played at the same time, from 1.
    pub threads: usize,
    /// The names of the parameters to tune; all parameters if the list is empty.
    pub only: Vec<String>,
    /// Learning rate at the end, relative to each parameter's step.
    pub rate: f64,
    /// How far the two opponents are from the current values, in steps of each parameter.
    pub steps: f64,
    /// Seed of the openings and perturbations.
    pub seed: u64,
    /// The network, the initial parameters, the virtual threads of each search and all other settings.
    pub settings: Settings,
}

/// The result of a tuning.
#[derive(Clone, Debug, PartialEq)]
pub struct TuningReport {
    /// The number of played pairs of games, including those of earlier runs.
    pub pairs: u64,
    /// The current parameters.
    pub params: Params,
}

/// The progress of a job that may continue an earlier run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairsPlayed {
    /// Pairs of games of earlier runs.
    pub before: u64,
    /// Pairs of games of this run.
    pub now: u64,
}

/// Tunes the parameters. Calls `on_progress` when the games begin, and after each pair.
///
/// # Errors
/// If a parameter does not exist, if the log cannot be read or written or was begun with other settings, or if the
/// system refuses memory or threads.
pub fn run(
    plan: &TuningPlan,
    mut on_progress: impl FnMut(PairsPlayed) + Send,
) -> Result<TuningReport, TuneError> {
    let TuningPlan { pairs, allowance, threads, rate, steps, seed, ref settings, .. } = *plan;
    let declarations = chosen(&plan.only)?;
    let mut spsa = Spsa::new(declarations, &settings.params, pairs, rate, steps);
    // The number of pairs is not among these settings, so that a later run may raise it.
    let mut basis = vec![
        RecordedSetting::of_allowance(allowance),
        RecordedSetting::new("seed", seed),
        RecordedSetting::new("rate", rate),
        RecordedSetting::new("steps", steps),
    ];
    basis.extend(RecordedSetting::of_games(settings));
    let mut files = TuningFiles::open(&plan.out, &mut spsa, &basis)?;
    let before = spsa.done();
    let opponents = opponents::for_boards(pairs.saturating_sub(before), threads, allowance, settings)?;
    on_progress(PairsPlayed { before, now: 0 });
    let spsa = Mutex::new(spsa);
    let mut result = Ok(());
    crew::share_out(
        opponents,
        before..pairs,
        |opponents, number| {
            let mut random = Random::stream(seed, number);
            let perturbation = spsa.lock().perturb(&mut random);
            let difference = opponents.play_pair(&perturbation.players, &mut random);
            (perturbation, difference)
        },
        |_, (perturbation, difference)| {
            let mut spsa = spsa.lock();
            spsa.learn(&perturbation, difference);
            if result.is_ok() && (spsa.done() % LOG_INTERVAL == 0 || spsa.done() == pairs) {
                result = files.append(&spsa);
            }
            on_progress(PairsPlayed { before, now: spsa.done() - before });
            // The first error ends the run. Nothing is written after it.
            if result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        },
    )?;
    let spsa = spsa.into_inner();
    result.map(|()| TuningReport { pairs: spsa.done(), params: spsa.params() })
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
    use crate::engine::selfplay::games_log::GamesLogError;

    fn plan(out: PathBuf, pairs: u64) -> TuningPlan {
        let only = vec!["razor_base".to_owned(), "late_move_base".to_owned()];
        let settings = Settings::default();
        let allowance = Allowance::Move(30);
        TuningPlan { out, pairs, allowance, threads: 2, only, rate: 0.002, steps: 1.0, seed: 3, settings }
    }

    #[test]
    fn a_tuning_writes_its_log_and_values_and_can_be_continued() {
        let directory = tempfile::tempdir().unwrap();
        let out = directory.path().join("tuning");
        run(&plan(out.clone(), 2), |_| {}).unwrap();
        let log = std::fs::read_to_string(out.join("log.csv")).unwrap();
        let lines: Vec<&str> = log.lines().filter(|line| !line.starts_with("# ")).collect();
        assert_eq!(lines[0], "pairs,razor_base,late_move_base");
        assert!(lines.len() == 2 && lines[1].starts_with("2,"), "{log}");
        let params = std::fs::read_to_string(out.join("params.toml")).unwrap();
        assert!(params.contains("razor_base = "), "{params}");

        let mut reported = Vec::new();
        let report = run(&plan(out.clone(), 3), |played| reported.push(played)).unwrap();
        assert_eq!(reported, [0, 1].map(|now| PairsPlayed { before: 2, now }));
        assert_eq!(report.pairs, 3);
        let longer = std::fs::read_to_string(out.join("log.csv")).unwrap();
        assert!(std::fs::read_to_string(out.join("log.svg")).unwrap().contains("<polyline"));
        assert!(longer.starts_with(&log) && longer.lines().last().unwrap().starts_with("3,"), "{longer}");
        let other = TuningPlan { only: vec!["razor_base".to_owned()], ..plan(out, 4) };
        assert!(matches!(run(&other, |_| {}), Err(TuneError::Log(GamesLogError::Foreign(_)))));
    }

    /// The log was once continued as a mixture of old and new settings.
    #[test]
    fn a_tuning_is_not_continued_with_other_settings() {
        let directory = tempfile::tempdir().unwrap();
        let out = directory.path().to_owned();
        run(&plan(out.clone(), 1), |_| {}).unwrap();
        let before = std::fs::read_to_string(out.join("log.csv")).unwrap();
        let other =
            TuningPlan { allowance: Allowance::Move(3_000), seed: 99, rate: 0.9, ..plan(out.clone(), 8) };
        let mut preset = Settings::default();
        preset.params.set("razor_depth", 0);
        preset.quiescence = crate::engine::run::leaf::Kind::Captures;
        let preset = TuningPlan { settings: preset, ..plan(out.clone(), 8) };
        for (plan, difference) in [
            (other, "nodes 30 (now 3000), seed 3 (now 99), rate 0.002 (now 0.9)"),
            (TuningPlan { steps: 2.0, ..plan(out.clone(), 8) }, "steps 1 (now 2)"),
            (
                TuningPlan { allowance: Allowance::Clock("900+9".parse().unwrap()), ..plan(out.clone(), 8) },
                "clock unknown (now 900+9)",
            ),
            (
                TuningPlan {
                    settings: Settings { threads: 4, ..Settings::default() },
                    ..plan(out.clone(), 8)
                },
                "search-threads 1 (now 4)",
            ),
            (preset, "quiescence bootstrap (now captures), razor_depth 4 (now 0)"),
        ] {
            let error = run(&plan, |_| {}).unwrap_err().to_string();
            assert!(
                error.ends_with(&format!("log.csv: the file was begun with other settings: {difference}")),
                "{error}"
            );
        }
        assert_eq!(std::fs::read_to_string(out.join("log.csv")).unwrap(), before);
    }

    #[test]
    fn the_error_names_an_unknown_parameter() {
        let directory = tempfile::tempdir().unwrap();
        let only = vec!["no_such_thing".to_owned()];
        let error = run(&TuningPlan { only, ..plan(directory.path().to_owned(), 1) }, |_| {}).unwrap_err();
        assert_eq!(error.to_string(), "there is no parameter called no_such_thing");
    }
}
