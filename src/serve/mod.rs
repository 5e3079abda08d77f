//! An analysis server: its page, and the answers that the page needs about positions.

pub mod page;
pub mod position;
