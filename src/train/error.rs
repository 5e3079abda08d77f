//! Why there is no network.

use std::path::PathBuf;

use thiserror::Error;

use super::checkpoint::CheckpointError;
use crate::eval::network::{NetworkFileError, Shape};
use crate::file::FileError;

/// Why no network was trained.
#[derive(Debug, Error)]
pub enum TrainError {
    /// A directory without games.
    #[error("{}: no games in this directory (files that end in .viriformat)", directory.display())]
    NoShard {
        /// The directory.
        directory: PathBuf,
    },
    /// Nothing passed the filters.
    #[error("no positions: {games} games, of which none has a position to learn from that passes the filter")]
    Empty {
        /// Games read.
        games: u64,
    },
    /// The checkpoint to resume from.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The network to begin with.
    #[error(transparent)]
    Network(#[from] NetworkFileError),
    /// The network to begin with has another shape.
    #[error("{}: the network has {found}, and the configuration {expected}", path.display())]
    Shape {
        /// The network's file.
        path: PathBuf,
        /// Its size.
        found: Shape,
        /// The size asked for.
        expected: Shape,
    },
    /// A file of games or of the training.
    #[error(transparent)]
    File(#[from] FileError),
    /// The network would overwrite its own log.
    #[error(
        "{}: this name belongs to a file that is put beside the network; choose one in .bin",
        path.display()
    )]
    Name {
        /// The network's file.
        path: PathBuf,
    },
    /// The steps were too long.
    #[error("the loss is no longer a number after epoch {epoch}: a lower rate is needed")]
    Diverged {
        /// The epoch.
        epoch: u32,
    },
    /// The thread pool could not be made.
    #[error("cannot start the threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}
