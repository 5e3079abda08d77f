//! Answers the page's questions about positions, so that the page need not know the rules of chess.
//!
//! A question is JSON: a start position or the text of a game, moves, and lines to be spelled. An answer is JSON too. A
//! question that cannot be answered gets a message of one line. The function keeps nothing between two questions.

use serde::{Deserialize, Serialize};

use crate::chess::board::setup;
use crate::chess::board::{Board, CastlingRules, FIFTY_MOVES, Game, Move, MoveError};
use crate::chess::pgn::writer::MoveNumber;
use crate::chess::pgn::{Pasted, PgnReader};

/// The greatest length of a question in bytes.
pub const MAX_QUESTION_BYTES: usize = 1 << 18;
/// The greatest number of moves in a game.
pub const MAX_GAME_MOVES: usize = 1500;
/// The greatest number of lines in a question.
pub const MAX_LINES: usize = 256;
/// The greatest number of moves in all lines of a question together.
pub const MAX_LINE_MOVES: usize = 4096;
/// The greatest length of a message in characters. A message may quote the question.
const MAX_MESSAGE: usize = 200;

/// A question. A field that is absent asks for nothing.
#[derive(Deserialize, Debug, Default)]
#[serde(deny_unknown_fields, default)]
struct BoardQuestion {
    /// The start position; without it and without `text`, that of standard chess.
    fen: Option<String>,
    /// What a user has pasted: a position in one of the forms of [`Pasted`], a PGN, or moves of a game with or without
    /// their numbers.
    text: Option<String>,
    /// Moves that follow, in UCI's notation or in algebraic notation.
    moves: Vec<String>,
    /// Whether castling is written as in Chess960. A position that needs it turns it on.
    chess960: bool,
    /// Lines from the last position in UCI's notation, to be spelled in algebraic notation. A line ends before the
    /// first move that is not legal.
    lines: Vec<Vec<String>>,
}

/// The answer to a question.
#[derive(Serialize, Debug)]
struct BoardAnswer {
    /// The start position.
    start: String,
    chess960: bool,
    /// What was changed in the start position so that it can be played.
    repairs: Vec<String>,
    /// The tags of a PGN.
    tags: Vec<(String, String)>,
    moves: Vec<PlayedMove>,
    /// The last position.
    fen: String,
    turn: &'static str,
    /// The square of the king that is in check.
    check: Option<String>,
    status: &'static str,
    /// The result, if the game is over.
    result: Option<&'static str>,
    legal: Vec<LegalMove>,
    lines: Vec<Vec<SpelledMove>>,
}

/// A move of the game.
#[derive(Serialize, Debug)]
struct PlayedMove {
    uci: String,
    san: String,
    /// The number of the move, such as `12.` or `12...`.
    number: String,
    /// The origin, and the square on which the man arrives.
    squares: [String; 2],
    /// The position after the move.
    fen: String,
}

/// A move of a line.
#[derive(Serialize, Debug)]
struct SpelledMove {
    uci: String,
    san: String,
    squares: [String; 2],
}

/// A move that can be played.
#[derive(Serialize, Debug)]
struct LegalMove {
    uci: String,
    san: String,
    from: String,
    to: String,
    /// The rook's square, if the move is castling.
    rook: Option<String>,
    /// The letter of the piece to which a pawn promotes.
    promotion: Option<char>,
}

/// Answers a question. Returns a status of HTTP and JSON: 200 and the answer, or 400 and `{"error": "..."}`.
pub fn answer(json: &str) -> (u16, String) {
    match read(json).and_then(respond) {
        Ok(answer) => (200, serde_json::to_string(&answer).expect("an answer has only strings for keys")),
        Err(message) => (400, serde_json::json!({ "error": one_line(&message) }).to_string()),
    }
}

/// A message as one line that is not too long.
fn one_line(message: &str) -> String {
    let line: String =
        message.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_MESSAGE).collect();
    if message.chars().count() > MAX_MESSAGE { line + "..." } else { line }
}

fn read(json: &str) -> Result<BoardQuestion, String> {
    if json.len() > MAX_QUESTION_BYTES {
        return Err(format!("the question has more than {MAX_QUESTION_BYTES} bytes"));
    }
    let question: BoardQuestion =
        serde_json::from_str(json).map_err(|error| format!("the question is not understood: {error}"))?;
    if question.lines.len() > MAX_LINES {
        return Err(format!("more than {MAX_LINES} lines"));
    }
    if question.lines.iter().map(Vec::len).sum::<usize>() > MAX_LINE_MOVES {
        return Err(format!("more than {MAX_LINE_MOVES} moves in lines"));
    }
    if question.fen.is_some() && question.text.is_some() {
        return Err("a question has a FEN or a text, not both".to_owned());
    }
    Ok(question)
}

fn respond(question: BoardQuestion) -> Result<BoardAnswer, String> {
    let mut asked = match (&question.text, &question.fen) {
        (Some(text), _) => AskedGame::of_text(text, question.chess960)?,
        (None, Some(fen)) => AskedGame::of_fen(fen, question.chess960)?,
        (None, None) => AskedGame::new(Board::startpos(), question.chess960),
    };
    for text in &question.moves {
        asked.play_text(text)?;
    }
    let lines = question.lines.iter().map(|line| asked.spelled(line)).collect();
    Ok(asked.finish(lines))
}

/// A game as it is replayed.
struct AskedGame {
    start: Board,
    chess960: bool,
    repairs: Vec<String>,
    tags: Vec<(String, String)>,
    game: Game,
    moves: Vec<PlayedMove>,
}

impl AskedGame {
    fn new(start: Board, chess960: bool) -> AskedGame {
        let chess960 = chess960 || start.has_chess960_castling();
        let game = Game::new(start.clone());
        AskedGame { start, chess960, repairs: Vec::new(), tags: Vec::new(), game, moves: Vec::new() }
    }

    fn of_fen(fen: &str, chess960: bool) -> Result<AskedGame, String> {
        let rules = if chess960 { CastlingRules::Chess960 } else { CastlingRules::AsWritten };
        let (game, repairs) = setup::position(fen, rules).map_err(|error| error.to_string())?;
        Ok(AskedGame { repairs, ..AskedGame::new(game.board().clone(), chess960) })
    }

    /// Reads what a user has pasted.
    fn of_text(text: &str, chess960: bool) -> Result<AskedGame, String> {
        match Pasted::of(text) {
            Pasted::Nothing => Err("the text is empty".to_owned()),
            Pasted::Address => {
                Err("the address has no position in it; paste the PGN of the game or a FEN".to_owned())
            }
            Pasted::Game => AskedGame::of_pgn(text, chess960),
            Pasted::Position { fen, moves } => {
                let mut asked = match fen {
                    Some(fen) => AskedGame::of_fen(&fen, chess960)?,
                    None => AskedGame::new(Board::startpos(), chess960),
                };
                moves.iter().try_for_each(|text| asked.play_text(text))?;
                Ok(asked)
            }
        }
    }

    /// Reads the first game of a PGN, or moves without any tag.
    fn of_pgn(text: &str, chess960: bool) -> Result<AskedGame, String> {
        let read = PgnReader::new(text.as_bytes()).next_game().map_err(|error| error.to_string())?;
        let read = read.ok_or("the text has no game")?;
        let notes = read.notes.iter().map(ToString::to_string).collect();
        let game = read.whole().map_err(|error| error.to_string())?;
        let mut asked = AskedGame::new(game.start, chess960 || game.is_chess960);
        asked.repairs = notes;
        asked.tags = game.tags.into_iter().map(|pair| (pair.name, pair.value)).collect();
        for played in game.moves {
            asked.play(played.mv)?;
        }
        Ok(asked)
    }

    /// A move of the last position in either notation.
    fn parse(&self, text: &str) -> Result<Move, MoveError> {
        match self.game.parse_uci(text) {
            Err(MoveError::Syntax(_)) => self.game.parse_san(text),
            found => found,
        }
    }

    fn play_text(&mut self, text: &str) -> Result<(), String> {
        let mv = self.parse(text).map_err(|error| format!("ply {}: {error}", self.moves.len() + 1))?;
        self.play(mv)
    }

    fn play(&mut self, mv: Move) -> Result<(), String> {
        if self.moves.len() == MAX_GAME_MOVES {
            return Err(format!("the game has more than {MAX_GAME_MOVES} moves"));
        }
        let SpelledMove { uci, san, squares } = spell(self.game.board(), mv, self.chess960);
        let number = MoveNumber::of(self.game.board()).to_string();
        self.game.play(mv);
        let fen = self.game.board().fen(self.chess960);
        self.moves.push(PlayedMove { uci, san, number, squares, fen });
        Ok(())
    }

    fn spelled(&self, line: &[String]) -> Vec<SpelledMove> {
        let mut board = self.game.board().clone();
        let mut moves = Vec::new();
        for text in line {
            let Ok(mv) = board.parse_uci(text) else { break };
            moves.push(spell(&board, mv, self.chess960));
            board = board.after(mv);
        }
        moves
    }

    fn finish(self, lines: Vec<Vec<SpelledMove>>) -> BoardAnswer {
        let board = self.game.board();
        let (status, result) = status(&self.game);
        let legal = |mv: &Move| {
            let SpelledMove { uci, san, squares: [from, to] } = spell(board, *mv, self.chess960);
            let rook = mv.is_castle().then(|| mv.to().to_string());
            LegalMove { uci, san, from, to, rook, promotion: mv.promotion().map(|role| role.char()) }
        };
        BoardAnswer {
            start: self.start.fen(self.chess960),
            fen: board.fen(self.chess960),
            turn: board.turn().fold_wb("white", "black"),
            check: board.in_check().then(|| board.king(board.turn()).to_string()),
            status,
            result,
            // A game that is over by rule has no further moves for the engine, but users may look at them.
            legal: board.legal_moves().iter().map(legal).collect(),
            chess960: self.chess960,
            repairs: self.repairs,
            tags: self.tags,
            moves: self.moves,
            lines,
        }
    }
}

fn spell(board: &Board, mv: Move, chess960: bool) -> SpelledMove {
    SpelledMove {
        uci: mv.to_uci(chess960).to_string(),
        san: board.to_san(mv),
        squares: [mv.from(), mv.king_target()].map(|square| square.to_string()),
    }
}

/// The state of the game in words, and its result if it is over.
fn status(game: &Game) -> (&'static str, Option<&'static str>) {
    const DRAW: Option<&str> = Some("1/2-1/2");
    let board = game.board();
    match (board.legal_moves().is_empty(), board.in_check()) {
        (true, true) => ("checkmate", Some(board.turn().fold_wb("0-1", "1-0"))),
        (true, false) => ("stalemate", DRAW),
        _ if board.is_insufficient_material() => ("draw by insufficient material", DRAW),
        _ if board.halfmove_clock() >= FIFTY_MOVES => ("draw by the fifty-move rule", DRAW),
        _ if game.is_drawn() => ("draw by fivefold repetition", DRAW),
        (false, true) => ("check", None),
        (false, false) => ("ongoing", None),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn good(question: &Value) -> Value {
        let (status, text) = answer(&question.to_string());
        assert_eq!(status, 200, "{question}: {text}");
        serde_json::from_str(&text).unwrap()
    }

    fn bad(question: &str) -> String {
        let (status, text) = answer(question);
        assert_eq!(status, 400, "{question}: {text}");
        let answer: Value = serde_json::from_str(&text).unwrap();
        let message = answer["error"].as_str().unwrap();
        assert!(!message.is_empty() && !message.contains('\n') && message.chars().count() <= MAX_MESSAGE + 3);
        message.to_owned()
    }

    fn words<'a>(moves: &'a Value, field: &str) -> Vec<&'a str> {
        moves.as_array().unwrap().iter().map(|mv| mv[field].as_str().unwrap()).collect()
    }

    #[test]
    fn an_empty_question_is_about_the_usual_start() {
        let answer = good(&json!({}));
        assert_eq!(answer["fen"], "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
        assert_eq!(answer["legal"].as_array().unwrap().len(), 20);
        assert_eq!((&answer["turn"], &answer["status"]), (&json!("white"), &json!("ongoing")));
        assert_eq!((&answer["check"], &answer["result"]), (&Value::Null, &Value::Null));
    }

    #[test]
    fn moves_may_have_either_notation_and_lines_are_spelled() {
        let lines = json!([["f1b5", "a7a6", "b5c6"], ["e1g1"], []]);
        let answer = good(&json!({ "moves": ["e2e4", "e5", "Nf3", "b8c6"], "lines": lines }));
        assert_eq!(words(&answer["moves"], "san"), ["e4", "e5", "Nf3", "Nc6"]);
        assert_eq!(words(&answer["moves"], "number"), ["1.", "1...", "2.", "2..."]);
        assert_eq!(answer["moves"][3]["fen"], answer["fen"]);
        assert_eq!(words(&answer["lines"][0], "san"), ["Bb5", "a6", "Bxc6"]);
        // The bishop is still in the way.
        assert_eq!((&answer["lines"][1], &answer["lines"][2]), (&json!([]), &json!([])));
    }

    #[test]
    fn castling_and_promotion_tell_where_to_click() {
        let of = |answer: &Value, uci: &str| {
            let legal = answer["legal"].as_array().unwrap();
            legal.iter().find(|mv| mv["uci"] == uci).unwrap_or_else(|| panic!("{uci}: {legal:?}")).clone()
        };
        let fen = "r3k2r/1P6/8/8/8/8/8/R3K2R w KQkq - 0 1";
        let answer = good(&json!({ "fen": fen }));
        let short = of(&answer, "e1g1");
        assert_eq!(
            (&short["to"], &short["rook"], &short["san"]),
            (&json!("g1"), &json!("h1"), &json!("O-O"))
        );
        let knight = of(&answer, "b7a8n");
        assert_eq!((&knight["promotion"], &knight["san"]), (&json!("n"), &json!("bxa8=N")));
        let answer = good(&json!({ "fen": fen, "chess960": true, "moves": ["O-O"] }));
        assert_eq!(answer["moves"][0]["uci"], "e1h1");
        assert_eq!(answer["moves"][0]["squares"], json!(["e1", "g1"]));
        // A position that only Chess960 has turns its notation on.
        let answer = good(&json!({ "fen": "4k3/8/8/8/8/8/8/1R3K1R w HB - 0 1" }));
        assert_eq!(answer["chess960"], true);
        assert_eq!(of(&answer, "f1b1")["san"], "O-O-O");
    }

    #[test]
    fn the_end_of_a_game_is_known() {
        for (fen, status, result) in [
            ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "stalemate", "1/2-1/2"),
            ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "checkmate", "1-0"),
            ("7k/8/6K1/8/8/8/8/8 b - - 0 1", "draw by insufficient material", "1/2-1/2"),
            ("7k/8/6K1/8/8/8/R7/8 b - - 100 90", "draw by the fifty-move rule", "1/2-1/2"),
        ] {
            let answer = good(&json!({ "fen": fen }));
            assert_eq!((&answer["status"], &answer["result"]), (&json!(status), &json!(result)), "{fen}");
        }
        let turn = ["g1f3", "g8f6", "f3g1", "f6g8"];
        let moves: Vec<&str> = turn.into_iter().cycle().take(16).collect();
        assert_eq!(good(&json!({ "moves": &moves[..12] }))["status"], "ongoing");
        assert_eq!(good(&json!({ "moves": moves }))["status"], "draw by fivefold repetition");
        let answer = good(&json!({ "moves": ["f3", "e5", "g4", "Qh4#"] }));
        assert_eq!((&answer["check"], &answer["result"]), (&json!("e1"), &json!("0-1")));
        assert_eq!(good(&json!({ "moves": ["e4", "f6", "Qh5"] }))["status"], "check");
    }

    #[test]
    fn pasted_text_may_be_a_fen_a_game_or_moves() {
        let fen = " 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n";
        assert_eq!(good(&json!({ "text": fen }))["fen"], fen.trim());
        let missing = good(&json!({ "text": "4k3/8/8/8/8/8/4P3/4K3 w" }));
        assert_eq!(missing["repairs"], json!(["missing fields were taken as - - 0 1"]));
        let pgn =
            "[White \"A\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 {good} (1. e3 Kd7) 1... Ke7 *";
        let answer = good(&json!({ "text": pgn }));
        assert_eq!(words(&answer["moves"], "san"), ["e4", "Ke7"]);
        assert_eq!(answer["tags"][0], json!(["White", "A"]));
        for text in [
            "1. e4 e5 2.Nf3 Nc6 1-0",
            "e4 e5 Nf3 Nc6",
            "e2e4 e7e5 g1f3 b8c6 *",
            "1.e4 e5 2. g1f3 Nc6 1/2-1/2",
        ] {
            let answer = good(&json!({ "text": text }));
            assert_eq!(words(&answer["moves"], "uci"), ["e2e4", "e7e5", "g1f3", "b8c6"], "{text}");
        }
        for text in [
            "startpos moves e2e4 e7e5 g1f3 b8c6",
            "position startpos moves e2e4 e7e5 g1f3 b8c6",
            "\u{feff}1. e4 e5\u{a0}2. Nf3 Nc6 *",
            "[Event \"x\"] 1. e4 e5 2. Sf3 Sc6 *",
        ] {
            let answer = good(&json!({ "text": text }));
            assert_eq!(words(&answer["moves"], "uci"), ["e2e4", "e7e5", "g1f3", "b8c6"], "{text}");
        }
        for text in [
            "4k3/8/8/8/8/8/4P3/4K3_w_-_-_0_1",
            "position fen 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
            "https://lichess.org/analysis/4k3/8/8/8/8/8/4P3/4K3_w_-_-_0_1",
            "\u{feff}4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
            "4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; id \"x\";",
        ] {
            assert_eq!(good(&json!({ "text": text }))["fen"], fen.trim(), "{text}");
        }
        // White could castle when Black gave up.
        let answer = good(&json!({ "text": "1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7 1-0" }));
        assert_eq!(answer["moves"].as_array().unwrap().len(), 6);
        let castled = good(&json!({ "text": "1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4.0-0 0-0 5. d3 d6 1-0" }));
        assert_eq!(words(&castled["moves"], "san")[6..8], ["O-O", "O-O"]);
    }

    #[test]
    fn bad_questions_have_messages_of_one_line() {
        for (question, message) in [
            ("", "the question is not understood"),
            ("[1]", "the question is not understood"),
            ("{\"fenn\": \"x\"}", "unknown field `fenn`"),
            ("{\"moves\": [1]}", "the question is not understood"),
            ("{\"fen\": \"\"}", "empty FEN"),
            ("{\"fen\": \"8/8/8/8/8/8/8/8 w - - 0 1\"}", "each side needs a king"),
            ("{\"text\": \" \"}", "the text is empty"),
            ("{\"text\": \"hello\"}", "ply 1: \"hello\" is not a move"),
            ("{\"text\": \"[White \\\"A\\\"]\\n\\n1. e4 Ke4 *\"}", "ply 2"),
            ("{\"text\": \"e4\", \"fen\": \"x\"}", "not both"),
            ("{\"moves\": [\"e2e5\"]}", "ply 1: move e2e5 is not legal"),
            ("{\"moves\": [\"e4\", \"\\n\\n\"]}", "ply 2"),
        ] {
            let found = bad(question);
            assert!(found.contains(message), "{question}: {found}");
        }
    }

    #[test]
    fn questions_have_limits() {
        let long = format!("{{\"fen\": \"{}\"}}", "x".repeat(MAX_QUESTION_BYTES));
        assert!(bad(&long).contains("bytes"));
        let long = "x".repeat(1000);
        assert!(bad(&json!({ "fen": long }).to_string()).ends_with("..."));
        assert!(bad(&json!({ "lines": vec![[0; 0]; MAX_LINES + 1] }).to_string()).contains("lines"));
        let line = vec!["e2e4"; MAX_LINE_MOVES + 1];
        assert!(bad(&json!({ "lines": [line] }).to_string()).contains("moves in lines"));
        let moves: Vec<&str> =
            ["g1f3", "g8f6", "f3g1", "f6g8"].into_iter().cycle().take(MAX_GAME_MOVES + 1).collect();
        assert!(bad(&json!({ "moves": moves }).to_string()).contains("more than 1500 moves"));
        let nested = "[".repeat(100_000);
        bad(&nested);
    }

    /// Whatever is cut from a good question, or put into it, there is an answer.
    #[test]
    fn damaged_questions_are_answered() {
        let question =
            json!({ "text": "[A \"b\"]\n\n1. e4 e5 *", "moves": ["Nf3"], "lines": [["b8c6"]] }).to_string();
        for place in 0..question.len() {
            for part in ["", "\\u0000", "\"", "{", "é"] {
                let damaged = format!("{}{part}{}", &question[..place], &question[place + 1..]);
                let (status, text) = answer(&damaged);
                assert!(status == 200 || status == 400, "{damaged}");
                assert!(serde_json::from_str::<Value>(&text).is_ok());
            }
        }
    }
}
