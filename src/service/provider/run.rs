//! Runs the provider: registers, takes work, starts searches and uploads, and survives lost connections.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use reqwest::StatusCode;
use thiserror::Error;
use tokio::task::JoinSet;

use super::address::ServerAddress;
use super::analyst::{self, Analyst};
use super::back_off::BackOff;
use super::broker::{Acquired, Broker};
use super::line_queue::LineQueue;
use super::registration::{self, EngineDescription};
use super::remote::{Remote, RemoteError};
use super::secret::{ApiToken, ProviderSecret};
use super::work::AnalysisRequest;
use crate::base::ending;
use crate::engine::facade::{Engine, EngineError, Settings};

/// The least time for a poll without work. A broker that answers earlier is not asked again before.
const SHORTEST_POLL: Duration = Duration::from_millis(100);
/// The time for the last lines when the program ends.
const LAST_LINES: Duration = Duration::from_secs(3);
/// The table before the first work, in MiB.
const FIRST_TABLE: usize = 16;

/// The servers, the engine and its limits.
#[derive(Clone, Debug)]
pub struct ProviderPlan {
    /// The site with the registrations.
    pub site: ServerAddress,
    /// The broker with the work.
    pub broker: ServerAddress,
    /// The user's token for the site.
    pub token: ApiToken,
    /// The engine's name on the site. See [`super::check_name`].
    pub name: String,
    /// The engine's settings. A work asks for up to this number of threads and this size of the table.
    pub settings: Settings,
}

/// The provider has ended because of an error.
#[derive(Debug, Error)]
pub enum ProviderError {
    /// The site does not accept the token.
    #[error(
        "{site} refuses the token ({status}). It needs the scopes engine:read and engine:write: \
         make one at https://lichess.org/account/oauth/token/create?scopes[]=engine:read&scopes[]=engine:write"
    )]
    Token {
        /// The site.
        site: String,
        /// The status of HTTP.
        status: StatusCode,
    },
    /// The site does not accept the registration.
    #[error("{site} refuses the registration: {source}")]
    Registration {
        /// The site.
        site: String,
        /// The site's reason.
        source: RemoteError,
    },
    /// A server cannot be used at all.
    #[error(transparent)]
    Remote(#[from] RemoteError),
    /// The system refused memory or a thread for the engine.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The system refused something else.
    #[error("cannot start the provider: {0}")]
    System(#[from] io::Error),
    /// The system has no random numbers.
    #[error("the system has no random numbers: {0}")]
    Random(#[from] getrandom::Error),
    /// The engine has failed.
    #[error("the thread of the engine has failed")]
    Defect,
}

/// Provides analysis until the system tells the program to end. Returns the number of works taken. `say` receives
/// messages.
///
/// # Errors
///
/// [`ProviderError`] if the provider cannot start, or if the site refuses it. A server that cannot be reached is no
/// error: the provider tries again.
pub fn run(plan: &ProviderPlan, say: fn(&str)) -> Result<u64, ProviderError> {
    let mut provider = Provider::new(plan, say)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let result = runtime.block_on(async {
        let ended = tokio::select! {
            error = provider.provide() => Err(error),
            ordered = ending::order() => ordered.map_err(ProviderError::from),
        };
        provider.finish().await;
        ended
    });
    // A look-up of a name may still run.
    runtime.shutdown_background();
    result.map(|()| provider.taken)
}

struct Provider {
    site: Remote,
    broker: Arc<Broker>,
    engine: EngineDescription,
    analyst: Arc<Analyst>,
    uploads: JoinSet<()>,
    taken: u64,
    back_off: BackOff,
    complaints: Complaints,
}

impl Provider {
    fn new(plan: &ProviderPlan, say: fn(&str)) -> Result<Provider, ProviderError> {
        let Settings { threads, hash, .. } = plan.settings;
        let secret = ProviderSecret::new()?;
        let site = Remote::new(&plan.site, Some(&plan.token), &secret)?;
        let remote = Remote::new(&plan.broker, None, &secret)?;
        // Until there is work, the provider needs little memory.
        let settings = Settings { threads: 1, hash: hash.min(FIRST_TABLE), ..plan.settings.clone() };
        let analyst = Analyst::start(Engine::new(settings)?, say)?;
        Ok(Provider {
            site,
            broker: Arc::new(Broker { remote, secret }),
            engine: EngineDescription { name: plan.name.clone(), max_threads: threads, max_hash: hash },
            analyst: Arc::new(analyst),
            uploads: JoinSet::new(),
            taken: 0,
            back_off: BackOff::default(),
            complaints: Complaints { last: None, say },
        })
    }

    /// Registers and takes work until something fails for good.
    async fn provide(&mut self) -> ProviderError {
        loop {
            if let Err(error) = self.register().await {
                return error;
            }
            if let Err(error) = self.take_work().await {
                return error;
            }
        }
    }

    /// Registers the engine. Repeats this until the site has accepted or refused it.
    async fn register(&mut self) -> Result<(), ProviderError> {
        loop {
            let Err(source) = registration::register(&self.site, &self.engine, &self.broker.secret).await
            else {
                break;
            };
            let site = self.site.name();
            match source.status() {
                Some(status @ (StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN)) => {
                    return Err(ProviderError::Token { site, status });
                }
                Some(StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY) => {
                    return Err(ProviderError::Registration { site, source });
                }
                _ => self.pause_after(&site, &source).await,
            }
        }
        let EngineDescription { name, max_threads, max_hash } = &self.engine;
        self.complaints.end();
        (self.complaints.say)(&format!(
            "{name} is registered at {}: up to {max_threads} threads and {max_hash} MiB; waiting for work",
            self.site.name()
        ));
        Ok(())
    }

    /// Takes work until the broker no longer knows this provider.
    async fn take_work(&mut self) -> Result<(), ProviderError> {
        let name = self.broker.remote.name();
        loop {
            let asked = Instant::now();
            let acquired = self.broker.acquire().await;
            if self.analyst.has_failed() {
                return Err(ProviderError::Defect);
            }
            match acquired {
                Ok(work) => {
                    self.back_off.reset();
                    self.complaints.end();
                    match work {
                        Some(work) => self.begin(work),
                        None => tokio::time::sleep(SHORTEST_POLL.saturating_sub(asked.elapsed())).await,
                    }
                }
                Err(error) => {
                    self.pause_after(&name, &error).await;
                    let is_unknown = [StatusCode::UNAUTHORIZED, StatusCode::FORBIDDEN, StatusCode::NOT_FOUND];
                    if error.status().is_some_and(|status| is_unknown.contains(&status)) {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Begins the search and the upload of a work. The search ends the one before, and so its upload.
    fn begin(&mut self, Acquired { id, work }: Acquired) {
        self.taken += 1;
        // Uploads that have ended are forgotten.
        while self.uploads.try_join_next().is_some() {}
        let lines = Arc::new(LineQueue::default());
        match AnalysisRequest::read(work, &self.engine) {
            Ok(work) => self.analyst.search(work, Arc::clone(&lines)),
            Err(error) => {
                let reason = error.to_string();
                (self.complaints.say)(&format!("a work was refused: {reason}"));
                analyst::refuse(&reason, &lines);
            }
        }
        let (broker, analyst, say) =
            (Arc::clone(&self.broker), Arc::clone(&self.analyst), self.complaints.say);
        self.uploads.spawn(async move {
            let answer = broker.submit(&id, &lines).await;
            lines.abandon();
            analyst.stop_abandoned();
            // A lost connection is how a broker says that the user has gone, and with 404 the user has gone before.
            // Where the network has failed, the next poll says so.
            if let Err(error @ RemoteError::Status { status, .. }) = &answer
                && *status != StatusCode::NOT_FOUND
            {
                say(&format!("{}: the lines of a search were refused: {error}", broker.remote.name()));
            }
        });
    }

    /// Says what has failed, and waits before the next attempt.
    async fn pause_after(&mut self, server: &str, error: &RemoteError) {
        self.complaints.begin(format!("{server}: {error}"));
        let pause = self.back_off.pause().max(error.pause());
        tokio::time::sleep(pause).await;
    }

    /// Ends the search, and waits for its last lines.
    async fn finish(&mut self) {
        self.analyst.stop();
        let uploads = async { while self.uploads.join_next().await.is_some() {} };
        // A server that does not answer must not keep the program.
        let _ = tokio::time::timeout(LAST_LINES, uploads).await;
        self.uploads.shutdown().await;
    }
}

/// Says each failure once, however often it repeats, and when it is over.
struct Complaints {
    last: Option<String>,
    say: fn(&str),
}

impl Complaints {
    fn begin(&mut self, failure: String) {
        if self.last.as_ref() != Some(&failure) {
            (self.say)(&format!("{failure}; trying again"));
            self.last = Some(failure);
        }
    }

    fn end(&mut self) {
        if self.last.take().is_some() {
            (self.say)("the server answers again");
        }
    }
}
