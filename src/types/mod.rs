//! Values that know no board: scores, bounds, and the limits of ply and depth.

mod score;

pub use score::{Bound, MAX_PLY, Score};
