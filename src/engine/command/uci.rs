//! `enfilade uci`, and `enfilade` without arguments: speaks UCI.

use std::io::{self, IsTerminal};
use std::sync::Arc;

use clap::Args;

use crate::base::console;
use crate::engine::command::arguments::CommandArguments;
use crate::engine::command::error::CliError;
use crate::engine::config::Setup;
use crate::engine::facade::NAME;
use crate::engine::pool::prompt;
use crate::engine::uci::Session;
use crate::engine::uci::output::Output;

/// Speak UCI (the default)
#[derive(Debug, Args)]
pub(crate) struct UciArguments {}

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
    use crate::engine::command::arguments::resolved;

    #[test]
    fn without_a_preset_the_defaults_hold() {
        assert!(resolved::<UciArguments>("enfilade uci").unwrap() == Setup::default());
    }
}
