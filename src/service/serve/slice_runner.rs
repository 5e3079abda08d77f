//! What the scheduler needs of the machine: engines that work on slices. The tests have a runner without threads.

use std::sync::Arc;

use super::client_search::ClientSearch;
use super::running_slice::RunningSlice;
use crate::engine::facade::EngineError;
use crate::engine::run::Limits;

/// Has engines, and lets them work on slices.
pub(super) trait SliceRunner {
    /// An engine for one slice at a time.
    type Engine;

    /// An engine with so many threads, on the table for searches of the token with this name.
    ///
    /// # Errors
    /// If the system refuses memory or a thread.
    fn engine(&mut self, token: &str, threads: usize) -> Result<Self::Engine, EngineError>;

    /// Begins a slice. The engine reports it to the search, and its end to the scheduler.
    fn begin(
        &mut self,
        engine: &mut Self::Engine,
        search: &Arc<ClientSearch>,
        limits: Limits,
    ) -> Arc<dyn RunningSlice>;

    /// Takes back an engine whose slice has ended or did not begin.
    fn take_back(&mut self, engine: Self::Engine);

    /// Makes the results in all tables count as older.
    fn age_tables(&self);

    /// The share of the common table that was used of late, in permille.
    fn fullness(&self) -> usize;
}
