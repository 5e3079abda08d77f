//! Values that know no board: scores, bounds, chances, and the limit of plies.

mod score;
pub(crate) mod wdl;

pub use score::{Bound, MAX_PLY, Score};
pub use wdl::{Wdl, WinModel};
