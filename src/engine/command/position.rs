//! The position on the command line.

use crate::chess::board::setup;
use crate::chess::board::{Board, CastlingRules, Game};
use crate::engine::command::error::CliError;

/// The position whose FEN consists of `words`, or the initial position if there are none; and the repairs of the FEN.
pub(crate) fn read_or_start(words: &[String]) -> Result<(Game, Vec<String>), CliError> {
    match words {
        [] => Ok((Game::startpos(), Vec::new())),
        [word] if word == "startpos" => Ok((Game::startpos(), Vec::new())),
        _ => read(&words.join(" ")),
    }
}

/// Refuses a position in which the game is over, and says how it ended.
pub(crate) fn check_goes_on(board: &Board) -> Result<(), CliError> {
    if !board.legal_moves().is_empty() {
        return Ok(());
    }
    let fen = board.fen(board.has_chess960_castling());
    let end = if board.in_check() {
        board.turn().fold_wb("checkmate, Black has won", "checkmate, White has won")
    } else {
        "stalemate, the game is drawn"
    };
    Err(format!("there is nothing to search: {end} ({fen})").into())
}

/// The position of a FEN, and the repairs of the FEN.
pub(crate) fn read(fen: &str) -> Result<(Game, Vec<String>), CliError> {
    Ok(setup::position(fen, CastlingRules::AsWritten)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_that_is_over_is_refused_with_its_result() {
        let said = |fen: &str| check_goes_on(read(fen).unwrap().0.board()).map_err(|error| error.to_string());
        let error = said("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1").unwrap_err();
        assert!(error.contains("checkmate, White has won (R5k1/"), "{error}");
        let error = said("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1").unwrap_err();
        assert!(error.contains("stalemate, the game is drawn"), "{error}");
        assert_eq!(said("7k/8/6K1/8/8/8/8/8 b - - 0 1"), Ok(()));
    }

    #[test]
    fn without_words_it_is_the_initial_position() {
        for words in [&[][..], &["startpos".to_owned()]] {
            assert_eq!(read_or_start(words).unwrap().0.board(), Game::startpos().board());
        }
    }
}
