//! The errors of the training.

use std::path::PathBuf;

use thiserror::Error;

use super::checkpoint::CheckpointError;
use crate::base::file::FileError;
use crate::engine::eval::network::{LANES, NetworkFileError, Shape};
use crate::lab::datagen::shard::ShardListError;

/// Why no network was trained, or why networks could not be compared.
#[derive(Debug, Error)]
pub enum TrainError {
    /// Files of games cannot be listed.
    #[error(transparent)]
    Shards(#[from] ShardListError),
    /// No position passed the filters.
    #[error("no positions: {games} games were read, and none of their positions passes the filter")]
    Empty {
        /// The number of games that were read.
        games: u64,
    },
    /// Half of the hidden units cannot be multiplied by the other half.
    #[error("with products, the number of hidden units must be a multiple of {}, not {hidden}", 2 * LANES)]
    Hidden {
        /// The number of hidden units.
        hidden: usize,
    },
    /// The results of the games do not depend on the scores.
    #[error(
        "the results do not fit any scale of scores: the configuration needs a scale in its table \"target\""
    )]
    Scale,
    /// The checkpoint to resume from cannot be used.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The network to begin with cannot be used.
    #[error(transparent)]
    Network(#[from] NetworkFileError),
    /// The network to begin with has another shape.
    #[error("{}: the network has {found}, and the configuration {expected}", path.display())]
    Shape {
        /// The network's file.
        path: PathBuf,
        /// The network's shape.
        found: Shape,
        /// The shape in the configuration.
        expected: Shape,
    },
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The network's file has the name of another file of the training.
    #[error(
        "{}: this name belongs to a file that is put beside the network; choose one in .bin",
        path.display()
    )]
    Name {
        /// The network's file.
        path: PathBuf,
    },
    /// The loss diverged, because the steps were too long.
    #[error("the loss is no longer a number after epoch {epoch}: a lower rate is needed")]
    Diverged {
        /// The epoch.
        epoch: u32,
    },
    /// The threads could not be started.
    #[error("cannot start the threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}
