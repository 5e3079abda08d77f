//! Reads what a user has pasted: a FEN, a PGN with one or more games, or moves with or without their numbers.

use serde::{Deserialize, Serialize};

use super::place::{MAX_GAME_MOVES, read_fen};
use super::tree::PageTree;
use super::typed;
use crate::chess::board::{Board, Game, Move};
use crate::chess::pgn::{FaultKind, GameEnd, GameFault, GameTree, Pasted, PgnReader, ReadGame, TagPair};

/// A question.
#[derive(Deserialize, Debug, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct TextQuestion {
    text: String,
    /// Which of the games is wanted, counted from 0; without it, the first one that can be read.
    game: Option<usize>,
    /// Whether castling is written as in Chess960. A game that needs it turns it on.
    chess960: bool,
}

/// The answer to a question.
#[derive(Serialize, Debug)]
pub(super) struct TextAnswer {
    /// All games of the text; none if it is no PGN.
    games: Vec<GameTitle>,
    /// The start position of the wanted game.
    start: String,
    chess960: bool,
    /// What was changed in the start position so that it can be played.
    repairs: Vec<String>,
    /// Why the rest of the game cannot be read.
    cut: Option<String>,
    tags: Vec<(String, String)>,
    #[serde(flatten)]
    tree: PageTree,
}

/// What tells one game of a file from another.
#[derive(Serialize, Debug, Default)]
struct GameTitle {
    white: String,
    black: String,
    result: String,
    event: String,
    date: String,
    /// The number of half-moves that can be read.
    moves: usize,
    /// Why the game, or its rest, cannot be read.
    error: Option<String>,
}

pub(super) fn answer(question: TextQuestion) -> Result<TextAnswer, String> {
    match Pasted::of(&question.text) {
        Pasted::Nothing => Err("the text is empty".to_owned()),
        Pasted::Address => {
            Err("the address has no position in it; paste the PGN of the game or a FEN".to_owned())
        }
        Pasted::Position { fen, moves } => {
            let (start, repairs) = match fen {
                Some(fen) => read_fen(&fen)?,
                None => (Board::startpos(), Vec::new()),
            };
            of_moves(&start, repairs, moves.iter().map(String::as_str), question.chess960)
        }
        Pasted::Game if question.text.contains(['[', '{', '(', ';', '$']) => of_pgn(&question),
        // People type moves in ways that no file has, and files have signs that nobody types.
        Pasted::Game => {
            let words: Vec<_> = typed::words(&question.text).collect();
            // Who has typed a wrong move wants to change it, so such a text is not cut there.
            of_moves(&Board::startpos(), Vec::new(), words.iter().map(AsRef::as_ref), question.chess960)
                .or_else(|message| of_pgn(&question).ok().filter(|game| game.cut.is_none()).ok_or(message))
        }
    }
}

fn of_line(start: &Board, moves: &[Move], repairs: Vec<String>, chess960: bool) -> TextAnswer {
    let chess960 = chess960 || start.has_chess960_castling();
    TextAnswer {
        games: Vec::new(),
        start: start.fen(chess960),
        chess960,
        repairs,
        cut: None,
        tags: Vec::new(),
        tree: PageTree::of_line(start, moves, chess960),
    }
}

/// Plays moves in either notation from a position.
fn of_moves<'a>(
    start: &Board,
    repairs: Vec<String>,
    words: impl Iterator<Item = &'a str>,
    chess960: bool,
) -> Result<TextAnswer, String> {
    let mut game = Game::new(start.clone());
    let mut moves = Vec::new();
    for word in words {
        if moves.len() == MAX_GAME_MOVES {
            return Err(format!("the game has more than {MAX_GAME_MOVES} moves"));
        }
        let mv = typed::read(&game, word)?;
        game.play(mv);
        moves.push(mv);
    }
    Ok(of_line(start, &moves, repairs, chess960))
}

fn of_pgn(question: &TextQuestion) -> Result<TextAnswer, String> {
    let mut games = PgnReader::new(question.text.as_bytes());
    let mut titles = Vec::new();
    let mut wanted: Option<ReadGame> = None;
    let has_moves = |game: &ReadGame| game.fault.is_none() || !game.tree.moves.is_empty();
    while let Some(game) = games.next_game().map_err(|error| error.to_string())? {
        titles.push(GameTitle::of(&game));
        let is_wanted = match question.game {
            Some(place) => titles.len() == place + 1,
            None => wanted.as_ref().is_none_or(|first| !has_moves(first) && has_moves(&game)),
        };
        if is_wanted {
            wanted = Some(game);
        }
    }
    if titles.is_empty() {
        return Err("the text has no game".to_owned());
    }
    let game = wanted.ok_or_else(|| format!("the text has only {} games", titles.len()))?;
    let repairs = game.notes.iter().map(ToString::to_string).collect();
    let cut = game.fault.as_ref().map(message);
    if let Some(message) = cut.as_ref().filter(|_| !has_moves(&game)) {
        return Err(message.clone());
    }
    let mut game = game.tree;
    if game.moves.len() > MAX_GAME_MOVES {
        return Err(format!("the game has more than {MAX_GAME_MOVES} moves"));
    }
    game.is_chess960 |= question.chess960;
    // The page and other programs read the result from the tag. The moves' own result is the one that holds.
    if let Some(pair) = game.tags.iter_mut().find(|pair| pair.is("Result")) {
        game.result.text().clone_into(&mut pair.value);
    } else if game.result != GameEnd::Open {
        game.tags.push(TagPair { name: "Result".to_owned(), value: game.result.text().to_owned() });
    }
    Ok(TextAnswer {
        games: titles,
        start: game.start.fen(game.is_chess960),
        chess960: game.is_chess960,
        repairs,
        cut,
        tree: PageTree::of(&game),
        tags: game.tags.into_iter().map(|pair| (pair.name, pair.value)).collect(),
    })
}

impl GameTitle {
    fn of(read: &ReadGame) -> GameTitle {
        let game: &GameTree = &read.tree;
        let tag =
            |name| game.tag(name).filter(|value| !value.starts_with('?')).unwrap_or_default().to_owned();
        GameTitle {
            white: tag("White"),
            black: tag("Black"),
            result: game.result.text().to_owned(),
            event: tag("Event"),
            date: tag("Date"),
            moves: game.moves.len(),
            error: read.fault.as_ref().map(message),
        }
    }
}

/// What is wrong with a game, without positions as FEN.
fn message(fault: &GameFault) -> String {
    match &fault.kind {
        FaultKind::Illegal { mv, fen } => typed::illegal(mv, fen),
        _ => fault.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::tests::words;

    fn good(question: &Value) -> Value {
        super::super::tests::good("game", question)
    }

    fn bad(question: &Value) -> String {
        super::super::tests::bad("game", &question.to_string())
    }

    #[test]
    fn pasted_text_may_be_a_fen_or_moves() {
        let fen = " 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n";
        assert_eq!(good(&json!({ "text": fen }))["start"], fen.trim());
        let missing = good(&json!({ "text": "4k3/8/8/8/8/8/4P3/4K3 w" }));
        assert_eq!(missing["repairs"], json!(["missing fields were taken as - - 0 1"]));
        for text in [
            "1. e4 e5 2.Nf3 Nc6 1-0",
            "e4 e5 Nf3 Nc6",
            "e2e4 e7e5 g1f3 b8c6 *",
            "1.e4 e5 2. g1f3 Nc6 1/2-1/2",
            "1. e4! e5?! 2. Nf3 Nc6!!",
        ] {
            let answer = good(&json!({ "text": text }));
            assert_eq!(words(&answer["nodes"], "uci"), ["e2e4", "e7e5", "g1f3", "b8c6"], "{text}");
        }
        // White could castle when Black gave up.
        let answer = good(&json!({ "text": "1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7 1-0" }));
        assert_eq!(answer["nodes"].as_array().unwrap().len(), 6);
        let castled = good(&json!({ "text": "1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4.0-0 0-0 5. d3 d6 1-0" }));
        assert_eq!(words(&castled["nodes"], "san")[6..8], ["O-O", "O-O"]);
    }

    #[test]
    fn each_game_of_a_file_can_be_chosen() {
        let text = "[Event \"One\"]\n[White \"A\"]\n[Black \"?\"]\n\n1. e4 *\n\n\
                    [Event \"Two\"]\n[White \"B\"]\n\n1. d4 Ke4 *\n\n\
                    [Event \"Three\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 Ke7 1/2-1/2\n";
        let first = good(&json!({ "text": text }));
        let games = first["games"].as_array().unwrap();
        assert_eq!((games.len(), words(&first["nodes"], "san")), (3, vec!["e4"]));
        assert_eq!(
            (&games[0]["white"], &games[0]["black"], &games[0]["moves"]),
            (&json!("A"), &json!(""), &json!(1))
        );
        assert_eq!(games[1]["error"], "1... Ke4 is not legal here");
        let third = good(&json!({ "text": text, "game": 2 }));
        assert_eq!(words(&third["nodes"], "san"), ["e4", "Ke7"]);
        assert_eq!(third["tags"][2], json!(["Result", "1/2-1/2"]));
        let second = good(&json!({ "text": text, "game": 1 }));
        assert_eq!((words(&second["nodes"], "san"), &second["cut"]), (vec!["d4"], &games[1]["error"]));
        assert_eq!(bad(&json!({ "text": text, "game": 3 })), "the text has only 3 games");
    }

    /// A game of another variant at the beginning of a file once hid all others.
    #[test]
    fn without_a_choice_the_first_readable_game_is_taken() {
        let text = "[Event \"One\"]\n[Variant \"Atomic\"]\n\n1. e4 *\n\n[Event \"Two\"]\n\n1. d4 d5 {open";
        let answer = good(&json!({ "text": text }));
        assert_eq!(words(&answer["nodes"], "san"), ["d4", "d5"]);
        assert!(answer["cut"].as_str().unwrap().contains("a comment does not end"), "{answer}");
        assert_eq!((answer["games"].as_array().unwrap().len(), &answer["games"][0]["moves"]), (2, &json!(0)));
        assert!(bad(&json!({ "text": text, "game": 0 })).contains("Atomic"));
    }

    #[test]
    fn wrong_texts_have_messages() {
        for (text, message) in [
            (" ", "the text is empty"),
            ("hello", "1. \"hello\" is not a move"),
            ("[White \"A\"]\n\n1. Ke4 *", "1. Ke4 is not legal here"),
            ("1. e4 e5 2. Ke3", "2. Ke3 is not legal here"),
            ("8/8/8/8/8/8/8/8 w - - 0 1", "each side needs a king"),
        ] {
            let found = bad(&json!({ "text": text }));
            assert!(found.contains(message), "{text}: {found}");
        }
    }
}
