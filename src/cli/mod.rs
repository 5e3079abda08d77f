//! The command line. Each command has a file of its own, with its arguments and what it does. `args` lists the
//! commands.

#[cfg(feature = "analysis")]
mod analyse;
mod args;
mod bench;
mod command;
mod compare;
#[cfg(feature = "laboratory")]
mod data;
#[cfg(feature = "laboratory")]
mod datagen;
#[cfg(feature = "laboratory")]
mod doctor;
#[cfg(feature = "laboratory")]
mod duel;
mod error;
mod eval;
mod format;
#[cfg(feature = "laboratory")]
mod job_progress;
#[cfg(feature = "server")]
mod lichess;
mod limits;
mod line;
#[cfg(feature = "laboratory")]
mod match_arguments;
mod number;
#[cfg(feature = "laboratory")]
mod pairs;
mod perft;
mod position;
mod program;
mod progress;
#[cfg(feature = "fleet")]
mod queue;
#[cfg(feature = "fleet")]
mod queue_access;
#[cfg(feature = "fleet")]
mod queued_analyse;
#[cfg(feature = "fleet")]
mod queued_datagen;
#[cfg(feature = "laboratory")]
mod screen;
mod search;
#[cfg(feature = "server")]
mod serve;
#[cfg(feature = "laboratory")]
mod speedtest;
#[cfg(feature = "laboratory")]
mod speedup;
mod suite;
#[cfg(feature = "laboratory")]
mod train;
#[cfg(feature = "laboratory")]
mod tune;
#[cfg(feature = "laboratory")]
mod tune_threads;
mod uci;
#[cfg(feature = "fleet")]
mod worker;

pub use error::CliError;
pub use program::run;
