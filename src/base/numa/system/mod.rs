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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_gets_the_processors_that_it_asks_for() {
        let before = given();
        assert_eq!(before.is_some(), IS_KNOWN);
        let processors = before.clone().unwrap_or_default();
        for number in processors.iter() {
            let one: Processors = [number].into_iter().collect();
            assert_eq!(usable(&one), one);
        }
        assert_eq!(usable(&processors), processors);
        assert_eq!(usable(&Processors::default()), Processors::default());
        assert_eq!(given(), before, "only the asking thread was bound");
        assert!(cores() >= 1);
    }
}
