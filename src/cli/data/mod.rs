//! `enfilade data`: counts, verifies and exports the games of shards, fits a model of wins and draws to them, and
//! compares networks on them.

mod export;
mod info;
mod loss;
mod reading;
mod verify;
mod wdl;

use crate::cli::args::DataVerb;
use crate::cli::error::CliError;

/// Carries out one of the subcommands.
pub(super) fn run(verb: &DataVerb) -> Result<(), CliError> {
    match verb {
        DataVerb::Info(arguments) => info::run(arguments),
        DataVerb::Verify(arguments) => verify::run(arguments),
        DataVerb::Wdl(arguments) => wdl::run(arguments),
        DataVerb::Loss(arguments) => loss::run(arguments),
        DataVerb::Export(arguments) => export::run(arguments),
    }
}
