//! What a server is started with, and why it cannot start.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use thiserror::Error;

use crate::engine::config::ConfigError;
use crate::engine::facade::{EngineError, Settings};

/// The plan of a server.
#[derive(Clone, Debug)]
pub struct ServePlan {
    /// The address to listen on. UCI by lines, WebSocket and HTTP share it.
    pub listen: SocketAddr,
    /// The engine's settings; the threads and the table are those of all clients together.
    pub settings: Settings,
    /// The file of tokens; `None` lets in everybody.
    pub token_file: Option<PathBuf>,
    /// The files for TLS; `None` for connections that are not encrypted.
    pub tls: Option<TlsFiles>,
    /// The folder in which the table and the state survive a restart.
    pub state: Option<PathBuf>,
    /// Further origins, such as `https://chess.example.org`, whose pages may use the server.
    pub origins: Vec<String>,
    /// The most sessions at the same time.
    pub sessions: usize,
    /// The most groups of `info` lines that a search sends in a second.
    pub info_rate: u32,
}

/// A certificate and its key.
#[derive(Clone, Debug)]
pub struct TlsFiles {
    /// The chain of certificates in PEM, the server's own first.
    pub certificates: PathBuf,
    /// The private key in PEM.
    pub key: PathBuf,
}

/// Why a server cannot start or run.
#[derive(Debug, Error)]
pub enum ServeError {
    /// Everybody in the network could use the machine.
    #[error("{0} is reachable from other machines: give --token-file FILE, or listen on a loopback address")]
    NeedsTokens(SocketAddr),
    /// The file of tokens is wrong or cannot be read.
    #[error(transparent)]
    Tokens(#[from] ConfigError),
    /// The engine could not get its memory or its threads.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The address cannot be used.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The system's reason.
        source: io::Error,
    },
    /// A file for TLS cannot be used.
    #[error("cannot use {}: {reason}", path.display())]
    Tls {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The system refused something else.
    #[error("the server cannot run: {0}")]
    System(#[from] io::Error),
}
