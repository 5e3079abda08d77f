//! The arguments that limit the search of a position.

use std::time::Duration;

use clap::Args;

use crate::engine::command::number;
use crate::engine::run::Limits;

#[derive(Debug, Args)]
pub(crate) struct LimitArguments {
    /// Stop after this many milliseconds
    #[arg(long, value_name = "MS", value_parser = number::from(0u64))]
    pub movetime: Option<u64>,
    /// Stop after this many nodes
    #[arg(long, value_name = "N", value_parser = number::from(1u64))]
    pub nodes: Option<u64>,
    /// Stop at this depth in plies
    #[arg(long, value_name = "PLIES", value_parser = number::from(1i32))]
    pub depth: Option<i32>,
}

impl LimitArguments {
    /// The limits as given; all of them apply at once. If none is given, the limit is the time `default`.
    pub(crate) fn or_time(&self, default: Duration) -> Limits {
        let unlimited = self.depth.is_none() && self.nodes.is_none() && self.movetime.is_none();
        let move_time = self.movetime.map(Duration::from_millis).or(unlimited.then_some(default));
        Limits { depth: self.depth, nodes: self.nodes, move_time, ..Limits::default() }
    }
}
