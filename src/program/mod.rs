//! The program: the list of the commands, its arguments and its end.

mod args;
mod run_program;
#[cfg(feature = "completions")]
mod shell;
mod version;

pub use run_program::run;
