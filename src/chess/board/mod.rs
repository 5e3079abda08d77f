//! The rules of chess: our own copy-make board, with everything that the search needs in its inner loop.
//!
//! Squares, bitboards and attack tables are shakmaty's. The board keeps what shakmaty's positions do not: a mailbox,
//! incremental keys, cached checkers and pins, moves of 16 bits, and null moves. Shakmaty stays the judge at the edges
//! (FEN, SAN, tablebases) and in the tests.
//!
//! Invariant: a [`Board`] is always a playable position, so nothing inside can fail. Castling follows Chess960
//! everywhere: a castling move is the king taking its own rook, and standard chess is a special case of it.

pub mod epd;
pub mod keys;
pub mod letters;
pub mod moves;
pub mod notation;

mod checks;
mod cycles;
mod display;
mod draw;
mod fen;
mod game;
mod generate;
mod hanging;
mod legality;
mod make;
mod perft;
mod playable;
mod position;
pub mod see;
pub mod setup;

pub use checks::CheckSquares;
pub use draw::FIFTY_MOVES;
pub use fen::{CastlingRules, FenRepair};
pub use game::{Game, MoveError};
pub use hanging::{AttackMap, AttackedSquares, Men};
pub use moves::{MAX_MOVES, Move, MoveKind, MoveList, UciMove};
pub use perft::{Part, parallel_perft, parallel_perft_with, perft};
#[cfg(feature = "laboratory")]
pub(crate) use playable::playable;
pub use playable::{FenError, MAX_MEN};
pub use position::Board;

pub use shakmaty::attacks;
pub use shakmaty::{Bitboard, CastlingSide, Color, File, Piece, Rank, Role, Square};
