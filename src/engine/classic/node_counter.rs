//! How many nodes a search may visit, and how many it has visited.
//!
//! At the limit, an error travels up through every node. So an iteration that was cut off has no result at all, and
//! none can take the place of a finished one.

/// How many nodes a search may visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeLimit {
    /// Number of nodes, including those of the leaf searches.
    pub nodes: u64,
}

impl NodeLimit {
    /// No limit.
    pub const UNLIMITED: NodeLimit = NodeLimit { nodes: u64::MAX };

    /// A limit of `nodes` nodes.
    pub const fn nodes(nodes: u64) -> NodeLimit {
        NodeLimit { nodes }
    }
}

/// The limit is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the search was stopped before it was finished")]
pub struct LimitReached;

/// What a search has visited so far.
#[derive(Debug)]
pub(super) struct NodeCounter {
    limit: NodeLimit,
    pub nodes: u64,
    pub leaves: u64,
    pub is_at_limit: bool,
}

impl NodeCounter {
    pub fn new(limit: NodeLimit) -> NodeCounter {
        NodeCounter { limit, nodes: 0, leaves: 0, is_at_limit: false }
    }

    /// Counts a node, if the limit still allows one besides the `below` nodes of the leaf searches.
    pub fn enter(&mut self, below: u64) -> Result<(), LimitReached> {
        self.is_at_limit |= self.nodes + below >= self.limit.nodes;
        if self.is_at_limit {
            return Err(LimitReached);
        }
        self.nodes += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_as_many_nodes_as_the_limit_are_visited() {
        let mut counter = NodeCounter::new(NodeLimit::nodes(5));
        assert_eq!((0..9).filter(|_| counter.enter(2).is_ok()).count(), 3);
        assert_eq!(counter.nodes, 3);
    }

    #[test]
    fn the_unlimited_limit_is_never_reached() {
        assert!(NodeCounter::new(NodeLimit::UNLIMITED).enter(u64::MAX / 2).is_ok());
    }
}
