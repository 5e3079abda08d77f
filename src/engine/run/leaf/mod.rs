//! What a leaf search answers: its kind, how far its score holds, and counts of what it did.

mod kind;
mod statistics;
mod validity;

pub use kind::Kind;
pub use statistics::Statistics;
pub use validity::{Leaf, Validity};
