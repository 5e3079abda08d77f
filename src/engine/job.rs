//! From the settings, a position and limits to what all threads of a search share.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use parking_lot::Mutex;

use super::Settings;
use crate::board::Game;
use crate::eval::network::Network;
use crate::numa::Replicated;
use crate::search::job::{Job, Reporter, ThreadResult};
use crate::search::rounds::Rounds;
use crate::search::signals::Signals;
use crate::search::{Limits, Observer};
use crate::time::Budget;
use crate::tt::Table;

/// A job from the settings.
pub(super) fn job(
    settings: &Settings,
    game: Game,
    mut limits: Limits,
    (network, table): (Arc<Replicated<Network>>, Arc<Table>),
    observer: Arc<dyn Observer>,
    threads: usize,
) -> Job {
    let level = settings.strength.level();
    if let Some(level) = level {
        limits.nodes = Some(limits.nodes.map_or(level.nodes, |nodes| nodes.min(level.nodes)));
    }
    let is_in_rounds = settings.deterministic && threads > 1 && level.is_none();
    let overhead = settings.move_overhead;
    let by_clock = limits.clock.map(|c| Budget::clock(c.remaining, c.increment, c.moves_to_go, overhead));
    let by_time = limits.move_time.map(|time| Budget::fixed(time, overhead));
    // Both may be given, as some servers do: the tighter one holds.
    let budget = match (by_clock, by_time) {
        (Some(clock), Some(time)) => {
            Some(Budget { soft: clock.soft.min(time.soft), hard: clock.hard.min(time.hard), ..clock })
        }
        (clock, time) => clock.or(time),
    };
    Job {
        signals: Signals::new(Instant::now(), limits.ponder),
        deterministic: settings.deterministic,
        rounds: is_in_rounds.then(|| Rounds::new(threads, limits.nodes)),
        budget: if limits.infinite { None } else { budget },
        game,
        limits,
        multi_pv: settings.multi_pv.max(1),
        level,
        seed: 0,
        quiescence: settings.quiescence,
        statistics: settings.statistics,
        sharing: settings.sharing,
        selectivity: settings.selectivity,
        stagger: settings.stagger.clone(),
        params: Arc::new(settings.params.clone()),
        network,
        table,
        common: None,
        tablebases: if level.is_none() { Arc::clone(&settings.tablebases) } else { Arc::default() },
        probing: settings.probing,
        root: OnceLock::new(),
        started: Instant::now(),
        counters: (0..threads).map(|_| Default::default()).collect(),
        results: (0..threads).map(|_| Mutex::new(ThreadResult::default()).into()).collect(),
        reporter: Reporter::new(observer),
    }
}
