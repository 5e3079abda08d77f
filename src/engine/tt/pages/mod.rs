//! The system's calls for the memory of a table: a file for each system.

#[cfg(all(target_os = "linux", not(miri)))]
mod linux;
#[cfg(not(any(all(target_os = "linux", not(miri)), windows)))]
mod plain;
#[cfg(windows)]
mod windows;

#[cfg(all(target_os = "linux", not(miri)))]
pub(super) use linux::{Mapping as Pages, locked, ordinary, reserved};
#[cfg(not(any(all(target_os = "linux", not(miri)), windows)))]
pub(super) use plain::{PlainMapping as Pages, locked, ordinary, reserved};
#[cfg(windows)]
pub(super) use windows::{Region as Pages, locked, ordinary, reserved};
