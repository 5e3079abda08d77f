//! `enfilade data`: what lies in shards of games, whether it is sound, and the positions as text.

mod export;
mod info;
mod verify;
mod wdl;

use std::io;
use std::path::PathBuf;

use super::CliError;
use crate::cli::args::DataVerb;
use crate::datagen::shard;

/// Carries out one of the subcommands.
pub(super) fn run(verb: &DataVerb) -> Result<(), CliError> {
    match verb {
        DataVerb::Info(arguments) => until_the_reader_leaves(info::run(arguments)),
        DataVerb::Verify(arguments) => verify::run(arguments),
        DataVerb::Wdl(arguments) => until_the_reader_leaves(wdl::run(arguments)),
        DataVerb::Export(arguments) => until_the_reader_leaves(export::run(arguments)),
    }
}

/// A reader such as `head` that has seen enough is not an error.
fn until_the_reader_leaves(result: Result<(), CliError>) -> Result<(), CliError> {
    match result {
        Err(CliError::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
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
