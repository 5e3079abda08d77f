//! What all connections share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::{Semaphore, watch};

use super::access::{Access, Admission, Grant};
use super::client_search::SearchLinks;
use super::metrics::Metrics;
use crate::engine::config::Setup;
use crate::engine::facade::Settings;

/// What all connections share.
pub(super) struct Server {
    pub access: Access,
    pub links: SearchLinks,
    pub metrics: Arc<Metrics>,
    /// The number of the next session or search.
    pub next_number: AtomicU64,
    pub origins: Vec<String>,
    /// Becomes true when the connections have to end.
    pub closing: watch::Receiver<bool>,
    pub is_ending: AtomicBool,
    pub settings: Settings,
    /// One place for each connection.
    pub places: Arc<Semaphore>,
    pub info_rate: u32,
}

/// Why a client gets no session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The token is wrong or missing.
    Token,
    /// All sessions of the server or of the token are taken.
    Full,
}

impl Refusal {
    /// The reason for the client.
    pub fn reason(self) -> &'static str {
        match self {
            Refusal::Token => "a valid token is needed",
            Refusal::Full => "all sessions are taken, try again later",
        }
    }
}

impl Server {
    /// The options with which a session begins.
    pub fn setup_for(&self, grant: &Grant) -> Setup {
        let threads = self.settings.threads.min(grant.threads);
        Setup { settings: Settings { threads, ..self.settings.clone() }, ..Setup::default() }
    }

    /// The least time between two groups of `info` lines.
    pub fn pause(&self) -> Duration {
        Duration::from_secs(1) / self.info_rate.max(1)
    }

    /// Whether the server is about to end.
    pub fn is_ending(&self) -> bool {
        self.is_ending.load(Ordering::Relaxed)
    }

    /// Takes a place for a session of the owner of `grant`.
    pub fn admit(&self, grant: Option<Arc<Grant>>) -> Result<Admission, Refusal> {
        let admission = match grant {
            None => Err(Refusal::Token),
            Some(_) if self.is_ending() => Err(Refusal::Full),
            Some(grant) => grant.admit().ok_or(Refusal::Full),
        };
        if admission.is_err() {
            Metrics::add(&self.metrics.refused);
        }
        admission
    }
}
