//! What the system reports about its nodes, and the binding of threads. Each system has a file; where there is none,
//! nothing is known and nothing is bound.

use super::Processors;
#[cfg(all(target_os = "linux", not(miri)))]
use super::topology;

#[cfg(all(target_os = "linux", not(miri)))]
mod linux;
#[cfg(any(windows, test))]
mod relations;
#[cfg(not(any(all(target_os = "linux", not(miri)), all(windows, target_pointer_width = "64"))))]
mod unknown;
#[cfg(all(windows, target_pointer_width = "64"))]
mod windows;

#[cfg(all(target_os = "linux", not(miri)))]
use linux as platform;
#[cfg(not(any(all(target_os = "linux", not(miri)), all(windows, target_pointer_width = "64"))))]
use unknown as platform;
#[cfg(all(windows, target_pointer_width = "64"))]
use windows as platform;

pub use platform::cores;
pub(super) use platform::{IS_KNOWN, bind, bindable, given, nodes, spread_by_hand};

/// The processors of `wanted` that the system grants a thread. A short-lived thread asks for them to find out.
pub(super) fn usable(wanted: &Processors) -> Processors {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().spawn_scoped(scope, || platform::granted(wanted));
        thread.ok().and_then(|thread| thread.join().ok()).unwrap_or_default()
    })
}

/// Number of processors as the standard library reports it.
fn parallelism() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
