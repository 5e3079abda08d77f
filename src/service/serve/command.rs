//! `enfilade serve`: one machine, one table, many clients.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use crate::base::console;
use crate::base::machine::{Machine, ROOT};
use crate::engine::command::arguments::CommandArguments;
use crate::engine::command::error::CliError;
use crate::engine::command::number::{self, cores, within};
use crate::engine::config::range::{HASH, THREADS};
use crate::engine::config::{Recommendation, Setup};
use crate::engine::facade::Settings;
use crate::engine::tablebase::Tablebases;
use crate::engine::uci;
use crate::service::serve::{self, ServePlan, TlsFiles};

/// Serve many clients with one table: UCI over WebSocket and TCP, and an analysis board for browsers
#[derive(Debug, Args)]
pub(crate) struct ServeArguments {
    /// Address or name of this machine, and port. One port serves the page, WebSocket (/uci) and lines of UCI.
    /// Addresses that other machines can reach need --token-file
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:7643", value_parser = listen)]
    pub listen: SocketAddr,
    /// Threads of all searches together. Without it, the preset's threads or the number of cores
    #[arg(long, value_name = "N", value_parser = within(THREADS))]
    pub threads: Option<usize>,
    /// Size of the table that all clients share, in MiB. Without it, the preset's size, or a quarter of the free memory
    /// (1024 for each core at most)
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

/// The address to listen on. A name may stand for several addresses: the first of IPv4 comes first.
fn listen(text: &str) -> Result<SocketAddr, String> {
    const EXAMPLES: &str = "such as 127.0.0.1:7643, localhost:7643 or 0.0.0.0:7643";
    let has_port =
        text.rsplit_once(':').is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok());
    if !has_port {
        return Err(format!("an address and a port are needed, {EXAMPLES}"));
    }
    let found =
        text.to_socket_addrs().map_err(|error| format!("{error}; an address is needed, {EXAMPLES}"))?;
    found.min_by_key(SocketAddr::is_ipv6).ok_or_else(|| format!("this name has no address; {EXAMPLES}"))
}

/// An origin as browsers write it.
fn origin(text: &str) -> Result<String, String> {
    let wrong =
        || "a scheme and a host are needed, and perhaps a port, such as https://chess.example.org".to_owned();
    let url = url::Url::parse(text).map_err(|_| wrong())?;
    let is_plain =
        url.path() == "/" && url.query().is_none() && url.fragment().is_none() && url.username().is_empty();
    let is_web = matches!(url.scheme(), "http" | "https") && url.host().is_some();
    if is_plain && is_web { Ok(url.origin().ascii_serialization()) } else { Err(wrong()) }
}

impl CommandArguments for ServeArguments {
    type Task = ServePlan;

    fn adjust_defaults(&self, settings: &mut Settings) {
        settings.threads = cores();
        // Half of what an engine alone would get, because the server runs beside other programs.
        settings.hash = (Recommendation::of(&Machine::read(Path::new(ROOT))).hash / 2).max(settings.hash);
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
        uci::cores::too_many_threads(plan.settings.threads).iter().for_each(console::warn);
        Ok(serve::run(plan)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::command::arguments::resolved;

    #[test]
    fn an_address_may_be_a_name() {
        assert_eq!(listen("localhost:7643"), Ok("127.0.0.1:7643".parse().unwrap()));
        assert_eq!(listen("[::1]:80"), Ok("[::1]:80".parse().unwrap()));
        for wrong in ["foo", "7643", ":7643", "localhost", "localhost:http", ""] {
            assert!(listen(wrong).unwrap_err().contains("localhost:7643"), "{wrong}");
        }
    }

    #[test]
    fn an_origin_is_written_as_browsers_write_it() {
        assert_eq!(origin("https://Chess.example.org/"), Ok("https://chess.example.org".to_owned()));
        assert_eq!(origin("http://myserver:7643"), Ok("http://myserver:7643".to_owned()));
        for wrong in ["foo", "myserver:7643", "https://", "https://a.org/board", "ftp://a.org", "*", "null"] {
            assert!(origin(wrong).is_err(), "{wrong}");
        }
    }

    /// The table had 64 MiB, whatever the machine.
    #[test]
    fn the_table_fits_the_machine_unless_a_size_is_given() {
        let hash = |line: &str| resolved::<ServeArguments>(line).unwrap().settings.hash;
        let recommended = Recommendation::of(&Machine::read(Path::new(ROOT))).hash;
        assert!((Settings::default().hash..=recommended.max(64)).contains(&hash("enfilade serve")));
        assert_eq!(hash("enfilade serve --hash 5"), 5);
    }
}
