//! `enfilade serve`: one machine, one table, many clients.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use crate::base::console;
use crate::engine::command::arguments::CommandArguments;
use crate::engine::command::error::CliError;
use crate::engine::command::number::{self, cores, within};
use crate::engine::config::Setup;
use crate::engine::config::range::{HASH, THREADS};
use crate::engine::facade::Settings;
use crate::engine::tablebase::Tablebases;
use crate::service::serve::{self, ServePlan, TlsFiles};

/// Serve many clients with one table: UCI over WebSocket and TCP, and an analysis board for browsers
#[derive(Debug, Args)]
pub(crate) struct ServeArguments {
    /// Address and port. One port serves the page, WebSocket (/uci) and lines of UCI. Addresses that other machines can
    /// reach need --token-file
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:7643")]
    pub listen: SocketAddr,
    /// Threads of all searches together. Without it, the preset's threads or the number of cores
    #[arg(long, value_name = "N", value_parser = within(THREADS))]
    pub threads: Option<usize>,
    /// Size of the table that all clients share, in MiB. Without it, the preset's size
    #[arg(long, value_name = "MIB", value_parser = within(HASH))]
    pub hash: Option<usize>,
    /// File of tokens (TOML); clients without one of them are refused
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// Certificates for TLS (PEM), the server's own first
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,
    /// Private key for TLS (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,
    /// Folder in which the table and the state survive a restart
    #[arg(long, value_name = "FOLDER")]
    pub state: Option<PathBuf>,
    /// Further origin (scheme, host and port) whose pages may use the server
    #[arg(long, value_name = "ORIGIN", value_parser = origin)]
    pub origin: Vec<String>,
    /// The most sessions at the same time
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = number::from(1usize))]
    pub sessions: usize,
    /// The most groups of info lines that a search sends in a second
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = number::from(1u32))]
    pub info_rate: u32,
    /// Directories with Syzygy tablebases
    #[arg(long, value_name = "PATHS")]
    pub syzygy_path: Option<String>,
}

/// An origin as browsers send it: a scheme, a host and perhaps a port, without a path.
fn origin(text: &str) -> Result<String, String> {
    let url = url::Url::parse(text).ok().filter(|url| ["http", "https"].contains(&url.scheme()));
    match url.map(|url| url.origin().ascii_serialization()) {
        Some(origin) if origin == text => Ok(origin),
        Some(origin) => Err(format!("a browser would say {origin}")),
        None => {
            Err("an origin is http:// or https:// with a host, such as https://chess.example.org".to_owned())
        }
    }
}

impl CommandArguments for ServeArguments {
    type Task = ServePlan;

    fn adjust_defaults(&self, settings: &mut Settings) {
        settings.threads = cores();
    }

    fn resolve(self, setup: Setup) -> Result<ServePlan, CliError> {
        let mut settings = setup.settings;
        settings.threads = self.threads.unwrap_or(settings.threads);
        settings.hash = self.hash.unwrap_or(settings.hash);
        if let Some(path) = &self.syzygy_path {
            settings.tablebases = Arc::new(Tablebases::load(path));
        }
        let tls = self.tls_cert.zip(self.tls_key);
        Ok(ServePlan {
            listen: self.listen,
            settings,
            token_file: self.token_file,
            tls: tls.map(|(certificates, key)| TlsFiles { certificates, key }),
            state: self.state,
            origins: self.origin,
            sessions: self.sessions,
            info_rate: self.info_rate,
        })
    }

    /// Serves until the program is told to end.
    fn run(plan: ServePlan) -> Result<(), CliError> {
        plan.settings.tablebases.notes().iter().for_each(console::warn);
        Ok(serve::run(plan)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_one_that_a_browser_sends() {
        assert_eq!(origin("https://chess.example.org").as_deref(), Ok("https://chess.example.org"));
        assert_eq!(origin("http://myserver:7643").as_deref(), Ok("http://myserver:7643"));
        for wrong in ["foo", "myserver:7643", "", "ftp://chess.example.org", "https://"] {
            assert!(origin(wrong).unwrap_err().contains("an origin is"), "{wrong}");
        }
        for (wrong, right) in [
            ("https://chess.example.org/", "https://chess.example.org"),
            ("HTTPS://Chess.example.org:443", "https://chess.example.org"),
            ("http://chess.example.org/board", "http://chess.example.org"),
        ] {
            assert_eq!(origin(wrong), Err(format!("a browser would say {right}")));
        }
    }
}
