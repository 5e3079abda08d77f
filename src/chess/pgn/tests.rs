//! Whole games from their text.

use super::*;
use crate::chess::board::Move;

fn all(text: &[u8]) -> Vec<ReadGame> {
    let mut reader = PgnReader::new(text);
    let mut games = Vec::new();
    while let Some(game) = reader.next_game().unwrap() {
        games.push(game);
    }
    games
}

fn only(text: &[u8]) -> ReadGame {
    let mut games = all(text);
    assert_eq!(games.len(), 1, "{}", String::from_utf8_lossy(text));
    games.remove(0)
}

fn read(text: &[u8]) -> Result<GameTree, String> {
    only(text).whole().map_err(|fault| fault.to_string())
}

fn uci(moves: impl IntoIterator<Item = Option<Move>>, is_chess960: bool) -> String {
    let text = |mv: Option<Move>| mv.map_or("--".to_owned(), |mv| mv.to_uci(is_chess960).to_string());
    moves.into_iter().map(text).collect::<Vec<_>>().join(" ")
}

fn moves(game: &GameTree) -> String {
    uci(game.moves.iter().map(|played| Some(played.mv)), game.is_chess960)
}

/// The annotations in short: variations in parentheses, with the moves in UCI's notation.
fn shown(annotations: &[Annotation]) -> String {
    let one = |annotation: &Annotation| match annotation {
        Annotation::Glyph(number) => format!("${number}"),
        Annotation::Comment(text) => format!("{{{text}}}"),
        Annotation::Word(word) => format!("'{word}'"),
        Annotation::Variation(GameVariation { before, moves }) => {
            let mut parts = vec![shown(before)];
            for played in moves {
                parts.push(uci([played.mv], false));
                parts.push(shown(&played.after));
            }
            parts.retain(|part| !part.is_empty());
            format!("({})", parts.join(" "))
        }
    };
    annotations.iter().map(one).collect::<Vec<_>>().join(" ")
}

#[test]
fn tags_moves_comments_and_variations_are_read() {
    let text = b"[Event \"a \\\"b\\\" \\\\\"]\n[White \"O\"Hara\"]\n[Result \"1-0\"]\n\n{first} 1. e4! $14 {a\n  b} \
                 (1. d4 d5 (1... c5 $2) 1-0) 1... e5 ; end of line\n2.Nf3 Nc6 1-0\n";
    let game = read(text).unwrap();
    let tags: Vec<(&str, &str)> =
        game.tags.iter().map(|pair| (pair.name.as_str(), pair.value.as_str())).collect();
    assert_eq!(tags, [("Event", "a \"b\" \\"), ("White", "O\"Hara"), ("Result", "1-0")]);
    assert_eq!((moves(&game).as_str(), game.result), ("e2e4 e7e5 g1f3 b8c6", GameEnd::White));
    assert_eq!(shown(&game.before), "{first}");
    assert_eq!(shown(&game.moves[0].after), "$1 $14 {a b} (d2d4 d7d5 (c7c5 $2) '1-0')");
    assert_eq!(shown(&game.moves[1].after), "{end of line}");
    assert_eq!(game.moves[2].place, Place { line: 7, column: 3 });
}

#[test]
fn errors_name_line_and_ply() {
    for (text, reason) in [
        (
            "1. e4 e4 *",
            "line 1, ply 2: move e4 is not legal in rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
        ),
        ("1. e4 e5\n2. Sf3 Nc6 3. d4 *", "line 2, ply 3: \"Sf3\" is not a move"),
        ("1. e4 (1. Sf3 xyz) e5 (2. d4", "line 1, column 23: a variation does not end"),
        ("1. e4 e5) *", "line 1, column 9: a variation ends that has not begun"),
        ("1. e4 {", "line 1, ply 2: a comment does not end"),
        ("1. e4 1-0 e5", "line 1, ply 2: there are moves after its result"),
        (
            "[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n*",
            "line 1, column 1: illegal position: each side needs a king",
        ),
        ("\n[Variant \"Atomic\"]\n\n1. e4 *", "line 2, column 1: the variant \"Atomic\" is not chess"),
        (
            "[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 1\"][Fen \"4k3/8/8/8/8/8/8/4K3 w - - 0 1\"] *",
            "line 1, column 1: it has two different tags FEN",
        ),
        ("1. e4 -- *", "line 1, ply 2: \"--\" is a null move, which no game has"),
        ("1. e4 <> 2. e5 *", "line 1, ply 2: \"<>\" is a null move, which no game has"),
        ("1. e4 -e5 *", "line 1, ply 2: \"-e5\" is not a move"),
        ("1. e4 \"e5\" *", "line 1, ply 2: \"\"e5\"\" is not a move"),
        ("1. e4 e5 &Nc6 *", "line 1, ply 3: \"&Nc6\" is not a move"),
        ("1. =d3 *", "line 1, ply 1: \"=d3\" is not a move"),
        ("1. e4 e5 resigns *", "line 1, ply 3: \"resigns\" is not a move"),
        ("1. e4 } e5 *", "line 1, ply 2: \"}\" is not a move"),
        ("1. e4 [%clk 0:05] e5 *", "line 1, ply 2: \"[%clk 0:05]\" is not a move"),
        ("1. e4 N f6 *", "line 1, ply 2: \"N\" may be a sign or a piece: \"Nf6\" could be played"),
        (
            "[White \"x\"]\n\n2. Nf3 Nc6 *",
            "line 3, column 1: it begins with move 2, and the moves before are missing",
        ),
        ("! 1. e4 *", "line 1, ply 1: \"!\" is not a move"),
    ] {
        let shown = read(text.as_bytes()).unwrap_err();
        assert_eq!(shown.replace("\\\"", "\""), reason, "{text}");
    }
    let read = only(b"1. e4 e5 2. Nf3 Nc6 3. Bb9 *");
    assert_eq!(moves(&read.tree), "e2e4 e7e5 g1f3 b8c6", "what is sure");
}

/// A wrong number can mean that moves are missing, but most such games are whole.
#[test]
fn wrong_numbers_are_noted_once() {
    let notes = |text: &str| only(text.as_bytes()).notes.iter().map(ToString::to_string).collect::<Vec<_>>();
    let wrong = "1. e4 e5 3. Nf3 Nc6 4. Bb5 *";
    assert_eq!(notes(wrong), ["line 1, ply 3: the move has the number 3 instead of 2"]);
    for text in ["1. e4 e5 2. Nf3 (2. d4 7. x) 2... Nc6 3. Bb5 *", "e4 e5 2. Nf3 *", "1 e4 e5 3 Nf3 *"] {
        assert!(notes(text).iter().all(|note| !note.contains("number")), "{text}");
    }
    // Many positions have the counter 1, and their moves go on with the numbers of the game.
    assert!(notes("[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"] 31. e4 Kd7 32. e5 *").is_empty());
}

#[test]
fn loose_notation_is_read() {
    let text =
        "1.e4 d5 2.exd5 c5?! 3.dxc6 e.p. N Nxc6 4.Nf3 e5 5.Be2 Nf6 6.0-0 +- (6. x) ( 6. a3 } ) Bc5 1/2-1/2";
    let read = only(text.as_bytes());
    assert_eq!(read.fault, None);
    assert_eq!((read.tree.moves.len(), read.tree.result), (12, GameEnd::Draw));
    assert_eq!(shown(&read.tree.moves[4].after), "$146");
    assert_eq!(shown(&read.tree.moves[10].after), "$18 ('x') (a2a3 '}')");
    let notes: Vec<String> = read.notes.iter().map(ToString::to_string).collect();
    assert_eq!(
        notes,
        [
            "line 1, ply 11: \"x\" is no move of the variation; its rest is kept as it is",
            "line 1, ply 12: \"}\" is no move of the variation; its rest is kept as it is"
        ]
    );
    for (text, end) in [
        ("[Result \"0-1\"]\n", GameEnd::Black),
        ("[Result \"white\"]\n", GameEnd::Open),
        ("[Result \"1 - 0\"] *", GameEnd::White),
        ("[Result \"1-0\"] 0-1", GameEnd::Black),
        ("[RESULT \"½–½\"]", GameEnd::Draw),
    ] {
        assert_eq!(super::tests::read(text.as_bytes()).unwrap().result, end, "{text}");
    }
}

#[test]
fn results_that_contradict_each_other_are_noted() {
    let notes = |text: &[u8]| only(text).notes.iter().map(ToString::to_string).collect::<Vec<_>>();
    let note = "line 1, column 1: the tag Result says 1-0, and the moves end with 0-1, which counts";
    assert_eq!(notes(b"[Result \"1-0\"]\n\n1. e4 0-1"), [note]);
    for text in
        ["[Result \"1 - 0\"] 1. e4 1-0", "[Result \"1-0\"] 1. e4 *", "[Result \"*\"] 1. e4 0-1", "1. e4 0-1"]
    {
        assert!(notes(text.as_bytes()).is_empty(), "{text}");
    }
}

#[test]
fn glyphs_stand_at_moves_and_apart() {
    let game =
        read("1. e4± e5+- 2. Nf3= Nc6+= 3. Bb5N a6!? □ 4. Ba4 D Nf6∞ $146 5. O-O-+ *".as_bytes()).unwrap();
    let glyphs: Vec<String> = game.moves.iter().map(|played| shown(&played.after)).collect();
    assert_eq!(glyphs, ["$16", "$18", "$10", "$14", "$146", "$5 $7", "$220", "$13 $146", "$19"]);
}

#[test]
fn null_moves_are_kept_in_variations() {
    let text = "1. e4 e5 2. Nf3 (2. @@@@ d5) (2. null d5 3. -- Z0) (2. 0000 d5 <> d4) 2... Nc6 *";
    let game = read(text.as_bytes()).unwrap();
    assert_eq!(shown(&game.moves[2].after), "(-- d7d5) (-- d7d5 -- --) (-- d7d5 -- d5d4)");
}

#[test]
fn a_variation_that_is_not_understood_is_kept_as_it_was() {
    let text = "1. e4 (1. d4 d5 2. Sf3 {why?} Nf6 (2... c5 $999) 3. c4 $14) 1... e5 $300 *";
    let read = only(text.as_bytes());
    assert_eq!(read.fault, None);
    assert_eq!(
        shown(&read.tree.moves[0].after),
        "(d2d4 d7d5 'Sf3' {why?} 'Nf6' '(' '2...' 'c5' '$999' ')' '3.' 'c4' $14)"
    );
    assert_eq!(shown(&read.tree.moves[1].after), "'$300'");
    let notes: Vec<String> = read.notes.iter().map(ToString::to_string).collect();
    assert_eq!(notes[0], "line 1, ply 3: \"Sf3\" is no move of the variation; its rest is kept as it is");
    let deep = format!("1. e4 {}d4{} e5 *", "(".repeat(100_000), ")".repeat(100_000));
    let read = only(deep.as_bytes());
    assert_eq!((read.fault, read.tree.moves.len()), (None, 2), "no stack is that deep");
}

#[test]
fn other_languages_are_read_if_only_one_game_is_possible() {
    for (text, language) in [
        ("1. e4 e5 2. Sf3 Sc6 3. Lb5 a6 4. 0-0 Dh4 *", "German and Scandinavian"),
        ("1. e4 e5 2. Cf3 Cc6 3. Fb5 a6 4. O-O Dh4 *", "French"),
        ("1. e4 e5 2. Pf3 Pc6 3. Lb5 a6 4. O-O Dh4 *", "Dutch"),
        ("1. e4 e5 2. nf3 nc6 3. bb5 a6 4. o-o qh4 *", "English in lower case"),
        ("1. e4 e5 2. Кf3 Кc6 3. Сb5 a6 4. 0-0 Фh4 *", "Russian"),
    ] {
        let read = only(text.as_bytes());
        assert_eq!(read.fault, None, "{text}");
        assert_eq!(moves(&read.tree), "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 e1g1 d8h4", "{text}");
        let note = read.notes[0].to_string();
        assert!(note.ends_with(&format!("with the letters of the pieces in {language}")), "{note}");
    }
    // Mixed letters are a misprint.
    assert_eq!(read(b"1. e4 e5 2. Nf3 Sc6 *").unwrap_err(), "line 1, ply 4: \"Sc6\" is not a move");
    assert_eq!(
        read("1. e4 e5 2. ♘f3 ♞c6 *".as_bytes()).map(|game| moves(&game)).unwrap(),
        "e2e4 e7e5 g1f3 b8c6"
    );
    // A is a bishop in Spanish and a knight in Turkish.
    let fen = "[FEN \"4k3/8/8/8/8/8/5B2/4K1N1 w - - 0 1\"]";
    let text = format!("{fen} 1. Ae3 *");
    assert_eq!(read(text.as_bytes()).map(|game| moves(&game)).unwrap(), "f2e3");
    let text = "[FEN \"4k3/8/8/8/8/3N4/5B2/4K3 w - - 0 1\"] 1. Ac5 *";
    assert!(read(text.as_bytes()).unwrap_err().contains("give different moves"));
}

#[test]
fn names_of_tags_are_equal_in_any_case_and_start_positions_are_read() {
    let game = read(b"[Setup \"1\"]\n[Fen \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 *").unwrap();
    assert_eq!((game.start.occupied().count(), game.tag("fen").is_some()), (3, true));
    for variant in ["", "chess 960", "Fischerandom", "Freestyle Chess", "wild/fr"] {
        let text =
            format!("[Variant \"{variant}\"]\n[FEN \"4k3/8/8/8/8/8/8/2R1KR2 w FC - 0 1\"]\n\n1. O-O *");
        assert_eq!(read(text.as_bytes()).map(|game| moves(&game)).unwrap(), "e1f1");
    }
    let game = read(b"[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 1\"]\n\n1. O-O *").unwrap();
    assert_eq!((game.is_chess960, moves(&game).as_str()), (false, "e1g1"));
    let read = only(b"[FEN \"4k3/8/8/8/8/8/8/4K3 w KQkq - 0 1\"] *");
    assert!(
        read.notes[0].to_string().starts_with("line 1, column 1: FEN: castling rights"),
        "{:?}",
        read.notes
    );
}

#[test]
fn texts_in_any_encoding_are_read() {
    let game = read(b"[White \"M\xfcller\"]\n\n1. e4\xb1 {sch\xf6n} e5 1\x960").unwrap();
    assert_eq!((game.tag("white"), game.result), (Some("Müller"), GameEnd::White));
    assert_eq!(shown(&game.moves[0].after), "$16 {schön}");
    let utf16: Vec<u8> =
        "\u{feff}[White \"Müller\"]\r\n\r\n1. e4 e5 *".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let game = read(&utf16).unwrap();
    assert_eq!((game.tag("White"), moves(&game).as_str()), (Some("Müller"), "e2e4 e7e5"));
}

#[test]
fn long_comments_are_read_completely() {
    let long = "abc ".repeat(20_000);
    let game = read(format!("1. e4 {{{long}}} e5 *").as_bytes()).unwrap();
    assert_eq!(game.moves[0].after, [Annotation::Comment(long.trim().to_owned())]);
    assert_eq!(game.moves.len(), 2);
}

#[test]
fn castling_rights_of_chess960_need_its_name_or_its_moves() {
    let fen = "[FEN \"r5k1/ppp2ppp/8/8/8/8/PPP2PPP/R5K1 w Qq - 0 1\"]";
    let game = only(format!("{fen} 1. Kf1 *").as_bytes());
    assert!(!game.tree.is_chess960 && game.tree.start.castling_rooks().is_empty());
    assert!(game.notes[0].to_string().contains("castling rights"), "{:?}", game.notes);
    for text in [format!("{fen} 1. O-O-O *"), format!("[Variant \"Chess960\"] {fen} 1. Kf1 *")] {
        let game = only(text.as_bytes());
        assert!(game.tree.is_chess960 && game.notes.is_empty() && game.fault.is_none(), "{text}");
    }
}
