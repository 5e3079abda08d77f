//! Training of the evaluation's network on games that Enfilade played against itself.

pub(crate) mod file;
pub mod filter;
pub mod network;
pub(crate) mod split;
