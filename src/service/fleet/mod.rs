//! Many machines share work through a Redis server: `enfilade worker`, `enfilade queue`, and `--queue`.
//!
//! - [`address`] reads the address of the server.
//! - [`queue`] connects to the server, and waits for it if necessary.
//! - [`store`] defines the data on the server and all changes of them.
//! - [`identity`] determines which workers can do which jobs.
//! - [`task`] reads a job of any kind and does it.
//! - [`worker`] is the process that does jobs.
//! - `ending` notices the order to end the program.
//! - [`client`] hands out jobs of one kind and collects the answers.
//! - [`analysis`] and [`generation`] use the client: one analyzes games, the other plays games for training.
//! - [`status`] reads and shows the state of a queue.
//!
//! `docs/fleet.md` describes the fleet for users.
//!
//! Invariant: each change of the data on the server is one script. The server runs a script completely or not at all,
//! and each script may be repeated. So if any process dies between two changes, nothing is lost and nothing exists
//! twice.

pub mod address;
pub(crate) mod analyse_command;
pub mod analysis;
pub mod client;
pub(crate) mod datagen_command;
pub mod generation;
pub mod identity;
pub mod queue;
pub(crate) mod queue_arguments;
pub(crate) mod queue_command;
pub mod status;
pub mod store;
pub mod task;
pub mod worker;
pub(crate) mod worker_command;

pub use address::{Address, AddressError};
pub use client::Client;
pub use queue::{Queue, QueueError};
