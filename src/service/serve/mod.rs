//! `enfilade serve`: one machine, one table, many clients.
//!
//! Each connection is a session of UCI of its own: its position, its options, its limits. All sessions search with the
//! threads, the network and the table of one process.
//!
//! ```text
//! connection (tcp, websocket) -> session (a thread, uci::Session) -> client_search -> scheduler -> engine (a slice)
//! ```
//!
//! Invariants:
//!
//! * A session's lines depend on nothing but its own input and the searches' results. A `bestmove` goes to the session
//!   that sent the `go`, because each search holds the output of its session.
//! * The threads that carry out lines and searches never wait for a socket. A client that reads too slowly has a full
//!   queue, and is dropped.
//! * No option of a client names a file, and none changes what other sessions see.
//! * Without tokens the server listens on loopback addresses only.

mod access;
mod answer_lines;
mod client;
mod client_search;
pub(crate) mod command;
mod connection;
mod deadlines;
mod division;
mod engines;
mod http;
mod lifetime;
mod line_splitter;
mod lingering;
mod lobby;
mod metrics;
pub mod page;
mod plan;
pub mod position;
mod running_slice;
mod scheduler;
mod search_request;
mod server;
mod session;
mod shared_knowledge;
#[cfg(test)]
mod simulation;
mod slice;
mod slice_observer;
mod slice_runner;
mod state;
mod tls;
mod urgency;
mod usage;
mod websocket;

pub use lifetime::run;
pub use plan::{ServeError, ServePlan, TlsFiles};
