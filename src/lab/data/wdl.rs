//! `enfilade data wdl`: fits the model of wins and draws to games.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::reading::Reading;
use super::shards::ShardArguments;
use crate::base::console;
use crate::base::file::{check_writable, replace};
use crate::base::text::grouped;
use crate::chess::types::WinModel;
use crate::engine::command::error::CliError;
use crate::engine::command::json_arguments::JsonArguments;
use crate::lab::datagen::shard;
use crate::lab::datagen::win_model::Results;

#[derive(Debug, Args)]
pub(crate) struct WdlArguments {
    #[command(flatten)]
    pub shards: ShardArguments,
    /// Draw results and model into an SVG file
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    #[command(flatten)]
    pub json: JsonArguments,
}

/// The model that fits the games best, beside the one in use.
#[derive(Serialize)]
struct WdlReport {
    positions: u64,
    fitted: Fit,
    in_use: Fit,
}

/// A model, and how well it fits the games.
#[derive(Serialize)]
struct Fit {
    /// A position.
    log_likelihood: f64,
    /// The coefficients of the polynomials, from the constant upward.
    center: [f64; 4],
    width: [f64; 4],
}

impl Fit {
    fn of(model: &WinModel, results: &Results) -> Fit {
        let WinModel { center, width } = *model;
        Fit { log_likelihood: results.log_likelihood(model), center, width }
    }
}

const NO_FIT: &str =
    "the games are too few or too similar to fit a model of wins and draws for every amount of material";

/// Fits the model, and prints its parameters beside those in use. Draws the plot last, so that the results are not lost
/// if the plot cannot be written.
pub(super) fn run(arguments: &WdlArguments) -> Result<(), CliError> {
    arguments.json.check()?;
    arguments.plot.as_deref().map_or(Ok(()), check_writable)?;
    let mut results = Results::default();
    let mut reading = Reading::default();
    for path in &shard::list_all(&arguments.shards.paths)? {
        for damage in reading.shard(path, |game| results.add(&game))? {
            console::warn(damage);
        }
    }
    let model = results.fit().ok_or(NO_FIT)?;
    let fit = |model| Fit::of(model, &results);
    let report =
        WdlReport { positions: results.positions(), fitted: fit(&model), in_use: fit(&WinModel::FITTED) };
    arguments.json.write(&report)?;
    if !arguments.json.is_printed() {
        print(&mut console::stdout(), &report, &model)?;
    }
    if let Some(path) = &arguments.plot {
        replace(path, results.plot(&model).as_bytes())?;
    }
    reading.finish()
}

fn print(out: &mut impl Write, report: &WdlReport, model: &WinModel) -> io::Result<()> {
    writeln!(out, "Positions        {}", grouped(report.positions))?;
    for (name, Fit { log_likelihood, .. }) in [("fitted", &report.fitted), ("in use", &report.in_use)] {
        writeln!(out, "Log-likelihood   {log_likelihood:.5} a position, {name}")?;
    }
    writeln!(out, "Center           {:.2?}", model.center)?;
    writeln!(out, "Width            {:.2?}", model.width)?;
    writeln!(out, "\nMaterial   even chance at   width")?;
    for material in [10, 20, 30, 40, 50, 60, 70, 78] {
        writeln!(out, "{material:>8} {:>13.0} cp {:>7.0}", model.center(material), model.width(material))?;
    }
    Ok(())
}
