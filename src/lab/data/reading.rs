//! Reads shards, and reports files among them that are not shards.

use std::path::{Path, PathBuf};

use crate::base::file::FileError;
use crate::engine::command::error::CliError;
use crate::engine::selfplay::record::GameRecord;
use crate::lab::datagen::shard;

/// Reads shards, and remembers the first file that is not a shard. The command then fails after it has used the others.
#[derive(Default)]
pub(super) struct Reading {
    foreign: Option<PathBuf>,
}

impl Reading {
    /// Reads the shard at `path` as [`shard::read`] does.
    pub(super) fn shard(
        &mut self,
        path: &Path,
        mut visit: impl FnMut(GameRecord),
    ) -> Result<Vec<String>, FileError> {
        let mut games: u64 = 0;
        let damages = shard::read(path, |game| {
            games += 1;
            visit(game);
        })?;
        if shard::is_foreign(games, &damages) {
            self.foreign.get_or_insert_with(|| path.to_owned());
        }
        Ok(damages)
    }

    /// Fails if one of the files was not a shard.
    pub(super) fn finish(self) -> Result<(), CliError> {
        check_foreign(self.foreign)
    }
}

/// Fails if there is a file that is not a shard.
pub(super) fn check_foreign(foreign: Option<PathBuf>) -> Result<(), CliError> {
    let Some(path) = foreign else { return Ok(()) };
    Err(CliError::Check(format!("{}: this is not a file of games in the format of datagen", path.display())))
}
