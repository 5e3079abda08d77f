//! The search as a player of games to learn from.

use super::play::Player;
use crate::board::{Game, Move};
use crate::engine::{Settings, Solo};
use crate::search::Limits;
use crate::tt::TableError;
use crate::types::Score;

/// Size of each player's table in MiB: small enough to stay in the caches' neighborhood, and enough for the
/// 24,000 nodes of a game at 200 a move.
pub const TABLE_MEBIBYTES: usize = 2;

/// How far an iteration may overrun the soft node limit before it is cut off.
const HARD_FACTOR: u64 = 8;

/// The search as a player, with a soft node limit. What it plays depends on the games since the last new one, and on
/// nothing else.
pub struct SoloPlayer {
    solo: Solo,
    limits: Limits,
}

impl SoloPlayer {
    /// A player with a table of so many MiB that begins no deeper iteration after so many nodes.
    ///
    /// # Errors
    /// If the system has not got the memory.
    pub fn new(nodes: u64, hash: usize, settings: &Settings) -> Result<SoloPlayer, TableError> {
        let settings = Settings { hash, deterministic: false, ..settings.for_measuring() };
        let limits = Limits { soft_nodes: Some(nodes), nodes: Some(most_nodes(nodes)), ..Limits::default() };
        Ok(SoloPlayer { solo: Solo::new(settings)?, limits })
    }
}

/// The most nodes that a move takes with this soft limit.
pub fn most_nodes(nodes: u64) -> u64 {
    nodes.saturating_mul(HARD_FACTOR)
}

impl Player for SoloPlayer {
    fn new_game(&mut self) {
        self.solo.new_game();
    }

    fn choose(&mut self, game: &Game) -> (Move, Score) {
        self.solo.search(game.clone(), self.limits.clone()).expect("a game that is not over has a move")
    }
}
