//! The board against shakmaty and against what other programs agree on.

mod differential;
mod exchanges;
mod fens;
mod moves;
mod unreachable;
