//! What the settings say about a job: the rules of the search, and its task.

use std::sync::Arc;

use super::settings::Settings;
use crate::chess::board::Game;
use crate::engine::run::Limits;
use crate::engine::run::job::{Assignment, SearchRules};
use crate::engine::time::NodeBudget;

/// The settings by which the search judges positions.
pub(super) fn rules(settings: &Settings) -> SearchRules {
    SearchRules {
        quiescence: settings.quiescence,
        selectivity: settings.selectivity,
        params: Arc::new(settings.params.clone()),
        stagger: settings.stagger.clone(),
        probing: settings.probing,
        fades: settings.fades,
        deterministic: settings.deterministic,
        telemetry: settings.telemetry,
    }
}

/// The task that the settings make of a position and limits.
pub(super) fn assignment(settings: &Settings, game: Game, mut limits: Limits, seed: u64) -> Assignment {
    let level = settings.strength.level();
    if let Some(level) = level {
        limits.nodes = Some(limits.nodes.map_or(level.nodes, |nodes| nodes.min(level.nodes)));
    }
    let budget = if limits.infinite { None } else { settings.budget(&limits, game.board().fullmove()) };
    let rate = settings.node_rate;
    let node_budget = budget.filter(|_| rate > 0).map(|budget| NodeBudget { budget, rate });
    let budget = budget.filter(|_| rate == 0);
    Assignment { game, limits, budget, node_budget, multi_pv: settings.multi_pv.max(1), level, seed }
}
