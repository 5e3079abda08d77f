//! What all connections share.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use super::access::{Access, Admission, Grant};
use super::client_search::SearchLinks;
use super::lobby::Lobby;
use super::metrics::Metrics;
use super::shared_knowledge::SharedKnowledge;
use crate::engine::config::Setup;
use crate::engine::facade::Settings;

/// How far the server is on the way to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ServerStage {
    /// It serves.
    Serving,
    /// The open searches get their answers, and nobody gets a session any more.
    Answering,
    /// The connections have to end.
    Closing,
}

/// What all connections share.
pub(super) struct Server {
    pub access: Access,
    pub links: SearchLinks,
    pub metrics: Arc<Metrics>,
    /// The number of the next session or search.
    pub next_number: AtomicU64,
    pub origins: Vec<String>,
    pub stage: watch::Receiver<ServerStage>,
    pub settings: Settings,
    pub knowledge: SharedKnowledge,
    /// Connections without a session.
    pub lobby: Arc<Lobby>,
    /// One permit for each session of all tokens.
    pub seats: Arc<Semaphore>,
    /// One permit for each connection. It is there to be counted: there are always enough.
    pub connections: Arc<Semaphore>,
    pub info_rate: u32,
}

/// A place for a session. It is free again when this is dropped.
pub(super) struct Seat {
    admission: Admission,
    _permit: OwnedSemaphorePermit,
}

impl Seat {
    /// What the session may use.
    pub fn grant(&self) -> Arc<Grant> {
        Arc::clone(&self.admission.0)
    }
}

/// Why a client gets no session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The token is wrong or missing.
    Token,
    /// All sessions of the server or of the token are taken.
    Full,
    /// The server ends.
    Ending,
}

impl Refusal {
    /// The reason for the client.
    pub fn reason(self) -> &'static str {
        match self {
            Refusal::Token => "a valid token is needed",
            Refusal::Full => "all sessions are taken, try again later",
            Refusal::Ending => "the server ends",
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
        *self.stage.borrow() != ServerStage::Serving
    }

    /// Waits until the connections have to end.
    pub async fn closing(&self) {
        // Without a sender the process is at its end.
        let _ = self.stage.clone().wait_for(|stage| *stage == ServerStage::Closing).await;
    }

    /// Takes a place for a session of the owner of `grant`.
    pub fn admit(&self, grant: Option<Arc<Grant>>) -> Result<Seat, Refusal> {
        let seat = match grant {
            _ if self.is_ending() => Err(Refusal::Ending),
            None => Err(Refusal::Token),
            Some(grant) => self.seat(&grant).ok_or(Refusal::Full),
        };
        if seat.is_err() {
            Metrics::add(&self.metrics.refused);
        }
        seat
    }

    fn seat(&self, grant: &Arc<Grant>) -> Option<Seat> {
        let permit = Arc::clone(&self.seats).try_acquire_owned().ok()?;
        Some(Seat { admission: grant.admit()?, _permit: permit })
    }
}
