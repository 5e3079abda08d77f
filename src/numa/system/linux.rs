//! Linux: nodes from `/sys`, and the affinity masks of threads.

use std::fs;
use std::path::Path;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use super::Processors;

/// Whether threads can be bound.
pub const IS_KNOWN: bool = true;

/// Where Linux describes its nodes. There is a folder `node0`, `node1`, ... for each node. Its file `cpulist` lists the
/// processors that are online.
const NODES: &str = "/sys/devices/system/node";

/// The nodes of the machine that have processors among `allowed`, with these processors. Empty if the nodes are not
/// known.
pub fn nodes(allowed: &Processors) -> Vec<Processors> {
    let texts = cpulists(Path::new(NODES));
    of_texts(texts.iter().map(String::as_str), allowed)
}

/// The texts of the nodes' `cpulist`s, in the order of the nodes' numbers.
fn cpulists(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut found: Vec<(usize, String)> = entries
        .flatten()
        .filter_map(|entry| {
            let number = entry.file_name().to_str()?.strip_prefix("node")?.parse().ok()?;
            Some((number, fs::read_to_string(entry.path().join("cpulist")).ok()?))
        })
        .collect();
    found.sort_unstable();
    found.into_iter().map(|(_, text)| text).collect()
}

/// The nodes that these `cpulist`s describe, without those that have no processor among `allowed`. Nodes of memory only
/// have no processor at all. If a text cannot be read, the machine is not understood and has no nodes.
fn of_texts<'a>(texts: impl IntoIterator<Item = &'a str>, allowed: &Processors) -> Vec<Processors> {
    let nodes: Result<Vec<Processors>, _> = texts.into_iter().map(str::parse).collect();
    let nodes = nodes.unwrap_or_default().into_iter().map(|node: Processors| node.common(allowed));
    nodes.filter(|node| !node.is_empty()).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    fn found(texts: &[&str], allowed: &str) -> String {
        let nodes = of_texts(texts.iter().copied(), &allowed.parse().expect("a list"));
        nodes.iter().map(Processors::to_string).collect::<Vec<_>>().join(":")
    }

    #[test]
    fn topologies_are_read_from_text() {
        let all = "0-1023";
        for (texts, allowed, expected) in [
            (&["0-1\n"][..], all, "0-1"),
            (&["0-15,32-47\n", "16-31,48-63\n"], all, "0-15,32-47:16-31,48-63"),
            (
                &["0-3", "4-7", "8-11", "12-15", "16-19", "20-23", "24-27", "28-31"],
                all,
                "0-3:4-7:8-11:12-15:16-19:20-23:24-27:28-31",
            ),
            // Processors that are offline are not listed, or not granted.
            (&["0-2,5\n", "6,8-9\n"], all, "0-2,5:6,8-9"),
            (&["0-7\n", "8-15\n"], "0-3,8-11", "0-3:8-11"),
            // A node of memory only, and a node that this process may not use.
            (&["0-3\n", "\n", "4-7\n"], all, "0-3:4-7"),
            (&["0-3\n", "4-7\n"], "4-7", "4-7"),
            (&["0-3\n", "4-7\n"], "", ""),
            // A text that is not understood gives no nodes.
            (&["0-3\n", "0x0f\n"], all, ""),
            (&["garbage"], all, ""),
            (&["3-0"], all, ""),
            (&[], all, ""),
        ] {
            assert_eq!(found(texts, allowed), expected, "{texts:?} of {allowed}");
        }
    }

    #[test]
    fn nodes_are_found_in_the_order_of_their_numbers() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for (node, text) in [("node10", "8-9\n"), ("node2", "4-5\n"), ("node0", "0-1\n"), ("nodes", "7\n")] {
            fs::create_dir(folder.path().join(node)).expect("writable");
            fs::write(folder.path().join(node).join("cpulist"), text).expect("writable");
        }
        fs::create_dir(folder.path().join("node3")).expect("writable");
        fs::write(folder.path().join("possible"), "0-3\n").expect("writable");
        assert_eq!(cpulists(folder.path()), ["0-1\n", "4-5\n", "8-9\n"]);
        assert_eq!(cpulists(&folder.path().join("absent")), [""; 0]);
    }
}
