//! The faults of a line. Each message is one line: what is wrong, where it stands, and what would be right.

use std::fmt;

use thiserror::Error;

use crate::chess::board::{FenError, MoveError};
use crate::engine::config::range::RangeError;

/// The longest line that is read completely, in bytes. The longest game that the rules allow has less than 18,000
/// plies, which take 90 KB. Without a limit one line could take all memory.
pub const MAX_LINE: usize = 1 << 20;

/// A line or a part of it was not understood or cannot be carried out.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum InputError {
    /// The first word is not a command.
    #[error("unknown command {0}, ignored; \"help\" lists the commands")]
    UnknownCommand(Excerpt),
    /// Another word had to follow.
    #[error("{after}: expected {expected}, found {found}")]
    Expected {
        /// The words before the fault.
        after: &'static str,
        /// What was expected.
        expected: &'static str,
        /// The word that was found.
        found: Excerpt,
    },
    /// A word of `go` has no meaning.
    #[error("go: unknown word {0}, ignored")]
    UnknownGoWord(Excerpt),
    /// A number is below the least useful number. That number is used instead.
    #[error("go: {word} {value} taken as {used}")]
    Clamped {
        /// The word of `go`.
        word: &'static str,
        /// The word that was given.
        value: Excerpt,
        /// The number that is used.
        used: u64,
    },
    /// A root move is not legal in this position.
    #[error("go: searchmoves: {0} is not a legal move here, ignored")]
    SearchMove(Excerpt),
    /// A `position` is not accepted. The client does not mean the previous position either, so there is none now.
    #[error("{0}; there is no position until one is accepted")]
    Position(#[from] PositionFault),
    /// A line is too long, and its command is not carried out in part.
    #[error("{0}: the line is too long, ignored")]
    TooLong(Excerpt),
    /// A `go` is too long. The part that was read counts.
    #[error("go: the line is too long, the rest is ignored")]
    GoTooLong,
    /// No option has this name.
    #[error("setoption: no option is called {0}")]
    UnknownOption(Excerpt),
    /// An option's value is outside its range.
    #[error("setoption: {0}; the old value stays")]
    OptionRange(#[from] RangeError),
    /// A number for `bench` is outside its range.
    #[error("bench: {0}")]
    BenchRange(RangeError),
    /// The limit of `bench` is outside its range.
    #[error("bench: the limit must lie between {least} and {greatest}, not {found}")]
    BenchLimit {
        /// The least useful limit of this kind.
        least: u64,
        /// The greatest limit of this kind.
        greatest: u64,
        /// The word that was given.
        found: Excerpt,
    },
    /// An option's text does not have the right form, or its file cannot be used.
    #[error("setoption: {name}: {reason}; the old value stays")]
    OptionText {
        /// The option.
        name: &'static str,
        /// The reason.
        reason: String,
    },
    /// An option's value is of the wrong kind.
    #[error("setoption: {name} needs {expected}, not {found}; the old value stays")]
    OptionValue {
        /// The option.
        name: &'static str,
        /// What was expected.
        expected: String,
        /// The word that was given.
        found: Excerpt,
    },
}

/// A `position` cannot be carried out.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PositionFault {
    /// Another word had to follow.
    #[error("{after}: expected {expected}, found {found}")]
    Expected {
        /// The words before the fault.
        after: &'static str,
        /// What was expected.
        expected: &'static str,
        /// The word that was found.
        found: Excerpt,
    },
    /// The position of a FEN is not acceptable.
    #[error("position: {0}")]
    Fen(FenError),
    /// A move of a move list is not legal where it stands.
    #[error("position: move {number}: {error}")]
    Move {
        /// The number of the move in the list, from 1.
        number: usize,
        /// The reason.
        error: MoveError,
    },
    /// The line is too long to be read completely, and a part of it would be another position.
    #[error("position: the line is too long")]
    TooLong,
}

/// A piece of the input as messages quote it. It is shortened, and every control character is replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt(String);

impl Excerpt {
    /// Longer than any sensible word, but short enough for a message.
    const MAX_CHARS: usize = 40;

    /// Quotes a piece of input.
    pub fn of(text: &str) -> Excerpt {
        let mut quoted: String = text
            .chars()
            .take(Self::MAX_CHARS)
            .map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c })
            .collect();
        if text.chars().nth(Self::MAX_CHARS).is_some() {
            quoted.push_str("...");
        }
        Excerpt(format!("\"{quoted}\""))
    }

    /// Quotes the next word, or says "the end of the line".
    pub fn of_next(word: Option<&str>) -> Excerpt {
        word.map_or_else(|| Excerpt("the end of the line".to_owned()), Excerpt::of)
    }
}

impl fmt::Display for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_short_and_printable() {
        assert_eq!(Excerpt::of("abc").to_string(), "\"abc\"");
        assert_eq!(Excerpt::of("a\u{0}b\u{1b}").to_string(), "\"a\u{fffd}b\u{fffd}\"");
        let long = Excerpt::of(&"é".repeat(100_000)).to_string();
        assert_eq!(long.chars().count(), Excerpt::MAX_CHARS + 5);
        assert_eq!(Excerpt::of_next(None).to_string(), "the end of the line");
    }
}
