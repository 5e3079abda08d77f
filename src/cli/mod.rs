//! The command line. Each command has a file of its own, with its arguments and what it does. `args` lists the commands.

mod analyse;
mod args;
mod bench;
mod command;
mod compare;
mod data;
mod datagen;
mod duel;
mod error;
mod eval;
mod format;
mod limits;
mod line;
mod match_arguments;
mod number;
mod pairs;
mod perft;
mod position;
mod program;
mod progress;
#[cfg(feature = "fleet")]
mod queue;
#[cfg(feature = "fleet")]
mod queue_access;
mod screen;
mod search;
mod speedtest;
mod speedup;
mod suite;
mod train;
mod tune;
mod tune_threads;
mod uci;
#[cfg(feature = "fleet")]
mod worker;

pub use error::CliError;
pub use program::run;
