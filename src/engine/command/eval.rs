//! `enfilade eval`: shows the static evaluation of a position.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use crate::base::console;
use crate::chess::board::Game;
use crate::engine::command::arguments::CommandArguments;
use crate::engine::command::error::CliError;
use crate::engine::command::position;
use crate::engine::config::Setup;
use crate::engine::eval::network::Network;
use crate::engine::uci::evaluation;

/// Show the evaluation of a position and what each piece is worth in it
#[derive(Debug, Args)]
pub(crate) struct EvalArguments {
    /// The position as a FEN, quoted or not. Without it, the starting position is evaluated
    #[arg(value_name = "FEN")]
    pub fen: Vec<String>,
    /// Network file to use in place of the embedded network
    #[arg(long, value_name = "FILE")]
    pub eval_file: Option<PathBuf>,
}

/// What `eval` needs.
#[derive(Debug)]
pub(crate) struct EvalTask {
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
