//! The position on the command line.

use crate::chess::board::setup;
use crate::chess::board::{CastlingRules, Game};
use crate::engine::command::error::CliError;

/// A Sicilian middle game with several good moves (Bratko and Kopec, position 5).
const EXAMPLE: &str = "r1b2rk1/2q1b1pp/p2ppn2/1p6/3QP3/1BN1B3/PPP3PP/R4RK1 w - - 0 15";

/// The position whose FEN consists of `words`, or the example if there are none; and the repairs of the FEN.
pub(crate) fn read_or_example(words: &[String]) -> Result<(Game, Vec<String>), CliError> {
    if words.is_empty() { read(EXAMPLE) } else { read(&words.join(" ")) }
}

/// The error of a command that needs a legal move.
pub(crate) fn no_move(fen: &str) -> CliError {
    format!("there is no legal move in {fen}").into()
}

/// The position of a FEN, and the repairs of the FEN.
pub(crate) fn read(fen: &str) -> Result<(Game, Vec<String>), CliError> {
    Ok(setup::position(fen, CastlingRules::AsWritten)?)
}
