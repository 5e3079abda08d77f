//! The threads: persistent workers that sleep between searches, and a coordinator that ends each search and reports its
//! result.
//!
//! The coordinator sleeps while the workers search. It wakes up at `stop`, at the hard time limit, or when the main
//! worker is done. Then it answers from the results that every worker leaves after each iteration, and waits only a
//! moment for all workers to notice the end. A thread that has just slept is scheduled at once, however many threads
//! compete for the cores. That keeps `stop` prompt with a thousand threads on two cores.

mod conclusion;
mod coordinator;
mod exchange;
mod helpers;
pub mod prompt;
mod release;
mod room;
mod shared;
mod sync;
mod thread_pool;
mod ticks;
#[cfg(feature = "laboratory")]
mod virtual_pool;
mod vote;
mod worker_loop;

pub use crate::base::crew::MAX_THREADS;
pub use crate::engine::run::stagger::Stagger;
pub use thread_pool::{Pool, PoolError};
#[cfg(feature = "laboratory")]
pub use virtual_pool::VirtualPool;
pub use vote::vote;
