//! The entries of the list of commands. Each wing has a list, and the program joins them.

use std::path::PathBuf;

use clap::{ArgMatches, Args};

use super::arguments::CommandArguments;
use super::error::CliError;

/// A command whose arguments are read. A call resolves the arguments and carries out the command.
pub(crate) type Invocation = Box<dyn FnOnce() -> Result<(), CliError>>;

/// A command by its name.
pub(crate) struct CommandEntry {
    pub name: &'static str,
    /// Adds the help of the command and its arguments to clap's definition of it.
    pub define: fn(clap::Command) -> clap::Command,
    /// Reads the arguments. The last parameter is the file of `--config`.
    pub read: fn(&ArgMatches, Option<PathBuf>) -> Result<Invocation, clap::Error>,
}

/// The entry of the command with these arguments.
pub(crate) const fn entry<C: CommandArguments + Args + 'static>(name: &'static str) -> CommandEntry {
    CommandEntry {
        name,
        define: C::augment_args,
        read: |matches, config| Ok(invocation(C::from_arg_matches(matches)?, config)),
    }
}

/// A call of the command with the arguments as typed. `config` is the file of `--config`.
pub(crate) fn invocation(typed: impl CommandArguments + 'static, config: Option<PathBuf>) -> Invocation {
    Box::new(move || run(typed, config))
}

fn run<C: CommandArguments>(typed: C, config: Option<PathBuf>) -> Result<(), CliError> {
    C::run(typed.resolve_with(config.as_deref())?)
}
