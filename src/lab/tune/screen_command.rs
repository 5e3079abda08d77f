//! `enfilade screen`: measures what many changes of the search's parameters are worth.

use std::path::PathBuf;

use clap::Args;

use crate::base::console;
use crate::engine::command::arguments::CommandArguments;
use crate::engine::command::error::CliError;
use crate::engine::command::json_arguments::JsonArguments;
use crate::engine::command::number::{self, threads};
use crate::engine::config::Setup;
use crate::lab::tune::main_effects::{self, Factor, MainEffectsPlan};
use crate::lab::tune::player_arguments::{PairsBar, PlayerArguments};

/// Measure what many changes of the search's parameters are worth at once, by games of the engine against itself
#[derive(Debug, Args)]
pub(crate) struct ScreenArguments {
    /// File with a line for each pair of games. An existing file is continued if the settings are the same
    #[arg(long, value_name = "FILE.csv")]
    pub out: PathBuf,
    /// Pairs of games in all
    #[arg(long, value_parser = number::from(1u64))]
    pub pairs: u64,
    #[command(flatten)]
    pub players: PlayerArguments,
    /// Pairs played at the same time
    #[arg(long, default_value_t = 1, value_parser = threads())]
    pub threads: usize,
    /// Seed of the openings and of the choice of values
    #[arg(long, default_value_t = 1, value_parser = number::from(0u64))]
    pub seed: u64,
    /// The changes: parameters of the search and values to try in place of the current ones
    #[arg(required = true, value_name = "NAME=VALUE")]
    pub changes: Vec<Factor>,
    #[command(flatten)]
    pub json: JsonArguments,
}

/// What `screen` needs.
#[derive(Debug)]
pub(crate) struct ScreenTask {
    pub plan: MainEffectsPlan,
    pub json: JsonArguments,
}

impl CommandArguments for ScreenArguments {
    type Task = ScreenTask;

    fn resolve(self, setup: Setup) -> Result<ScreenTask, CliError> {
        let ScreenArguments { out, pairs, players, threads, seed, changes, json } = self;
        let (allowance, settings) = (players.allowance(), players.settings(setup.settings));
        let plan = MainEffectsPlan { out, pairs, allowance, threads, seed, factors: changes, settings };
        Ok(ScreenTask { plan, json })
    }

    /// Plays the games, shows progress on standard error, and prints the results.
    fn run(ScreenTask { plan, json }: ScreenTask) -> Result<(), CliError> {
        json.check()?;
        let mut bar = PairsBar::new(plan.pairs);
        let result = main_effects::run(&plan, |played| bar.show(played));
        bar.finish();
        let report = result?;
        if !json.is_printed() {
            console::say(&report);
        }
        json.write(&report)
    }
}
