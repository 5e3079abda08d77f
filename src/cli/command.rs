//! What all commands have in common. Each command's file has its arguments as typed (`...Arguments`), and a task that
//! holds them combined with the settings.

use std::path::Path;

use crate::cli::error::CliError;
use crate::config::{Preset, Setup};
use crate::engine::Settings;

/// The arguments of a command as typed.
pub(super) trait CommandArguments: Sized {
    /// What the command needs: the arguments combined with the settings.
    type Task;

    /// Whether the file of `--config` is a preset.
    fn takes_preset(&self) -> bool {
        true
    }

    /// Changes the defaults of the settings. A preset overrides them.
    fn adjust_defaults(&self, _settings: &mut Settings) {}

    /// Combines the arguments with the settings, which the arguments override. Wrong arguments are refused here, before
    /// anything starts.
    fn resolve(self, setup: Setup) -> Result<Self::Task, CliError>;

    /// Carries out the command.
    fn run(task: Self::Task) -> Result<(), CliError>;

    /// Resolves the arguments. The preset `config` overrides the defaults, and the arguments override the preset.
    fn resolve_with(self, config: Option<&Path>) -> Result<Self::Task, CliError> {
        let preset = match config.filter(|_| self.takes_preset()) {
            Some(path) => Preset::load(path)?,
            None => Preset::default(),
        };
        let mut setup = Setup::default();
        self.adjust_defaults(&mut setup.settings);
        preset.apply(&mut setup);
        self.resolve(setup)
    }
}
