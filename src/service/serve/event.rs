//! The events that the scheduler waits for.

use std::sync::Arc;

/// What the scheduler is told. `S` is a search.
pub(super) enum Event<S> {
    /// A search has arrived.
    New(Arc<S>),
    /// The slice of the search with this number has ended.
    Ended(u64),
    /// The search with this number needs a move at once.
    Urgent(u64),
    /// A search was answered while it waited.
    Changed,
    /// The server ends.
    End,
}
