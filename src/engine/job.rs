//! Makes the job, which all threads of a search share, from the settings, a position and limits.

use std::sync::Arc;
use std::time::Duration;

use super::settings::Settings;
use crate::board::Game;
use crate::eval::network::Network;
use crate::history::{SharedHistories, Sharing};
use crate::numa::{Binding, Replicated};
use crate::run::Limits;
use crate::run::job::{Assignment, Job, Launch, SearchRules, SharedState};
use crate::time::{Budget, NodeBudget};
use crate::tt::Table;

/// Empty histories. The threads of each NUMA node share them.
pub(super) fn shared_histories(
    sharing: Sharing,
    binding: &Arc<Binding>,
) -> Option<Arc<Replicated<SharedHistories>>> {
    let is_shared = sharing != Sharing::None && binding.threads() > 1;
    is_shared.then(|| Arc::new(Replicated::new(Arc::new(SharedHistories::new(sharing)), Arc::clone(binding))))
}

/// The state that an engine keeps from one search to the next.
pub(super) struct Kept {
    pub network: Arc<Replicated<Network>>,
    pub table: Arc<Table>,
    pub histories: Option<Arc<Replicated<SharedHistories>>>,
}

/// Makes a job from the settings.
pub(super) fn job(
    settings: &Settings,
    game: Game,
    limits: Limits,
    seed: u64,
    kept: Kept,
    launch: Launch,
) -> Job {
    let task = task(settings, game, limits, seed);
    let Kept { network, table, histories } = kept;
    let tablebases = if task.level.is_none() { Arc::clone(&settings.tablebases) } else { Arc::default() };
    let shared = SharedState { network, table, histories, tablebases };
    let launch = Launch {
        deterministic: settings.deterministic,
        statistics: settings.statistics,
        counts_sharing: settings.counts_sharing,
        ..launch
    };
    Job::new(task, rules(settings), shared, launch)
}

/// The settings by which the search judges positions.
pub(super) fn rules(settings: &Settings) -> SearchRules {
    SearchRules {
        quiescence: settings.quiescence,
        selectivity: settings.selectivity,
        params: Arc::new(settings.params.clone()),
        stagger: settings.stagger.clone(),
        probing: settings.probing,
    }
}

fn task(settings: &Settings, game: Game, mut limits: Limits, seed: u64) -> Assignment {
    let level = settings.strength.level();
    if let Some(level) = level {
        limits.nodes = Some(limits.nodes.map_or(level.nodes, |nodes| nodes.min(level.nodes)));
    }
    let budget = if limits.infinite { None } else { budget(settings, &limits) };
    let rate = settings.node_rate;
    let node_budget = budget.filter(|_| rate > 0).map(|budget| NodeBudget { budget, rate });
    let budget = budget.filter(|_| rate == 0);
    Assignment { game, limits, budget, node_budget, multi_pv: settings.multi_pv.max(1), level, seed }
}

/// The time budget of the limits. Some servers give both a clock and a time for the move. Then the tighter one applies.
fn budget(settings: &Settings, limits: &Limits) -> Option<Budget> {
    let overhead = settings.move_overhead;
    let by_clock = limits
        .clock
        .map(|c| Budget::clock(c.remaining, c.increment, c.moves_to_go, overhead, &settings.params));
    // A clock of nodes loses no time between the GUI and the engine.
    let lost = if settings.node_rate > 0 { Duration::ZERO } else { overhead };
    let by_time = limits.move_time.map(|time| Budget::fixed(time, lost));
    match (by_clock, by_time) {
        (Some(clock), Some(time)) => {
            Some(Budget { soft: clock.soft.min(time.soft), hard: clock.hard.min(time.hard), ..clock })
        }
        (clock, time) => clock.or(time),
    }
}
