//! Values that do not depend on a board: scores, bounds, windows, chances, and the limit of plies.

mod score;
pub(crate) mod wdl;
mod window;

pub use score::{Bound, MAX_PLY, Score};
pub use wdl::{Wdl, WinModel};
pub use window::Window;
