//! What the system reports about its nodes, and the affinity masks of threads. This exists on Linux only: elsewhere
//! nothing is known and nothing is bound.

use std::path::Path;

use super::{Processors, topology};

pub(super) use affinity::{IS_KNOWN, bind, given};

/// The nodes of the machine that have processors among `allowed`, with these processors. Empty if the nodes are not
/// known.
pub(super) fn nodes(allowed: &Processors) -> Vec<Processors> {
    topology::nodes(Path::new("/"), allowed)
}

/// The processors of `wanted` that the system grants a thread. A short-lived thread asks for them to find out.
pub(super) fn usable(wanted: &Processors) -> Processors {
    let attempt =
        || if bind(wanted) { given().unwrap_or_default().common(wanted) } else { Processors::default() };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().spawn_scoped(scope, attempt);
        thread.ok().and_then(|thread| thread.join().ok()).unwrap_or_default()
    })
}

#[cfg(all(target_os = "linux", not(miri)))]
mod affinity {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    use super::Processors;

    /// Whether threads can be bound.
    pub const IS_KNOWN: bool = true;

    /// Binds the calling thread. Returns whether the system granted any of the processors.
    pub fn bind(processors: &Processors) -> bool {
        let mut mask = CpuSet::new();
        processors.iter().filter(|&number| number < CpuSet::MAX_CPU).for_each(|number| mask.set(number));
        sched_setaffinity(None, &mask).is_ok()
    }

    /// The processors on which the calling thread may run; `None` if the mask cannot hold them all.
    pub fn given() -> Option<Processors> {
        let mask = sched_getaffinity(None).ok()?;
        let limit = CpuSet::MAX_CPU.min(Processors::LIMIT);
        Some((0..limit).filter(|&number| mask.is_set(number)).collect())
    }
}

#[cfg(any(not(target_os = "linux"), miri))]
mod affinity {
    use super::Processors;

    pub const IS_KNOWN: bool = false;

    pub fn bind(_: &Processors) -> bool {
        false
    }

    pub fn given() -> Option<Processors> {
        None
    }
}

#[cfg(all(test, target_os = "linux", not(miri)))]
mod tests {
    use super::*;

    #[test]
    fn a_thread_gets_the_mask_that_it_asks_for() {
        let before = given().expect("fewer than 1024 processors");
        for number in before.iter() {
            let one: Processors = [number].into_iter().collect();
            assert_eq!(usable(&one), one);
        }
        assert_eq!(usable(&before), before);
        assert_eq!(usable(&Processors::default()), Processors::default());
        assert_eq!(given(), Some(before), "only the asking thread was bound");
    }
}
