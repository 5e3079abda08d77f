//! The atomics of the table, exchanged for loom's when its protocol is model-checked.

pub(super) use std::sync::atomic::Ordering;

#[cfg(loom)]
pub(super) use loom::sync::atomic::AtomicU64;
#[cfg(not(loom))]
pub(super) use std::sync::atomic::AtomicU64;
