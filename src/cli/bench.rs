//! `enfilade bench`: searches fixed positions and prints the totals last.

use crate::board::Game;
use crate::cli::error::CliError;
use crate::config::Setup;
use crate::console;
use crate::uci::bench::{self, BenchPlan};

/// Runs the benchmark with the settings of `setup`. The plan's values and `Settings::for_measuring` override them.
pub(super) fn run(setup: &Setup, plan: &BenchPlan) -> Result<(), CliError> {
    let total = bench::run(&setup.settings, plan, Some(&Game::startpos()), |line| console::say(line))?;
    console::say(total);
    Ok(())
}
