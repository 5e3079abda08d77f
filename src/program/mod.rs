//! The program: the list of the commands, its arguments and its end.

mod args;
#[cfg(all(test, feature = "fleet", feature = "server", feature = "completions"))]
mod documented;
mod run_program;
#[cfg(feature = "completions")]
mod shell;
mod version;

pub use run_program::run;
