//! `enfilade data`: what lies in shards of games, whether it is sound, and the positions as text.

mod export;
mod info;
mod verify;
mod wdl;

use std::path::{Path, PathBuf};

use super::CliError;
use crate::cli::args::DataVerb;
use crate::datagen::record::GameRecord;
use crate::datagen::shard;
use crate::file::FileError;

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

/// Reads shards, and remembers the first file that holds something else: what is made of the others is no success then.
#[derive(Default)]
struct Reading {
    foreign: Option<PathBuf>,
}

impl Reading {
    /// Reads the shard at `path` as [`shard::read`] does.
    fn shard(&mut self, path: &Path, mut visit: impl FnMut(GameRecord)) -> Result<Vec<String>, FileError> {
        let mut has_games = false;
        let damages = shard::read(path, |game| {
            has_games = true;
            visit(game);
        })?;
        if !has_games && !damages.is_empty() {
            self.foreign.get_or_insert_with(|| path.to_owned());
        }
        Ok(damages)
    }

    /// An error if there was a file without games.
    fn finish(self) -> Result<(), CliError> {
        self.foreign.map_or(Ok(()), |path| Err(CliError::Foreign(path)))
    }
}
