//! `enfilade datagen` with `--queue`: lets the workers of a queue play the games.

use clap::Args;

use super::command::CommandArguments;
use super::datagen::{DatagenArguments, show_progress};
use super::queue_access::{OptionalQueueArguments, QueueAccess};
use crate::cli::error::CliError;
use crate::config::Setup;
use crate::console;
use crate::datagen::DatagenPlan;
use crate::fleet::generation::generate;

// The help is that of the flattened arguments.
#[derive(Debug, Args)]
pub(super) struct QueuedDatagenArguments {
    #[command(flatten)]
    pub generation: DatagenArguments,
    #[command(flatten)]
    pub queue: OptionalQueueArguments,
}

impl CommandArguments for QueuedDatagenArguments {
    /// The queue is `None` if this process plays.
    type Task = (DatagenPlan, Option<QueueAccess>);

    fn resolve(self, setup: Setup) -> Result<Self::Task, CliError> {
        let access = self.queue.access()?;
        Ok((self.generation.resolve(setup)?, access))
    }

    /// Has the games played by the workers of the queue, or in this process if there is no queue.
    fn run((plan, access): Self::Task) -> Result<(), CliError> {
        let Some(QueueAccess { address, patience }) = access else {
            return DatagenArguments::run(plan);
        };
        let mut warn = |text: &str| console::warn(text);
        show_progress(plan.games, |mut listener| {
            Ok(generate(&plan, &address, patience, &mut warn, &mut listener).map(drop)?)
        })
    }
}
