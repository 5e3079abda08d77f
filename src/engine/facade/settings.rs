//! The settings of an engine.

use std::sync::Arc;
use std::time::Duration;

use crate::base::numa::Policy;
use crate::engine::eval::network::Network;
use crate::engine::history::Sharing;
use crate::engine::params::Params;
use crate::engine::pool::Stagger;
use crate::engine::run::job::Selectivity;
use crate::engine::run::leaf::Kind;
use crate::engine::run::{Clock, Limits, Strength, Telemetry};
use crate::engine::tablebase::{Probing, Tablebases};
use crate::engine::time::Budget;

/// The settings of an engine. They can change between searches.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Size of the table in MiB.
    pub hash: usize,
    /// Number of search threads, 1 to [`crate::engine::pool::MAX_THREADS`].
    pub threads: usize,
    /// How threads are bound to the NUMA nodes of the machine.
    pub numa: Policy,
    /// Whether a new game keeps the table's results.
    pub keep_hash: bool,
    /// The number of lines to report, from 1.
    pub multi_pv: usize,
    /// The limit of the engine's strength, if there is one.
    pub strength: Strength,
    /// The time that each move takes outside of the engine.
    pub move_overhead: Duration,
    /// The number of nodes that count as a millisecond of clocks and of times for a move; 0 if real time counts.
    pub node_rate: u64,
    /// The leaf search.
    pub quiescence: Kind,
    /// What a search counts besides nodes, for [`super::Engine::threads_of_last_search`] or for a line at the end.
    pub telemetry: Telemetry,
    /// How helper threads differ from the main thread.
    pub stagger: Stagger,
    /// Which histories the threads share. Deterministic searches share none.
    pub histories: Sharing,
    /// Whether a search with several threads is deterministic too.
    pub deterministic: bool,
    /// Which parts of the search are on.
    pub selectivity: Selectivity,
    /// The search's parameters.
    pub params: Params,
    /// Whether evaluations fade: with each ply without progress, and with material that cannot win.
    pub fades: bool,
    /// The evaluation's network.
    pub network: Arc<Network>,
    /// The endgame tablebases.
    pub tablebases: Arc<Tablebases>,
    /// When the tablebases are probed.
    pub probing: Probing,
}

impl Settings {
    /// The time that the limits give to a search at a move of the game; `None` if they set none. Some servers give both
    /// a clock and a time for the move. Then the tighter one applies.
    pub fn budget(&self, limits: &Limits, move_number: u32) -> Option<Budget> {
        let overhead = self.move_overhead;
        let by_clock = limits.clock.map(|Clock { remaining, increment, moves_to_go }| {
            Budget::clock(remaining, increment, moves_to_go, overhead, move_number, &self.params)
        });
        // A clock of nodes loses no time between the GUI and the engine.
        let lost = if self.node_rate > 0 { Duration::ZERO } else { overhead };
        let by_time = limits.move_time.map(|time| Budget::fixed(time, lost));
        match (by_clock, by_time) {
            (Some(clock), Some(time)) => {
                Some(Budget { soft: clock.soft.min(time.soft), hard: clock.hard.min(time.hard), ..clock })
            }
            (clock, time) => clock.or(time),
        }
    }

    /// These settings for measurements: full strength, one line, real time, no line of telemetry, and a table that each
    /// game clears.
    pub fn for_measuring(&self) -> Settings {
        Settings {
            keep_hash: false,
            multi_pv: 1,
            strength: Strength::default(),
            node_rate: 0,
            telemetry: self.telemetry.unreported(),
            ..self.clone()
        }
    }
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            hash: 64,
            threads: 1,
            numa: Policy::default(),
            keep_hash: false,
            multi_pv: 1,
            strength: Strength::default(),
            move_overhead: Duration::from_millis(10),
            node_rate: 0,
            quiescence: Kind::default(),
            telemetry: Telemetry::Off,
            stagger: Stagger::default(),
            histories: Sharing::default(),
            deterministic: false,
            selectivity: Selectivity::default(),
            params: Params::default(),
            fades: true,
            network: Network::embedded(),
            tablebases: Arc::default(),
            probing: Probing::default(),
        }
    }
}
