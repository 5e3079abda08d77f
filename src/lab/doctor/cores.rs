//! How many of the machine's cores this process may use, and who withholds the others.

use super::finding::Finding;
use crate::base::machine::{Machine, granted_cores};

const SUBJECT: &str = "cores";

/// Compares the granted cores with those of the machine.
pub(super) fn granted(machine: &Machine) -> Finding {
    let online = machine.topology.online.count();
    let usable = machine.usable();
    if usable.is_empty() {
        let cores = granted_cores().map_or("an unknown number of".to_owned(), |cores| cores.to_string());
        return Finding::unknown(
            SUBJECT,
            format!("this process may use {cores} cores; the system does not say why"),
            "Compare with the number of cores that the machine has",
        );
    }
    let of = if online == 0 { String::new() } else { format!(", of {online}") };
    if let Some(quota) = machine.quota.as_ref().filter(|quota| quota.cores < usable.count() as f64) {
        let cores = (quota.cores * 1000.0).round() / 1000.0;
        return Finding::bad(
            SUBJECT,
            format!("a control group grants the time of {cores} cores{of} ({})", quota.file.display()),
            "Raise the limit: --cpus of docker, limits.cpu of Kubernetes, CPUQuota of systemd",
        );
    }
    if usable.count() < online {
        let is_group =
            machine.cpuset.as_ref().is_some_and(|set| set.common(&machine.topology.online) == usable);
        let remedy = if is_group {
            "Give its control group more of them: --cpuset-cpus of docker, AllowedCPUs of systemd"
        } else {
            "Start it without an affinity mask: taskset, numactl and some GUIs set one"
        };
        let text = format!("this process may run on {} of {online} processors ({usable})", usable.count());
        return Finding::bad(SUBJECT, text, remedy);
    }
    Finding::good(
        SUBJECT,
        match usable.count() {
            1 => "the only processor of the machine is granted".to_owned(),
            count => format!("all {count} processors of the machine are granted"),
        },
    )
}
