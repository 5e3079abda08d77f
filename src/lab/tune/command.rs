//! `enfilade tune`: tunes the search's parameters by games of the engine against itself.

use std::path::PathBuf;

use clap::Args;

use crate::engine::command::arguments::CommandArguments;
use crate::engine::command::error::CliError;
use crate::engine::command::number::{self, threads};
use crate::engine::config::Setup;
use crate::lab::tune::player_arguments::{PairsBar, PlayerArguments};
use crate::lab::tune::{self, TuningPlan};

/// Tune the search's parameters by games of the engine against itself
#[derive(Debug, Args)]
pub(crate) struct TuneArguments {
    /// Directory for log.csv, its picture and params.toml. If it has a log already, the tuning goes on; the settings
    /// must be the same
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Pairs of games in all. A finished tuning goes on if this number is raised
    #[arg(long, value_parser = number::from(1u64))]
    pub pairs: u64,
    #[command(flatten)]
    pub players: PlayerArguments,
    /// Pairs played at the same time
    #[arg(long, default_value_t = 1, value_parser = threads())]
    pub threads: usize,
    /// Tune these parameters only
    #[arg(long, num_args = 1.., value_name = "NAME")]
    pub only: Vec<String>,
    /// Learning rate at the end, relative to each parameter's step
    #[arg(long, default_value_t = 0.002, value_parser = positive)]
    pub rate: f64,
    /// How far the two opponents are from the current values, in steps of each parameter
    #[arg(long, default_value_t = 1.0, value_parser = positive)]
    pub steps: f64,
    /// Seed of the openings and the perturbations
    #[arg(long, default_value_t = 1, value_parser = number::from(0u64))]
    pub seed: u64,
}

impl CommandArguments for TuneArguments {
    type Task = TuningPlan;

    fn resolve(self, setup: Setup) -> Result<TuningPlan, CliError> {
        let TuneArguments { out, pairs, players, threads, only, rate, steps, seed } = self;
        let (allowance, settings) = (players.allowance(), players.settings(setup.settings));
        Ok(TuningPlan { out, pairs, allowance, threads, only, rate, steps, seed, settings })
    }

    /// Tunes the parameters and shows progress on standard error.
    fn run(plan: TuningPlan) -> Result<(), CliError> {
        let mut bar = PairsBar::new(plan.pairs);
        let result = tune::run(&plan, |played| bar.show(played));
        bar.finish();
        result?;
        Ok(())
    }
}

/// A parser for finite numbers above 0.
fn positive(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "a number is needed".to_owned())?;
    if number.is_finite() && number > 0.0 { Ok(number) } else { Err("a number above 0 is needed".to_owned()) }
}
