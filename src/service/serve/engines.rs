//! The engines of the server. They share its tables, and each has threads of its own. An engine that has nothing to do
//! is kept for the next slice with as many threads.

use std::collections::HashMap;
use std::sync::Arc;

use super::client_search::ClientSearch;
use super::running_slice::RunningSlice;
use super::slice_observer::SliceObserver;
use super::slice_runner::SliceRunner;
use crate::engine::facade::{Engine, EngineError};
use crate::engine::run::{Limits, Telemetry};

/// The engines of the server.
pub(super) struct Engines {
    /// Has the common table. It searches nothing.
    keeper: Engine,
    /// Have the tables that tokens have of their own, by the tokens' names.
    own_tables: HashMap<String, Engine>,
    idle: Vec<Engine>,
    /// Threads of the server.
    threads: usize,
}

impl Engines {
    /// Engines for a server of so many threads.
    pub fn new(keeper: Engine, own_tables: HashMap<String, Engine>, threads: usize) -> Engines {
        Engines { keeper, own_tables, idle: Vec::new(), threads }
    }

    /// The engine with the common table. The others end.
    pub fn into_keeper(self) -> Engine {
        self.keeper
    }
}

impl SliceRunner for Engines {
    type Engine = Engine;

    fn engine(&mut self, token: &str, threads: usize) -> Result<Engine, EngineError> {
        let keeper = self.own_tables.get(token).unwrap_or(&self.keeper);
        let fits = |engine: &Engine| engine.settings().threads == threads && engine.shares_table_with(keeper);
        if let Some(i) = self.idle.iter().position(fits) {
            return Ok(self.idle.swap_remove(i));
        }
        keeper.sharing(threads)
    }

    fn begin(
        &mut self,
        engine: &mut Engine,
        search: &Arc<ClientSearch>,
        limits: Limits,
    ) -> Arc<dyn RunningSlice> {
        let request = &search.request;
        engine.update(|current| {
            current.multi_pv = request.settings.multi_pv;
            current.move_overhead = request.settings.move_overhead;
            current.probing = request.settings.probing;
            current.telemetry = Telemetry::counting(request.has_telemetry);
        });
        engine.set_game(request.game.clone());
        engine.go_since(request.started, limits, Arc::new(SliceObserver(Arc::clone(search))));
        Arc::new(engine.running().expect("an engine has the search that it has begun"))
    }

    /// Ends engines while those that are idle have more threads than the server.
    fn take_back(&mut self, engine: Engine) {
        self.idle.push(engine);
        let threads = |engine: &Engine| engine.settings().threads;
        while self.idle.len() > 2 && self.idle.iter().map(threads).sum::<usize>() > self.threads {
            self.idle.remove(0);
        }
    }

    fn age_tables(&self) {
        self.own_tables.values().chain([&self.keeper]).for_each(Engine::age_table);
    }

    fn fullness(&self) -> usize {
        self.keeper.table().hashfull() as usize
    }
}
