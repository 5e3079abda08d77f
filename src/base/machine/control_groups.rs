//! Control groups of both versions, and the limits that they set on processors.
//!
//! Each group lies within another one, and a limit of an outer group holds for the inner ones too.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::base::numa::Processors;

/// The two kinds of control groups.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Version {
    /// A tree of groups for each controller.
    One,
    /// One tree for all controllers.
    Two,
}

/// One control group that may limit this process.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct ControlGroup {
    pub version: Version,
    pub folder: PathBuf,
}

impl ControlGroup {
    /// The text of one of the group's files.
    pub fn text(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.folder.join(name)).ok()
    }

    /// The number in one of the group's files; `None` without a limit.
    pub fn number<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.text(name)?.trim().parse().ok()
    }
}

/// The groups of `controller` that hold this process, the innermost first in each tree.
pub(super) fn control_groups(root: &Path, controller: &str) -> Vec<ControlGroup> {
    let named = fs::read_to_string(root.join("proc/self/cgroup")).unwrap_or_default();
    of_text(&named, &root.join("sys/fs/cgroup"), controller)
}

/// The groups that the text of `/proc/self/cgroup` names, with all their ancestors. In a container the named folder
/// need not exist; then the tree's root stands for it.
fn of_text(named: &str, trees: &Path, controller: &str) -> Vec<ControlGroup> {
    let mut found = Vec::new();
    for line in named.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else { continue };
        let (version, tree) = match controllers {
            // Where both versions are in use, the second one has a folder of its own.
            "" if trees.join("unified").is_dir() => (Version::Two, trees.join("unified")),
            "" => (Version::Two, trees.to_owned()),
            _ if controllers.split(',').any(|name| name == controller) => {
                (Version::One, trees.join(controller))
            }
            _ => continue,
        };
        for ancestor in Path::new(path.trim_start_matches('/')).ancestors() {
            found.push(ControlGroup { version, folder: tree.join(ancestor) });
        }
    }
    found
}

/// A limit on processor time.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Quota {
    /// The number of cores whose time the group may use.
    pub cores: f64,
    /// The file that holds the limit.
    pub file: PathBuf,
}

/// The strictest limit on this process's processor time.
pub(super) fn quota(root: &Path) -> Option<Quota> {
    let quotas = control_groups(root, "cpu").into_iter().filter_map(|group| quota_of(&group));
    quotas.min_by(|a, b| a.cores.total_cmp(&b.cores))
}

fn quota_of(group: &ControlGroup) -> Option<Quota> {
    let (name, quota, period): (_, f64, f64) = match group.version {
        Version::Two => {
            let text = group.text("cpu.max")?;
            let (quota, period) = text.trim().split_once(' ')?;
            ("cpu.max", quota.parse().ok()?, period.parse().ok()?)
        }
        Version::One => {
            ("cpu.cfs_quota_us", group.number("cpu.cfs_quota_us")?, group.number("cpu.cfs_period_us")?)
        }
    };
    // Version 1 writes -1 if there is no limit.
    (quota > 0.0 && period > 0.0).then(|| Quota { cores: quota / period, file: group.folder.join(name) })
}

/// The processors of the innermost control group that names any.
pub(super) fn cpuset(root: &Path) -> Option<Processors> {
    control_groups(root, "cpuset").iter().find_map(|group| {
        let name = match group.version {
            Version::Two => "cpuset.cpus.effective",
            Version::One => "cpuset.effective_cpus",
        };
        let processors: Processors = group.text(name)?.parse().ok()?;
        (!processors.is_empty()).then_some(processors)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::machine::tests::write;

    #[test]
    fn control_groups_are_found_with_their_ancestors() {
        let text = "9:name=systemd:/\n8:pids:/a\n4:cpu,memory:/outer/inner\n0::/x\nnonsense\n";
        let root = tempfile::tempdir().expect("a temporary folder");
        let folders = || -> Vec<(Version, PathBuf)> {
            let groups = of_text(text, root.path(), "memory").into_iter();
            let below = |folder: PathBuf| {
                // Comparing the parts of paths ignores a slash at the end.
                folder.strip_prefix(root.path()).expect("below the trees").to_owned()
            };
            groups.map(|group| (group.version, below(group.folder))).collect()
        };
        let expected = |second: [&str; 2]| {
            let first = ["memory/outer/inner", "memory/outer", "memory"].map(|folder| (Version::One, folder));
            let all = first.into_iter().chain(second.map(|folder| (Version::Two, folder)));
            all.map(|(version, folder)| (version, PathBuf::from(folder))).collect::<Vec<_>>()
        };
        assert_eq!(folders(), expected(["x", ""]));
        fs::create_dir(root.path().join("unified")).expect("writable");
        assert_eq!(folders(), expected(["unified/x", "unified"]));
    }

    /// The quota of a machine with these files.
    fn quota_with(files: &[(&str, &str)]) -> Option<(f64, PathBuf)> {
        let root = tempfile::tempdir().expect("a temporary folder");
        files.iter().for_each(|(path, text)| write(root.path(), path, text));
        quota(root.path()).map(|quota| {
            let file = quota.file.strip_prefix(root.path()).expect("below the root");
            (quota.cores, file.to_owned())
        })
    }

    #[test]
    fn the_strictest_group_limits_the_processor_time() {
        let two = ("proc/self/cgroup", "0::/a/b\n");
        let one = ("proc/self/cgroup", "5:cpu,cpuacct:/a\n4:memory:/m\n");
        let expect = |cores: f64, file: &str| Some((cores, Path::new("sys/fs/cgroup").join(file)));
        assert_eq!(quota_with(&[]), None);
        assert_eq!(quota_with(&[two]), None);
        let inner = ("sys/fs/cgroup/a/b/cpu.max", "50000 100000\n");
        assert_eq!(quota_with(&[two, inner]), expect(0.5, "a/b/cpu.max"));
        // The outer group is stricter.
        let outer = ("sys/fs/cgroup/a/cpu.max", "25000 100000\n");
        assert_eq!(quota_with(&[two, inner, outer]), expect(0.25, "a/cpu.max"));
        let unlimited = ("sys/fs/cgroup/a/cpu.max", "max 100000\n");
        assert_eq!(quota_with(&[two, inner, unlimited]), expect(0.5, "a/b/cpu.max"));
        // Where both versions are in use.
        let hybrid = ("sys/fs/cgroup/unified/a/b/cpu.max", "150000 100000\n");
        assert_eq!(quota_with(&[two, hybrid]), expect(1.5, "unified/a/b/cpu.max"));
        let period = ("sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
        let limit = ("sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "250000\n");
        assert_eq!(quota_with(&[one, period, limit]), expect(2.5, "cpu/a/cpu.cfs_quota_us"));
        let none = ("sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "-1\n");
        assert_eq!(quota_with(&[one, period, none]), None);
        // The named folder is outside of the container, and the root stands for it.
        let period = ("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
        let limit = ("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "300000\n");
        assert_eq!(quota_with(&[one, period, limit]), expect(3.0, "cpu/cpu.cfs_quota_us"));
        let nonsense = ("sys/fs/cgroup/a/cpu.max", "lots");
        assert_eq!(quota_with(&[two, nonsense]), None);
    }

    #[test]
    fn the_innermost_set_of_processors_counts() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let root = root.path();
        assert_eq!(cpuset(root), None);
        write(root, "proc/self/cgroup", "3:cpuset:/a\n0::/b\n");
        write(root, "sys/fs/cgroup/b/cpuset.cpus.effective", "4-7\n");
        assert_eq!(cpuset(root).map(|set| set.to_string()).as_deref(), Some("4-7"));
        write(root, "sys/fs/cgroup/cpuset/cpuset.effective_cpus", "0-7\n");
        assert_eq!(cpuset(root).map(|set| set.to_string()).as_deref(), Some("0-7"));
        write(root, "sys/fs/cgroup/cpuset/a/cpuset.effective_cpus", "0-1\n");
        assert_eq!(cpuset(root).map(|set| set.to_string()).as_deref(), Some("0-1"));
    }
}
