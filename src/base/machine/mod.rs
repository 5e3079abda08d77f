//! What the machine has, and how much of it this process may use: processors, memory, large pages, and other load.
//!
//! All of it is text that Linux shows in `/proc` and `/sys`. Every reader takes the root of the file system, so tests
//! give made-up machines. What cannot be read is `None` or empty: on other systems nearly nothing is known.

mod control_groups;
mod frequency;
mod load;
mod memory;
mod pages;
mod processors;
#[cfg(windows)]
mod windows_memory;

use std::path::Path;

pub use control_groups::Quota;
pub use load::{Load, Ticks};
pub use memory::MemoryLeft;
pub use pages::ReservedPages;

use crate::base::numa::{self, Processors, Topology};

/// The root of the file system of this machine.
pub const ROOT: &str = "/";

/// What the system says about the machine and about the limits of this process.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Machine {
    /// The processors that are online, and the groups that they form.
    pub topology: Topology,
    /// The processors on which this process may run; `None` if this is unknown.
    pub allowed: Option<Processors>,
    /// The processors of this process's control group; `None` if there is no such group.
    pub cpuset: Option<Processors>,
    /// The processor time that the control groups grant; `None` without a limit.
    pub quota: Option<Quota>,
    /// The memory that is left.
    pub memory: MemoryLeft,
    /// Whether the system makes 2 MiB pages of free memory: `always`, `madvise` or `never`; `None` if it cannot.
    pub transparent_pages: Option<String>,
    /// The administrator's reserves of large pages, the largest pages first.
    pub reserved_pages: Vec<ReservedPages>,
    /// The frequency governors of the processors, each once; empty if they cannot be seen.
    pub governors: Vec<String>,
    /// The number of threads that ran or wanted to run in the last minute, on average.
    pub load_average: Option<f64>,
    /// The share of the last ten seconds in which some thread waited for a processor, in percent.
    pub pressure: Option<f64>,
}

impl Machine {
    /// Reads the files below `root`.
    pub fn read(root: &Path) -> Machine {
        let (load_average, pressure) = load::averages(root);
        Machine {
            topology: Topology::read(root),
            allowed: processors::allowed(root),
            cpuset: control_groups::cpuset(root),
            quota: control_groups::quota(root),
            memory: MemoryLeft::read(root),
            transparent_pages: pages::transparent(root),
            reserved_pages: pages::reserved(root),
            governors: frequency::governors(root),
            load_average,
            pressure,
        }
    }

    /// The processors that this process may use: those that are online and allowed.
    pub fn usable(&self) -> Processors {
        let online = &self.topology.online;
        match &self.allowed {
            Some(allowed) if online.is_empty() => allowed.clone(),
            Some(allowed) => allowed.common(online),
            None => online.clone(),
        }
    }

    /// The number of cores whose time this process may use: its processors, or less if a control group limits the time.
    /// `None` if the system does not say.
    pub fn granted(&self) -> Option<f64> {
        granted(self.usable().count(), self.quota.as_ref())
    }
}

/// The number of cores whose time this process may use; `None` if the system does not say. Not a whole number if a
/// control group limits the time. [`std::thread::available_parallelism`] rounds such a limit to one core or more.
pub fn granted_cores() -> Option<f64> {
    let root = Path::new(ROOT);
    let allowed = processors::allowed(root).map_or(0, |allowed| allowed.count());
    granted(allowed, control_groups::quota(root).as_ref()).or_else(|| Some(numa::cores() as f64))
}

fn granted(processors: usize, quota: Option<&Quota>) -> Option<f64> {
    let processors = (processors > 0).then_some(processors as f64);
    [processors, quota.map(|quota| quota.cores)].into_iter().flatten().min_by(f64::total_cmp)
}

/// Bytes that this process could take without any process being killed; `None` if this is unknown.
pub fn available_bytes() -> Option<u64> {
    #[cfg(windows)]
    return windows_memory::available_bytes();
    #[cfg(not(windows))]
    MemoryLeft::read(Path::new(ROOT)).available()
}

/// Whether the administrator has forbidden 2 MiB pages that are made of free memory.
pub fn are_transparent_pages_off() -> bool {
    pages::transparent(Path::new(ROOT)).is_some_and(|setting| setting == "never")
}

/// Made-up machines for tests.
#[cfg(test)]
pub(crate) mod tests {
    use std::fs;

    use super::*;

    /// Writes a file below the root of a made-up machine.
    pub(crate) fn write(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
        fs::write(path, text).expect("writable");
    }

    #[test]
    fn a_process_gets_the_least_that_mask_and_groups_grant() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let root = root.path();
        assert_eq!(Machine::read(root), Machine::default());
        assert_eq!(Machine::default().granted(), None, "nothing is known");
        crate::base::numa::machine(root, 1, 8, 8, true);
        assert_eq!(Machine::read(root).granted(), Some(16.0));
        write(root, "proc/self/status", "Name:\tx\nCpus_allowed:\tf\nCpus_allowed_list:\t0-3,40\n");
        assert_eq!(Machine::read(root).granted(), Some(4.0), "processor 40 is not online");
        write(root, "proc/self/cgroup", "0::/a\n");
        write(root, "sys/fs/cgroup/a/cpu.max", "50000 100000\n");
        assert_eq!(Machine::read(root).granted(), Some(0.5));
        write(root, "sys/fs/cgroup/a/cpu.max", "900000 100000\n");
        assert_eq!(Machine::read(root).granted(), Some(4.0));
    }

    #[test]
    fn this_process_may_use_some_core() {
        let granted = granted_cores().expect("a number of cores");
        assert!(granted > 0.0, "{granted}");
        let parallel = std::thread::available_parallelism().expect("a number of cores").get();
        assert!(granted < (parallel + 1) as f64, "{granted} {parallel}");
    }
}
