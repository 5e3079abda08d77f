//! `enfilade data`: what lies in shards of games, whether it is sound, and the positions as text.

mod export;
mod info;
mod verify;
mod wdl;

use std::path::PathBuf;

use super::CliError;
use crate::cli::args::DataVerb;
use crate::datagen::shard;

/// Carries out one of the subcommands.
pub(super) fn run(verb: &DataVerb) -> Result<(), CliError> {
    match verb {
        DataVerb::Info(arguments) => info::run(arguments),
        DataVerb::Verify(arguments) => verify::run(arguments),
        DataVerb::Wdl(arguments) => wdl::run(arguments),
        DataVerb::Export(arguments) => export::run(arguments),
    }
}

/// The shards at `paths`, of which each directory must hold one at least.
fn shards(paths: &[PathBuf]) -> Result<Vec<PathBuf>, CliError> {
    let mut shards = Vec::new();
    for path in paths {
        let found = shard::list(path)?;
        if found.is_empty() {
            return Err(CliError::NoShard(path.clone()));
        }
        shards.extend(found);
    }
    Ok(shards)
}
