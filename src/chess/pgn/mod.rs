//! Games in PGN, as people and programs really write them.
//!
//! One reader serves all parts of the program: analysis, books, and the board of the server. It reads more than the
//! standard asks for. Its rule is that nothing is skipped without a word: each word is a move, a known sign, or a
//! message with its place. A fault in the main line ends what is sure of a game ([`ReadGame::fault`]). A fault in a
//! variation leaves its rest as it was written ([`Annotation::Word`]), with a note.
//!
//! `Lines` of the module `file` decode the text, `tokenizer` divides it, `splitter` finds the ends of games, and
//! `replay` plays the moves. The crate `pgn-reader` was used before. It skips words that it does not know, so it reads
//! a game with a misprint as another game, and it knows ASCII alone.
//!
//! Source: Steven J. Edwards, "Portable Game Notation Specification and Implementation Guide", 1994.

pub mod writer;

mod fault;
mod pasted;
mod reader;
mod replay;
mod result;
mod sign;
mod splitter;
mod start;
mod tag;
mod token;
mod tokenizer;
mod tree;
mod word;

pub use fault::{FaultKind, GameFault, GameNote, NoteKind};
pub use pasted::Pasted;
pub use reader::{PgnReader, ReadGame};
pub use result::GameEnd;
pub use splitter::MAX_GAME_BYTES;
pub use tag::TagPair;
pub use token::Place;
pub use tree::{Annotation, GameTree, GameVariation, MainMove, VariationMove};

#[cfg(test)]
mod tests;
