//! The protocol of searches without threads: clients, the scheduler, and engines that only count, in a time that the
//! tests move. Each step of the world is one look of the scheduler.

mod any_order;
mod engines;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use self::engines::{ManualTime, SimulatedEngines, SlicesAtWork};
use super::access::Access;
use super::client_search::{ClientSearch, SearchEvent, SearchLinks};
use super::metrics::Metrics;
use super::running_slice::Timepiece;
use super::scheduler::Scheduler;
use super::search_request::SearchRequest;
use super::urgency::{OVERDUE_SLICE, PATIENCE};
use crate::chess::board::{Game, Move};
use crate::engine::facade::Settings;
use crate::engine::run::{Clock, Limits, Line, Observer, Outcome};

const THREADS: usize = 2;
const CLIENTS: usize = 5;
const STEP: Duration = Duration::from_millis(5);
/// The longest time from an order to its answer: some steps for each client.
const PROMPT: Duration = Duration::from_millis(100);
/// How long a search is young: others that may wait do not push it aside.
const YOUTH: Duration = Duration::from_millis(700);

/// What a client has heard of a search.
#[derive(Clone, Debug, PartialEq)]
enum Heard {
    Line { depth: i32, nodes: u64 },
    Message(String),
    Answer { depth: Option<i32>, nodes: u64, at: Instant },
}

/// The client's end of a search.
struct ClientObserver {
    time: ManualTime,
    heard: Mutex<Vec<Heard>>,
    is_gone: AtomicBool,
}

impl ClientObserver {
    fn answers(&self) -> Vec<Heard> {
        self.heard.lock().iter().filter(|heard| matches!(heard, Heard::Answer { .. })).cloned().collect()
    }

    fn has_answer(&self) -> bool {
        !self.answers().is_empty()
    }

    fn last_depth(&self) -> Option<i32> {
        let heard = self.heard.lock();
        heard.iter().rev().find_map(|heard| match heard {
            Heard::Line { depth, .. } => Some(*depth),
            _ => None,
        })
    }
}

impl Observer for ClientObserver {
    fn line(&self, line: &Line) {
        self.heard.lock().push(Heard::Line { depth: line.depth, nodes: line.nodes });
    }
    fn current_move(&self, _depth: i32, _mv: Move, _number: usize) {}
    fn message(&self, text: &str) {
        self.heard.lock().push(Heard::Message(text.to_owned()));
    }
    fn finished(&self, outcome: &Outcome) {
        let depth = outcome.lines.first().map(|line| line.depth);
        self.heard.lock().push(Heard::Answer { depth, nodes: outcome.nodes, at: self.time.now() });
    }
    fn is_lost(&self) -> bool {
        self.is_gone.load(Ordering::Relaxed)
    }
}

/// A search with what the world notes about it.
struct WatchedSearch {
    search: Arc<ClientSearch>,
    listener: Arc<ClientObserver>,
    waiting: Duration,
    longest_wait: Duration,
}

/// The clients, the scheduler and its engines.
struct World {
    time: ManualTime,
    at_work: SlicesAtWork,
    scheduler: Scheduler<SimulatedEngines>,
    links: SearchLinks,
    events: Receiver<SearchEvent>,
    searches: Vec<WatchedSearch>,
    /// The place of each client's last search.
    current: HashMap<usize, usize>,
}

impl World {
    fn new() -> World {
        let time = ManualTime::new();
        let at_work = SlicesAtWork::default();
        let (sender, events) = channel();
        let metrics = Arc::new(Metrics::default());
        let timepiece: Arc<dyn Timepiece> = Arc::new(time.clone());
        let links =
            SearchLinks { events: sender, metrics: Arc::clone(&metrics), timepiece: Arc::clone(&timepiece) };
        let runner = SimulatedEngines { time: time.clone(), at_work: at_work.clone() };
        let scheduler = Scheduler::new(runner, THREADS, HashMap::new(), metrics, timepiece);
        World { time, at_work, scheduler, links, events, searches: Vec::new(), current: HashMap::new() }
    }

    /// One step of time: the engines work, and the scheduler looks.
    fn step(&mut self) {
        self.time.pass(STEP);
        self.at_work.work();
        let events: Vec<SearchEvent> = self.events.try_iter().collect();
        self.scheduler.turn(events.into_iter());
        // An urgent slice has one thread beside the others.
        assert!(self.at_work.threads() <= THREADS + 1);
        for watched in &mut self.searches {
            let is_waiting = watched.search.is_open() && !self.at_work.has(watched.search.number);
            watched.waiting = if is_waiting { watched.waiting + STEP } else { Duration::ZERO };
            watched.longest_wait = watched.longest_wait.max(watched.waiting);
        }
    }

    fn pass(&mut self, time: Duration) {
        let end = self.time.now() + time;
        while self.time.now() < end {
            self.step();
        }
    }

    /// Lets the time pass until a search of a client is answered.
    fn until_answered(&mut self, place: usize, limit: Duration) {
        let end = self.time.now() + limit;
        while !self.searches[place].listener.has_answer() {
            assert!(self.time.now() < end, "no answer within {limit:?}");
            self.step();
        }
    }

    /// A client's `go`. As a session does, it ends the client's last search first.
    fn go(&mut self, client: usize, limits: Limits, token: TokenLimits) -> usize {
        self.end(client);
        let listener = ClientObserver {
            time: self.time.clone(),
            heard: Mutex::default(),
            is_gone: AtomicBool::new(false),
        };
        let listener = Arc::new(listener);
        let Access::Open(grant) = Access::open(THREADS, CLIENTS) else { panic!("no tokens are needed") };
        let mut grant = Arc::into_inner(grant).expect("nobody else has it");
        grant.is_batch = token.is_batch;
        grant.longest = token.longest;
        let request = SearchRequest {
            game: Game::startpos(),
            limits,
            settings: Settings { threads: THREADS, ..Settings::default() },
            started: self.time.now(),
            client: client.to_string(),
            grant: Arc::new(grant),
            pause: Duration::from_millis(100),
            has_telemetry: false,
            observer: Arc::clone(&listener) as _,
        };
        let number = self.searches.len() as u64;
        let search = Arc::new(ClientSearch::new(number, request, self.links.clone()));
        self.links.events.send(SearchEvent::New(Arc::clone(&search))).expect("a scheduler");
        let place = self.searches.len();
        self.searches.push(WatchedSearch {
            search,
            listener,
            waiting: Duration::ZERO,
            longest_wait: Duration::ZERO,
        });
        self.current.insert(client, place);
        place
    }

    fn of(&self, client: usize) -> Option<&WatchedSearch> {
        self.current.get(&client).map(|place| &self.searches[*place])
    }

    /// A client's `stop`, with its answer.
    fn end(&mut self, client: usize) {
        if let Some(&place) = self.current.get(&client) {
            self.searches[place].search.stop();
            self.until_answered(place, PROMPT);
        }
    }

    /// The client's connection is lost. Its session stops the search.
    fn vanish(&mut self, client: usize) {
        if let Some(watched) = self.of(client) {
            watched.listener.is_gone.store(true, Ordering::Relaxed);
        }
        self.end(client);
        self.current.remove(&client);
    }

    /// Ends the server, and checks what must hold for all searches.
    fn close(mut self) {
        self.links.events.send(SearchEvent::End).expect("a scheduler");
        self.pass(PROMPT);
        assert!(self.scheduler.is_idle());
        // The connections close, and their sessions ask for what is still held.
        self.searches.iter().for_each(|watched| watched.search.stop());
        let mut all = 0;
        for watched in &self.searches {
            let heard = watched.listener.heard.lock().clone();
            let number = watched.search.number;
            assert_eq!(watched.listener.answers().len(), 1, "{number}: {heard:?}");
            let Some(Heard::Answer { depth: answered, nodes: total, .. }) = heard.last().cloned() else {
                panic!("{number}: something follows the answer: {heard:?}")
            };
            let (mut depth, mut nodes) = (0, 0);
            for line in &heard {
                if let Heard::Line { depth: next, nodes: counted } = *line {
                    assert!(next >= depth && counted >= nodes, "{number}: {heard:?}");
                    (depth, nodes) = (next, counted);
                }
            }
            assert!(answered.is_none_or(|answered| answered >= depth), "{number}: {heard:?}");
            assert_eq!(total, self.at_work.nodes_of(number), "{number}: {heard:?}");
            all += total;
            let limit = self.longest_wait(watched.search.is_batch);
            assert!(watched.longest_wait <= limit, "{number} waited {:?}", watched.longest_wait);
        }
        assert_eq!(self.links.metrics.nodes.load(Ordering::Relaxed), all);
        assert_eq!(self.links.metrics.answered.load(Ordering::Relaxed), self.searches.len() as u64);
    }

    /// The longest time without threads: a search that has waited for ten seconds comes first, after those that have
    /// waited as long. A search that nobody waits for also leaves the youth of every other one alone.
    fn longest_wait(&self, is_batch: bool) -> Duration {
        let others = u32::try_from(self.searches.len()).expect("few searches");
        let queue = PATIENCE + OVERDUE_SLICE * CLIENTS as u32 + PROMPT;
        if is_batch { queue + (YOUTH + OVERDUE_SLICE) * others } else { queue }
    }
}

/// What a client's token allows.
#[derive(Clone, Copy, Debug, Default)]
struct TokenLimits {
    is_batch: bool,
    longest: Option<Duration>,
}

fn infinite() -> Limits {
    Limits { infinite: true, ..Limits::default() }
}

#[test]
fn a_search_with_a_time_answers_in_time_whoever_has_the_threads() {
    let mut world = World::new();
    for client in 1..CLIENTS {
        world.go(client, Limits::nodes(20_000_000), TokenLimits::default());
    }
    world.pass(Duration::from_millis(300));
    let time = Duration::from_millis(60);
    let asked = world.time.now();
    let place = world.go(0, Limits { move_time: Some(time), ..Limits::default() }, TokenLimits::default());
    world.until_answered(place, time + 4 * STEP);
    let answers = world.searches[place].listener.answers();
    assert!(
        matches!(answers[..], [Heard::Answer { at, nodes, .. }] if at - asked <= time + 4 * STEP && nodes > 0)
    );
    world.close();
}

#[test]
fn a_search_that_is_over_tells_its_last_line_and_waits_for_its_stop() {
    let mut world = World::new();
    let place = world.go(0, Limits { infinite: true, ..Limits::depth(3) }, TokenLimits::default());
    world.pass(Duration::from_millis(50));
    let listener = Arc::clone(&world.searches[place].listener);
    assert!(!listener.has_answer() && !world.searches[place].search.is_open());
    assert_eq!(listener.last_depth(), Some(3));
    assert_eq!(listener.heard.lock().last(), Some(&Heard::Message("search finished".to_owned())));
    // Its threads serve others.
    let other = world.go(1, Limits::depth(2), TokenLimits::default());
    world.until_answered(other, PROMPT);
    world.end(0);
    world.close();
}

#[test]
fn a_ponder_hit_before_the_first_slice_counts() {
    let mut world = World::new();
    let clock = Clock { remaining: Duration::from_secs(2), increment: Duration::ZERO, moves_to_go: None };
    let limits = Limits { clock: Some(clock), ponder: true, ..Limits::default() };
    let place = world.go(0, limits, TokenLimits::default());
    world.searches[place].search.ponder_hit();
    world.until_answered(place, Duration::from_secs(2));
    world.close();
}

#[test]
fn an_infinite_search_stays_infinite_after_a_ponder_hit() {
    let mut world = World::new();
    let place =
        world.go(0, Limits { infinite: true, ponder: true, ..Limits::depth(2) }, TokenLimits::default());
    world.pass(PROMPT);
    world.searches[place].search.ponder_hit();
    world.pass(PROMPT);
    assert!(!world.searches[place].listener.has_answer());
    world.end(0);
    world.close();
}

#[test]
fn the_time_of_a_token_ends_a_search_that_waits_too() {
    let mut world = World::new();
    let token = TokenLimits { is_batch: true, longest: Some(Duration::from_millis(250)) };
    let place = world.go(0, infinite(), token);
    // Two searches that somebody waits for take both threads, again and again.
    world.pass(Duration::from_millis(200));
    for client in 1..CLIENTS {
        world.go(client, Limits::nodes(20_000_000), TokenLimits::default());
    }
    world.pass(Duration::from_secs(25));
    let heard = world.searches[place].listener.heard.lock().clone();
    let is_told =
        |text: &str| heard.iter().any(|heard| matches!(heard, Heard::Message(told) if told == text));
    assert!(is_told("the longest time of this token for a search is over"), "{heard:?}");
    assert!(is_told("search finished"), "{heard:?}");
    world.end(0);
    world.close();
}

#[test]
fn a_search_whose_client_is_gone_ends_where_it_waits() {
    let mut world = World::new();
    for client in 0..4 {
        world.go(client, infinite(), TokenLimits::default());
    }
    world.pass(Duration::from_millis(150));
    for watched in &world.searches {
        watched.listener.is_gone.store(true, Ordering::Relaxed);
    }
    world.pass(PROMPT);
    assert!(world.scheduler.is_idle());
    world.close();
}
