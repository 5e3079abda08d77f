//! The Universal Chess Interface (UCI): it reads lines and prints lines.
//!
//! A pure function turns a line into a [`command::Command`]. A [`session::Session`] carries it out on the engine. All
//! output goes through one [`output::Output`], in whole lines. Three invariants hold:
//!
//! * Exactly one `bestmove` answers each `go`, whatever else arrives meanwhile.
//! * Between a `go` and its `bestmove` only `info` lines and the answers to `isready` and `uci` are printed.
//! * Wrong input gets one `info string` that says what is wrong and where, and it changes nothing. The exception is a
//!   refused `position`: it leaves no position. Otherwise the client would take an answer about the previous position
//!   for an answer about the refused one.
//!
//! Source: Stefan Meyer-Kahlen's UCI specification (2006), with the additions that Stockfish has made common (`d`,
//! `eval`, `bench`, `flip`, `go perft`).

mod backend;
pub mod bench;
mod change;
pub mod command;
pub mod cores;
mod error;
pub mod evaluation;
mod go;
pub mod option;
mod outlook;
pub mod output;
mod own_engine;
pub mod perft;
mod reporter;
pub mod session;

pub use backend::Backend;
pub use error::InputError;
pub use go::{Go, Side};
pub use outlook::Outlook;
pub use reporter::nodes_per_second;
#[cfg(feature = "server")]
pub(crate) use reporter::{Reporter, Style};
pub use session::{Session, SessionBackend};
