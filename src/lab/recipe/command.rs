//! `enfilade make-network`: makes a network by a recipe.

use std::path::PathBuf;

use clap::Args;

use crate::base::console;
use crate::engine::command::arguments::CommandArguments;
use crate::engine::command::error::CliError;
use crate::engine::command::number::{cores, threads};
use crate::engine::config::Setup;
use crate::lab::datagen::command::show_progress;
use crate::lab::recipe::making::Making;
use crate::lab::train::command::train_with_display;

/// Play the games of a recipe and train a network on them
///
/// A recipe says which games are played and how the training goes: docs/networks.md describes it. After an
/// interruption the same command goes on. The network is DIR/network.nnue in the end.
#[derive(Debug, Args)]
pub(crate) struct MakeNetworkArguments {
    /// The recipe
    #[arg(value_name = "RECIPE.toml")]
    pub recipe: PathBuf,
    /// Folder for the games, the networks of all stages and a log
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Number of threads. Without it, the number of cores
    #[arg(long, value_name = "N", value_parser = threads())]
    pub threads: Option<usize>,
}

impl CommandArguments for MakeNetworkArguments {
    type Task = MakeNetworkArguments;

    /// The recipe says how the engine plays.
    fn takes_preset(&self) -> bool {
        false
    }

    fn resolve(self, _: Setup) -> Result<MakeNetworkArguments, CliError> {
        Ok(self)
    }

    /// Plays and trains. Prints a line for each batch of games and each epoch.
    fn run(MakeNetworkArguments { recipe, out, threads }: MakeNetworkArguments) -> Result<(), CliError> {
        let mut making = Making::open(&recipe, &out, threads.unwrap_or_else(cores))?;
        let recipe = making.recipe().clone();
        let batches = Making::batches(&recipe);
        for (index, batch) in batches.iter().enumerate() {
            if making.is_played(*batch) {
                continue;
            }
            show_progress(batch.kind.batch, |listener| Ok(making.play(*batch, listener)?))?;
            let left = making.time_for_games().map_or(0.0, |time| time.as_secs_f64() / 3_600.0);
            console::say(format_args!(
                "games {}/{}: {}, seed {}; about {left:.1} core-hours of games left",
                index + 1,
                batches.len(),
                batch.kind.name,
                batch.seed
            ));
        }
        for (index, stage) in recipe.stages.iter().enumerate() {
            if let Some(plan) = making.training(index)? {
                console::say(format_args!("stage {}/{}: {}", index + 1, recipe.stages.len(), stage.name));
                train_with_display(&plan)?;
            }
        }
        console::say(format_args!("wrote {}", making.finish()?.display()));
        Ok(())
    }
}
