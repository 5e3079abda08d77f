//! What `suite` needs.

use std::path::PathBuf;

use crate::engine::command::json_arguments::JsonArguments;
use crate::engine::facade::Settings;
use crate::engine::run::Limits;

/// The arguments of `suite`, combined with the settings.
#[derive(Debug)]
pub(crate) struct SuiteTask {
    pub file: PathBuf,
    pub settings: Settings,
    pub limits: Limits,
    /// The number of positions searched at the same time.
    pub jobs: usize,
    pub json: JsonArguments,
}
