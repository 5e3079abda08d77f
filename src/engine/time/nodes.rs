//! Nodes as time: a given number of nodes counts as a millisecond, however long the nodes take. Games by such clocks
//! can be repeated, and do not depend on the machine or its load. The option is Stockfish's `nodestime`.
//!
//! As in Stockfish, the interface's clock is read only at a side's first move of a game. From then on nodes are
//! subtracted from it and increments are added. When a new period of moves begins, the nodes of a period are added
//! again. Unlike in Stockfish, a search on the opponent's time costs nothing, as on any clock.

use std::time::Duration;

use super::Budget;

/// What one search may take, counted in nodes of all threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeBudget {
    /// The budget as time.
    pub budget: Budget,
    /// Number of nodes that count as a millisecond, at least 1.
    pub rate: u64,
}

impl NodeBudget {
    /// The time that `nodes` nodes stand for.
    pub fn elapsed(self, nodes: u64) -> Duration {
        time_of(nodes, self.rate)
    }

    /// Nodes after which the search is stopped, at least 1.
    pub fn hard(self) -> u64 {
        nodes_of(self.budget.hard, self.rate).max(1)
    }
}

/// One side's clock in a game.
#[derive(Clone, Copy, Debug, Default)]
pub struct NodeClock {
    /// Nodes left; `None` before the side's first move.
    left: Option<u64>,
    /// Nodes of a period.
    period: u64,
    /// Moves to the end of the period, at the last move.
    moves_to_go: Option<u32>,
}

impl NodeClock {
    /// The time that is left. `shown` is what the interface's clock shows.
    pub fn remaining(
        &mut self,
        shown: Duration,
        increment: Duration,
        moves_to_go: Option<u32>,
        rate: u64,
    ) -> Duration {
        let left = match self.left {
            // The clock already contains the first increment, which is not part of a period's time.
            None => {
                self.period = nodes_of(shown.saturating_sub(increment), rate);
                nodes_of(shown, rate)
            }
            Some(left) if moves_to_go > self.moves_to_go => left.saturating_add(self.period),
            Some(left) => left,
        };
        self.left = Some(left);
        self.moves_to_go = moves_to_go;
        time_of(left, rate)
    }

    /// Notes a move that took `nodes` nodes.
    pub fn spend(&mut self, nodes: u64, increment: Duration, rate: u64) {
        if let Some(left) = &mut self.left {
            *left = left.saturating_add(nodes_of(increment, rate)).saturating_sub(nodes);
        }
    }
}

const NANOSECONDS_PER_MILLISECOND: u128 = 1_000_000;

fn nodes_of(time: Duration, rate: u64) -> u64 {
    let nodes = time.as_nanos() * u128::from(rate) / NANOSECONDS_PER_MILLISECOND;
    u64::try_from(nodes).unwrap_or(u64::MAX)
}

fn time_of(nodes: u64, rate: u64) -> Duration {
    let nanoseconds = u128::from(nodes) * NANOSECONDS_PER_MILLISECOND / u128::from(rate.max(1));
    Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: u64 = 300;

    fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn only_nodes_and_increments_change_the_clock_in_a_game() {
        let mut clock = NodeClock::default();
        assert_eq!(clock.remaining(ms(1_010), ms(10), None, RATE), ms(1_010));
        clock.spend(100 * RATE, ms(10), RATE);
        // What the interface's clock shows now does not matter.
        assert_eq!(clock.remaining(ms(5), ms(10), None, RATE), ms(920));
        clock.spend(5_000 * RATE, ms(10), RATE);
        assert_eq!(clock.remaining(ms(900), ms(10), None, RATE), ms(0), "never less than nothing");
    }

    #[test]
    fn a_new_period_adds_to_the_clock() {
        let mut clock = NodeClock::default();
        assert_eq!(clock.remaining(ms(1_000), ms(0), Some(2), RATE), ms(1_000));
        clock.spend(400 * RATE, ms(0), RATE);
        assert_eq!(clock.remaining(ms(900), ms(0), Some(1), RATE), ms(600));
        clock.spend(400 * RATE, ms(0), RATE);
        assert_eq!(clock.remaining(ms(1_800), ms(0), Some(2), RATE), ms(1_200));
    }

    #[test]
    fn a_budget_counts_nodes() {
        let budget = NodeBudget { budget: Budget::fixed(ms(20), ms(0)), rate: RATE };
        assert_eq!((budget.hard(), budget.elapsed(3_000)), (6_000, ms(10)));
        let none = NodeBudget { budget: Budget::fixed(ms(0), ms(0)), rate: RATE };
        assert_eq!(none.hard(), 1);
    }

    #[test]
    fn extreme_node_clocks_do_not_overflow() {
        let mut clock = NodeClock::default();
        let century = Duration::from_secs(100 * 366 * 86_400);
        assert_eq!(clock.remaining(century, ms(0), Some(1), 10_000), century);
        clock.spend(0, century, 10_000);
        clock.remaining(century, century, Some(u32::MAX), 1);
        clock.spend(u64::MAX, ms(0), 1);
        assert_eq!(clock.remaining(century, century, None, 1), ms(0));
        assert!(time_of(u64::MAX, 1) > century && nodes_of(century, u64::MAX) == u64::MAX);
    }
}
