//! STAND-IN: the search's edges only.

pub mod limits;
pub mod quiescence;
pub mod report;
