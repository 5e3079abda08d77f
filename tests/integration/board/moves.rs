//! Moves as text, and games of such moves.

use enfilade::chess::board::{Board, Game, Move, MoveError, Square};

use crate::walk::random_games;

#[test]
fn every_legal_move_is_read_back_from_its_texts() {
    random_games(31, 40, |board, _, _| {
        for mv in board.legal_moves() {
            for chess960 in [false, true] {
                let text = mv.to_uci(chess960).to_string();
                assert_eq!(board.parse_uci(&text), Ok(mv), "{text} in {board:?}");
            }
            let san = board.to_san(mv);
            assert_eq!(board.parse_san(&san), Ok(mv), "{san} in {board:?}");
        }
    });
}

#[test]
fn castling_is_read_in_both_spellings() {
    let fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    let (board, _) = Board::from_fen(fen).unwrap();
    let short = Move::castle(Square::E1, Square::H1);
    let long = Move::castle(Square::E1, Square::A1);
    for (text, mv) in [("e1g1", short), ("e1h1", short), ("e1c1", long), ("e1a1", long)] {
        assert_eq!(board.parse_uci(text), Ok(mv));
    }
    assert_eq!(board.parse_san("O-O-O"), Ok(long));
    assert_eq!(board.to_san(short), "O-O");
}

#[test]
fn a_king_step_is_not_mistaken_for_castling() {
    let (board, _) = Board::from_fen("1k6/8/8/8/8/8/8/5K1R w H - 0 1").unwrap();
    assert_eq!(board.parse_uci("f1g1"), Ok(Move::normal(Square::F1, Square::G1)));
    assert_eq!(board.parse_uci("f1h1"), Ok(Move::castle(Square::F1, Square::H1)));
}

#[test]
fn promotion_letters_may_have_either_case() {
    let (board, _) = Board::from_fen("4k3/P7/8/8/8/8/8/4K3 w - - 0 1").unwrap();
    assert_eq!(board.parse_uci("a7a8Q"), board.parse_uci("a7a8q"));
    assert!(board.parse_uci("a7a8").is_err());
}

#[test]
fn refused_moves_are_named_and_change_nothing() {
    let mut game = Game::startpos();
    game.play_uci("e2e4").unwrap();
    let before = game.clone();
    for text in ["e2e4", "e7e4", "e8g8", "a7a8q", "h7h8k"] {
        let error = game.play_uci(text).unwrap_err();
        assert!(error.to_string().contains(text), "{error}");
        assert_eq!(game, before);
    }
    for text in ["", "e", "e7e", "e7e9", "i1a1", "0000", "e7e5qq", "e7e5 ", "\u{e9}\u{e9}e5", "e7\u{e9}5"] {
        assert_eq!(game.play_uci(text), Err(MoveError::Syntax(text.to_owned())));
        assert_eq!(game, before);
    }
}

/// lc0 issue 2046: a move from an empty square.
#[test]
fn a_move_from_an_empty_square_is_refused() {
    let (mut game, _) = Game::from_fen("r4rk1/1R5p/3p1q2/p1pP4/P7/7P/6P1/1R1Q3K b - - 0 24").unwrap();
    assert!(matches!(game.play_uci("b8e8"), Err(MoveError::Illegal { .. })));
}

#[test]
fn a_game_keeps_the_keys_that_can_still_repeat() {
    let mut game = Game::startpos();
    let start = game.board().key();
    for text in ["g1f3", "g8f6", "f3g1", "f6g8"] {
        game.play_uci(text).unwrap();
    }
    assert_eq!(game.board().key(), start);
    assert_eq!(game.keys().len(), 4);
    assert_eq!(game.keys()[0], start);
    game.play_uci("e2e4").unwrap();
    assert!(game.keys().is_empty());
    assert_eq!(game.board().fen(false), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 3");
}
