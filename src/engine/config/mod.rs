//! The configuration that the engine starts with, and the preset files that change it.
//!
//! [`options`] is the table of all options. UCI and presets use it. A [`Preset`] is a TOML file as typed, or one that
//! the program holds ([`BUILT_IN`]); every key is optional. A [`Setup`] holds all values: those of a preset and the
//! defaults. Unknown keys and values out of range are errors that name the key and the line. So nobody overlooks a
//! misspelled setting. [`mod@file`] also reads the configuration of the training. [`Assignments`] are settings typed on
//! a command line.

mod assignments;
mod built_in;
#[cfg(test)]
mod document;
pub mod entry;
pub mod file;
pub mod options;
mod overrides;
mod preset;
pub mod range;
mod recommendation;
mod stagger;

use std::path::PathBuf;

pub use assignments::{AssignmentError, Assignments};
pub use built_in::{BUILT_IN, BuiltInPreset};
pub use file::ConfigError;
pub use preset::Preset;
pub use recommendation::Recommendation;

use crate::engine::facade::Settings;

/// Everything that a session starts with: the engine's settings and those of the UCI dialogue.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Setup {
    /// The settings of the engine itself.
    pub settings: Settings,
    /// Whether castling is written as the king taking its rook.
    pub chess960: bool,
    /// Whether the chances of win, draw and loss follow each score.
    pub show_wdl: bool,
    /// The value of the option `Ponder`. The GUI decides whether the engine ponders.
    pub ponder: bool,
    /// The file of the network; `None` for the embedded network.
    pub eval_file: Option<PathBuf>,
    /// The log file of the dialogue, for both directions.
    pub log_file: Option<PathBuf>,
    /// The file to which the table is saved and from which it is loaded.
    pub hash_file: Option<PathBuf>,
}
