//! Moves as people type them: in either notation, with or without numbers, and not always as the standard has it.

use std::borrow::Cow;

use crate::chess::board::{Board, Game, Move, MoveError};
use crate::chess::pgn::writer::MoveNumber;

/// The words of a text that are moves, without their numbers and without a result.
pub(super) fn words(text: &str) -> impl Iterator<Item = Cow<'_, str>> {
    text.split_whitespace().filter_map(move_text)
}

/// The move in a word of a game, without its number; `None` for a number or a result. Castling may have zeros.
fn move_text(word: &str) -> Option<Cow<'_, str>> {
    if matches!(word, "1-0" | "0-1" | "1/2-1/2" | "*") {
        return None;
    }
    let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = rest.is_empty() || rest.starts_with(['.', '…']);
    let text = if is_numbered { rest.trim_start_matches(['.', '…']) } else { word };
    let is_castling = text.starts_with("0-0") || text.to_lowercase().starts_with("o-o");
    (!text.is_empty())
        .then(|| if is_castling { Cow::Owned(text.replace(['0', 'o'], "O")) } else { Cow::Borrowed(text) })
}

/// The move of the last position that a word means.
pub(super) fn read(game: &Game, word: &str) -> Result<Move, String> {
    let first = parse(game, word);
    let Err(error) = first else { return first.map_err(|error| message(&error)) };
    let board = game.board();
    other_spellings(word).iter().find_map(|text| parse(game, text).ok()).ok_or_else(|| {
        let text = match &error {
            MoveError::Illegal { .. } => format!("{word} is not legal here"),
            MoveError::Syntax(_) => format!("\"{word}\" is not a move"),
        };
        format!("{} {text}", MoveNumber::of(board))
    })
}

fn parse(game: &Game, text: &str) -> Result<Move, MoveError> {
    match game.parse_uci(text) {
        Err(MoveError::Syntax(_)) => game.parse_san(text),
        found => found,
    }
}

/// What a word may mean that is not a move as it stands: a promotion without its sign, without its piece, or a piece
/// with a small letter.
fn other_spellings(word: &str) -> Vec<String> {
    let mut texts = Vec::new();
    let plain = word.trim_end_matches(['+', '#', '!', '?']);
    let is_last_rank = |text: &str| text.ends_with(['1', '8']);
    if let Some((place, piece)) = plain.char_indices().next_back()
        && "QRBNqrbn".contains(piece)
        && is_last_rank(&plain[..place])
    {
        texts.push(format!("{}={}", &plain[..place], piece.to_ascii_uppercase()));
    }
    if is_last_rank(plain) {
        texts.push(format!("{plain}=Q"));
        texts.push(format!("{plain}q"));
    }
    if let Some(first) = plain.chars().next().filter(|first| "kqrbn".contains(*first)) {
        texts.push(format!("{}{}", first.to_ascii_uppercase(), &plain[1..]));
    }
    texts.push(plain.to_owned());
    texts
}

/// What is wrong with a move of a game, without the position as FEN.
pub(super) fn message(error: &MoveError) -> String {
    match error {
        MoveError::Syntax(text) => format!("\"{text}\" is not a move"),
        MoveError::Illegal { mv, fen } => illegal(mv, fen),
    }
}

/// The message about a move that is not legal in the position of a FEN.
pub(super) fn illegal(mv: &str, fen: &str) -> String {
    match Board::from_fen(fen) {
        Ok((board, _)) => format!("{} {mv} is not legal here", MoveNumber::of(&board)),
        Err(_) => format!("{mv} is not legal here"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uci(fen: &str, word: &str) -> Result<String, String> {
        let (game, _) = Game::from_fen(fen).unwrap();
        let word = words(word).next().expect("a move").into_owned();
        read(&game, &word).map(|mv| mv.to_uci(false).to_string())
    }

    #[test]
    fn people_type_moves_in_many_ways() {
        const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        const CASTLING: &str = "4k3/P7/8/8/8/8/8/R3K2R w KQ - 0 1";
        for (fen, word, wanted) in [
            (START, "e4", "e2e4"),
            (START, "1.e4", "e2e4"),
            (START, "e2e4", "e2e4"),
            (START, "e4!?", "e2e4"),
            (START, "nf3", "g1f3"),
            (CASTLING, "0-0", "e1g1"),
            (CASTLING, "o-o-o", "e1c1"),
            (CASTLING, "a8", "a7a8q"),
            (CASTLING, "a8Q", "a7a8q"),
            (CASTLING, "a8n", "a7a8n"),
            (CASTLING, "a8=R+", "a7a8r"),
            (CASTLING, "a7a8", "a7a8q"),
        ] {
            assert_eq!(uci(fen, word).as_deref(), Ok(wanted), "{word}");
        }
        // A small b is a pawn if that is a move.
        let both = "4k3/8/8/8/8/2p5/1P6/2B1K3 w - - 0 1";
        assert_eq!(uci(both, "bxc3").as_deref(), Ok("b2c3"));
        for (word, message) in [
            ("Nf6", "1. Nf6 is not legal here"),
            ("e1g1", "1. e1g1 is not legal here"),
            ("hello", "1. \"hello\" is not a move"),
            ("é8", "1. \"é8\" is not a move"),
            ("n", "1. \"n\" is not a move"),
        ] {
            assert_eq!(uci(START, word).unwrap_err(), message);
        }
    }

    #[test]
    fn numbers_and_results_are_no_moves() {
        let found: Vec<_> = words("1. e4 e5 2.Nf3 2... Nc6 3… 1/2-1/2").collect();
        assert_eq!(found, ["e4", "e5", "Nf3", "Nc6"]);
    }
}
