//! Many machines share work through a Redis server: `enfilade worker`, `enfilade queue`, and `--queue`.
//!
//! An [`address`] says where the server is, [`queue`] talks to it and waits where it has to, [`store`] is what lies
//! there and how it changes, and [`identity`] tells which workers can do which jobs. [`task`] is a job of any kind,
//! [`worker`] does them, [`client`] hands them out and collects the answers, for [`analysis`] and for the
//! [`generation`] of games, and [`status`] shows it all. `docs/fleet.md` describes it for users.
//!
//! Invariant: each change of the data on the server is one script. The server runs a script completely or not at all,
//! and each script may be repeated. So if any process dies between two changes, nothing is lost and nothing exists
//! twice.

pub mod address;
pub mod analysis;
pub mod client;
pub mod generation;
pub mod identity;
pub mod queue;
pub mod status;
pub mod store;
pub mod task;
pub mod worker;

pub use address::{Address, AddressError};
pub use client::Client;
pub use queue::{Queue, QueueError};
