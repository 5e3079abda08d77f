//! `enfilade presets`: lists the built-in presets, or prints one.

use clap::Args;

use crate::base::console;
use crate::engine::command::arguments::CommandArguments;
use crate::engine::command::error::CliError;
use crate::engine::config::{BUILT_IN, BuiltInPreset, ConfigError, Setup};

/// List the built-in presets for --config, or print one of them
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  enfilade --config tournament-64                speak UCI with the settings of a preset
  enfilade presets tournament-64 > mine.toml     a copy to change: enfilade --config mine.toml")]
pub(crate) struct PresetsArguments {
    /// The preset to print. Without it, all are listed
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
}

impl CommandArguments for PresetsArguments {
    type Task = Option<&'static BuiltInPreset>;

    fn takes_preset(&self) -> bool {
        false
    }

    fn resolve(self, _: Setup) -> Result<Self::Task, CliError> {
        let find = |name: String| BuiltInPreset::find(&name).ok_or(ConfigError::NoPreset(name));
        Ok(self.name.map(find).transpose()?)
    }

    fn run(preset: Self::Task) -> Result<(), CliError> {
        match preset {
            Some(preset) => console::say(preset.text.trim_end()),
            None => {
                for preset in BUILT_IN {
                    console::say(format_args!("{:<16}  {}", preset.name, preset.purpose()));
                }
            }
        }
        Ok(())
    }
}
