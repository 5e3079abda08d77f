//! Answers a question about one position: what can be played, how lines are written, and whether the game is over.

use serde::{Deserialize, Serialize};

use super::known::{KnownScore, known};
use super::sources::Sources;
use super::tables::{TableMove, moves as table_moves};
use super::typed;
use super::written::{PlayedMove, SpelledMove};
use crate::chess::board::{Board, CastlingRules, FIFTY_MOVES, Game, Move, setup};

/// The greatest number of moves in a game.
pub(super) const MAX_GAME_MOVES: usize = 1500;
/// The greatest number of lines in a question.
const MAX_LINES: usize = 256;
/// The greatest number of moves in all lines of a question together.
const MAX_LINE_MOVES: usize = 4096;

/// A question. A field that is absent asks for nothing.
#[derive(Deserialize, Debug, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct PlaceQuestion {
    /// The start position; without it, that of standard chess.
    fen: Option<String>,
    /// Moves that follow, in UCI's notation or in algebraic notation.
    moves: Vec<String>,
    /// Moves that a user has typed. They follow the others.
    typed: String,
    /// Whether castling is written as in Chess960. A position that needs it turns it on.
    chess960: bool,
    /// Lines from the last position in UCI's notation, to be spelled in algebraic notation. A line ends before the
    /// first move that is not legal.
    lines: Vec<Vec<String>>,
    /// Whether the endgame tables are asked.
    tables: bool,
    /// Whether the engine's table is asked.
    known: bool,
}

/// The answer to a question.
#[derive(Serialize, Debug)]
pub(super) struct PlaceAnswer {
    /// The start position.
    start: String,
    chess960: bool,
    /// What was changed in the start position so that it can be played.
    repairs: Vec<String>,
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
    /// What the endgame tables say about each move, the best one first; `null` if they do not know the position.
    tables: Option<Vec<TableMove>>,
    /// What the engine's table knows of earlier searches; `null` if that is nothing.
    known: Option<KnownScore>,
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

pub(super) fn answer(question: PlaceQuestion, sources: &Sources) -> Result<PlaceAnswer, String> {
    if question.lines.len() > MAX_LINES {
        return Err(format!("more than {MAX_LINES} lines"));
    }
    if question.lines.iter().map(Vec::len).sum::<usize>() > MAX_LINE_MOVES {
        return Err(format!("more than {MAX_LINE_MOVES} moves in lines"));
    }
    let (start, repairs) = match &question.fen {
        Some(fen) => read_fen(fen)?,
        None => (Board::startpos(), Vec::new()),
    };
    let mut asked = AskedGame::new(start, question.chess960);
    for word in question.moves.iter().map(String::as_str) {
        asked.play(word)?;
    }
    for word in typed::words(&question.typed) {
        asked.play(&word)?;
    }
    let lines = question.lines.iter().map(|line| asked.spelled(line)).collect();
    let (game, chess960) = (&asked.game, asked.chess960);
    let tables = question.tables.then(|| table_moves(&sources.tablebases, game, chess960)).flatten();
    let table = sources.table.as_ref().filter(|_| question.known);
    let known = table.and_then(|table| known(table, game, chess960));
    Ok(PlaceAnswer { tables, known, ..asked.finish(repairs, lines) })
}

/// The position of a FEN, and what was changed in it so that it can be played. A FEN may have the men alone.
pub(super) fn read_fen(text: &str) -> Result<(Board, Vec<String>), String> {
    let has_men_only = text.split_whitespace().count() == 1;
    let whole = if has_men_only { format!("{text} w") } else { text.to_owned() };
    let read = setup::position(&whole, CastlingRules::AsWritten);
    let (game, mut repairs) = read.map_err(|error| error.to_string())?;
    if has_men_only {
        repairs = vec!["the text has no side to move, so White is to move".to_owned()];
    }
    Ok((game.board().clone(), repairs))
}

/// A game as it is replayed.
struct AskedGame {
    start: Board,
    chess960: bool,
    game: Game,
    moves: Vec<PlayedMove>,
}

impl AskedGame {
    fn new(start: Board, chess960: bool) -> AskedGame {
        let chess960 = chess960 || start.has_chess960_castling();
        let game = Game::new(start.clone());
        AskedGame { start, chess960, game, moves: Vec::new() }
    }

    fn play(&mut self, word: &str) -> Result<(), String> {
        if self.moves.len() == MAX_GAME_MOVES {
            return Err(format!("the game has more than {MAX_GAME_MOVES} moves"));
        }
        let mv = typed::read(&self.game, word)?;
        let before = self.game.board().clone();
        self.game.play(mv);
        self.moves.push(PlayedMove::new(&before, mv, self.game.board(), self.chess960));
        Ok(())
    }

    fn spelled(&self, line: &[String]) -> Vec<SpelledMove> {
        let mut board = self.game.board().clone();
        let mut moves = Vec::new();
        for text in line {
            let Ok(mv) = board.parse_uci(text) else { break };
            moves.push(SpelledMove::new(&board, mv, self.chess960));
            board = board.after(mv);
        }
        moves
    }

    fn finish(self, repairs: Vec<String>, lines: Vec<Vec<SpelledMove>>) -> PlaceAnswer {
        let board = self.game.board();
        let (status, result) = status(&self.game);
        let legal = |mv: &Move| {
            let SpelledMove { uci, san, squares: [from, to] } = SpelledMove::new(board, *mv, self.chess960);
            let rook = mv.is_castle().then(|| mv.to().to_string());
            LegalMove { uci, san, from, to, rook, promotion: mv.promotion().map(|role| role.char()) }
        };
        PlaceAnswer {
            start: self.start.fen(self.chess960),
            fen: board.fen(self.chess960),
            turn: board.turn().fold_wb("white", "black"),
            check: board.in_check().then(|| board.king(board.turn()).to_string()),
            status,
            result,
            // A game that is over by rule has no further moves for the engine, but users may look at them.
            legal: board.legal_moves().iter().map(legal).collect(),
            chess960: self.chess960,
            repairs,
            moves: self.moves,
            lines,
            tables: None,
            known: None,
        }
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

    use super::super::tests::words;
    use super::*;

    fn good(question: &Value) -> Value {
        super::super::tests::good("position", question)
    }

    fn bad(question: &str) -> String {
        super::super::tests::bad("position", question)
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
    fn bad_questions_have_messages() {
        for (question, message) in [
            ("{\"moves\": [1]}", "the question is not understood"),
            ("{\"fen\": \"\"}", "empty FEN"),
            ("{\"fen\": \"8/8/8/8/8/8/8/8 w - - 0 1\"}", "each side needs a king"),
            ("{\"moves\": [\"e2e5\"]}", "1. e2e5 is not legal here"),
            ("{\"moves\": [\"e4\", \"\\n\\n\"]}", "1... \"  \" is not a move"),
            ("{\"moves\": [\"e4\"], \"typed\": \"Nf6 2. hello\"}", "2. \"hello\" is not a move"),
        ] {
            let found = bad(question);
            assert!(found.contains(message), "{question}: {found}");
        }
    }

    #[test]
    fn typed_moves_follow_the_others() {
        let answer = good(&json!({ "moves": ["e2e4"], "typed": "1... e5 2. Nf3 nc6" }));
        assert_eq!(words(&answer["moves"], "uci"), ["e2e4", "e7e5", "g1f3", "b8c6"]);
        assert_eq!(answer["moves"][0]["opening"], "B00\tKing's Pawn Game");
    }

    #[test]
    fn a_fen_may_have_the_men_alone() {
        let answer = good(&json!({ "fen": "4k3/8/8/8/8/8/4P3/4K3" }));
        assert_eq!(answer["fen"], "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
        assert!(answer["repairs"][0].as_str().unwrap().contains("White is to move"));
    }

    #[test]
    fn questions_have_limits() {
        let long = "x".repeat(1000);
        assert!(bad(&json!({ "fen": long }).to_string()).ends_with("..."));
        assert!(bad(&json!({ "lines": vec![[0; 0]; MAX_LINES + 1] }).to_string()).contains("lines"));
        let line = vec!["e2e4"; MAX_LINE_MOVES + 1];
        assert!(bad(&json!({ "lines": [line] }).to_string()).contains("moves in lines"));
        let moves: Vec<&str> =
            ["g1f3", "g8f6", "f3g1", "f6g8"].into_iter().cycle().take(MAX_GAME_MOVES + 1).collect();
        assert!(bad(&json!({ "moves": moves }).to_string()).contains("more than 1500 moves"));
    }
}
