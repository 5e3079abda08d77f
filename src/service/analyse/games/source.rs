//! A game as its author wrote it: tags, moves, and the comments and variations between the moves.

use pgn_reader::SanPlus;

use crate::chess::board::{Board, Move};

/// A game as its author wrote it.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceGame {
    /// The names and values of the tags, in their order. Values have no control characters.
    pub tags: Vec<(String, String)>,
    /// The position before the first move.
    pub start: Board,
    /// Whether castling is written as in Chess960.
    pub is_chess960: bool,
    /// The comments and variations before the first move.
    pub before: Vec<Fragment>,
    /// The main line.
    pub moves: Vec<SourceMove>,
    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub result: &'static str,
}

/// A move of the main line.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceMove {
    /// The move. It is legal in its position.
    pub mv: Move,
    /// The comments, glyphs and variations between this move and the next one.
    pub after: Vec<Fragment>,
}

/// A part of the text between two moves of the main line.
#[derive(Clone, Debug, PartialEq)]
pub enum Fragment {
    /// A move of a variation. It may be illegal.
    Move(SanPlus),
    /// A numeric annotation glyph.
    Nag(u8),
    /// A comment, joined to one line.
    Comment(String),
    /// The beginning of a variation.
    Begin,
    /// The end of a variation.
    End,
}

impl SourceGame {
    /// The value of a tag; `None` if it is absent or empty.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
            .filter(|value| !value.is_empty())
    }

    /// The start position and the positions after each move.
    pub fn boards(&self) -> Vec<Board> {
        let mut boards = vec![self.start.clone()];
        for played in &self.moves {
            boards.push(boards[boards.len() - 1].after(played.mv));
        }
        boards
    }
}
