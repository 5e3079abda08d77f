//! `enfilade data loss`: compares networks on games.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use super::reading::check_foreign;
use super::shards::ShardArguments;
use crate::base::console;
use crate::base::text::grouped;
use crate::engine::command::error::CliError;
use crate::engine::command::json_arguments::JsonArguments;
use crate::engine::config;
use crate::lab::train::config::Config;
use crate::lab::train::validation::{Loss, ValidationPlan, ValidationReport, validate};

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
    #[command(flatten)]
    pub json: JsonArguments,
}

/// The JSON document.
#[derive(Serialize)]
struct LossDocument<'a> {
    games: u64,
    positions: usize,
    scale: f64,
    networks: Vec<LossRow<'a>>,
    damages: &'a [String],
}

/// A network's loss, and its difference from that of the first network with the standard error.
#[derive(Serialize)]
struct LossRow<'a> {
    file: &'a Path,
    loss: f64,
    difference: f64,
    error: f64,
}

/// Computes the losses and reports them.
pub(super) fn run(arguments: &LossArguments) -> Result<(), CliError> {
    arguments.json.check()?;
    let config = arguments.config.as_deref().map(config::file::load::<Config>).transpose()?;
    let networks = &arguments.networks;
    let plan = ValidationPlan {
        data: arguments.shards.paths.clone(),
        networks: networks.clone(),
        config: config.unwrap_or_default(),
    };
    let report = validate(&plan)?;
    report.damages.iter().for_each(console::warn);
    arguments.json.write(&document(networks, &report))?;
    if !arguments.json.is_printed() {
        print(&mut console::stdout(), networks, &report)?;
    }
    check_foreign(report.foreign)
}

fn document<'a>(networks: &'a [PathBuf], report: &'a ValidationReport) -> LossDocument<'a> {
    let ValidationReport { games, positions, scale, losses, damages, .. } = report;
    let row = |(file, loss): (&'a PathBuf, &Loss)| LossRow {
        file,
        loss: loss.mean,
        difference: loss.difference,
        error: loss.error,
    };
    let networks = networks.iter().zip(losses).map(row).collect();
    LossDocument { games: *games, positions: *positions, scale: *scale, networks, damages }
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
