//! How the processors belong together: cores, nodes and caches.

use super::finding::Finding;
use crate::base::machine::Machine;
use crate::base::numa::LARGEST_GROUP;
use crate::engine::config::Recommendation;

/// Whether cores have several processors.
pub(super) fn multithreading(machine: &Machine, recommendation: &Recommendation) -> Finding {
    const SUBJECT: &str = "multithreading";
    let usable = machine.usable();
    let cores = machine.topology.within(&usable).cores.len();
    if cores == 0 {
        let remedy = "If each core has two processors, set Threads to half of the processors";
        return Finding::unknown(SUBJECT, "the system does not say which processors are one core", remedy);
    }
    let processors = usable.count();
    if processors == cores {
        return Finding::good(SUBJECT, "each processor is a core of its own");
    }
    let threads = recommendation.threads;
    Finding::advice(
        SUBJECT,
        format!("the {processors} processors are {cores} cores; {threads} threads are recommended"),
        format!(
            "To see whether more threads help, run: enfilade speedtest --threads {threads},{}",
            processors.max(threads + 1)
        ),
    )
}

/// The NUMA nodes.
pub(super) fn nodes(machine: &Machine, recommendation: &Recommendation) -> Finding {
    const SUBJECT: &str = "nodes";
    let nodes = machine.topology.within(&machine.usable()).nodes;
    match nodes.len() {
        0 => Finding::unknown(
            SUBJECT,
            "the system does not show its NUMA nodes",
            "On a machine with several sockets, compare speedtest with fewer threads",
        ),
        1 => Finding::good(SUBJECT, "there is one NUMA node, so nothing needs to be bound"),
        count => {
            let largest = nodes.iter().map(|node| node.count()).max().unwrap_or(0);
            let is_bound = 2 * recommendation.threads > largest;
            let text = format!("there are {count} NUMA nodes");
            if is_bound {
                Finding::good(SUBJECT, text + ", and NumaPolicy auto binds the threads to them")
            } else {
                let remedy = "If nothing else runs, set NumaPolicy to system";
                Finding::advice(SUBJECT, text + ", and NumaPolicy auto does not bind so few threads", remedy)
            }
        }
    }
}

/// The caches of the third level.
pub(super) fn caches(machine: &Machine, recommendation: &Recommendation) -> Finding {
    const SUBJECT: &str = "caches";
    let caches = machine.topology.within(&machine.usable()).caches.len();
    match caches {
        0 => Finding::unknown(
            SUBJECT,
            "the system does not show which cores share an L3 cache",
            format!("Threads then share their histories in groups of {LARGEST_GROUP}, whatever their cores"),
        ),
        1 => Finding::good(SUBJECT, "all cores share one L3 cache"),
        count if recommendation.threads > LARGEST_GROUP => Finding::good(
            SUBJECT,
            format!("there are {count} L3 caches, and the threads of each cache share their histories"),
        ),
        count => Finding::good(
            SUBJECT,
            format!(
                "there are {count} L3 caches; up to {LARGEST_GROUP} threads share their histories on one node"
            ),
        ),
    }
}
