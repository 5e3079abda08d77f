//! What a leaf search answers: its kind, and how far its score holds.

mod kind;
mod validity;

pub use kind::Kind;
pub use validity::{Leaf, Validity};
