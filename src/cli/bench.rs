//! `enfilade bench`: the fixed positions, and the totals last.

use super::CliError;
use crate::board::Game;
use crate::config::Setup;
use crate::console;
use crate::uci::bench::{self, Plan};

/// Runs the benchmark with the settings of `setup`, but for what the plan has and what measurements leave out.
pub(super) fn run(setup: &Setup, plan: &Plan) -> Result<(), CliError> {
    let total = bench::run(&setup.settings, plan, Some(&Game::startpos()), |line| console::say(line))?;
    console::say(total);
    Ok(())
}
