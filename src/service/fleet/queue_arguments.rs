//! The arguments that say which queue a command uses.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::engine::command::error::CliError;
use crate::service::fleet::{Address, AddressError};

// Doc comments on these arguments would become the help of the whole command.

// How to connect to a queue.
#[derive(Debug, Args)]
pub(crate) struct QueueAccessArguments {
    /// Read the password of the queue from a file; otherwise it is taken from the environment variable
    /// ENFILADE_QUEUE_PASSWORD
    #[arg(long, value_name = "FILE", requires = "queue")]
    pub queue_password_file: Option<PathBuf>,
    /// Give up when the server has been away for so many seconds
    #[arg(long, value_name = "S", default_value_t = 600, hide = true)]
    pub queue_patience: u64,
}

impl QueueAccessArguments {
    fn address(&self, url: &str) -> Result<Address, CliError> {
        Address::read(url, self.queue_password_file.as_deref()).map_err(|error| match error {
            AddressError::Url => CliError::Usage(format!("--queue: {error}")),
            AddressError::File(error) => error.into(),
        })
    }

    fn patience(&self) -> Duration {
        Duration::from_secs(self.queue_patience)
    }
}

// The arguments of a command that needs a queue.
#[derive(Debug, Args)]
pub(crate) struct QueueArguments {
    /// The Redis or Valkey server with the jobs, such as redis://host:6379/0
    #[arg(long, value_name = "URL")]
    pub queue: String,
    #[command(flatten)]
    pub access: QueueAccessArguments,
}

// The arguments of a command that can use a queue.
#[derive(Debug, Args)]
pub(crate) struct OptionalQueueArguments {
    /// Let the workers of this queue do the work instead of this program; for example redis://host:6379/0
    #[arg(long, value_name = "URL", conflicts_with = "threads")]
    pub queue: Option<String>,
    #[command(flatten)]
    pub access: QueueAccessArguments,
}

/// The address of a queue, and how long the server may be unreachable.
#[derive(Clone, Debug)]
pub(crate) struct QueueAccess {
    pub address: Address,
    pub patience: Duration,
}

impl QueueArguments {
    pub fn access(&self) -> Result<QueueAccess, CliError> {
        let address = self.access.address(&self.queue)?;
        Ok(QueueAccess { address, patience: self.access.patience() })
    }
}

impl OptionalQueueArguments {
    pub fn access(&self) -> Result<Option<QueueAccess>, CliError> {
        let Some(url) = &self.queue else { return Ok(None) };
        let address = self.access.address(url)?;
        Ok(Some(QueueAccess { address, patience: self.access.patience() }))
    }
}
