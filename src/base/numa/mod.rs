//! Machines whose memory is nearer to some processors than to others: which processors belong together (a *node*),
//! which thread runs on which node, and what each node should have a copy of.
//!
//! Linux and Windows put a page of memory on the node of the thread that touches it first. So a thread is bound to a
//! node before it allocates anything, and what all threads read all the time is copied by a thread of each node
//! ([`Replicated`]).
//! Binding, replication and the option's syntax follow Stockfish (T. Sobczyk, pull request 5285 of 2024).
//!
//! On a node with several caches of the third level, threads are bound to the processors of one cache. They form groups
//! of at most 32, which share what they learn: a line of memory that threads of several caches write is slow for all.
//! (Stockfish's pull request 6526 of 2026 measured 25% more speed with groups of this size on a machine with 256
//! processors.)
//!
//! Invariant: a thread is bound only to processors that the system has granted in a test.

mod binding;
mod policy;
mod processors;
mod replicated;
mod system;
mod topology;

pub use binding::{Binding, LARGEST_GROUP};
pub use policy::{NumaError, Policy, PolicyError};
pub use processors::{Processors, ProcessorsError};
pub use replicated::Replicated;
pub use system::cores;
pub use topology::Topology;
#[cfg(test)]
pub(crate) use topology::tests::machine;
