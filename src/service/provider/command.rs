//! `enfilade lichess`: answers lichess's analysis board.

use std::path::PathBuf;

use clap::Args;

use crate::base::console;
use crate::base::text::counted;
use crate::engine::command::arguments::CommandArguments;
use crate::engine::command::error::CliError;
use crate::engine::command::number::{cores, within};
use crate::engine::config::Setup;
use crate::engine::config::range::{HASH, THREADS};
use crate::engine::facade::Settings;
use crate::service::provider::{self, ApiToken, BROKER, ProviderPlan, SITE, ServerAddress};

/// The largest table without a preset, in MiB.
const MAX_HASH: usize = 512;

/// Analyze on lichess's analysis board: a provider of its external-engine protocol
#[derive(Debug, Args)]
#[command(after_help = "\
The file holds a token with the scopes engine:read and engine:write, and nothing else:
https://lichess.org/account/oauth/token/create?scopes[]=engine:read&scopes[]=engine:write")]
pub(crate) struct LichessArguments {
    /// Read the token of your lichess account from this file
    #[arg(long, value_name = "FILE")]
    pub token_file: PathBuf,
    /// The engine's name on the analysis board. A machine of yours that uses the same name replaces this one
    #[arg(long, value_name = "NAME", default_value = "Enfilade", value_parser = name)]
    pub name: String,
    /// The largest number of threads that the board can ask for. Without it, the preset's threads or the number of
    /// cores
    #[arg(long, value_name = "N", value_parser = within(THREADS))]
    pub max_threads: Option<usize>,
    /// The largest hash table that the board can ask for, in MiB. Without it, the preset's size or 512
    #[arg(long, value_name = "MIB", value_parser = within(HASH))]
    pub max_hash: Option<usize>,
    /// The server that registers engines
    #[arg(long, value_name = "URL", default_value = SITE)]
    pub url: ServerAddress,
    /// The server that hands out work
    #[arg(long, value_name = "URL", default_value = BROKER)]
    pub broker_url: ServerAddress,
}

fn name(text: &str) -> Result<String, provider::LongName> {
    provider::check_name(text).map(|()| text.to_owned())
}

impl CommandArguments for LichessArguments {
    type Task = ProviderPlan;

    fn adjust_defaults(&self, settings: &mut Settings) {
        settings.threads = cores();
        settings.hash = MAX_HASH;
    }

    fn resolve(self, setup: Setup) -> Result<ProviderPlan, CliError> {
        let mut settings = setup.settings;
        settings.threads = self.max_threads.unwrap_or(settings.threads);
        settings.hash = self.max_hash.unwrap_or(settings.hash).min(provider::MAX_HASH);
        // As `UCI_AnalyseMode`, which the protocol asks for.
        settings.strength.analysis = true;
        let wrong = |error| CliError::from(format!("--token-file: {error}"));
        let token = ApiToken::read(&self.token_file).map_err(wrong)?;
        if token.is_shared() {
            let path = self.token_file.display();
            console::warn(format_args!("other users of this machine may read the token: chmod 600 {path}"));
        }
        Ok(ProviderPlan { site: self.url, broker: self.broker_url, token, name: self.name, settings })
    }

    /// Provides analysis until the program is told to end.
    fn run(plan: ProviderPlan) -> Result<(), CliError> {
        plan.settings.tablebases.notes().iter().for_each(console::warn);
        let taken = provider::run(&plan, |text| console::warn(text))?;
        console::warn(format_args!("{} analyzed", counted(taken, "position")));
        Ok(())
    }
}
