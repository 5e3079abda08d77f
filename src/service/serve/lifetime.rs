//! A server from its start to its end.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

use super::access::Access;
use super::client_search::SearchEvent;
use super::connection;
use super::engines::Engines;
use super::lobby::Lobby;
use super::metrics::Metrics;
use super::plan::{ServeError, ServePlan};
use super::scheduler::{self, Kept};
use super::server::{Server, ServerStage};
use super::shared_knowledge::SharedKnowledge;
use super::state::StateFolder;
use super::tls;
use crate::base::numa::Policy;
use crate::base::{console, ending};
use crate::engine::facade::{Engine, EngineError, Settings};
use crate::engine::pool::prompt;

/// Connections that have no session: pages, metrics, and those that have not said yet what they want.
const LOBBY: usize = 256;
/// More connections than there can be.
const CONNECTIONS: u32 = 1 << 24;
/// Threads that serve sockets. They have little to do, and the searches need the cores.
const SOCKET_THREADS: usize = 2;
/// How long the last lines of sessions may take when the server ends.
const FAREWELL: Duration = Duration::from_secs(5);

/// Runs a server until the process is told to end (SIGTERM, SIGINT, Ctrl-C). Notes for the operator go to standard
/// error.
///
/// # Errors
/// If it cannot start. What goes wrong with single connections is no error.
pub fn run(plan: ServePlan) -> Result<(), ServeError> {
    let lifetime = Lifetime::begin(&plan)?;
    lifetime.serve(&plan)?;
    lifetime.end()
}

/// A server from its start to its end.
struct Lifetime {
    server: Arc<Server>,
    /// Encrypts connections.
    acceptor: Option<TlsAcceptor>,
    /// Tells the connections how far the server is.
    stage: watch::Sender<ServerStage>,
    scheduler: JoinHandle<Kept>,
    runtime: Runtime,
    /// Where the table and the state survive.
    folder: Option<StateFolder>,
}

impl Lifetime {
    /// Takes the memory and the threads, loads what an earlier server has left, and starts the scheduler.
    fn begin(plan: &ServePlan) -> Result<Lifetime, ServeError> {
        if plan.token_file.is_none() && !plan.listen.ip().is_loopback() {
            return Err(ServeError::NeedsTokens(plan.listen));
        }
        let threads = plan.settings.threads;
        let access = match &plan.token_file {
            Some(path) => Access::load(path, threads, plan.sessions)?,
            None => Access::open(threads, plan.sessions),
        };
        let acceptor = plan.tls.as_ref().map(tls::acceptor).transpose()?;
        // Several engines on one machine must not all be bound to the same node.
        let settings = Settings { numa: Policy::None, keep_hash: true, ..plan.settings.clone() };
        let mut keeper = Engine::new(settings.clone())?;
        let metrics = Arc::new(Metrics::default());
        metrics.threads.store(threads, Ordering::Relaxed);
        metrics.table_mebibytes.store(settings.hash, Ordering::Relaxed);
        let folder = plan.state.as_deref().map(StateFolder::new).transpose()?;
        let state = folder.as_ref().map(|folder| folder.load(&mut keeper, &metrics, console::warn));
        // All threads were needed to place and to load the table. The engine that has it searches nothing.
        keeper.set_threads(1)?;
        let own_table = |(name, hash): (&str, usize)| Ok((name.to_owned(), keeper.with_table(hash)?));
        let own_tables = access.tables().map(own_table).collect::<Result<_, EngineError>>()?;
        let knowledge = SharedKnowledge::new(&keeper, &own_tables);
        let used = state.unwrap_or_default().used;
        let engines = Engines::new(keeper, own_tables, threads);
        let (links, scheduler) = scheduler::start(engines, threads, used, Arc::clone(&metrics))?;
        let (stage, stages) = watch::channel(ServerStage::Serving);
        let server = Arc::new(Server {
            access,
            links,
            metrics,
            next_number: AtomicU64::new(1),
            origins: plan.origins.clone(),
            stage: stages,
            settings,
            knowledge,
            lobby: Lobby::new(LOBBY),
            seats: Arc::new(Semaphore::new(plan.sessions.min(Semaphore::MAX_PERMITS))),
            connections: Arc::new(Semaphore::new(CONNECTIONS as usize)),
            info_rate: plan.info_rate,
        });
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(SOCKET_THREADS)
            .on_thread_start(prompt::wake_promptly)
            .enable_all()
            .build()?;
        Ok(Lifetime { server, acceptor, stage, scheduler, runtime, folder })
    }

    /// Accepts connections until the process is told to end.
    fn serve(&self, plan: &ServePlan) -> Result<(), ServeError> {
        self.runtime.block_on(async {
            let listener = TcpListener::bind(plan.listen).await;
            let listener = listener.map_err(|source| ServeError::Listen { address: plan.listen, source })?;
            let scheme = if self.acceptor.is_some() { "https" } else { "http" };
            let address = listener.local_addr()?;
            console::warn(format_args!("listening on {scheme}://{address} (UCI by lines or WebSocket /uci)"));
            tokio::select! {
                ordered = ending::order() => ordered?,
                () = accept(&self.server, &listener, self.acceptor.as_ref()) => {}
            }
            Ok(())
        })
    }

    /// Answers every search, closes the connections, and saves the table and the state.
    fn end(self) -> Result<(), ServeError> {
        let Lifetime { server, stage, scheduler, runtime, folder, .. } = self;
        // Every search is answered before its connection is closed.
        let _ = stage.send(ServerStage::Answering);
        let _ = server.links.events.send(SearchEvent::End);
        let (engines, used) = scheduler.join().map_err(|_| io::Error::other("the scheduler failed"))?;
        let _ = stage.send(ServerStage::Closing);
        server.lobby.close();
        let farewell =
            async { timeout(FAREWELL, server.connections.acquire_many(CONNECTIONS)).await.is_ok() };
        if !runtime.block_on(farewell) {
            console::warn("some clients did not take their last lines");
        }
        runtime.shutdown_background();
        if let Some(folder) = folder {
            match folder.save(&mut engines.into_keeper(), used, &server.metrics) {
                Ok(()) => console::warn("table and state saved"),
                Err(error) => console::warn(format_args!("not saved: {error}")),
            }
        }
        Ok(())
    }
}

/// Accepts connections for ever.
async fn accept(server: &Arc<Server>, listener: &TcpListener, acceptor: Option<&TlsAcceptor>) {
    loop {
        let Ok(permit) = Arc::clone(&server.connections).acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _)) => {
                let (server, acceptor) = (Arc::clone(server), acceptor.cloned());
                tokio::spawn(async move { connection::serve(&server, stream, acceptor, permit).await });
            }
            // Such as too many open files. It passes when connections end.
            Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
        }
    }
}
