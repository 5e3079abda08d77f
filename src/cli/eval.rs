//! `enfilade eval`: shows the static evaluation of a position.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use super::command::CommandArguments;
use super::position;
use crate::board::Game;
use crate::cli::error::CliError;
use crate::config::Setup;
use crate::console;
use crate::eval::network::Network;
use crate::uci::evaluation;

/// Show the evaluation of a position and what each piece is worth in it
#[derive(Debug, Args)]
pub(super) struct EvalArguments {
    /// The position as a FEN, quoted or not. Without it, the starting position is evaluated
    #[arg(value_name = "FEN")]
    pub fen: Vec<String>,
    /// Network file to use in place of the embedded network
    #[arg(long, value_name = "FILE")]
    pub eval_file: Option<PathBuf>,
}

/// What `eval` needs.
#[derive(Debug)]
pub(super) struct EvalTask {
    game: Game,
    /// The repairs of the FEN.
    repairs: Vec<String>,
    network: Arc<Network>,
}

impl CommandArguments for EvalArguments {
    type Task = EvalTask;

    fn resolve(self, setup: Setup) -> Result<EvalTask, CliError> {
        let (game, repairs) = if self.fen.is_empty() {
            (Game::startpos(), Vec::new())
        } else {
            position::read(&self.fen.join(" "))?
        };
        let network = match &self.eval_file {
            Some(path) => Arc::new(Network::load(path)?),
            None => setup.settings.network,
        };
        Ok(EvalTask { game, repairs, network })
    }

    fn run(task: EvalTask) -> Result<(), CliError> {
        for repair in &task.repairs {
            console::say(format_args!("Note: {repair}"));
        }
        console::say(evaluation::text(&task.network, task.game.board()));
        Ok(())
    }
}
