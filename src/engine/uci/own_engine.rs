//! A session with an engine of its own, which may use all options and commands.

use std::sync::Arc;

use super::backend::Backend;
use super::bench::{self, BenchPlan};
use super::command::Command;
use super::error::InputError;
use super::option;
use super::output::Output;
use super::perft;
use super::session::{Session, SessionBackend};
use crate::chess::board::{Board, Game};
use crate::engine::config::Setup;
use crate::engine::eval::network::Network;
use crate::engine::facade::{Engine, EngineError};
use crate::engine::run::{Limits, Observer};
use crate::engine::selfplay::genfens;

impl Backend for Engine {
    fn game(&self) -> &Game {
        self.game()
    }

    fn set_game(&mut self, game: Game) {
        self.set_game(game);
    }

    fn new_game(&mut self) {
        self.new_game();
    }

    fn network(&self) -> &Network {
        &self.settings().network
    }

    fn own_threads(&self) -> Option<usize> {
        Some(self.settings().threads)
    }

    fn go(&mut self, limits: Limits, observer: Arc<dyn Observer>) {
        self.go(limits, observer);
    }

    fn stop(&self) {
        self.stop();
    }

    fn ponder_hit(&mut self) {
        self.ponder_hit();
    }

    fn wait_for_report(&self) {
        self.wait_for_report();
    }

    fn wait(&self) {
        self.wait();
    }
}

impl SessionBackend for Engine {
    fn set_option(session: &mut Session, name: &str, value: Option<&str>) -> Result<(), InputError> {
        session.set_option(name, value)
    }

    fn work(session: &mut Session, command: &Command) {
        match command {
            Command::Perft(depth) => session.perft(*depth),
            Command::Bench(plan) => session.bench(plan),
            Command::GenFens(request) => session.genfens(request),
            _ => {}
        }
    }
}

impl Session {
    /// Starts an engine and a dialogue that answers on `output`.
    ///
    /// # Errors
    ///
    /// If the system refuses the memory, threads or processors that `setup` asks for.
    pub fn new(setup: Setup, output: Arc<Output>) -> Result<Session, EngineError> {
        let engine = Engine::new(setup.settings.clone())?;
        if let Some(path) = &setup.log_file
            && let Err(error) = output.log_to(Some(path))
        {
            output.info_string(&format!("cannot log to {}: {}", path.display(), error.reason()));
        }
        for note in setup.settings.tablebases.notes() {
            output.info_string(&note);
        }
        if !engine.binding().nodes().is_empty() {
            output.info_string(&engine.binding().to_string());
        }
        let options = option::declarations(&setup);
        Ok(Session::with_backend(engine, setup, options, output))
    }

    fn perft(&mut self, depth: u32) {
        self.halt();
        if !self.require_position("go perft") {
            return;
        }
        let board = self.engine.game().board();
        let mut nodes = 1;
        if depth > 0 {
            let counts = match perft::count(board, depth, self.engine.settings().threads) {
                Ok(counts) => counts,
                Err(error) => return self.refuse(&format!("go perft: {error}")),
            };
            for (mv, count) in &counts {
                self.output.print(&format!("{}: {count}", mv.to_uci(self.setup.chess960)));
            }
            nodes = counts.iter().map(|(_, count)| count).sum();
        }
        self.output.print(&format!("\nNodes searched: {nodes}\n"));
    }

    fn bench(&mut self, plan: &BenchPlan) {
        self.halt();
        let current = self.has_position().then(|| self.engine.game());
        let result = bench::run(self.engine.settings(), plan, current, |line| self.output.print(line));
        match result {
            Ok(total) => self.output.print(&total.to_string()),
            Err(error) => self.refuse(&error.to_string()),
        }
    }

    fn genfens(&mut self, request: &genfens::Request) {
        self.halt();
        let print = |board: &Board| {
            let fen = board.fen(board.has_chess960_castling());
            self.output.print(&format!("info string genfens {fen}"));
        };
        if let Err(error) = genfens::run(request, self.engine.settings(), print) {
            self.refuse(&format!("genfens: {error}"));
        }
    }
}
