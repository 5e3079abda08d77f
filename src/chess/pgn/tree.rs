//! A game as its author wrote it: tags, the main line, and variations, comments and glyphs at the moves.

use super::result::GameEnd;
use super::tag::TagPair;
use super::token::Place;
use crate::chess::board::{Board, Move};

/// A game with everything that its author wrote.
#[derive(Clone, Debug, PartialEq)]
pub struct GameTree {
    /// The tags in their order.
    pub tags: Vec<TagPair>,
    /// The position before the first move.
    pub start: Board,
    /// Whether castling is written as in Chess960.
    pub is_chess960: bool,
    /// What stands before the first move.
    pub before: Vec<Annotation>,
    /// The main line.
    pub moves: Vec<MainMove>,
    /// The result at the end of the moves. Without one, or if it is open, it is that of the tag.
    pub result: GameEnd,
}

/// A move of the main line.
#[derive(Clone, Debug, PartialEq)]
pub struct MainMove {
    /// The move. It is legal in its position.
    pub mv: Move,
    /// Where it stands.
    pub place: Place,
    /// What stands between this move and the next one.
    pub after: Vec<Annotation>,
}

/// What stands at a move.
#[derive(Clone, Debug, PartialEq)]
pub enum Annotation {
    /// A numeric annotation glyph.
    Glyph(u8),
    /// A comment, joined to one line.
    Comment(String),
    /// A variation: other moves instead of the move before it.
    Variation(GameVariation),
    /// A part of the text that is not understood, as it was written.
    Word(String),
}

/// A line of moves that was not played.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GameVariation {
    /// What stands before the first move.
    pub before: Vec<Annotation>,
    /// The moves. If a word is not understood, they end before it, and the rest is kept as words.
    pub moves: Vec<VariationMove>,
}

/// A move of a variation.
#[derive(Clone, Debug, PartialEq)]
pub struct VariationMove {
    /// The move, legal in its position; `None` for a null move.
    pub mv: Option<Move>,
    /// Where it stands.
    pub place: Place,
    /// What stands between this move and the next one.
    pub after: Vec<Annotation>,
}

impl GameTree {
    /// The value of a tag; `None` if it is absent or empty. Upper and lower case are equal.
    pub fn tag(&self, name: &str) -> Option<&str> {
        value(&self.tags, name).filter(|value| !value.is_empty())
    }

    /// The start position and the positions after each move of the main line.
    pub fn boards(&self) -> Vec<Board> {
        let mut boards = vec![self.start.clone()];
        for played in &self.moves {
            boards.push(boards[boards.len() - 1].after(played.mv));
        }
        boards
    }

    /// The position after the main line.
    pub fn end(&self) -> Board {
        let mut board = self.start.clone();
        self.moves.iter().for_each(|played| board = board.after(played.mv));
        board
    }
}

impl VariationMove {
    /// The position after this move of `board`.
    pub fn position_after(&self, board: &Board) -> Board {
        self.mv.map_or_else(|| board.after_null(), |mv| board.after(mv))
    }
}

/// The value of the first tag with this name. Upper and lower case are equal.
pub(super) fn value<'a>(tags: &'a [TagPair], name: &str) -> Option<&'a str> {
    tags.iter().find(|pair| pair.is(name)).map(|pair| pair.value.as_str())
}
