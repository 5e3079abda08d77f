//! The atomics of the table. A model check of its protocol replaces them by loom's.

pub(super) use std::sync::atomic::Ordering;

#[cfg(loom)]
pub(super) use loom::sync::atomic::AtomicU64;
#[cfg(not(loom))]
pub(super) use std::sync::atomic::AtomicU64;
