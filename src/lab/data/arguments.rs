//! The subcommands of `data`.

use clap::{Args, Subcommand};

use super::export::{self, ExportArguments};
use super::info::{self, InfoArguments};
use super::loss::{self, LossArguments};
use super::rescore::{self, RescoreArguments};
use super::verify::{self, VerifyArguments};
use super::wdl::{self, WdlArguments};
use crate::engine::command::arguments::CommandArguments;
use crate::engine::command::error::CliError;
use crate::engine::config::Setup;
use crate::engine::facade::Settings;

/// Count, verify or export the games of datagen
#[derive(Debug, Args)]
pub(crate) struct DataArguments {
    #[command(subcommand)]
    verb: DataVerb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DataVerb {
    /// Count games, positions, results, pieces, scores and lengths
    Info(InfoArguments),
    /// Read every game; damage makes the exit code 1
    Verify(VerifyArguments),
    /// Write the positions that have a label as lines of text: FEN | White's score in centipawns | White's result. The
    /// result is * where a later random move makes it unknown
    Export(ExportArguments),
    /// Fit the chances of win and draw to the scores and results
    Wdl(WdlArguments),
    /// Compare networks: how well each predicts the scores and results
    Loss(LossArguments),
    /// Search some of the positions again, with more nodes
    Rescore(RescoreArguments),
}

/// A subcommand, and the settings of its searches.
pub(crate) struct DataTask {
    verb: DataVerb,
    settings: Settings,
}

impl CommandArguments for DataArguments {
    type Task = DataTask;

    /// The file of `loss` configures a training.
    fn takes_preset(&self) -> bool {
        !matches!(self.verb, DataVerb::Loss(_))
    }

    fn resolve(self, setup: Setup) -> Result<DataTask, CliError> {
        Ok(DataTask { verb: self.verb, settings: setup.settings })
    }

    fn run(DataTask { verb, settings }: DataTask) -> Result<(), CliError> {
        match verb {
            DataVerb::Info(arguments) => info::run(&arguments),
            DataVerb::Verify(arguments) => verify::run(&arguments),
            DataVerb::Export(arguments) => export::run(&arguments),
            DataVerb::Wdl(arguments) => wdl::run(&arguments),
            DataVerb::Loss(arguments) => loss::run(&arguments),
            DataVerb::Rescore(arguments) => rescore::run(&arguments, &settings),
        }
    }
}
