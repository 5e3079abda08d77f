//! The position on the command line.

use crate::chess::board::setup;
use crate::chess::board::{Board, CastlingRules, Game};
use crate::chess::pgn::Pasted;
use crate::engine::command::error::CliError;

/// The position that `words` describe, or the initial position if there are none; and the repairs of its FEN.
pub(crate) fn read_or_start(words: &[String]) -> Result<(Game, Vec<String>), CliError> {
    match words {
        [] => Ok((Game::startpos(), Vec::new())),
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

/// The position in one of the forms that the analysis board knows too (see [`Pasted::of`]), and the repairs of its FEN.
pub(crate) fn read(text: &str) -> Result<(Game, Vec<String>), CliError> {
    let (fen, moves) = match Pasted::of(text) {
        Pasted::Position { fen, moves } => (fen, moves),
        Pasted::Address => return Err("the address has no position in it; a FEN is needed".into()),
        // The message about the FEN says what is missing.
        Pasted::Game | Pasted::Nothing => (Some(text.to_owned()), Vec::new()),
    };
    let (mut game, repairs) = match fen {
        Some(fen) => setup::position(&fen, CastlingRules::AsWritten)?,
        None => (Game::startpos(), Vec::new()),
    };
    for mv in moves {
        game.play_uci(&mv)?;
    }
    Ok((game, repairs))
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
    fn a_position_may_have_the_forms_that_the_board_knows() {
        const FEN: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
        let shown = |text: &str| {
            read(text).map(|(game, _)| game.board().fen(false)).map_err(|error| error.to_string())
        };
        for text in
            [FEN, "4k3/8/8/8/8/8/4P3/4K3_w_-_-_0_1", "https://lichess.org/analysis/4k3/8/8/8/8/8/4P3/4K3_w"]
        {
            assert_eq!(shown(text).as_deref(), Ok(FEN), "{text}");
        }
        let moved = "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1";
        assert_eq!(shown(&format!("position fen {FEN} moves e2e4")).as_deref(), Ok(moved));
        for (text, error) in [
            ("position startpos moves e2e5", "move e2e5 is not legal in "),
            ("https://lichess.org/abcdefgh", "the address has no position in it"),
            ("e4", "FEN: piece placement \"e4\" is not "),
        ] {
            assert!(shown(text).unwrap_err().starts_with(error), "{text}: {:?}", shown(text));
        }
    }

    #[test]
    fn without_words_it_is_the_initial_position() {
        for words in [&[][..], &["startpos".to_owned()]] {
            assert_eq!(read_or_start(words).unwrap().0.board(), Game::startpos().board());
        }
    }
}
