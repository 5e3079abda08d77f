//! The arguments of `enfilade worker` and `enfilade queue`, and the queue arguments of other commands.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::{Args, Subcommand};

use super::format::grouped;
use super::number::{self, within};
use crate::cli::error::CliError;
use crate::config::Setup;
use crate::config::range::{HASH, THREADS};
use crate::console;
use crate::fleet::queue::Patience;
use crate::fleet::task::Bounds;
use crate::fleet::{Address, AddressError, Queue, status, store, worker};
use crate::tablebase::Tablebases;

/// How to connect to a queue.
#[derive(Debug, Args)]
pub(super) struct QueueAccessArguments {
    /// Read the password of the queue from a file; otherwise it is taken from the environment variable
    /// ENFILADE_QUEUE_PASSWORD
    #[arg(long, value_name = "FILE", requires = "queue")]
    pub queue_password_file: Option<PathBuf>,
    /// Give up when the server has been away for so many seconds
    #[arg(long, value_name = "S", default_value_t = 600, hide = true)]
    pub queue_patience: u64,
}

impl QueueAccessArguments {
    fn patience(&self) -> Duration {
        Duration::from_secs(self.queue_patience)
    }
}

/// The arguments of a command that needs a queue.
#[derive(Debug, Args)]
pub(super) struct QueueArguments {
    /// The Redis or Valkey server with the jobs, such as redis://host:6379/0
    #[arg(long, value_name = "URL")]
    pub queue: String,
    #[command(flatten)]
    pub access: QueueAccessArguments,
}

/// The arguments of a command that can use a queue.
#[derive(Debug, Args)]
pub(super) struct OptionalQueueArguments {
    /// Let the workers of this queue do the work instead of this program; for example redis://host:6379/0
    #[arg(long, value_name = "URL", conflicts_with = "threads")]
    pub queue: Option<String>,
    #[command(flatten)]
    pub access: QueueAccessArguments,
}

#[derive(Debug, Args)]
pub(super) struct WorkerArguments {
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

#[derive(Debug, Subcommand)]
pub(super) enum QueueVerb {
    /// Show what waits, who is at work, and why something waits
    Status(StatusArguments),
    /// Remove jobs, answers, or the list of jobs that were set aside
    Clear(ClearArguments),
}

#[derive(Debug, Args)]
pub(super) struct StatusArguments {
    #[command(flatten)]
    pub queue: QueueArguments,
    /// Print JSON instead of text
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[group(id = "what", required = true, multiple = true, args = ["failed", "answers", "jobs"])]
pub(super) struct ClearArguments {
    #[command(flatten)]
    pub queue: QueueArguments,
    /// Forget which jobs were set aside: they are tried again when they are submitted again
    #[arg(long)]
    pub failed: bool,
    /// Remove the answers: their jobs are searched again when they are submitted again
    #[arg(long)]
    pub answers: bool,
    /// Remove the jobs that wait or run; a client that is at work submits its own again
    #[arg(long)]
    pub jobs: bool,
}

/// The address of a queue, and how long the server may be unreachable.
#[derive(Clone, Debug)]
pub(super) struct QueueAccess {
    pub address: Address,
    pub patience: Duration,
}

impl QueueArguments {
    fn access(&self) -> Result<QueueAccess, AddressError> {
        let address = Address::read(&self.queue, self.access.queue_password_file.as_deref())?;
        Ok(QueueAccess { address, patience: self.access.patience() })
    }
}

impl OptionalQueueArguments {
    pub fn access(&self) -> Result<Option<QueueAccess>, AddressError> {
        let Some(url) = &self.queue else { return Ok(None) };
        let address = Address::read(url, self.access.queue_password_file.as_deref())?;
        Ok(Some(QueueAccess { address, patience: self.access.patience() }))
    }
}

/// The resolved arguments of `worker`.
#[derive(Debug)]
pub(super) struct QueueWorkerTask {
    address: Address,
    plan: worker::WorkerPlan,
}

/// Resolves the arguments. They take precedence over the settings.
pub(super) fn worker_task(mut setup: Setup, typed: WorkerArguments) -> Result<QueueWorkerTask, CliError> {
    let QueueAccess { address, patience } = typed.queue.access()?;
    if let Some(path) = &typed.syzygy_path {
        setup.settings.tablebases = Arc::new(Tablebases::load(path));
    }
    let plan = worker::WorkerPlan {
        threads: typed.threads.unwrap_or(setup.settings.threads),
        settings: setup.settings,
        bounds: Bounds { max_nodes: typed.max_nodes, max_hash: typed.max_hash },
        lease: Duration::from_millis(typed.lease),
        patience,
    };
    Ok(QueueWorkerTask { address, plan })
}

/// Does jobs until the program is told to end.
pub(super) fn work(QueueWorkerTask { address, plan }: &QueueWorkerTask) -> Result<(), CliError> {
    plan.settings.tablebases.notes().iter().for_each(console::warn);
    let done = worker::run(plan, address, |text| console::warn(text))?;
    console::warn(format_args!("{} jobs done", grouped(done)));
    Ok(())
}

/// Shows the state of a queue, or clears parts of it.
pub(super) fn queue(verb: &QueueVerb) -> Result<(), CliError> {
    match verb {
        QueueVerb::Status(typed) => {
            let statuses = open(&typed.queue)?.call(&mut |text| console::warn(text), status::read)?;
            if typed.json {
                console::say(serde_json::to_string_pretty(&statuses).expect("plain values become JSON"));
            } else {
                console::say(status::text(&statuses));
            }
        }
        QueueVerb::Clear(typed) => {
            let what = store::Clearing { failed: typed.failed, answers: typed.answers, jobs: typed.jobs };
            let removed = open(&typed.queue)?
                .call(&mut |text| console::warn(text), |connection| store::clear(connection, what))?;
            console::say(format_args!("{} keys removed", grouped(removed)));
        }
    }
    Ok(())
}

fn open(typed: &QueueArguments) -> Result<Queue, CliError> {
    let QueueAccess { address, patience } = typed.access()?;
    let is_over = Arc::new(AtomicBool::new(false));
    Ok(Queue::open(&address, Patience { limit: patience, awaits_room: false, is_over })?)
}
