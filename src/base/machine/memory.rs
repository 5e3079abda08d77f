//! How much memory the engine may take: the machine's, or the control group's if that is less.
//!
//! Page cache that the system would give up counts as available.

use std::fs;
use std::path::Path;

use serde::Serialize;

use super::control_groups::{ControlGroup, Version, control_groups};

/// The memory that is left, in bytes. `None` where it is not known, or where there is no limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct MemoryLeft {
    /// On the machine.
    pub machine: Option<u64>,
    /// In the control group with the least.
    pub group: Option<u64>,
}

impl MemoryLeft {
    /// Reads the files below `root`.
    pub(super) fn read(root: &Path) -> MemoryLeft {
        let meminfo = fs::read_to_string(root.join("proc/meminfo")).ok();
        MemoryLeft {
            machine: meminfo.and_then(|text| meminfo_available(&text)),
            group: control_groups(root, "memory").iter().filter_map(available).min(),
        }
    }

    /// The bytes that this process could take.
    pub fn available(self) -> Option<u64> {
        [self.machine, self.group].into_iter().flatten().min()
    }
}

/// `MemAvailable` of `/proc/meminfo`, in bytes.
fn meminfo_available(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// The limit of a group minus the memory in use that cannot be given up; `None` without a limit.
fn available(group: &ControlGroup) -> Option<u64> {
    let [limit, usage, reclaimable] = match group.version {
        Version::One => ["memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"],
        Version::Two => ["memory.max", "memory.current", "inactive_file"],
    };
    let limit: u64 = group.number(limit)?;
    let usage: u64 = group.number(usage)?;
    let statistics = group.text("memory.stat").unwrap_or_default();
    let reclaimable = statistic(&statistics, reclaimable).unwrap_or(0);
    Some(limit.saturating_sub(usage.saturating_sub(reclaimable)))
}

/// The value of one line of `memory.stat`.
fn statistic(statistics: &str, name: &str) -> Option<u64> {
    let mut pairs = statistics.lines().filter_map(|line| line.split_once(' '));
    pairs.find(|(key, _)| *key == name)?.1.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::machine::tests::write;

    #[test]
    fn available_memory_is_read_from_meminfo() {
        let text = "MemTotal:       24684096 kB\nMemFree:         100 kB\nMemAvailable:   24169272 kB\n";
        assert_eq!(meminfo_available(text), Some(24_169_272 * 1024));
        assert_eq!(meminfo_available("MemTotal: 1 kB\n"), None);
        assert_eq!(meminfo_available("MemAvailable: many kB\n"), None);
    }

    #[test]
    fn a_control_group_has_its_limit_less_what_it_cannot_reclaim() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let root = root.path();
        let available = || MemoryLeft::read(root).available();
        assert_eq!(available(), None);
        write(root, "proc/meminfo", "MemAvailable: 1 kB\n");
        assert_eq!(available(), Some(1024));
        write(root, "proc/self/cgroup", "0::/a\n");
        write(root, "sys/fs/cgroup/a/memory.max", "max\n");
        write(root, "sys/fs/cgroup/a/memory.current", "700\n");
        assert_eq!(available(), Some(1024));
        write(root, "sys/fs/cgroup/a/memory.max", "1000\n");
        assert_eq!(available(), Some(300));
        write(root, "sys/fs/cgroup/a/memory.stat", "anon 400\ninactive_file 250\n");
        assert_eq!(available(), Some(550));
        // The group around it has less.
        write(root, "sys/fs/cgroup/memory.max", "800\n");
        write(root, "sys/fs/cgroup/memory.current", "750\n");
        assert_eq!(MemoryLeft::read(root), MemoryLeft { machine: Some(1024), group: Some(50) });
    }
}
