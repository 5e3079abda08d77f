//! `enfilade suite`: solves a file of positions with known solutions.
//!
//! The positions are independent of each other. Each job has an engine with its own threads and table. The engine is
//! cleared before each position, so that the order does not matter.

mod arguments;
mod problem;
mod report;
mod solve;
mod task;

pub(crate) use arguments::SuiteArguments;
