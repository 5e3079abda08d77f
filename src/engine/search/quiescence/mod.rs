//! The leaf searches: what a position is worth once the main search's depth is used up.
//!
//! All of them are called through `Worker::quiescence`, which returns a score and how far it holds. The default is H.
//! G. Muller's multi-level search with depth bootstrapping. The others are the classic searches from which it grew.
//! They are kept for research and as oracles. All share one move ordering (`ordering`) and one scale of piece values,
//! that of exchanges ([`crate::chess::board::see`]).

mod best;
mod bootstrap;
mod captures;
mod context;
mod gain;
mod leaf;
mod ordering;
mod static_search;

pub use context::LeafRequest;
pub use gain::Threshold;
