//! The entries of the list of commands. Each wing has a list, and the program joins them.

use std::path::PathBuf;

use clap::{ArgMatches, Args};

use super::arguments::CommandArguments;
use super::error::CliError;

/// A command whose arguments are read. A call resolves the arguments and carries out the command.
pub(crate) type Invocation = Box<dyn FnOnce() -> Result<(), CliError>>;

/// What a command is for. The help of the program has a heading for each group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommandGroup {
    Play,
    Serve,
    Measure,
    Laboratory,
    Program,
}

impl CommandGroup {
    /// All groups in the order of the help.
    pub(crate) const ALL: [CommandGroup; 5] = [
        CommandGroup::Play,
        CommandGroup::Serve,
        CommandGroup::Measure,
        CommandGroup::Laboratory,
        CommandGroup::Program,
    ];

    /// The heading in the help.
    pub(crate) fn heading(self) -> &'static str {
        match self {
            CommandGroup::Play => "Play and analyze",
            CommandGroup::Serve => "Serve other programs and machines",
            CommandGroup::Measure => "Check and measure",
            CommandGroup::Laboratory => "Laboratory: matches, tuning and training",
            CommandGroup::Program => "This program",
        }
    }
}

/// A command by its name.
pub(crate) struct CommandEntry {
    pub group: CommandGroup,
    pub name: &'static str,
    /// Adds the help of the command and its arguments to clap's definition of it.
    pub define: fn(clap::Command) -> clap::Command,
    /// Reads the arguments. The last parameter is the file of `--config`.
    pub read: fn(&ArgMatches, Option<PathBuf>) -> Result<Invocation, clap::Error>,
}

/// The entry of the command with these arguments.
pub(crate) const fn entry<C: CommandArguments + Args + 'static>(
    group: CommandGroup,
    name: &'static str,
) -> CommandEntry {
    CommandEntry {
        group,
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
