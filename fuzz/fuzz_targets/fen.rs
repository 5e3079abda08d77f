//! Fuzzes FENs with moves. An accepted position must be equal after writing and reading its FEN, and its moves must be
//! those of shakmaty.

#![no_main]

use enfilade::chess::board::Game;
use libfuzzer_sys::fuzz_target;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Position};

/// Checks a text. The first line is a FEN, the other words are moves.
fn check(text: &str) {
    let (fen, moves) = text.split_once('\n').unwrap_or((text, ""));
    let Ok((mut game, _)) = Game::from_fen(fen) else { return };
    check_position(&game);
    for word in moves.split_whitespace() {
        if game.play_uci(word).is_err() {
            return;
        }
        check_position(&game);
    }
}

fn check_position(game: &Game) {
    let board = game.board();
    let written = board.fen(true);
    let again = Game::from_fen(&written).expect("an engine reads its own FEN").0;
    assert_eq!(again.board().key(), board.key(), "{written}");
    // If shakmaty accepts the position too, it must have the same moves.
    let Ok(fen) = written.parse::<Fen>() else { return };
    if let Ok(position) = fen.into_position::<Chess>(CastlingMode::Chess960) {
        assert_eq!(board.legal_moves().len(), position.legal_moves().len(), "{written}");
    }
}

fuzz_target!(|text: &str| check(text));
