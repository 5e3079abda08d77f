//! How much a player may search.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::Serialize;

use crate::engine::run::{Clock, Limits};

/// What the threads of a player may search together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Allowance {
    /// So many nodes for each move.
    Move(u64),
    /// A clock on which nodes count as time, so that the player decides when to stop.
    Clock(NodeControl),
}

/// A time control in nodes of all threads: so many for the game, and further ones for each move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct NodeControl {
    /// Nodes for the game, at least 1.
    pub base: u64,
    /// Nodes that each move adds.
    pub increment: u64,
}

impl FromStr for NodeControl {
    type Err = String;

    fn from_str(text: &str) -> Result<NodeControl, String> {
        let (base, increment) = text.split_once('+').unwrap_or((text, "0"));
        match (base.parse(), increment.parse()) {
            (Ok(base), Ok(increment)) if base > 0 => Ok(NodeControl { base, increment }),
            _ => {
                Err("nodes for the game, +, and nodes for each move are needed, as in 2000000+20000"
                    .to_owned())
            }
        }
    }
}

impl fmt::Display for NodeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}+{}", self.base, self.increment)
    }
}

impl fmt::Display for Allowance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Allowance::Move(nodes) => write!(f, "of {nodes} nodes"),
            Allowance::Clock(control) => write!(f, "with a clock of {control} nodes"),
        }
    }
}

/// What is left of an allowance in a game.
#[derive(Clone, Copy, Debug)]
pub struct Purse {
    allowance: Allowance,
    /// The nodes that the clock still has.
    left: u64,
}

impl Purse {
    /// The purse at the beginning of a game.
    pub fn new(allowance: Allowance) -> Purse {
        let left = match allowance {
            Allowance::Move(_) => 0,
            Allowance::Clock(control) => control.base,
        };
        Purse { allowance, left }
    }

    /// The limits of the next search. A millisecond of its clock is a node.
    pub fn limits(&self) -> Limits {
        match self.allowance {
            Allowance::Move(nodes) => Limits::nodes(nodes),
            Allowance::Clock(NodeControl { increment, .. }) => {
                let [remaining, increment] = [self.left, increment].map(Duration::from_millis);
                Limits { clock: Some(Clock { remaining, increment, moves_to_go: None }), ..Limits::default() }
            }
        }
    }

    /// Pays for a search of `nodes` nodes. A clock never runs out: a search that takes more than is left, because its
    /// first iteration does, leaves one node.
    pub fn pay(&mut self, nodes: u64) {
        if let Allowance::Clock(NodeControl { increment, .. }) = self.allowance {
            self.left = self.left.saturating_sub(nodes).max(1).saturating_add(increment);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_pays_for_its_searches_and_gets_its_increments() {
        let mut purse = Purse::new(Allowance::Clock("1000+50".parse().unwrap()));
        let left = |purse: &Purse| purse.limits().clock.unwrap().remaining.as_millis();
        assert_eq!(left(&purse), 1_000);
        purse.pay(300);
        assert_eq!(left(&purse), 750);
        purse.pay(9_000);
        assert_eq!(left(&purse), 51);
        let mut purse = Purse::new(Allowance::Move(70));
        purse.pay(70);
        assert_eq!(purse.limits(), Limits::nodes(70));
    }

    #[test]
    fn only_a_base_of_nodes_is_a_control() {
        assert_eq!("7".parse(), Ok(NodeControl { base: 7, increment: 0 }));
        for text in ["", "0", "0+5", "5+", "+5", "-5", "5+-1", "a+b", "5+5+5", "1e6"] {
            assert!(text.parse::<NodeControl>().is_err(), "{text}");
        }
    }
}
