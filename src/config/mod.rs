//! Configuration: what the engine starts with, and the preset files that change it.
//!
//! [`options`] is the table of all options: UCI and presets go by it. A [`Preset`] is a TOML file as typed, every key
//! optional; a [`Setup`] is the same resolved over the defaults. Unknown keys and values out of range are errors that
//! name the key and the line, so that a misspelled setting never goes unnoticed. The training's configuration is read
//! by the same [`mod@file`]. [`Assignments`] are settings typed on a command line.

mod assignments;
#[cfg(test)]
mod document;
pub mod entry;
pub mod file;
pub mod options;
mod overrides;
mod preset;
pub mod range;
mod stagger;

use std::path::PathBuf;

pub use assignments::{AssignmentError, Assignments};
pub use file::ConfigError;
pub use preset::Preset;

use crate::engine::Settings;

/// Everything that a session starts with: the engine's settings and the manners of its UCI
/// side.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Setup {
    /// What the engine itself is started with.
    pub settings: Settings,
    /// Castling moves as king takes rook.
    pub chess960: bool,
    /// Win, draw and loss chances after each score.
    pub show_wdl: bool,
    /// Whether the GUI is told that it may ponder.
    pub ponder: bool,
    /// The file that the network was read from, if it is not the embedded one.
    pub eval_file: Option<PathBuf>,
    /// A file that receives a copy of both directions of the dialogue.
    pub log_file: Option<PathBuf>,
    /// The file that the table is saved to and loaded from.
    pub hash_file: Option<PathBuf>,
}
