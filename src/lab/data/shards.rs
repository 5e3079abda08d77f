//! The files of games that a command reads.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct ShardArguments {
    /// Directories of games, or single files, as `datagen` writes them
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
}
