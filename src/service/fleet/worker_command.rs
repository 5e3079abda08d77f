//! `enfilade worker`: does the jobs of a queue.

use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use crate::base::console;
use crate::base::text::counted;
use crate::engine::command::arguments::CommandArguments;
use crate::engine::command::error::CliError;
use crate::engine::command::number::{self, cores, within};
use crate::engine::config::Setup;
use crate::engine::config::range::{HASH, THREADS};
use crate::engine::facade::Settings;
use crate::engine::tablebase::Tablebases;
use crate::service::fleet::queue_arguments::{QueueAccess, QueueArguments};
use crate::service::fleet::task::Bounds;
use crate::service::fleet::{Address, worker};

/// Search for other machines: do the jobs of analyse --queue and datagen --queue
#[derive(Debug, Args)]
pub(crate) struct WorkerArguments {
    #[command(flatten)]
    pub queue: QueueArguments,
    /// Number of jobs searched at the same time, by one thread each. Without it, the preset's threads or the number of
    /// cores
    #[arg(long, value_name = "N", value_parser = within(THREADS))]
    pub threads: Option<usize>,
    /// Refuse jobs that take more nodes for a position
    #[arg(long, value_name = "N", default_value_t = 1_000_000_000, value_parser = number::from(1u64))]
    pub max_nodes: u64,
    /// Refuse jobs with a larger hash table in MiB; each thread has one
    #[arg(long, value_name = "MIB", default_value_t = 1024, value_parser = within(HASH))]
    pub max_hash: usize,
    /// Directories with Syzygy tablebases. They must be the same as those of the client
    #[arg(long, value_name = "PATHS")]
    pub syzygy_path: Option<String>,
    /// Milliseconds after which a job is taken from a worker that gives no sign of life
    #[arg(long, value_name = "MS", default_value = "60000", hide = true, value_parser = number::from(100u64))]
    pub lease: u64,
}

/// What `worker` needs.
#[derive(Debug)]
pub(crate) struct QueueWorkerTask {
    address: Address,
    plan: worker::WorkerPlan,
}

impl CommandArguments for WorkerArguments {
    type Task = QueueWorkerTask;

    fn adjust_defaults(&self, settings: &mut Settings) {
        settings.threads = cores();
    }

    fn resolve(self, mut setup: Setup) -> Result<QueueWorkerTask, CliError> {
        let QueueAccess { address, patience } = self.queue.access()?;
        if let Some(path) = &self.syzygy_path {
            setup.settings.tablebases = Arc::new(Tablebases::load(path));
        }
        let plan = worker::WorkerPlan {
            threads: self.threads.unwrap_or(setup.settings.threads),
            settings: setup.settings,
            bounds: Bounds { max_nodes: self.max_nodes, max_hash: self.max_hash },
            lease: Duration::from_millis(self.lease),
            patience,
        };
        Ok(QueueWorkerTask { address, plan })
    }

    /// Does jobs until the program is told to end.
    fn run(QueueWorkerTask { address, plan }: QueueWorkerTask) -> Result<(), CliError> {
        plan.settings.tablebases.notes().iter().for_each(console::warn);
        let done = worker::run(&plan, &address, |text| console::warn(text))?;
        console::warn(format_args!("{} done", counted(done, "job")));
        Ok(())
    }
}
