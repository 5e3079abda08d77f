//! What the reports of `analyse` and the page of `serve` draw alike: boards, pieces, chances, and their style.
//!
//! All drawings are our own. A page holds the pieces once, and its boards refer to them. The script changes a board
//! that is already drawn. So a page shows its first position without any script.

mod board;

pub use board::{chances, svg};

/// The drawings of the pieces. Each is named by the FEN letter of the white piece. The place that uses a drawing sets
/// its color.
pub const PIECES: &str = include_str!("pieces.svg");

/// The style of boards, moves, charts and buttons, in light and dark colors.
pub const STYLE: &str = include_str!("style.css");

/// The script of boards: a JavaScript module.
pub const SCRIPT: &str = include_str!("board.js");
