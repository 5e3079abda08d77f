//! The user's choice: when threads are bound, and to which nodes.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::{Binding, Processors, ProcessorsError, system};

/// How threads are bound to nodes: the option `NumaPolicy`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Policy {
    /// Binds as `System` does, if there are several nodes and more threads than half of the largest node's processors.
    /// Fewer threads stay where the system puts them, which may well be on one node. (This is Stockfish's rule without
    /// its second condition, four threads for each node.)
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
        let nodes = match self {
            Policy::None => Vec::new(),
            // A single thread would not be bound anyway. Engines with one thread are started by the hundred, so the
            // look-up is saved.
            Policy::Auto if threads == 1 => Vec::new(),
            Policy::Auto => {
                let nodes = system::given().map_or_else(Vec::new, |given| system::nodes(&given));
                if suggests_binding(&nodes, threads) { nodes } else { Vec::new() }
            }
            Policy::System => system::given().map_or_else(Vec::new, |given| system::nodes(&given)),
            Policy::Hardware => system::nodes(&system::usable(&Processors::all())),
            Policy::List(nodes) => {
                check(nodes)?;
                system::bindable(nodes.clone())
            }
        };
        Ok(Binding::spread(nodes, threads))
    }
}

/// Whether `auto` binds threads.
fn suggests_binding(nodes: &[Processors], threads: usize) -> bool {
    let largest = nodes.iter().map(Processors::count).max().unwrap_or(0);
    nodes.len() > 1 && 2 * threads > largest
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
            ("", "node 1 of the list has no processors"),
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

    #[test]
    fn few_threads_are_not_bound() {
        let nodes = |text: &str| match text.parse() {
            Ok(Policy::List(nodes)) => nodes,
            other => panic!("{text}: {other:?}"),
        };
        for (machine, least) in [("0-15:16-31", 9), ("0-3:4-7:8-11:12-15", 3), ("0:1", 1), ("0-7:8", 5)] {
            let machine = nodes(machine);
            assert!(!suggests_binding(&machine, least - 1) && suggests_binding(&machine, least));
        }
        assert!(!suggests_binding(&nodes("0-63"), 1024));
        assert!(!suggests_binding(&[], 1024));
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
