//! What a search may spend, and what it has spent.
//!
//! When the allowance runs out, an error travels up through every node. So an iteration that was cut off has no result
//! at all, and none can take the place of a finished one.

/// What a search may spend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// Number of nodes, including those of the leaf searches.
    pub nodes: u64,
}

impl Allowance {
    /// An allowance without a limit.
    pub const UNLIMITED: Allowance = Allowance { nodes: u64::MAX };

    /// An allowance of `nodes` nodes.
    pub const fn nodes(nodes: u64) -> Allowance {
        Allowance { nodes }
    }
}

/// The allowance is spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the search was stopped before it was finished")]
pub struct Spent;

/// What a search has spent so far.
#[derive(Debug)]
pub(super) struct NodeCounter {
    allowance: Allowance,
    pub nodes: u64,
    pub leaves: u64,
    pub is_spent: bool,
}

impl NodeCounter {
    pub fn new(allowance: Allowance) -> NodeCounter {
        NodeCounter { allowance, nodes: 0, leaves: 0, is_spent: false }
    }

    /// Counts a node, if the allowance still has one besides the `below` nodes of the leaf searches.
    pub fn enter(&mut self, below: u64) -> Result<(), Spent> {
        self.is_spent |= self.nodes + below >= self.allowance.nodes;
        if self.is_spent {
            return Err(Spent);
        }
        self.nodes += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_node_allowed_is_still_visited() {
        let mut counter = NodeCounter::new(Allowance::nodes(5));
        assert_eq!((0..9).filter(|_| counter.enter(2).is_ok()).count(), 3);
        assert_eq!(counter.nodes, 3);
    }

    #[test]
    fn without_a_limit_there_is_always_one_more() {
        assert!(NodeCounter::new(Allowance::UNLIMITED).enter(u64::MAX / 2).is_ok());
    }
}
