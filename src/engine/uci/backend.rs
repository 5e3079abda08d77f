//! What carries out the searches of a [`Session`](super::Session): an engine of its own, or a share of a server.

use std::sync::Arc;

use crate::chess::board::Game;
use crate::engine::eval::network::Network;
use crate::engine::run::{Limits, Observer};

/// Searches for one session, one position at a time.
pub trait Backend: Sized {
    /// The position of the next search.
    fn game(&self) -> &Game;

    /// Sets the position of the next search.
    fn set_game(&mut self, game: Game);

    /// The next position belongs to another game. No search is running.
    fn new_game(&mut self);

    /// The network that evaluates positions.
    fn network(&self) -> &Network;

    /// The number of threads, if this session decides on it.
    fn own_threads(&self) -> Option<usize> {
        None
    }

    /// Begins a search and returns at once. The last search has been reported.
    fn go(&mut self, limits: Limits, observer: Arc<dyn Observer>);

    /// Tells the search to end. The result is reported shortly afterwards.
    fn stop(&self);

    /// The opponent played the expected move.
    fn ponder_hit(&mut self);

    /// Waits until the result of the last search has been reported.
    fn wait_for_report(&self);

    /// Waits until the last search has been reported and nothing works on it any more.
    fn wait(&self);
}
