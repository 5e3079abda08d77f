//! The user's choice: when threads are bound, and to which nodes.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use thiserror::Error;

use super::binding::LARGEST_GROUP;
use super::{Binding, Processors, ProcessorsError, system, topology};

/// How threads are bound to nodes: the option `NumaPolicy`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Policy {
    /// Binds as `System` does, if there are several nodes and more threads than half of the largest node's processors.
    /// Fewer threads stay where the system puts them, which may well be on one node. (This is Stockfish's rule without
    /// its second condition, four threads for each node.) It also binds if there are several caches of the third level
    /// and more threads than a group may have.
    #[default]
    Auto,
    /// Threads are never bound.
    None,
    /// Binds to the machine's nodes, on the processors that this process was given.
    System,
    /// Binds to the machine's nodes, on all processors that the system grants, whatever this process was given.
    Hardware,
    /// Binds to these nodes.
    List(Vec<Processors>),
}

/// Why a text is not a policy.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum PolicyError {
    /// There is neither a name nor a list.
    #[error("expected auto, none, system, hardware or nodes like 0-15,32-47:16-31,48-63; the text is empty")]
    Absent,
    /// The list of a node's processors is malformed.
    #[error("expected auto, none, system, hardware or nodes like 0-15,32-47:16-31,48-63; {0}")]
    Processors(#[from] ProcessorsError),
    /// A node has no processors.
    #[error("node {0} of the list has no processors")]
    Empty(usize),
    /// A processor is in two nodes.
    #[error("processors {0} are in two nodes of the list")]
    Shared(Processors),
}

/// Why threads cannot be bound as the user wants.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum NumaError {
    /// Some processors do not exist, or the system does not let this process use them.
    #[error("NumaPolicy: processors {missing} are not available; available are {usable}")]
    Missing {
        /// The requested processors that are not available.
        missing: Processors,
        /// The available processors.
        usable: Processors,
    },
    /// There is no known way to bind threads on this system.
    #[error("NumaPolicy: on this system threads cannot be bound")]
    Unsupported,
}

impl Policy {
    /// The binding of `threads` threads.
    ///
    /// # Errors
    /// If a processor of a list is not available. If the system does not report its nodes, nothing is bound.
    pub fn binding(&self, threads: usize) -> Result<Binding, NumaError> {
        let given = || system::given().unwrap_or_default();
        Ok(match self {
            Policy::None => Binding::unbound(threads),
            // A single thread would not be bound anyway. Engines with one thread are started by the hundred, so the
            // look-up is saved.
            Policy::Auto if threads == 1 => Binding::unbound(threads),
            Policy::Auto => {
                let given = given();
                automatic(system::nodes(&given), || caches(&given), threads)
            }
            Policy::System => of_machine(&given(), threads),
            Policy::Hardware => of_machine(&system::usable(&Processors::all()), threads),
            Policy::List(nodes) => {
                check(nodes)?;
                Binding::spread(system::bindable(nodes.clone()), threads)
            }
        })
    }
}

/// The caches of this machine, on the processors `allowed`.
fn caches(allowed: &Processors) -> Vec<Processors> {
    topology::caches(Path::new("/"), allowed)
}

/// The binding to the nodes and caches of this machine, on the processors `allowed`.
fn of_machine(allowed: &Processors, threads: usize) -> Binding {
    Binding::spread(system::nodes(allowed), threads).within_caches(&caches(allowed))
}

/// The binding of `auto` on a machine with these nodes and caches. The caches are looked up only where they may count.
fn automatic(nodes: Vec<Processors>, caches: impl FnOnce() -> Vec<Processors>, threads: usize) -> Binding {
    let largest = nodes.iter().map(Processors::count).max().unwrap_or(0);
    let is_wide = nodes.len() > 1 && 2 * threads > largest;
    if !is_wide && threads <= LARGEST_GROUP {
        return Binding::unbound(threads);
    }
    let caches = caches();
    if !is_wide && caches.len() < 2 {
        return Binding::unbound(threads);
    }
    Binding::spread(nodes, threads).within_caches(&caches)
}

/// Whether the system lets this process use all processors of all nodes.
fn check(nodes: &[Processors]) -> Result<(), NumaError> {
    if !system::IS_KNOWN {
        return Err(NumaError::Unsupported);
    }
    let wanted: Processors = nodes.iter().flat_map(Processors::iter).collect();
    let missing = wanted.without(&system::usable(&wanted));
    if missing.is_empty() {
        return Ok(());
    }
    Err(NumaError::Missing { missing, usable: system::usable(&Processors::all()) })
}

impl FromStr for Policy {
    type Err = PolicyError;

    /// Reads a policy's name, whatever its case, or a list of nodes with colons between them.
    fn from_str(text: &str) -> Result<Policy, PolicyError> {
        let names = [
            ("auto", Policy::Auto),
            ("none", Policy::None),
            ("system", Policy::System),
            ("hardware", Policy::Hardware),
        ];
        let text = text.trim();
        if let Some((_, policy)) = names.into_iter().find(|(name, _)| text.eq_ignore_ascii_case(name)) {
            return Ok(policy);
        }
        if text.is_empty() {
            return Err(PolicyError::Absent);
        }
        let mut nodes: Vec<Processors> = Vec::new();
        for node in text.split(':') {
            let node: Processors = node.parse()?;
            if node.is_empty() {
                return Err(PolicyError::Empty(nodes.len() + 1));
            }
            for other in &nodes {
                let shared = node.common(other);
                if !shared.is_empty() {
                    return Err(PolicyError::Shared(shared));
                }
            }
            nodes.push(node);
        }
        Ok(Policy::List(nodes))
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Policy::Auto => f.write_str("auto"),
            Policy::None => f.write_str("none"),
            Policy::System => f.write_str("system"),
            Policy::Hardware => f.write_str("hardware"),
            Policy::List(nodes) => {
                let nodes: Vec<String> = nodes.iter().map(Processors::to_string).collect();
                f.write_str(&nodes.join(":"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::numa::Topology;

    #[test]
    fn policies_are_read_and_written() {
        for (text, written) in [
            ("auto", "auto"),
            ("None", "none"),
            (" SYSTEM ", "system"),
            ("hardware", "hardware"),
            ("0", "0"),
            ("0-15,32-47:16-31,48-63", "0-15,32-47:16-31,48-63"),
            ("3,2,1:0", "1-3:0"),
        ] {
            let policy: Policy = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(policy.to_string(), written);
            assert_eq!(written.parse(), Ok(policy));
        }
    }

    #[test]
    fn the_error_of_a_malformed_list_is_one_line() {
        for (text, message) in [
            ("0::1", "node 2 of the list has no processors"),
            (
                "",
                "expected auto, none, system, hardware or nodes like 0-15,32-47:16-31,48-63; the text is empty",
            ),
            ("0-3:2-5", "processors 2-3 are in two nodes of the list"),
            (
                "0:all",
                "expected auto, none, system, hardware or nodes like 0-15,32-47:16-31,48-63; \
                 \"all\" is neither a processor's number nor a range like 0-7",
            ),
        ] {
            assert_eq!(text.parse::<Policy>().expect_err(text).to_string(), message);
        }
    }

    /// A made-up machine: its sockets, the cores of each, those of each cache, and whether cores have two processors.
    fn machine(sockets: usize, cores: usize, cache: usize, is_threaded: bool) -> Topology {
        let root = tempfile::tempdir().expect("a temporary folder");
        topology::tests::machine(root.path(), sockets, cores, cache, is_threaded);
        Topology::read(root.path())
    }

    /// The nodes, the places and the groups to which `auto` binds `threads` threads.
    fn automatically(machine: &Topology, threads: usize) -> (usize, usize, usize) {
        let binding = automatic(machine.nodes.clone(), || machine.caches.clone(), threads);
        let shown = binding.to_string();
        let places =
            shown.rsplit_once(" to ").and_then(|(_, rest)| rest.strip_suffix(" caches")?.parse().ok());
        (binding.nodes().len(), places.unwrap_or(binding.nodes().len()), binding.groups())
    }

    #[test]
    fn many_threads_are_bound_if_there_are_several_nodes() {
        for (machine, least) in [
            (machine(2, 16, 16, false), 9),
            (machine(4, 4, 4, false), 3),
            (machine(2, 2, 2, false), 2),
            (machine(2, 2, 2, true), 3),
        ] {
            assert_eq!(automatically(&machine, least - 1), (0, 0, 1), "{machine:?}");
            let nodes = machine.nodes.len();
            assert_eq!(automatically(&machine, least), (nodes, nodes, nodes.min(least)), "{machine:?}");
        }
        assert_eq!(automatic(Vec::new(), Vec::new, 64), Binding::unbound(64));
    }

    #[test]
    fn more_threads_than_a_group_may_have_are_bound_to_their_caches() {
        // One socket with eight caches, two processors for each of its 64 cores.
        let caches = machine(1, 64, 8, true);
        for (threads, expected) in [(32, (0, 0, 1)), (33, (1, 8, 8)), (128, (1, 8, 8))] {
            assert_eq!(automatically(&caches, threads), expected, "{threads}");
        }
        let sockets = machine(2, 32, 8, true);
        for (threads, expected) in [(32, (0, 0, 1)), (64, (2, 8, 8)), (512, (2, 8, 16))] {
            assert_eq!(automatically(&sockets, threads), expected, "{threads}");
        }
        // One cache only: nothing is bound, and the groups are small enough.
        assert_eq!(automatically(&machine(1, 64, 64, true), 128), (0, 0, 4));
        assert_eq!(automatically(&machine(1, 2, 2, false), 32), (0, 0, 1));
    }

    #[test]
    fn the_error_names_missing_processors() {
        let policy: Policy = "0-1023".parse().expect("a list");
        let error = policy.binding(2).expect_err("no machine of this kind is used for tests");
        if system::IS_KNOWN {
            let usable = system::usable(&Processors::all());
            assert!(!usable.is_empty());
            assert_eq!(error, NumaError::Missing { missing: Processors::all().without(&usable), usable });
        } else {
            assert_eq!(error, NumaError::Unsupported);
        }
    }

    #[test]
    fn without_a_policy_nothing_is_bound() {
        assert_eq!(Policy::None.binding(8), Ok(Binding::unbound(8)));
        assert_eq!(Policy::Auto.binding(1), Ok(Binding::unbound(1)));
    }
}
