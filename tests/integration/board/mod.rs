//! Tests of the board against shakmaty and against results on which other programs agree.

mod differential;
mod exchanges;
mod fens;
mod moves;
mod unreachable;
