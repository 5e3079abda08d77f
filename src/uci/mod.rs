//! The Universal Chess Interface: lines in, lines out.
//!
//! A line becomes a [`command::Command`] by a pure function; a [`session::Session`] carries it
//! out on the engine; everything that is said goes through one [`output::Output`], a whole
//! line at a time. Three promises hold throughout:
//!
//! * exactly one `bestmove` answers each `go`, whatever else arrives meanwhile;
//! * between a `go` and its `bestmove` nothing is printed but `info`, and what `isready` and `uci` ask for;
//! * input that is wrong gets one `info string` saying what and where, and changes nothing, but that a `position` that
//!   is refused leaves none: an answer for the one before would be taken for an answer to it.
//!
//! Source: Stefan Meyer-Kahlen's UCI specification (2006), read with the additions that
//! Stockfish has made customary (`d`, `eval`, `bench`, `flip`, `go perft`).

pub mod bench;
mod change;
pub mod command;
mod error;
pub mod evaluation;
mod go;
pub mod option;
mod outlook;
pub mod output;
pub mod perft;
mod reporter;
pub mod session;

/// The engine's name and version.
pub const NAME: &str = concat!("Enfilade ", env!("CARGO_PKG_VERSION"));

pub use error::InputError;
pub use go::{Go, Side};
pub use outlook::Outlook;
pub use reporter::nodes_per_second;
pub use session::Session;
