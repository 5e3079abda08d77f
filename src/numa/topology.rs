//! What Linux says about the processors: which are on one node, share a cache of the third level, or are one core.
//!
//! All of it is text below `/sys/devices/system`. Every reader takes the root of the file system, so tests give made-up
//! machines. A list is empty where the system does not say, as on systems other than Linux.

use std::fs;
use std::path::Path;

use super::{Processors, system};

/// The folder of the processors, below the root.
const PROCESSORS: &str = "sys/devices/system/cpu";
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
        let nodes = system::nodes(root, &online);
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
pub(super) fn online(root: &Path) -> Processors {
    list(&root.join(PROCESSORS).join("online")).unwrap_or_default()
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
            for (index, level) in [1, 1, 2, 3].into_iter().enumerate() {
                let count = if level == 3 { cache } else { 1 };
                write(format!("{folder}/cache/index{index}/level"), level.to_string());
                let shared = siblings(core / count * count, count);
                write(format!("{folder}/cache/index{index}/shared_cpu_list"), shared);
            }
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
}
