//! `enfilade datagen` with `--queue`: lets the workers of a queue play the games.

use clap::Args;

use crate::base::console;
use crate::engine::command::arguments::CommandArguments;
use crate::engine::command::error::CliError;
use crate::engine::config::Setup;
use crate::lab::datagen::DatagenPlan;
use crate::lab::datagen::command::{DatagenArguments, show_progress};
use crate::service::fleet::generation::generate;
use crate::service::fleet::queue_arguments::{OptionalQueueArguments, QueueAccess};

// The help is that of the flattened arguments.
#[derive(Debug, Args)]
pub(crate) struct QueuedDatagenArguments {
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
