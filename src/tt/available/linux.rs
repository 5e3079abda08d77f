//! Linux: how much memory the engine may take. That is the machine's, or the control group's if that is less.
//!
//! Page cache that the system would give up counts as available.

use std::fs;
use std::path::{Path, PathBuf};

/// Bytes that the engine could take without any process being killed; `None` if this is unknown.
pub fn available_bytes() -> Option<u64> {
    let machine = read("/proc/meminfo").and_then(|text| meminfo_available(&text));
    let groups = read("/proc/self/cgroup").unwrap_or_default();
    let group = memory_groups(&groups).iter().filter_map(Group::available).min();
    [machine, group].into_iter().flatten().min()
}

fn read(path: impl AsRef<Path>) -> Option<String> {
    fs::read_to_string(path).ok()
}

/// `MemAvailable` of `/proc/meminfo`, in bytes.
fn meminfo_available(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// The names that the two versions of control groups use for the same things.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Version {
    root: &'static str,
    limit: &'static str,
    usage: &'static str,
    reclaimable: &'static str,
}

const VERSION_1: Version = Version {
    root: "/sys/fs/cgroup/memory",
    limit: "memory.limit_in_bytes",
    usage: "memory.usage_in_bytes",
    reclaimable: "total_inactive_file",
};

const VERSION_2: Version = Version {
    root: "/sys/fs/cgroup",
    limit: "memory.max",
    usage: "memory.current",
    reclaimable: "inactive_file",
};

/// One control group that may limit this process.
#[derive(PartialEq, Eq, Debug)]
struct Group {
    version: Version,
    folder: PathBuf,
}

/// The memory groups that the text of `/proc/self/cgroup` names, with all their ancestors: a limit of an ancestor holds
/// for the process too. In a container the named folder need not exist; then the root stands for it.
fn memory_groups(groups: &str) -> Vec<Group> {
    let mut found = Vec::new();
    for line in groups.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else { continue };
        let version = match controllers {
            "" => VERSION_2,
            _ if controllers.split(',').any(|controller| controller == "memory") => VERSION_1,
            _ => continue,
        };
        for ancestor in Path::new(path.trim_start_matches('/')).ancestors() {
            found.push(Group { version, folder: Path::new(version.root).join(ancestor) });
        }
    }
    found
}

impl Group {
    /// The limit minus the memory in use that cannot be given up; `None` without a limit.
    fn available(&self) -> Option<u64> {
        let Version { limit, usage, reclaimable, .. } = self.version;
        let limit: u64 = read(self.folder.join(limit))?.trim().parse().ok()?;
        let usage: u64 = read(self.folder.join(usage))?.trim().parse().ok()?;
        let statistics = read(self.folder.join("memory.stat")).unwrap_or_default();
        let reclaimable = statistic(&statistics, reclaimable).unwrap_or(0);
        Some(limit.saturating_sub(usage.saturating_sub(reclaimable)))
    }
}

/// The value of one line of `memory.stat`.
fn statistic(statistics: &str, name: &str) -> Option<u64> {
    let mut pairs = statistics.lines().filter_map(|line| line.split_once(' '));
    pairs.find(|(key, _)| *key == name)?.1.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn available_memory_is_read_from_meminfo() {
        let text = "MemTotal:       24684096 kB\nMemFree:         100 kB\nMemAvailable:   24169272 kB\n";
        assert_eq!(meminfo_available(text), Some(24_169_272 * 1024));
        assert_eq!(meminfo_available("MemTotal: 1 kB\n"), None);
        assert_eq!(meminfo_available("MemAvailable: many kB\n"), None);
    }

    #[test]
    fn control_groups_are_found_with_their_ancestors() {
        let text = "9:name=systemd:/\n8:pids:/a\n4:cpu,memory:/outer/inner\n0::/x\nnonsense\n";
        let folders: Vec<PathBuf> = memory_groups(text).into_iter().map(|group| group.folder).collect();
        let expected = [
            "/sys/fs/cgroup/memory/outer/inner",
            "/sys/fs/cgroup/memory/outer",
            "/sys/fs/cgroup/memory/",
            "/sys/fs/cgroup/x",
            "/sys/fs/cgroup/",
        ];
        assert_eq!(folders, expected.map(PathBuf::from));
    }

    #[test]
    fn a_control_group_has_its_limit_less_what_it_cannot_reclaim() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let group = Group { version: VERSION_2, folder: folder.path().to_owned() };
        assert_eq!(group.available(), None);
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("writable");
        write("memory.max", "max\n");
        write("memory.current", "700\n");
        assert_eq!(group.available(), None);
        write("memory.max", "1000\n");
        assert_eq!(group.available(), Some(300));
        write("memory.stat", "anon 400\ninactive_file 250\n");
        assert_eq!(group.available(), Some(550));
    }
}
