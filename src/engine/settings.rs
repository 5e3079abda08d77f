//! What an engine can be told between searches.

use std::sync::Arc;
use std::time::Duration;

use crate::eval::network::Network;
use crate::history::Sharing;
use crate::numa::Policy;
use crate::params::Params;
use crate::pool::Stagger;
use crate::search::Strength;
use crate::search::job::Selectivity;
use crate::search::quiescence::Kind;
use crate::tablebase::{Probing, Tablebases};

/// What can be set between searches.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Size of the table in MiB.
    pub hash: usize,
    /// Number of search threads, 1 to [`crate::pool::MAX_THREADS`].
    pub threads: usize,
    /// How threads are bound to the nodes of the machine.
    pub numa: Policy,
    /// Whether a new game leaves the table as it is.
    pub keep_hash: bool,
    /// Lines to report, from 1.
    pub multi_pv: usize,
    /// Whether the engine plays below its strength.
    pub strength: Strength,
    /// Time that passes for each move outside of the engine.
    pub move_overhead: Duration,
    /// Nodes that count as a millisecond of clocks and of times for a move; 0 where time is time.
    pub node_rate: u64,
    /// The leaf search.
    pub quiescence: Kind,
    /// Whether to report what the leaf search did.
    pub statistics: bool,
    /// Whether to count whose results each thread finds in the table, for [`super::Engine::threads_of_last_search`].
    pub sharing: bool,
    /// How helper threads differ from the main one.
    pub stagger: Stagger,
    /// What histories threads have in common; nothing in searches that are to go the same way again.
    pub histories: Sharing,
    /// Whether two searches of the same are to go the same way with several threads too.
    pub deterministic: bool,
    /// What of its judgement the search may use.
    pub selectivity: Selectivity,
    /// The search's parameters.
    pub params: Params,
    /// The evaluation's network.
    pub network: Arc<Network>,
    /// The endgame tablebases.
    pub tablebases: Arc<Tablebases>,
    /// When they are asked.
    pub probing: Probing,
}

impl Settings {
    /// The same for measurements, each of which begins with nothing remembered: at full strength, with one line and no
    /// reports besides.
    pub fn for_measuring(&self) -> Settings {
        Settings {
            keep_hash: false,
            multi_pv: 1,
            strength: Strength::default(),
            node_rate: 0,
            statistics: false,
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
            statistics: false,
            sharing: false,
            stagger: Stagger::default(),
            histories: Sharing::default(),
            deterministic: false,
            selectivity: Selectivity::default(),
            params: Params::default(),
            network: Network::embedded(),
            tablebases: Arc::default(),
            probing: Probing::default(),
        }
    }
}
