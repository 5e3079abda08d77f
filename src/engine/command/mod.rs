//! The commands of the engine, and what all commands need. Each command has a file of its own, with its arguments and
//! what it does.

pub(crate) mod arguments;
pub(crate) mod entry;
pub mod error;
pub(crate) mod format;
pub(crate) mod interrupt;
pub(crate) mod job_progress;
pub(crate) mod json_arguments;
pub(crate) mod limits;
pub(crate) mod number;
pub(crate) mod position;
pub(crate) mod progress;

pub(crate) mod bench;
pub(crate) mod compare;
pub(crate) mod eval;
pub(crate) mod line;
pub(crate) mod perft;
pub(crate) mod presets;
pub(crate) mod search;
pub(crate) mod uci;
