//! `enfilade eval`: shows the static evaluation of a position.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use serde::Serialize;

use crate::base::console;
use crate::chess::board::{Game, Square};
use crate::engine::command::arguments::CommandArguments;
use crate::engine::command::error::CliError;
use crate::engine::command::json_arguments::{JsonArguments, JsonScore};
use crate::engine::command::position;
use crate::engine::config::Setup;
use crate::engine::eval::network::Network;
use crate::engine::uci::evaluation::{self, Appraisal};

/// Show the evaluation of a position and what each piece is worth in it
#[derive(Debug, Args)]
pub(crate) struct EvalArguments {
    /// The position as a FEN, quoted or not. Without it, the initial position is evaluated
    #[arg(value_name = "FEN")]
    pub fen: Vec<String>,
    /// Network file to use in place of the embedded network
    #[arg(long, value_name = "FILE")]
    pub eval_file: Option<PathBuf>,
    #[command(flatten)]
    pub json: JsonArguments,
}

/// What `eval` needs.
#[derive(Debug)]
pub(crate) struct EvalTask {
    game: Game,
    /// The repairs of the FEN.
    repairs: Vec<String>,
    network: Arc<Network>,
    json: JsonArguments,
}

/// The report as JSON, from White's point of view.
#[derive(Serialize)]
struct EvalReport {
    fen: String,
    eval: JsonScore,
    pieces: Vec<ValuedPiece>,
}

/// What a piece is worth, in centipawns. Black's pieces have negative values.
#[derive(Serialize)]
struct ValuedPiece {
    square: String,
    piece: char,
    cp: i32,
}

impl CommandArguments for EvalArguments {
    type Task = EvalTask;

    fn resolve(self, setup: Setup) -> Result<EvalTask, CliError> {
        let (game, repairs) = position::read_or_start(&self.fen)?;
        let network = match &self.eval_file {
            Some(path) => Arc::new(Network::load(path)?),
            None => setup.settings.network,
        };
        Ok(EvalTask { game, repairs, network, json: self.json })
    }

    fn run(task: EvalTask) -> Result<(), CliError> {
        let board = task.game.board();
        task.json.check()?;
        if !task.json.is_printed() {
            for repair in &task.repairs {
                console::say(format_args!("Note: {repair}"));
            }
            console::say(evaluation::text(&task.network, board));
        }
        let Appraisal { score, pieces } = Appraisal::of(&task.network, board);
        let piece = |(square, cp): (Square, i32)| {
            let piece = board.piece_at(square)?.char();
            Some(ValuedPiece { square: square.to_string(), piece, cp })
        };
        task.json.write(&EvalReport {
            fen: board.fen(board.has_chess960_castling()),
            eval: JsonScore::Cp(score),
            pieces: pieces.into_iter().filter_map(piece).collect(),
        })
    }
}
