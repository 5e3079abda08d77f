//! What else runs on the machine.
//!
//! The system counts the ticks of each processor and of each process. Two looks with some time between them show the
//! load of that time. If this process sleeps in between, all of the load is that of others.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Serialize;

use crate::base::numa::Processors;

/// The load average of the last minute, and the pressure of the last ten seconds in percent.
pub(super) fn averages(root: &Path) -> (Option<f64>, Option<f64>) {
    let read = |path: &str| fs::read_to_string(root.join(path)).unwrap_or_default();
    let load = read("proc/loadavg").split(' ').next().and_then(|number| number.parse().ok());
    let pressure = read("proc/pressure/cpu").lines().find_map(|line| {
        let (_, rest) = line.strip_prefix("some ")?.split_once("avg10=")?;
        rest.split(' ').next()?.parse().ok()
    });
    (load, pressure)
}

/// What the processors and the processes have done since they began, in ticks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ticks {
    /// The number of processors.
    processors: usize,
    /// The ticks of all processors, idle ones too.
    all: u64,
    busy: u64,
    /// The ticks in which a virtual machine's processor wanted to run, and the host did not let it.
    stolen: u64,
    /// The name and the ticks of each process.
    processes: BTreeMap<u32, (String, u64)>,
}

/// The load of some time, in processors.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Load {
    /// The processors that were busy.
    pub busy: f64,
    /// The processors whose time the host of this virtual machine gave to others.
    pub stolen: f64,
    /// The processes with the most load, by their names; the largest first.
    pub processes: Vec<(String, f64)>,
}

impl Ticks {
    /// Reads the ticks of the `processors` and of all processes below `root`; `None` if the system does not tell them.
    pub fn read(root: &Path, processors: &Processors) -> Option<Ticks> {
        let text = fs::read_to_string(root.join("proc/stat")).ok()?;
        let mut ticks = Ticks::default();
        for line in text.lines() {
            let Some((name, numbers)) = line.split_once(' ') else { continue };
            let number = name.strip_prefix("cpu").and_then(|number| number.parse::<usize>().ok());
            if processors.iter().any(|own| Some(own) == number) {
                ticks.add_processor(numbers)?;
            }
        }
        ticks.processes = processes(root);
        (ticks.processors > 0).then_some(ticks)
    }

    /// Adds the ticks of a processor: those of user, nice, system, idle, iowait, irq, softirq and steal.
    fn add_processor(&mut self, numbers: &str) -> Option<()> {
        let numbers: Vec<u64> = numbers.split_whitespace().map_while(|number| number.parse().ok()).collect();
        let &[user, nice, system, idle, waiting, irq, softirq, stolen, ..] = &numbers[..] else {
            return None;
        };
        let busy = user + nice + system + irq + softirq;
        self.processors += 1;
        self.busy += busy;
        self.stolen += stolen;
        self.all += busy + stolen + idle + waiting;
        Some(())
    }

    /// The load since `earlier`. `None` if no tick has passed.
    pub fn since(&self, earlier: &Ticks) -> Option<Load> {
        let all = self.all.checked_sub(earlier.all).filter(|all| *all > 0)?;
        let one = all as f64 / self.processors as f64;
        let cores = |now: u64, then: u64| now.saturating_sub(then) as f64 / one;
        let mut by_name: BTreeMap<&str, f64> = BTreeMap::new();
        for (process, (name, ticks)) in &self.processes {
            let then = earlier.processes.get(process).map_or(0, |(_, ticks)| *ticks);
            *by_name.entry(name).or_default() += cores(*ticks, then);
        }
        // What uses less than a twentieth of a processor disturbs no measurement.
        let mut processes: Vec<(String, f64)> = by_name
            .into_iter()
            .filter(|(_, load)| *load >= 0.05)
            .map(|(name, load)| (name.to_owned(), load))
            .collect();
        processes.sort_by(|a, b| b.1.total_cmp(&a.1));
        processes.truncate(3);
        let (busy, stolen) = (cores(self.busy, earlier.busy), cores(self.stolen, earlier.stolen));
        Some(Load { busy, stolen, processes })
    }
}

/// The names and ticks of all processes but this one.
fn processes(root: &Path) -> BTreeMap<u32, (String, u64)> {
    let Ok(entries) = fs::read_dir(root.join("proc")) else { return BTreeMap::new() };
    let process = |entry: fs::DirEntry| {
        let number: u32 = entry.file_name().to_str()?.parse().ok()?;
        let text = fs::read_to_string(entry.path().join("stat")).ok()?;
        (number != std::process::id()).then_some((number, of_stat(&text)?))
    };
    entries.flatten().filter_map(process).collect()
}

/// The name and the ticks in the text of `/proc/PID/stat`. The name stands in parentheses and may hold some itself.
fn of_stat(text: &str) -> Option<(String, u64)> {
    let (before, after) = text.rsplit_once(')')?;
    let (_, name) = before.split_once('(')?;
    let mut fields = after.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    let name: String = name.chars().filter(|c| !c.is_control()).collect();
    Some((name, ticks()? + ticks()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::machine::tests::write;

    #[test]
    fn averages_are_read_from_their_files() {
        let root = tempfile::tempdir().expect("a temporary folder");
        assert_eq!(averages(root.path()), (None, None));
        write(root.path(), "proc/loadavg", "5.49 4.18 3.11 9/137 16283\n");
        write(
            root.path(),
            "proc/pressure/cpu",
            "some avg10=91.17 avg60=81.83 avg300=59.05 total=5\nfull avg10=0.00\n",
        );
        assert_eq!(averages(root.path()), (Some(5.49), Some(91.17)));
    }

    /// A look at a machine with four processors, of which the process may use the first two.
    fn look(busy: u64, stolen: u64, idle: u64, cargo: u64) -> Ticks {
        let root = tempfile::tempdir().expect("a temporary folder");
        let root = root.path();
        let line = |number| format!("cpu{number} {busy} 0 0 {idle} 0 0 0 {stolen} 0 0\n");
        let lines: String = (0..4).map(line).collect();
        write(root, "proc/stat", &format!("cpu  1 2 3 4 5 6 7 8 0 0\n{lines}intr 5\n"));
        let process = |name: &str, ticks: u64| {
            format!("7 ({name}) R 1 1 1 0 -1 4194304 9 9 9 9 {ticks} 10 0 0 20 0 1\n")
        };
        write(root, "proc/71/stat", &process("cargo (a) b", cargo));
        write(root, "proc/72/stat", &process("idle", 3));
        write(root, "proc/73/stat", "nonsense");
        write(root, "proc/self/stat", &process("self", cargo));
        Ticks::read(root, &"0-1".parse().expect("a list")).expect("ticks")
    }

    #[test]
    fn the_load_is_that_between_two_looks() {
        let load = look(175, 30, 200, 160).since(&look(100, 20, 185, 10)).expect("a load");
        assert_eq!((load.busy, load.stolen), (1.5, 0.2));
        assert_eq!(load.processes, [("cargo (a) b".to_owned(), 1.5)]);
        let now = look(5, 0, 5, 0);
        assert_eq!(now.since(&now), None);
    }

    #[test]
    fn without_ticks_there_is_no_load() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let processors = "0".parse().expect("a list");
        assert_eq!(Ticks::read(root.path(), &processors), None);
        write(root.path(), "proc/stat", "cpu 1 2 3\ncpu0 1 2 3\n");
        assert_eq!(Ticks::read(root.path(), &processors), None);
    }
}
