//! What answers questions about positions, besides the rules of chess.

use std::sync::Arc;

use crate::engine::facade::Knowledge;
use crate::engine::tablebase::Tablebases;

/// What is asked about positions besides the rules.
#[derive(Default)]
pub struct Sources {
    /// The endgame tables.
    pub tablebases: Arc<Tablebases>,
    /// The engine's table, if whoever asks may know what is in it.
    pub table: Option<Knowledge>,
}
