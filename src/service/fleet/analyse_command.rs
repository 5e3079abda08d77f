//! `enfilade analyse` with `--queue`: lets the workers of a queue analyze the games.

use clap::Args;

use crate::base::console;
use crate::engine::command::arguments::CommandArguments;
use crate::engine::command::error::CliError;
use crate::engine::config::Setup;
use crate::engine::facade::Settings;
use crate::service::analyse::command::{AnalyseArguments, AnalyseTask, analyze};
use crate::service::analyse::job::Basis;
use crate::service::analyse::run_with;
use crate::service::analyse::workers::WorkforceError;
use crate::service::fleet::Client;
use crate::service::fleet::queue_arguments::{OptionalQueueArguments, QueueAccess};

// The help is that of the flattened arguments.
#[derive(Debug, Args)]
pub(crate) struct QueuedAnalyseArguments {
    #[command(flatten)]
    pub analysis: AnalyseArguments,
    #[command(flatten)]
    pub queue: OptionalQueueArguments,
}

impl CommandArguments for QueuedAnalyseArguments {
    /// The queue is `None` if this process searches.
    type Task = (AnalyseTask, Option<QueueAccess>);

    fn adjust_defaults(&self, settings: &mut Settings) {
        self.analysis.adjust_defaults(settings);
    }

    fn resolve(self, setup: Setup) -> Result<Self::Task, CliError> {
        Ok((self.analysis.resolve(setup)?, self.queue.access()?))
    }

    /// Analyzes the games by the workers of the queue, or in this process if there is no queue.
    fn run((task, access): Self::Task) -> Result<(), CliError> {
        let Some(QueueAccess { address, patience }) = access else {
            return AnalyseArguments::run(task);
        };
        let start = |basis: &Basis| {
            let client =
                Client::start(&address, &basis.fingerprint, patience, &mut |text| console::warn(text));
            client.map_err(|error| WorkforceError(Box::new(error)).into())
        };
        analyze(&task, |games, progress| run_with(&task.plan, games, progress, start))
    }
}
