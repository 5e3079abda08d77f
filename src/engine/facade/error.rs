//! Why an engine cannot be made or changed.

use crate::base::numa::NumaError;
use crate::engine::pool::PoolError;
use crate::engine::tt::TableError;

/// The system refused memory, threads or processors.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The memory for the table could not be allocated.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A thread could not be started.
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// The processors of a list are not available.
    #[error(transparent)]
    Numa(#[from] NumaError),
}
