//! The errors of the command line.

use std::error::Error;
use std::fmt::{self, Display};
use std::io;

/// A command could not be carried out. The text is one line for the user.
#[derive(Debug)]
pub enum CliError {
    /// The words of the command line are wrong.
    Usage(String),
    /// A UCI command was refused. The session has printed the reason.
    Refused(String),
    /// Standard output could not be written.
    Output(io::Error),
    /// The command has checked something, and it is not in order.
    Check(String),
    /// Ctrl-C or an order of the system ended the command early. The text says what is left.
    Interrupted(String),
    /// The command failed for the reason of the part of the program that it uses.
    Failed(Box<dyn Error + Send + Sync>),
}

impl CliError {
    /// The status with which the program ends. docs/commands.md explains it to users.
    pub fn status(&self) -> u8 {
        match self {
            CliError::Usage(_) => 2,
            CliError::Interrupted(_) => 130,
            CliError::Refused(_) | CliError::Output(_) | CliError::Check(_) | CliError::Failed(_) => 1,
        }
    }
}

impl Display for CliError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CliError::Usage(text) | CliError::Check(text) | CliError::Interrupted(text) => {
                formatter.write_str(text)
            }
            CliError::Refused(command) => write!(formatter, "\"{command}\" was refused"),
            CliError::Output(error) => write!(formatter, "cannot write to standard output: {error}"),
            CliError::Failed(error) => error.fmt(formatter),
        }
    }
}

/// An [`io::Error`] comes from standard output: all files go through [`file`](crate::base::file), which has errors of
/// its own.
impl<E: Into<Box<dyn Error + Send + Sync>>> From<E> for CliError {
    fn from(error: E) -> CliError {
        match error.into().downcast::<io::Error>() {
            Ok(error) => CliError::Output(*error),
            Err(error) => CliError::Failed(error),
        }
    }
}
