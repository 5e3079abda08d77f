//! Games and positions as people and programs write them. Before, a reader that skipped unknown words turned such a
//! game into another one without a message.

use enfilade::chess::board::epd::EpdRecord;
use enfilade::chess::pgn::{Annotation, PgnReader, ReadGame};

fn games(text: &str) -> Vec<ReadGame> {
    let mut reader = PgnReader::new(text.as_bytes());
    std::iter::from_fn(|| reader.next_game().unwrap()).collect()
}

/// The moves of each game in UCI's notation, or its fault.
fn moves(text: &str) -> Vec<String> {
    let shown = |game: &ReadGame| match &game.fault {
        Some(fault) => fault.to_string(),
        None => {
            let moves = game.tree.moves.iter().map(|played| played.mv.to_uci(false).to_string());
            moves.collect::<Vec<_>>().join(" ")
        }
    };
    games(text).iter().map(shown).collect()
}

/// What followed the first pair of a line was dropped (python-chess #773, chess.js #326).
#[test]
fn tags_and_moves_count_wherever_they_stand() {
    let text =
        "[Event \"x\"] [FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 *\n\n[Event \"x\"] 1. e4 e5 *\n";
    let found = games(text);
    assert_eq!(moves(text), ["e2e4", "e2e4 e7e5"]);
    assert_eq!(found[0].tree.start.occupied().count(), 3);
}

/// The check of words knew Unicode, and the reader behind it did not.
#[test]
fn a_word_is_a_move_or_a_sign_or_a_message() {
    assert_eq!(moves("1. e4\u{a0}e5 2. Nf3 *"), ["e2e4 e7e5 g1f3"]);
    assert_eq!(moves("1.\u{a0}e4\u{a0}e5 *"), ["e2e4 e7e5"]);
    assert_eq!(moves("1. e4$1e5 *"), ["e2e4 e7e5"]);
    let castling = "1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. O\u{2010}O O\u{2013}O *";
    assert_eq!(moves(castling), ["e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1g1 e8g8"]);
    for word in ["-e5", "=d3", "&Nc6", "\"e5\"", "e5?x", "_", "[%clk 1]", "}", "]"] {
        let found = moves(&format!("1. e4 {word} *"));
        assert!(found[0].starts_with("line 1, ply 2: "), "{word}: {found:?}");
    }
}

/// The game was analyzed from the initial position (Stockfish #3206, pgn-parser #349).
#[test]
fn names_of_tags_are_equal_in_any_case() {
    let text =
        "[Setup \"1\"]\n[Fen \"rnbqkb1r/pppppppp/5n2/8/8/5N2/PPPPPPPP/RNBQKB1R w KQkq - 2 2\"]\n\n1. d4 d5 *";
    assert_eq!(games(text)[0].tree.start.fullmove(), 2);
}

/// `cat a.pgn b.pgn` lost the first game and the tags of the second.
#[test]
fn joined_files_lose_no_games() {
    let text = "[White \"A\"]\n\n1. e4 e5 *\n\u{feff}[White \"B\"]\n\n1. d4 *";
    let names: Vec<String> =
        games(text).iter().map(|game| game.tree.tag("White").unwrap_or_default().to_owned()).collect();
    assert_eq!(names, ["A", "B"]);
    assert_eq!(moves(text), ["e2e4 e7e5", "d2d4"]);
    assert_eq!(moves("1. e4 e5 *[Event \"y\"]\n\n1. d4 *"), ["e2e4 e7e5", "d2d4"]);
}

/// Comments became games without moves.
#[test]
fn comments_between_games_are_no_games() {
    let text = "; exported by a program\n[Event \"1\"]\n\n1. e4 *\n\n{between}\n\n[Event \"2\"]\n\n1. d4 *\n\n; the end\n";
    assert_eq!(moves(text), ["e2e4", "d2d4"]);
}

/// Words for null moves were deleted, so the moves behind them stood in another place.
#[test]
fn null_moves_stay_in_variations_and_are_a_fault_in_the_main_line() {
    let found = games("1. e4 e5 2. Nf3 (2. @@@@ d5) (2. null d5) 2... Nc6 *");
    let after = &found[0].tree.moves[2].after;
    for part in after {
        let Annotation::Variation(variation) = part else { panic!("{after:?}") };
        assert_eq!((variation.moves.len(), variation.moves[0].mv), (2, None));
    }
    assert_eq!(after.len(), 2);
    assert_eq!(moves("1. e4 <> 2. e5 *"), ["line 1, ply 2: \"<>\" is a null move, which no game has"]);
}

/// Old databases and books are full of such glyphs. Each cost its game.
#[test]
fn glyphs_at_moves_cost_no_game() {
    for glyph in ["±", "+-", "=", "+=", "N"] {
        assert_eq!(moves(&format!("1. e4 e5{glyph} 2. Nf3 *")), ["e2e4 e7e5 g1f3"], "{glyph}");
    }
}

/// Doubtful inputs, each with the reading that was decided (docs/formats.md).
#[test]
fn variants_results_and_encodings_are_read_as_decided() {
    for variant in ["Freestyle Chess", "wild/fr", "Freestyle"] {
        let text =
            format!("[Variant \"{variant}\"]\n[FEN \"4k3/8/8/8/8/8/8/2R1KR2 w FC - 0 1\"]\n\n1. O-O *");
        assert!(games(&text)[0].tree.is_chess960, "{variant}");
        assert_eq!(games(&text)[0].fault, None, "{variant}");
    }
    assert_eq!(games("[Result \"1 - 0\"]\n\n1. e4 *")[0].tree.result.text(), "1-0");
    let bytes: Vec<u8> = "\u{feff}1. e4 e5 *".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let read = PgnReader::new(&bytes[..]).next_game().unwrap().unwrap();
    assert_eq!((read.fault, read.tree.moves.len()), (None, 2), "UTF-16");
}

#[test]
fn operations_of_suites_are_read_as_they_are_written() {
    for (line, mv) in [
        ("4k3/8/8/8/8/8/8/4K2R w K - bm 0-0;", "e1g1"),
        ("7k/P7/8/8/8/8/8/K7 w - - bm a8Q;", "a7a8q"),
        ("4k3/8/8/8/8/8/8/R3K3 w - - BM Ra7, Rb1", "a1a7"),
    ] {
        let goal = EpdRecord::parse(line).unwrap().goal().unwrap();
        assert_eq!(goal.best[0].to_uci(false).to_string(), mv, "{line}");
    }
}
