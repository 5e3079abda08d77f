//! The rules of chess, scores, and pictures of boards. Nothing here searches.

pub mod types;

pub mod board;

#[cfg(feature = "analysis")]
pub mod drawing;

pub mod pgn;
