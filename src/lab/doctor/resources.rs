//! Memory, large pages, other load, and the frequency of the processors.

use super::bytes::amount;
use super::finding::Finding;
use crate::base::machine::{Load, Machine};
use crate::engine::config::Recommendation;

/// The load of others, in processors, that disturbs a measurement.
const DISTURBING: f64 = 0.2;
/// Tables of this size in MiB gain from reserved pages.
const LARGE_TABLE: usize = 16_384;

/// The memory for the table.
pub(super) fn memory(machine: &Machine, recommendation: &Recommendation) -> Finding {
    const SUBJECT: &str = "memory";
    let Some(left) = machine.memory.available() else {
        let remedy = "Set Hash to at most half of the memory that the system calls available";
        return Finding::unknown(SUBJECT, "the system does not say how much memory is left", remedy);
    };
    let whose = if machine.memory.group == Some(left) { "in this control group" } else { "on this machine" };
    let text = format!("{} are left {whose}, and Hash {} fits", amount(left), recommendation.hash);
    if recommendation.hash < 16 {
        return Finding::bad(SUBJECT, text, "Free some memory, or raise the limit of the control group");
    }
    Finding::good(SUBJECT, text)
}

/// The pages in which the table would lie.
pub(super) fn pages(machine: &Machine, recommendation: &Recommendation) -> Finding {
    const SUBJECT: &str = "large pages";
    let hash = recommendation.hash;
    let reserve =
        machine.reserved_pages.iter().find(|pages| pages.free * pages.kibibytes >= (hash as u64) << 10);
    if let Some(pages) = reserve {
        let size = amount(pages.kibibytes << 10);
        return Finding::good(SUBJECT, format!("{} pages of {size} are reserved and free", pages.free));
    }
    let command =
        format!("echo {} > /sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", hash.div_ceil(2));
    match machine.transparent_pages.as_deref() {
        Some("never") => Finding::bad(
            SUBJECT,
            "the table will lie in pages of 4 KiB, because the system is forbidden to make larger ones",
            "As root: echo madvise > /sys/kernel/mm/transparent_hugepage/enabled",
        ),
        Some(_) if hash >= LARGE_TABLE => Finding::advice(
            SUBJECT,
            "the system makes 2 MiB pages of free memory, as far as it finds enough",
            format!("To be sure of them, as root right after the start of the machine: {command}"),
        ),
        Some(setting) => {
            Finding::good(SUBJECT, format!("the system makes 2 MiB pages of free memory ({setting})"))
        }
        None => Finding::unknown(
            SUBJECT,
            "the system does not say whether it has large pages",
            "The answer to setoption name Hash says which pages the table got",
        ),
    }
}

/// The recommended threads that other programs leave free at the moment, at least one.
pub fn free_threads(load: &Load, recommendation: &Recommendation) -> usize {
    recommendation.threads.saturating_sub(load.busy.round() as usize).max(1)
}

/// What else runs.
pub(super) fn load(machine: &Machine, load: Option<&Load>, recommendation: &Recommendation) -> Finding {
    const SUBJECT: &str = "load";
    let Some(load) = load else {
        let remedy = "Look at the system's own monitor before you measure";
        return Finding::unknown(SUBJECT, "the system does not say what else runs", remedy);
    };
    let processors = match machine.usable().count() {
        1 => "1 processor".to_owned(),
        count => format!("{count} processors"),
    };
    let average = match (machine.load_average, machine.pressure) {
        (Some(average), Some(pressure)) => {
            format!("load average {average}, threads wait for a processor {pressure}% of the time")
        }
        (Some(average), None) => format!("load average {average}"),
        _ => "no load average".to_owned(),
    };
    let Load { busy, stolen, processes } = load;
    if *stolen >= DISTURBING {
        return Finding::bad(
            SUBJECT,
            format!("the host of this virtual machine takes {stolen:.1} of {processors} for others"),
            "Ask for processors of your own, or move to another host",
        );
    }
    if *busy < DISTURBING {
        return Finding::good(SUBJECT, format!("other programs use {busy:.1} of {processors} ({average})"));
    }
    let names: Vec<String> = processes.iter().map(|(name, load)| format!("{name} {load:.1}")).collect();
    let names = if names.is_empty() { average } else { format!("{}; {average}", names.join(", ")) };
    let free = free_threads(load, recommendation);
    let text = format!("other programs use {busy:.1} of {processors} ({names})");
    if free < recommendation.threads {
        Finding::bad(SUBJECT, text, format!("End them; while they run, Threads {free} fits best"))
    } else {
        Finding::advice(SUBJECT, text, "End them before you measure")
    }
}

/// The governors.
pub(super) fn frequency(machine: &Machine) -> Finding {
    const SUBJECT: &str = "frequency";
    let governors = &machine.governors;
    if governors.is_empty() {
        return Finding::unknown(
            SUBJECT,
            "the system does not show its frequency governor, as is usual in virtual machines",
            "Speed that falls within a minute points to heat or to a power limit",
        );
    }
    if governors.iter().all(|governor| governor == "performance") {
        return Finding::good(SUBJECT, "the governor is performance");
    }
    Finding::advice(
        SUBJECT,
        format!("the governor is {}, which may keep the frequency low", governors.join(" and ")),
        "As root: cpupower frequency-set --governor performance",
    )
}
