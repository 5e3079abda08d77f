//! The parts of a text of games, and their places.

use super::result::GameEnd;
use super::tag::TagPair;

/// Where something stands in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The line, from 1.
    pub line: u64,
    /// The column in characters, from 1.
    pub column: u32,
}

/// A part of a text of games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GameToken {
    /// A tag with its value.
    Tag(TagPair),
    /// A move number with the dots behind it.
    Number { number: u32, dots: u32 },
    /// Dots without a number.
    Dots(u32),
    /// Anything between blanks: a move, a sign, or what is neither.
    Word(String),
    /// A numeric annotation glyph.
    Nag(u32),
    /// A comment without its braces.
    Comment(String),
    /// A comment that does not end.
    OpenComment(String),
    /// `(`
    Open,
    /// `)`
    Close,
    /// A result.
    End(GameEnd),
}

/// A token at its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedToken {
    pub token: GameToken,
    pub place: Place,
    /// Whether nothing but blanks stands before it in its line.
    pub is_first: bool,
    /// Whether an empty line stands between it and the token before.
    pub is_after_blank: bool,
}

/// Whether a character separates words. Marks of the byte order stand between files that were joined.
pub(super) fn is_blank(c: char) -> bool {
    c.is_whitespace() || c.is_control() || matches!(c, '\u{200b}' | '\u{feff}' | '\u{2800}')
}

/// Whether a character is invisible and separates nothing: joiners, and marks of the direction of writing.
pub(super) fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{206f}')
}
