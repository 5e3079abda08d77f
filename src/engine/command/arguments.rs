//! What all commands have in common. Each command's file has its arguments as typed (`...Arguments`), and a task that
//! holds them combined with the settings.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::engine::command::error::CliError;
use crate::engine::config::{Preset, Setup};
use crate::engine::facade::Settings;

// The option of all commands. A doc comment here would become the help of the whole program.
#[derive(Debug, Args)]
pub(crate) struct PresetArguments {
    /// Read settings from a preset: a file, or a built-in one by its name (enfilade presets lists them)
    #[arg(long, global = true, value_name = "PRESET")]
    pub config: Option<PathBuf>,
}

/// The arguments of a command as typed.
pub(crate) trait CommandArguments: Sized {
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

/// Resolves the arguments of a command in the words of `line`: the program, the command, and its arguments. A preset
/// may stand before the command.
#[cfg(test)]
pub(crate) fn resolved<C: CommandArguments + Args>(line: &str) -> Result<C::Task, CliError> {
    let mut words: Vec<&str> = line.split_whitespace().collect();
    let place = if words[1] == "--config" { 3 } else { 1 };
    words[place] = "command";
    let command = PresetArguments::augment_args(clap::Command::new("enfilade"))
        .subcommand(C::augment_args(clap::Command::new("command")));
    let matches = command.try_get_matches_from(words).unwrap();
    let (_, typed) = matches.subcommand().unwrap();
    let config: Option<&PathBuf> = matches.get_one("config");
    C::from_arg_matches(typed).unwrap().resolve_with(config.map(PathBuf::as_path))
}
