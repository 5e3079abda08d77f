//! `enfilade uci`, and `enfilade` without arguments: speaks UCI.

use std::io::{self, IsTerminal};
use std::sync::Arc;

use clap::Args;

use super::command::CommandArguments;
use crate::cli::error::CliError;
use crate::config::Setup;
use crate::console;
use crate::engine::NAME;
use crate::pool::prompt;
use crate::uci::Session;
use crate::uci::output::Output;

/// Speak UCI (the default)
#[derive(Debug, Args)]
pub(super) struct UciArguments {}

impl CommandArguments for UciArguments {
    type Task = Setup;

    fn resolve(self, setup: Setup) -> Result<Setup, CliError> {
        Ok(setup)
    }

    /// Speaks UCI on standard input and output until `quit` or the end of the input.
    fn run(setup: Setup) -> Result<(), CliError> {
        prompt::wake_promptly();
        // A person who starts the program by hand should not see an empty screen. Programs get only what UCI defines.
        if io::stdin().is_terminal() && console::is_terminal() {
            console::say(format_args!("{NAME}, a chess engine that speaks UCI. Type \"uci\" or \"help\"."));
        }
        let output = Arc::new(Output::new(console::stdout().telling()));
        Session::new(setup, output)?.run(io::stdin().lock());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::command::resolved;

    #[test]
    fn without_a_preset_the_defaults_hold() {
        assert!(resolved::<UciArguments>("enfilade uci").unwrap() == Setup::default());
    }
}
