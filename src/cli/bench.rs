//! `enfilade bench`: the fixed positions, and the totals last.

use std::io::{self, Write};

use super::CliError;
use crate::config::Setup;
use crate::uci::bench::{self, Plan};

/// Runs the benchmark with the settings of `setup`, but for what the plan has and what measurements leave out.
pub(super) fn run(setup: &Setup, plan: Plan) -> Result<(), CliError> {
    let mut lost = None;
    let total = bench::run(&setup.settings, plan, |line| {
        if let Err(error) = writeln!(io::stdout(), "{line}") {
            lost = Some(error);
        }
    })?;
    match lost {
        Some(error) => Err(error.into()),
        None => Ok(writeln!(io::stdout(), "{total}")?),
    }
}
