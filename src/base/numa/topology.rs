//! What Linux says about the processors: which are on one node, share a cache of the third level, or are one core.
//!
//! All of it is text below `/sys/devices/system`. Every reader takes the root of the file system, so tests give made-up
//! machines. A list is empty where the system does not say, as on systems other than Linux.

use std::fs;
use std::path::Path;

use super::Processors;

/// The folder of the processors, below the root.
const PROCESSORS: &str = "sys/devices/system/cpu";
/// Where Linux describes its nodes, below the root. There is a folder `node0`, `node1`, ... for each node. Its file
/// `cpulist` lists the processors that are online.
const NODES: &str = "sys/devices/system/node";
/// No processor has more caches than this.
const CACHES: usize = 8;

/// The processors that are online, and the groups that they form.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Topology {
    /// The processors that are online.
    pub online: Processors,
    /// The NUMA nodes.
    pub nodes: Vec<Processors>,
    /// The processors that share a cache of the third level.
    pub caches: Vec<Processors>,
    /// The physical cores. Those with simultaneous multithreading have several processors.
    pub cores: Vec<Processors>,
    /// The sockets.
    pub packages: Vec<Processors>,
}

impl Topology {
    /// Reads the files below `root`, which is `/` for this machine.
    pub fn read(root: &Path) -> Topology {
        let online = online(root);
        let nodes = nodes(root, &online);
        let of_file = |name: &str| partition(&online, |number| list(&processor(root, number).join(name)));
        Topology {
            nodes,
            caches: caches(root, &online),
            cores: of_file("topology/thread_siblings_list"),
            packages: of_file("topology/core_siblings_list"),
            online,
        }
    }

    /// What is left of the groups on the processors `allowed`.
    pub fn within(&self, allowed: &Processors) -> Topology {
        Topology {
            online: self.online.common(allowed),
            nodes: common(&self.nodes, allowed),
            caches: common(&self.caches, allowed),
            cores: common(&self.cores, allowed),
            packages: common(&self.packages, allowed),
        }
    }
}

/// The processors that are online.
fn online(root: &Path) -> Processors {
    list(&root.join(PROCESSORS).join("online")).unwrap_or_default()
}

/// The nodes of the machine that have processors among `allowed`, with these processors. Empty if the nodes are not
/// known.
pub(super) fn nodes(root: &Path, allowed: &Processors) -> Vec<Processors> {
    let texts = cpulists(&root.join(NODES));
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

/// The processors of `of` that share a cache of the third level, for each such cache.
pub(super) fn caches(root: &Path, of: &Processors) -> Vec<Processors> {
    partition(of, |number| {
        let folder = processor(root, number).join("cache");
        let is_third = |index: &usize| {
            let level = fs::read_to_string(folder.join(format!("index{index}/level")));
            level.is_ok_and(|level| level.trim() == "3")
        };
        let index = (0..CACHES).rev().find(is_third)?;
        list(&folder.join(format!("index{index}/shared_cpu_list")))
    })
}

/// The parts of the groups that are among `allowed`, without empty ones.
pub(super) fn common(groups: &[Processors], allowed: &Processors) -> Vec<Processors> {
    groups.iter().map(|group| group.common(allowed)).filter(|group| !group.is_empty()).collect()
}

/// The folder of a processor.
fn processor(root: &Path, number: usize) -> std::path::PathBuf {
    root.join(PROCESSORS).join(format!("cpu{number}"))
}

/// Reads a file that holds a list of processors.
fn list(path: &Path) -> Option<Processors> {
    fs::read_to_string(path).ok()?.parse().ok()
}

/// The groups to which `all` belong. `group_of` reads the group of a processor; it is asked once for each group. If one
/// of them is not known, the machine is not understood and has no groups.
fn partition(all: &Processors, group_of: impl Fn(usize) -> Option<Processors>) -> Vec<Processors> {
    let mut groups = Vec::new();
    let mut rest = all.clone();
    while !rest.is_empty() {
        let group = rest.iter().next().and_then(&group_of).unwrap_or_default().common(&rest);
        if group.is_empty() {
            return Vec::new();
        }
        rest = rest.without(&group);
        groups.push(group);
    }
    groups
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A made-up machine: `sockets` sockets, each of which is a node, with `cores` cores each, of which `cache` share a
    /// cache. If `is_threaded`, each core has a second processor, numbered after all first ones.
    pub(crate) fn machine(root: &Path, sockets: usize, cores: usize, cache: usize, is_threaded: bool) {
        let write = |path: String, text: String| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
            fs::write(path, text + "\n").expect("writable");
        };
        let all = sockets * cores;
        let processors = if is_threaded { 2 * all } else { all };
        // The processors of `count` neighboring cores.
        let siblings = |first: usize, count: usize| {
            let of = |first: usize| {
                if count == 1 { first.to_string() } else { format!("{first}-{}", first + count - 1) }
            };
            if is_threaded { format!("{},{}", of(first), of(first + all)) } else { of(first) }
        };
        write("sys/devices/system/cpu/online".to_owned(), format!("0-{}", processors - 1));
        for node in 0..sockets {
            let path = format!("sys/devices/system/node/node{node}/cpulist");
            write(path, siblings(node * cores, cores));
        }
        for number in 0..processors {
            let folder = format!("sys/devices/system/cpu/cpu{number}");
            let core = number % all;
            write(format!("{folder}/topology/thread_siblings_list"), siblings(core, 1));
            write(format!("{folder}/topology/core_siblings_list"), siblings(core / cores * cores, cores));
            // The smaller caches are left out: thousands of files would take seconds.
            write(format!("{folder}/cache/index3/level"), "3".to_owned());
            write(format!("{folder}/cache/index3/shared_cpu_list"), siblings(core / cache * cache, cache));
        }
    }

    fn counts(topology: &Topology) -> [usize; 5] {
        let Topology { online, nodes, caches, cores, packages } = topology;
        [online.count(), nodes.len(), caches.len(), cores.len(), packages.len()]
    }

    #[test]
    fn a_large_machine_is_read_from_its_files() {
        let root = tempfile::tempdir().expect("a temporary folder");
        machine(root.path(), 2, 128, 16, true);
        let topology = Topology::read(root.path());
        assert_eq!(counts(&topology), [512, 2, 16, 256, 2]);
        assert_eq!(topology.nodes[1].to_string(), "128-255,384-511");
        assert_eq!(topology.caches[9].to_string(), "144-159,400-415");
        assert_eq!(topology.cores[3].to_string(), "3,259");
        // A control group or an affinity mask leaves half of the first cache and all of the second.
        let allowed = "0-7,16-31".parse().expect("a list");
        assert_eq!(counts(&topology.within(&allowed)), [24, 1, 2, 24, 1]);
    }

    #[test]
    fn what_the_system_does_not_say_is_empty() {
        let root = tempfile::tempdir().expect("a temporary folder");
        assert_eq!(Topology::read(root.path()), Topology::default());
        // Virtual machines may hide their caches.
        machine(root.path(), 1, 4, 4, false);
        fs::remove_dir_all(root.path().join("sys/devices/system/cpu/cpu2/cache")).expect("removable");
        assert_eq!(counts(&Topology::read(root.path())), [4, 1, 1, 4, 1]);
        fs::remove_dir_all(root.path().join("sys/devices/system/cpu/cpu0/cache")).expect("removable");
        assert_eq!(counts(&Topology::read(root.path())), [4, 1, 0, 4, 1]);
    }

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
