//! Linux: nodes from `/sys`, and the affinity masks of threads.

use std::path::Path;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use super::{Processors, topology};

/// Whether threads can be bound.
pub const IS_KNOWN: bool = true;

/// The nodes of the machine that have processors among `allowed`, with these processors. Empty if the nodes are not
/// known.
pub fn nodes(allowed: &Processors) -> Vec<Processors> {
    topology::nodes(Path::new("/"), allowed)
}

/// Binds the calling thread. Returns whether the system granted any of the processors.
pub fn bind(processors: &Processors) -> bool {
    let mut mask = CpuSet::new();
    processors.iter().filter(|&number| number < CpuSet::MAX_CPU).for_each(|number| mask.set(number));
    sched_setaffinity(None, &mask).is_ok()
}

/// Binds the calling thread to `wanted`, and returns the processors that the system grants of them.
pub fn granted(wanted: &Processors) -> Processors {
    if bind(wanted) { given().unwrap_or_default().common(wanted) } else { Processors::default() }
}

/// The processors on which the calling thread may run; `None` if the mask cannot hold them all.
pub fn given() -> Option<Processors> {
    let mask = sched_getaffinity(None).ok()?;
    let limit = CpuSet::MAX_CPU.min(Processors::LIMIT);
    Some((0..limit).filter(|&number| mask.is_set(number)).collect())
}

/// The nodes to which a thread can be bound: on Linux any.
pub fn bindable(nodes: Vec<Processors>) -> Vec<Processors> {
    nodes
}

/// The nodes over which the threads of a job must be spread by hand: Linux spreads them itself.
pub fn spread_by_hand() -> Vec<Processors> {
    Vec::new()
}

/// Number of processors that this process may use.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
