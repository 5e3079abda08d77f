//! `enfilade queue`: shows the state of a queue, or clears parts of it.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::{Args, Subcommand};

use crate::base::console;
use crate::base::text::counted;
use crate::engine::command::arguments::CommandArguments;
use crate::engine::command::error::CliError;
use crate::engine::command::json_arguments::JsonArguments;
use crate::engine::config::Setup;
use crate::service::fleet::queue::Patience;
use crate::service::fleet::queue_arguments::{QueueAccess, QueueArguments};
use crate::service::fleet::{Queue, status, store};

/// Look at a queue of jobs, or clear it
#[derive(Debug, Args)]
pub(crate) struct QueueCommandArguments {
    #[command(subcommand)]
    verb: QueueVerb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum QueueVerb {
    /// Show what waits, who is at work, and why something waits
    Status(StatusArguments),
    /// Remove jobs, answers, or the list of jobs that were set aside
    Clear(ClearArguments),
}

#[derive(Debug, Args)]
pub(crate) struct StatusArguments {
    #[command(flatten)]
    pub queue: QueueArguments,
    #[command(flatten)]
    pub json: JsonArguments,
}

#[derive(Debug, Args)]
#[group(id = "what", required = true, multiple = true, args = ["failed", "answers", "jobs"])]
pub(crate) struct ClearArguments {
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

impl CommandArguments for QueueCommandArguments {
    type Task = QueueVerb;

    fn resolve(self, _: Setup) -> Result<QueueVerb, CliError> {
        Ok(self.verb)
    }

    fn run(verb: QueueVerb) -> Result<(), CliError> {
        match verb {
            QueueVerb::Status(typed) => {
                let statuses = open(&typed.queue)?.call(&mut |text| console::warn(text), status::read)?;
                typed.json.write(&statuses)?;
                if !typed.json.is_printed() {
                    console::say(status::text(&statuses));
                }
            }
            QueueVerb::Clear(typed) => {
                let what = store::Clearing { failed: typed.failed, answers: typed.answers, jobs: typed.jobs };
                let removed = open(&typed.queue)?
                    .call(&mut |text| console::warn(text), |connection| store::clear(connection, what))?;
                console::say(format_args!("{} removed", counted(removed, "key")));
            }
        }
        Ok(())
    }
}

fn open(typed: &QueueArguments) -> Result<Queue, CliError> {
    let QueueAccess { address, patience } = typed.access()?;
    let is_over = Arc::new(AtomicBool::new(false));
    Ok(Queue::open(&address, Patience { limit: patience, awaits_room: false, is_over })?)
}
