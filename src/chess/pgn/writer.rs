//! Writes PGN: tags, move numbers, and lines of moves that are not too wide.
//!
//! Source: Edwards, Standard: Portable Game Notation Specification and Implementation Guide, 1994.

use std::fmt;

use crate::chess::board::{Board, Color, Move};

/// The greatest width of a line of moves, in columns. A longer word, such as a comment, has a line of its own.
const COLUMNS: usize = 80;

/// Writes one game: first its tags, then its moves with all that stands between them, at last the result.
#[derive(Debug, Default)]
pub struct PgnWriter {
    text: String,
    /// The width of the last line of moves; `None` before the first word.
    column: Option<usize>,
}

impl PgnWriter {
    /// Writes a tag.
    pub fn tag(&mut self, name: &str, value: &str) {
        let escaped = value.replace('\\', "\\\\").replace('"', "\\\"");
        self.text.push_str(&format!("[{name} \"{escaped}\"]\n"));
    }

    /// Writes a part of the moves that is not broken: a move, a number, a glyph, a comment or a parenthesis.
    pub fn word(&mut self, word: &str) {
        let length = word.chars().count();
        let column = match self.column {
            // An empty line ends the tags.
            None => {
                self.text.push('\n');
                0
            }
            Some(column) if column + 1 + length > COLUMNS => {
                self.text.push('\n');
                0
            }
            Some(column) => {
                self.text.push(' ');
                column + 1
            }
        };
        self.text.push_str(word);
        self.column = Some(column + length);
    }

    /// Writes a move of `board` with its number, if it needs one, see [`MoveNumber::due`].
    pub fn mv(&mut self, board: &Board, mv: Move, is_interrupted: bool) {
        if let Some(number) = MoveNumber::of(board).due(is_interrupted) {
            self.word(&number);
        }
        self.word(&board.to_san(mv));
    }

    /// Writes the result. Returns the text of the game, with an empty line at its end.
    pub fn finish(mut self, result: &str) -> String {
        self.word(result);
        self.text.push_str("\n\n");
        self.text
    }
}

/// The number of a move in its game. It is displayed as `12.` for White and `12...` for Black.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveNumber {
    fullmove: u32,
    turn: Color,
}

impl MoveNumber {
    /// The number of the next move on `board`.
    pub fn of(board: &Board) -> MoveNumber {
        MoveNumber { fullmove: board.fullmove(), turn: board.turn() }
    }

    /// The number of the move after this one.
    pub fn next(self) -> MoveNumber {
        MoveNumber { fullmove: self.fullmove + self.turn.fold_wb(0, 1), turn: self.turn.other() }
    }

    /// The text of the number, if it must be written. Each move of White needs it. A move of Black needs it only if
    /// White's move does not stand directly before it: at the beginning of a line, after a comment or a variation.
    pub fn due(self, is_interrupted: bool) -> Option<String> {
        (self.turn.is_white() || is_interrupted).then(|| self.to_string())
    }
}

impl fmt::Display for MoveNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.fullmove, self.turn.fold_wb(".", "..."))
    }
}

/// The words of a line of play from `board`: moves in algebraic notation, with their numbers.
pub fn line<'a>(board: &Board, moves: impl IntoIterator<Item = &'a Move>) -> Vec<String> {
    let mut board = board.clone();
    let mut words = Vec::new();
    for mv in moves {
        words.extend(MoveNumber::of(&board).due(words.is_empty()));
        words.push(board.to_san(*mv));
        board = board.after(*mv);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_escaped_and_moves_are_numbered() {
        let mut pgn = PgnWriter::default();
        pgn.tag("White", "a \"quoted\" \\ name");
        pgn.tag("Black", "b");
        let mut board = Board::startpos();
        for (text, is_interrupted) in [("e2e4", true), ("e7e5", false), ("g1f3", false), ("b8c6", true)] {
            let mv = board.parse_uci(text).unwrap();
            pgn.mv(&board, mv, is_interrupted);
            board = board.after(mv);
            if text == "g1f3" {
                pgn.word("{ a comment }");
            }
        }
        assert_eq!(
            pgn.finish("*"),
            "[White \"a \\\"quoted\\\" \\\\ name\"]\n[Black \"b\"]\n\n\
             1. e4 e5 2. Nf3 { a comment } 2... Nc6 *\n\n"
        );
        assert_eq!(PgnWriter::default().finish("1-0"), "\n1-0\n\n");
    }

    #[test]
    fn a_line_is_broken_between_words_at_80_columns() {
        let lines = |words: &[&str]| {
            let mut pgn = PgnWriter::default();
            words.iter().for_each(|word| pgn.word(word));
            pgn.text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>()
        };
        let [half, long] = [40, 100].map(|length| "x".repeat(length));
        assert_eq!(lines(&[&half, &half[1..], "y"]), [format!("{half} {}", &half[1..]), "y".to_owned()]);
        assert_eq!(lines(&[&half, &half]), [half.clone(), half.clone()]);
        assert_eq!(lines(&["y", &long, "y"]), ["y", &long, "y"]);
        // Columns are characters, not bytes.
        let umlauts = "ü".repeat(40);
        assert_eq!(lines(&[&umlauts, &umlauts[2..]]), [format!("{umlauts} {}", &umlauts[2..])]);
    }

    #[test]
    fn lines_are_numbered_from_either_side() {
        let board = Board::startpos();
        let e4 = board.parse_uci("e2e4").unwrap();
        let after = board.after(e4);
        let e5 = after.parse_uci("e7e5").unwrap();
        let nf3 = after.after(e5).parse_uci("g1f3").unwrap();
        assert_eq!(line(&board, &[e4, e5, nf3]), ["1.", "e4", "e5", "2.", "Nf3"]);
        assert_eq!(line(&after, &[e5, nf3]), ["1...", "e5", "2.", "Nf3"]);
        assert!(line(&board, &[]).is_empty());
        let number = MoveNumber::of(&after);
        assert_eq!([number, number.next()].map(|number| number.to_string()), ["1...", "2."]);
    }
}
