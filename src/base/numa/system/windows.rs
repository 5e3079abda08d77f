//! Windows: nodes, processor groups, and the affinity of threads.
//!
//! Windows puts at most 64 processors into a group, and the affinity of a thread lies in one group. So a node whose
//! processors lie in several groups counts as several nodes. Before Windows 11 all threads of a process begin in the
//! same group, and a program that does not spread them uses 64 processors at most.

use std::ptr;

use windows_sys::Win32::System::SystemInformation::{
    GROUP_AFFINITY, GetLogicalProcessorInformationEx, LOGICAL_PROCESSOR_RELATIONSHIP, RelationNumaNode,
    RelationNumaNodeEx,
};
use windows_sys::Win32::System::Threading::{
    GetCurrentProcess, GetCurrentThread, GetProcessAffinityMask, GetThreadGroupAffinity,
    SetThreadGroupAffinity,
};

use super::{Processors, relations};

/// Whether threads can be bound.
pub const IS_KNOWN: bool = true;

/// The nodes of the machine that have processors among `allowed`, with these processors, by group.
pub fn nodes(allowed: &Processors) -> Vec<Processors> {
    let nodes: Vec<Processors> = machine().iter().map(|node| node.common(allowed)).collect();
    bindable(nodes)
}

/// The machine's nodes with all their processors; empty if Windows does not say.
fn machine() -> Vec<Processors> {
    // Since Windows Server 2022 the first call has all groups of a node. An older Windows does not know it, but there a
    // node lies in one group.
    let kinds = [RelationNumaNodeEx, RelationNumaNode];
    let machines = kinds.map(|kind| relations::nodes(&records(kind)));
    machines.into_iter().find(|nodes| !nodes.is_empty()).unwrap_or_default()
}

/// The records of a kind; empty if Windows has none.
fn records(kind: LOGICAL_PROCESSOR_RELATIONSHIP) -> Vec<u8> {
    let mut length = 0;
    // SAFETY: without a buffer Windows only writes the length that one must have.
    unsafe { GetLogicalProcessorInformationEx(kind, ptr::null_mut(), &raw mut length) };
    // The records begin with integers of 32 bits and contain masks of 64.
    let mut buffer = vec![0_u64; (length as usize).div_ceil(8)];
    // SAFETY: the buffer is writable, aligned for the records, and has `length` bytes.
    let is_done =
        unsafe { GetLogicalProcessorInformationEx(kind, buffer.as_mut_ptr().cast(), &raw mut length) };
    let bytes = buffer.iter().flat_map(|word| word.to_le_bytes());
    if is_done == 0 { Vec::new() } else { bytes.take(length as usize).collect() }
}

/// Binds the calling thread, which can run in one group: that of the first processor. Returns whether the system
/// granted it.
pub fn bind(processors: &Processors) -> bool {
    let Some(&(group, mask)) = relations::groups(processors).first() else { return false };
    let affinity = GROUP_AFFINITY { Mask: mask as usize, Group: group, Reserved: [0; 3] };
    // SAFETY: Windows only reads the structure. The handle means the calling thread and need not be closed.
    unsafe { SetThreadGroupAffinity(GetCurrentThread(), &raw const affinity, ptr::null_mut()) != 0 }
}

/// Binds the calling thread to each group of `wanted` in turn, and returns the processors that the system grants of
/// them.
pub fn granted(wanted: &Processors) -> Processors {
    // Windows refuses a mask with a processor that does not exist.
    let all: Processors = machine().iter().flat_map(Processors::iter).collect();
    let parts = relations::split(&[wanted.common(&all)]);
    let granted =
        parts.iter().filter(|part| bind(part)).flat_map(|part| own().common(part).iter().collect::<Vec<_>>());
    granted.collect()
}

/// The processors to which the calling thread is bound.
fn own() -> Processors {
    let mut affinity = GROUP_AFFINITY::default();
    // SAFETY: Windows writes the structure. The handle means the calling thread and need not be closed.
    let is_known = unsafe { GetThreadGroupAffinity(GetCurrentThread(), &raw mut affinity) != 0 };
    let mask = if is_known { affinity.Mask as u64 } else { 0 };
    relations::numbers(affinity.Group, mask).filter(|&number| number < Processors::LIMIT).collect()
}

/// The processors that the process was given: those of all groups, unless the user has restricted it to some of its
/// group (`start /affinity`, the task manager). `None` if Windows does not say.
pub fn given() -> Option<Processors> {
    let all: Processors = machine().iter().flat_map(Processors::iter).collect();
    if all.is_empty() {
        return None;
    }
    let (mut process, mut group) = (0, 0);
    // SAFETY: Windows writes two masks. The handle means this process and need not be closed.
    let is_known =
        unsafe { GetProcessAffinityMask(GetCurrentProcess(), &raw mut process, &raw mut group) != 0 };
    // Both masks are 0 if threads of the process run in several groups. Then it is not restricted.
    if !is_known || process == 0 || process == group {
        return Some(all);
    }
    let mut affinity = GROUP_AFFINITY::default();
    // SAFETY: Windows writes the structure. The handle means the calling thread and need not be closed.
    let has_group = unsafe { GetThreadGroupAffinity(GetCurrentThread(), &raw mut affinity) != 0 };
    let number = if has_group { affinity.Group } else { 0 };
    Some(relations::numbers(number, process as u64).collect::<Processors>().common(&all))
}

/// The nodes to which a thread can be bound: those in one group.
pub fn bindable(nodes: Vec<Processors>) -> Vec<Processors> {
    relations::split(&nodes)
}

/// The groups, if there are several: the threads of a job must be spread over them by hand.
pub fn spread_by_hand() -> Vec<Processors> {
    let groups = relations::split(&[given().unwrap_or_default()]);
    if groups.len() > 1 { groups } else { Vec::new() }
}

/// Number of processors that this process may use. The standard library counts those of one group.
pub fn cores() -> usize {
    match given() {
        Some(given) => given.count().max(1),
        None => std::thread::available_parallelism().map_or(1, usize::from),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_has_the_processors_that_the_process_was_given() {
        let given = given().expect("Windows reports its processors");
        assert!(!given.is_empty() && cores() == given.count());
        let nodes = nodes(&given);
        assert!(!nodes.is_empty() && nodes.iter().all(|node| relations::groups(node).len() == 1));
        assert_eq!(nodes.iter().map(Processors::count).sum::<usize>(), given.count());
    }
}
