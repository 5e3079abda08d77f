//! What is wrong in a game, and what is worth a note.

use std::fmt;

use thiserror::Error;

use super::token::Place;
use crate::chess::board::{FenError, FenRepair};

/// The longest part of a text that a message quotes, in characters.
const QUOTED: usize = 40;

/// Why the main line of a game is not sure. The moves before the fault are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameFault {
    /// Where it is.
    pub place: Place,
    /// The number of the half-move that could not be read, from 1; `None` if the fault is in no move.
    pub ply: Option<usize>,
    /// What is wrong.
    pub kind: FaultKind,
}

impl fmt::Display for GameFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        at(f, self.place, self.ply)?;
        self.kind.fmt(f)
    }
}

impl std::error::Error for GameFault {}

/// What is wrong in a main line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FaultKind {
    /// The text of the game is too long.
    #[error("its text is longer than 4 MiB")]
    TooLong,
    /// The tag `FEN` does not describe a position.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// Two tags give different positions.
    #[error("it has two different tags FEN")]
    TwoFens,
    /// The game has the rules of a variant that Enfilade does not play.
    #[error("the variant {0:?} is not chess")]
    Variant(String),
    /// A comment has no end.
    #[error("a comment does not end")]
    OpenComment,
    /// A variation has no end.
    #[error("a variation does not end")]
    OpenVariation,
    /// A variation ends where none has begun.
    #[error("a variation ends that has not begun")]
    SurplusEnd,
    /// The game begins at the initial position with a later move.
    #[error("it begins with move {0}, and the moves before are missing")]
    MissingMoves(i64),
    /// A word is neither a move nor a known sign.
    #[error("{0:?} is not a move")]
    Word(String),
    /// A letter is a glyph, or the piece of the next word.
    #[error("{0:?} may be a sign or a piece: \"{0}{1}\" could be played")]
    Letter(String, String),
    /// A move is not legal.
    #[error("move {mv} is not legal in {fen}")]
    Illegal {
        /// The move as written.
        mv: String,
        /// The position in which it was to be played.
        fen: String,
    },
    /// A move fits several legal moves.
    #[error("move {mv} fits several moves in {fen}")]
    Ambiguous {
        /// The move as written.
        mv: String,
        /// The position in which it was to be played.
        fen: String,
    },
    /// A null move is no move of a game.
    #[error("{0:?} is a null move, which no game has")]
    NullMove(String),
    /// The game goes on behind its result.
    #[error("there are moves after its result")]
    AfterResult,
    /// The letters of several languages give different games.
    #[error("its letters of pieces may be {0} or {1}, and these give different moves")]
    Letters(&'static str, &'static str),
}

/// Something that does not make the main line unsure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameNote {
    /// Where it is.
    pub place: Place,
    /// The number of the half-move before which it stands, from 1; `None` before the moves.
    pub ply: Option<usize>,
    /// What there is.
    pub kind: NoteKind,
}

impl fmt::Display for GameNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        at(f, self.place, self.ply)?;
        self.kind.fmt(f)
    }
}

/// What a note is about.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NoteKind {
    /// The pieces have the letters of this language.
    #[error("its moves were read with the letters of the pieces in {0}")]
    Letters(&'static str),
    /// A variation cannot be followed from this word on.
    #[error("{0:?} is no move of the variation; its rest is kept as it is")]
    Variation(String),
    /// The number of a move does not fit its place.
    #[error("the move has the number {number} instead of {expected}")]
    Number {
        /// The number that was found.
        number: i64,
        /// The number that fits.
        expected: i64,
    },
    /// A glyph has a number that no glyph has.
    #[error("the glyph ${0} is unknown; it is kept as it is")]
    Nag(u32),
    /// The tag `Result` and the end of the moves name different winners.
    #[error("the tag Result says {tag}, and the moves end with {end}, which counts")]
    Results {
        /// The result of the tag.
        tag: &'static str,
        /// The result behind the moves.
        end: &'static str,
    },
    /// The position of the tag `FEN` was changed so that it can be played.
    #[error("FEN: {0}")]
    Repair(FenRepair),
}

fn at(f: &mut fmt::Formatter<'_>, place: Place, ply: Option<usize>) -> fmt::Result {
    write!(f, "line {}, ", place.line)?;
    match ply {
        Some(ply) => write!(f, "ply {ply}: "),
        None => write!(f, "column {}: ", place.column),
    }
}

/// A part of the text as messages quote it.
pub(super) fn quoted(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(QUOTED).collect()
}
