//! What a client wants to have searched.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::access::Grant;
use crate::chess::board::Game;
use crate::engine::facade::Settings;
use crate::engine::run::{Limits, Observer};

/// Searches up to these limits are interactive: somebody waits for their end.
const INTERACTIVE_NODES: u64 = 20_000_000;
const INTERACTIVE_DEPTH: i32 = 20;
const INTERACTIVE_TIME: Duration = Duration::from_secs(10);

/// What a client wants to have searched.
pub(super) struct SearchRequest {
    pub game: Game,
    pub limits: Limits,
    /// The settings of the session.
    pub settings: Settings,
    pub started: Instant,
    /// Whose share the search counts against.
    pub client: String,
    pub grant: Arc<Grant>,
    /// The least time between two groups of `info` lines.
    pub pause: Duration,
    /// Whether the client wants to know what the threads do.
    pub has_telemetry: bool,
    pub observer: Arc<dyn Observer>,
}

impl SearchRequest {
    /// Whether somebody waits for the end of the search.
    pub fn is_interactive(&self) -> bool {
        let limits = &self.limits;
        !limits.infinite
            && (limits.clock.is_some()
                || limits.move_time.is_some_and(|time| time <= INTERACTIVE_TIME)
                || limits.nodes.is_some_and(|nodes| nodes <= INTERACTIVE_NODES)
                || limits.depth.is_some_and(|depth| depth <= INTERACTIVE_DEPTH))
    }
}
