//! What an engine keeps from one search to the next, and the jobs that it makes of this.

use std::sync::Arc;

use super::job::{assignment, rules};
use super::settings::Settings;
use crate::base::numa::{Binding, Replicated};
use crate::chess::board::Game;
use crate::engine::eval::network::Network;
use crate::engine::history::{SharedHistories, Sharing};
use crate::engine::run::Limits;
use crate::engine::run::job::{Job, Launch, SharedState};
use crate::engine::tt::{Table, TableError};

/// The settings, and what is made of them.
pub(super) struct EngineState {
    pub settings: Settings,
    /// How the threads that search and those that clear the table are bound.
    pub binding: Arc<Binding>,
    network: Arc<Replicated<Network>>,
    pub table: Arc<Table>,
    /// The histories that threads share.
    histories: Option<Arc<Replicated<SharedHistories>>>,
    /// What workers hold between searches.
    pub idle: Arc<Job>,
}

impl EngineState {
    /// Allocates the table.
    ///
    /// # Errors
    /// If the system has too little memory.
    pub fn new(settings: Settings, binding: Arc<Binding>) -> Result<EngineState, TableError> {
        let network = Arc::new(Replicated::new(Arc::clone(&settings.network), Arc::clone(&binding)));
        let table = Arc::new(Table::new(settings.hash, &binding)?);
        let idle = Arc::new(Job::idle(rules(&settings), Arc::clone(&network))?);
        let mut state = EngineState { settings, binding, network, table, histories: None, idle };
        state.renew_histories();
        Ok(state)
    }

    /// A state for other threads, with the same settings, network and table. It has histories of its own.
    pub fn sharing(&self, binding: Arc<Binding>) -> EngineState {
        let settings = Settings { threads: binding.threads(), ..self.settings.clone() };
        let (network, table) = (Arc::clone(&self.network), Arc::clone(&self.table));
        let idle = Arc::clone(&self.idle);
        let mut state = EngineState { settings, binding, network, table, histories: None, idle };
        state.renew_histories();
        state
    }

    /// A state for other threads, with the same settings and network, and a table of its own with `hash` MiB.
    ///
    /// # Errors
    /// If the system has too little memory.
    pub fn with_table(&self, hash: usize, binding: Arc<Binding>) -> Result<EngineState, TableError> {
        let table = Arc::new(Table::new(hash, &binding)?);
        let mut state = self.sharing(binding);
        state.settings.hash = hash;
        state.table = table;
        Ok(state)
    }

    /// Makes each NUMA node get its own copy of the settings' network.
    pub fn replicate_network(&mut self) {
        let network = Arc::clone(&self.settings.network);
        self.network = Arc::new(Replicated::new(network, Arc::clone(&self.binding)));
    }

    /// Replaces the histories that threads share by empty ones. The threads of each group of the binding share them.
    pub fn renew_histories(&mut self) {
        let Settings { histories: sharing, threads, .. } = self.settings;
        let is_shared = sharing != Sharing::None && threads > 1;
        self.histories = is_shared.then(|| {
            // Virtual threads are not in the binding. They form groups like real ones that are not bound.
            let is_bound = self.binding.threads() == threads;
            let binding =
                if is_bound { Arc::clone(&self.binding) } else { Arc::new(Binding::unbound(threads)) };
            Arc::new(Replicated::for_groups(Arc::new(SharedHistories::new(sharing)), binding))
        });
    }

    /// Takes over the number of threads and the binding of new threads.
    pub fn rebind(&mut self, binding: Arc<Binding>) {
        self.settings.threads = binding.threads();
        self.binding = binding;
        self.replicate_network();
        self.renew_histories();
    }

    /// Makes the job of a search. A deterministic search takes neither the seed nor shared histories.
    pub fn job(&self, game: Game, limits: Limits, seed: u64, launch: Launch) -> Job {
        let settings = &self.settings;
        let (seed, histories) =
            if settings.deterministic { (0, None) } else { (seed, self.histories.clone()) };
        let task = assignment(settings, game, limits, seed);
        let tablebases = if task.level.is_none() { Arc::clone(&settings.tablebases) } else { Arc::default() };
        let shared = SharedState {
            network: Arc::clone(&self.network),
            table: Arc::clone(&self.table),
            histories,
            tablebases,
        };
        Job::new(task, rules(settings), shared, launch)
    }
}
