//! What does the system let the engine use? `enfilade doctor` looks at what the system grants and at what else runs,
//! recommends settings, and measures their speed.
//!
//! [`examine`] makes findings from what [`crate::base::machine`] has read, and reads nothing itself.

mod bytes;
pub(crate) mod command;
mod cores;
mod finding;
mod layout;
mod resources;
mod speed;

pub use finding::{Finding, Grade};
pub use resources::free_threads;
pub use speed::judge;

use crate::base::machine::{Load, Machine};
use crate::engine::config::Recommendation;

/// What the machine grants, one finding for each subject. `load` is that of others, while this program slept.
pub fn examine(machine: &Machine, load: Option<&Load>) -> (Vec<Finding>, Recommendation) {
    let recommendation = Recommendation::of(machine);
    let findings = [
        cores::granted(machine),
        layout::multithreading(machine, &recommendation),
        layout::nodes(machine, &recommendation),
        layout::caches(machine, &recommendation),
        resources::memory(machine, &recommendation),
        resources::pages(machine, &recommendation),
        resources::load(machine, load, &recommendation),
        resources::frequency(machine),
    ];
    (findings.into(), recommendation)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::base::machine::tests::write;

    /// A made-up machine: its processors, and the given files.
    pub(super) fn made_up(build: impl Fn(&Path), files: &[(&str, &str)]) -> Machine {
        let root = tempfile::tempdir().expect("a temporary folder");
        build(root.path());
        files.iter().for_each(|(path, text)| write(root.path(), path, text));
        Machine::read(root.path())
    }

    fn finding(machine: &Machine, load: Option<&Load>, subject: &str) -> String {
        let (findings, _) = examine(machine, load);
        findings.iter().find(|finding| finding.subject == subject).expect(subject).to_string()
    }

    #[test]
    fn a_large_machine_gets_one_thread_for_each_core() {
        let machine = made_up(
            |root| crate::base::numa::machine(root, 2, 128, 32, true),
            &[
                ("proc/meminfo", "MemAvailable: 1056964608 kB\n"),
                ("proc/self/status", "Cpus_allowed_list:\t0-511\n"),
            ],
        );
        let (findings, recommendation) = examine(&machine, None);
        assert_eq!(recommendation, Recommendation { threads: 256, hash: 262_144 });
        for (subject, part) in [
            ("cores", "good      cores: all 512 processors of the machine are granted"),
            ("multithreading", "512 processors are 256 cores"),
            ("nodes", "2 NUMA nodes"),
            ("caches", "8 L3 caches"),
            ("memory", "1008 GiB"),
        ] {
            let text = finding(&machine, None, subject);
            assert!(text.contains(part), "{text}");
        }
        // Each finding is one line, and says what to do unless all is well.
        for finding in &findings {
            assert!(!finding.to_string().contains('\n'), "{finding}");
            assert_eq!(finding.remedy.is_none(), finding.grade == Grade::Good, "{finding}");
        }
    }

    #[test]
    fn half_a_core_is_reported_with_its_file_and_remedy() {
        for files in [
            [("proc/self/cgroup", "0::/pod\n"), ("sys/fs/cgroup/pod/cpu.max", "50000 100000\n"), ("x", "")],
            [
                ("proc/self/cgroup", "1:cpu:/pod\n"),
                ("sys/fs/cgroup/cpu/pod/cpu.cfs_quota_us", "50000\n"),
                ("sys/fs/cgroup/cpu/pod/cpu.cfs_period_us", "100000\n"),
            ],
        ] {
            let machine = made_up(|root| crate::base::numa::machine(root, 1, 8, 8, false), &files);
            assert_eq!(Recommendation::of(&machine).threads, 1);
            let text = finding(&machine, None, "cores");
            assert!(
                text.starts_with("bad       cores: a control group grants the time of 0.5 cores, of 8"),
                "{text}"
            );
            assert!(text.contains("sys/fs/cgroup") && text.contains("--cpus"), "{text}");
        }
    }

    #[test]
    fn a_mask_is_told_from_a_set_of_the_control_group() {
        let build = |root: &Path| crate::base::numa::machine(root, 1, 4, 4, false);
        let mask = ("proc/self/status", "Cpus_allowed_list:\t2\n");
        let text = finding(&made_up(build, &[mask]), None, "cores");
        assert!(text.contains("1 of 4 processors (2)") && text.contains("taskset"), "{text}");
        let group = [mask, ("proc/self/cgroup", "0::/a\n"), ("sys/fs/cgroup/a/cpuset.cpus.effective", "2\n")];
        let text = finding(&made_up(build, &group), None, "cores");
        assert!(text.contains("1 of 4 processors (2)") && text.contains("--cpuset-cpus"), "{text}");
        assert_eq!(Recommendation::of(&made_up(build, &group)).threads, 1);
    }

    #[test]
    fn a_system_without_these_files_is_said_to_be_unknown() {
        let (findings, recommendation) = examine(&Machine::default(), None);
        let cores = std::thread::available_parallelism().expect("a number of cores").get();
        assert_eq!(recommendation, Recommendation { threads: cores, hash: 64 });
        for finding in &findings {
            assert_eq!(finding.grade, Grade::Unknown, "{finding}");
            assert!(finding.remedy.is_some(), "{finding}");
        }
    }

    #[test]
    fn the_load_of_others_is_reported_with_the_largest_programs() {
        let machine = made_up(
            |root| crate::base::numa::machine(root, 1, 4, 4, false),
            &[("proc/loadavg", "3.5 1 1 1/1 1\n")],
        );
        let load = Load { busy: 2.6, stolen: 0.0, processes: vec![("rustc".to_owned(), 2.5)] };
        let text = finding(&machine, Some(&load), "load");
        assert!(
            text.starts_with("bad       load: other programs use 2.6 of 4 processors (rustc 2.5"),
            "{text}"
        );
        let stolen = Load { busy: 0.1, stolen: 0.5, processes: Vec::new() };
        let text = finding(&machine, Some(&stolen), "load");
        assert!(text.starts_with("bad ") && text.contains("host"), "{text}");
        let idle = Load { busy: 0.1, ..Load::default() };
        assert!(finding(&machine, Some(&idle), "load").starts_with("good "));
    }

    #[test]
    fn pages_and_governors_have_remedies() {
        let build = |root: &Path| crate::base::numa::machine(root, 1, 4, 4, false);
        let enabled = "sys/kernel/mm/transparent_hugepage/enabled";
        let memory = ("proc/meminfo", "MemAvailable: 16777216 kB\n");
        let off = made_up(build, &[(enabled, "always madvise [never]\n"), memory]);
        assert!(finding(&off, None, "large pages").contains("echo madvise > /sys/kernel/mm"));
        let on = made_up(build, &[(enabled, "always [madvise] never\n"), memory]);
        assert!(finding(&on, None, "large pages").starts_with("good "));
        let governor = "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor";
        let slow = made_up(build, &[(governor, "powersave\n")]);
        assert!(finding(&slow, None, "frequency").contains("performance"));
        let fast = made_up(build, &[(governor, "performance\n")]);
        assert!(finding(&fast, None, "frequency").starts_with("good "));
    }
}
