//! `enfilade data loss`: compares networks on games.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;

use super::reading::check_foreign;
use super::shards::ShardArguments;
use crate::base::console;
use crate::base::text::grouped;
use crate::engine::command::error::CliError;
use crate::engine::config;
use crate::lab::train::config::Config;
use crate::lab::train::validation::{ValidationPlan, ValidationReport, validate};

#[derive(Debug, Args)]
pub(crate) struct LossArguments {
    #[command(flatten)]
    pub shards: ShardArguments,
    /// Networks, or checkpoints of trainings, to compare with the first one
    #[arg(long, required = true, num_args = 1.., value_name = "NETWORK")]
    pub networks: Vec<PathBuf>,
    /// Configuration of a training. Only its tables "filter" and "target" are used. Without it, the defaults of
    /// configs/train-512.toml
    #[arg(long, value_name = "FILE.toml")]
    pub config: Option<PathBuf>,
}

/// Computes the losses and prints a table.
pub(super) fn run(arguments: &LossArguments) -> Result<(), CliError> {
    let config = arguments.config.as_deref().map(config::file::load::<Config>).transpose()?;
    let networks = &arguments.networks;
    let plan = ValidationPlan {
        data: arguments.shards.paths.clone(),
        networks: networks.clone(),
        config: config.unwrap_or_default(),
    };
    let report = validate(&plan)?;
    report.damages.iter().for_each(console::warn);
    print(&mut console::stdout(), networks, &report)?;
    check_foreign(report.foreign)
}

fn print(out: &mut impl Write, networks: &[PathBuf], report: &ValidationReport) -> io::Result<()> {
    let ValidationReport { games, positions, scale, losses, .. } = report;
    let (games, positions) = (grouped(*games), grouped(*positions as u64));
    writeln!(out, "{games} games, {positions} positions, scale {scale:.1}")?;
    writeln!(out, "\n     loss   difference from the first   network")?;
    for (path, loss) in networks.iter().zip(losses) {
        let difference = format!("{:+.6} ± {:.6}", loss.difference, loss.error);
        writeln!(out, "{:>9.6} {difference:>27}   {}", loss.mean, path.display())?;
    }
    Ok(())
}
