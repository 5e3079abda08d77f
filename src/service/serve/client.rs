//! A session's share of the server: it hands searches to the scheduler, and keeps options to what concerns the session.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::access::Grant;
use super::client_search::{ClientSearch, SearchEvent};
use super::search_request::SearchRequest;
use super::server::Server;
use crate::chess::board::Game;
use crate::engine::config::Setup;
use crate::engine::config::entry::{OptionEntry, OptionScope};
use crate::engine::config::options::OPTIONS;
use crate::engine::config::range::{HASH, MULTI_PV, THREADS};
use crate::engine::eval::network::Network;
use crate::engine::run::{Limits, Observer};
use crate::engine::uci::command::Command;
use crate::engine::uci::{Backend, InputError, Session, SessionBackend, option};

/// An option that only a server has: what the threads do, once in a second.
const TELEMETRY: &str = "Telemetry";

/// What a session uses of the server.
pub(super) struct SessionClient {
    server: Arc<Server>,
    grant: Arc<Grant>,
    /// Whose share the searches count against: the token's, or without tokens the session's own.
    name: String,
    game: Game,
    setup: Setup,
    has_telemetry: bool,
    search: Option<Arc<ClientSearch>>,
}

impl SessionClient {
    pub fn new(server: Arc<Server>, grant: Arc<Grant>, number: u64) -> SessionClient {
        let name = if grant.name.is_empty() { format!("#{number}") } else { grant.name.clone() };
        let setup = server.setup_for(&grant);
        SessionClient {
            server,
            grant,
            name,
            game: Game::startpos(),
            setup,
            has_telemetry: false,
            search: None,
        }
    }

    /// The values of the options at the start.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The lines that declare the options.
    pub fn declarations(&self) -> Vec<String> {
        let (threads, hash) = (self.setup.settings.threads, self.setup.settings.hash);
        let line = |entry: &OptionEntry| {
            let name = entry.name?;
            let up_to =
                |most, default| format!("option name {name} type spin default {default} min 1 max {most}");
            match name {
                name if name == THREADS.name => Some(up_to(threads, threads)),
                name if name == HASH.name => Some(up_to(hash, hash)),
                name if name == MULTI_PV.name => Some(up_to(self.most_lines(), 1)),
                _ if entry.scope == OptionScope::Session => option::line(entry, &self.setup),
                _ => None,
            }
        };
        let telemetry = format!("option name {TELEMETRY} type check default false");
        OPTIONS.iter().filter_map(line).chain([telemetry]).collect()
    }

    fn most_lines(&self) -> usize {
        self.grant.lines.min(MULTI_PV.max as usize)
    }

    /// Why the number is no value of the option here.
    fn limit_of(&self, name: &str, number: usize) -> Option<String> {
        let most = match name {
            name if name == THREADS.name => self.setup.settings.threads,
            name if name == MULTI_PV.name => self.most_lines(),
            _ => return None,
        };
        (number > most)
            .then(|| format!("setoption: {name} is at most {most} on this server; the old value stays"))
    }
}

impl Backend for SessionClient {
    fn game(&self) -> &Game {
        &self.game
    }

    fn set_game(&mut self, game: Game) {
        self.game = game;
    }

    /// The table stays, because it serves the other sessions too.
    fn new_game(&mut self) {}

    fn network(&self) -> &Network {
        &self.setup.settings.network
    }

    fn go(&mut self, limits: Limits, observer: Arc<dyn Observer>) {
        let request = SearchRequest {
            game: self.game.clone(),
            limits,
            settings: self.setup.settings.clone(),
            started: Instant::now(),
            client: self.name.clone(),
            grant: Arc::clone(&self.grant),
            pause: self.server.pause(),
            has_telemetry: self.has_telemetry,
            observer,
        };
        let number = self.server.next_number.fetch_add(1, Ordering::Relaxed);
        let search = Arc::new(ClientSearch::new(number, request, self.server.links.clone()));
        self.search = Some(Arc::clone(&search));
        if self.server.links.events.send(SearchEvent::New(Arc::clone(&search))).is_err() {
            // The server ends, and no engine is left.
            search.answer_without_search();
        }
    }

    fn stop(&self) {
        if let Some(search) = &self.search {
            search.stop();
        }
    }

    fn ponder_hit(&mut self) {
        if let Some(search) = &self.search {
            search.ponder_hit();
        }
    }

    fn wait_for_report(&self) {
        self.wait();
    }

    fn wait(&self) {
        if let Some(search) = &self.search {
            search.wait();
        }
    }
}

impl SessionBackend for SessionClient {
    /// An option takes effect with the next search. Others' options answer with a message.
    fn set_option(
        session: &mut Session<SessionClient>,
        name: &str,
        value: Option<&str>,
    ) -> Result<(), InputError> {
        if name.eq_ignore_ascii_case(TELEMETRY) {
            session.backend().has_telemetry = value.is_some_and(|value| value.eq_ignore_ascii_case("true"));
            return Ok(());
        }
        let entry = option::find(name)?;
        let title = entry.name.unwrap_or_default();
        if title == HASH.name {
            let size = session.backend().setup.settings.hash;
            session.say(&format!("Hash: all sessions share the server's table of {size} MiB"));
            return Ok(());
        }
        if entry.scope == OptionScope::Server {
            session.refuse(&format!("setoption: {title} is closed on this server"));
            return Ok(());
        }
        let change = option::parse(entry, value)?;
        session.halt();
        let mut setup = session.setup().clone();
        change.apply(&mut setup);
        let number = if title == THREADS.name { setup.settings.threads } else { setup.settings.multi_pv };
        if let Some(reason) = session.backend().limit_of(title, number) {
            session.refuse(&reason);
            return Ok(());
        }
        let client = session.backend();
        client.setup.settings.clone_from(&setup.settings);
        *session.setup() = setup;
        Ok(())
    }

    fn work(session: &mut Session<SessionClient>, command: &Command) {
        let name = match command {
            Command::Perft(_) => "go perft",
            Command::Bench(_) => "bench",
            _ => "genfens",
        };
        session.refuse(&format!("{name} is closed on this server"));
    }
}

impl Drop for SessionClient {
    fn drop(&mut self) {
        self.stop();
    }
}
