//! The scheduler: which searches run, with how many threads.
//!
//! One thread owns all engines. They share one table, and each has threads of its own. The searches are ordered: first
//! those that somebody waits for, among them those that have run least, and among those the clients that have used
//! least of late. [`divide`] gives them the threads. A search runs for a slice; slices grow with the time that a search
//! has run, so that a resumed search gets further than it was. A search that waits too long gets a short slice before
//! others.
//!
//! A search makes room when another one comes before it. It may also begin a new slice to use twice as many threads
//! that have become free.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::client_search::{ClientSearch, SearchEvent, SliceObserver};
use super::division::{Wish, divide};
use super::event::Event;
use super::metrics::Metrics;
use super::urgency::{OVERDUE_SLICE, Urgency, is_overdue, slice_length};
use crate::engine::facade::{Engine, EngineError};
use crate::engine::pool::prompt;
use crate::engine::run::Telemetry;

/// The time between two looks at the clock while there are searches.
const TICK: Duration = Duration::from_millis(10);
/// A search that could have twice as many threads begins a new slice for them after this time.
const GROWTH: Duration = Duration::from_secs(1);
/// After this time what a client has used counts half.
const HALF_LIFE: Duration = Duration::from_secs(30);
/// The table counts results as older after this time.
const AGE: Duration = Duration::from_secs(10);

/// Answers a search that came when no engine was left.
fn answer(event: SearchEvent) {
    if let Event::New(search) = event {
        search.answer_without_search();
    }
}

/// What is left of a scheduler: the engine with the table, and thread-seconds that clients have used of late.
pub(super) type Kept = (Engine, HashMap<String, f64>);

/// A slice that runs.
struct Slice {
    search: Arc<ClientSearch>,
    engine: Engine,
    threads: usize,
    started: Instant,
    /// When the search was told to make room.
    pre_empted: Option<Instant>,
    /// Whether it is the short slice of a search that only needs a move. It takes no share of the threads.
    is_urgent: bool,
    /// Whether the search had waited so long that it comes first for this slice.
    is_boosted: bool,
}

/// A search that waits for threads.
struct Waiting {
    search: Arc<ClientSearch>,
    since: Instant,
    is_urgent: bool,
    /// Whether its client knows that the system refuses threads.
    is_told: bool,
}

/// The engines and the searches.
pub(super) struct Scheduler {
    /// Has the common table. It searches nothing.
    keeper: Engine,
    /// Have the tables that tokens have of their own, by the tokens' names.
    own_tables: HashMap<String, Engine>,
    threads: usize,
    slices: Vec<Slice>,
    waiting: Vec<Waiting>,
    idle: Vec<Engine>,
    /// Thread-seconds that each client has used of late.
    used: HashMap<String, f64>,
    decayed: Instant,
    aged: Instant,
    measured: (Instant, u64),
    metrics: Arc<Metrics>,
}

/// A search that may run now, and the slice it has.
struct Contestant {
    rank: Urgency,
    wish: Wish,
    /// The index among the slices, or among those that wait.
    place: Result<usize, usize>,
}

impl Scheduler {
    /// Starts the scheduler's thread. Its join handle gives back the engine with the table, and what clients have used.
    pub fn start(
        keeper: Engine,
        own_tables: HashMap<String, Engine>,
        threads: usize,
        used: HashMap<String, f64>,
        metrics: Arc<Metrics>,
    ) -> std::io::Result<(Sender<SearchEvent>, JoinHandle<Kept>)> {
        let (sender, events) = channel();
        let now = Instant::now();
        let scheduler = Scheduler {
            keeper,
            own_tables,
            threads,
            slices: Vec::new(),
            waiting: Vec::new(),
            idle: Vec::new(),
            used,
            decayed: now,
            aged: now,
            measured: (now, 0),
            metrics,
        };
        let handle = std::thread::Builder::new().name("scheduler".to_owned()).spawn(move || {
            prompt::wake_promptly();
            scheduler.run(&events)
        })?;
        Ok((sender, handle))
    }

    fn run(mut self, events: &Receiver<SearchEvent>) -> Kept {
        let mut is_ending = false;
        loop {
            let is_idle = self.slices.is_empty() && self.waiting.is_empty();
            if is_ending && is_idle {
                events.try_iter().for_each(answer);
                return (self.keeper, self.used);
            }
            let first = events.recv_timeout(if is_idle { GROWTH } else { TICK });
            let is_closed = matches!(first, Err(RecvTimeoutError::Disconnected));
            for event in first.into_iter().chain(events.try_iter()) {
                match event {
                    Event::New(search) => self.admit(search),
                    Event::Ended(number) => self.end_slice(number),
                    Event::Urgent(number) => self.hurry(number),
                    Event::Changed => {}
                    Event::End => is_ending = true,
                }
            }
            if is_ending || is_closed {
                is_ending = true;
                self.stop_all();
            }
            self.tick();
            self.schedule();
            self.measure();
        }
    }

    fn admit(&mut self, search: Arc<ClientSearch>) {
        Metrics::add(&self.metrics.begun[usize::from(search.is_batch)]);
        self.waiting.push(Waiting { search, since: Instant::now(), is_urgent: false, is_told: false });
    }

    fn hurry(&mut self, number: u64) {
        for waiting in self.waiting.iter_mut().filter(|waiting| waiting.search.number == number) {
            waiting.is_urgent = true;
        }
    }

    fn stop_all(&self) {
        self.slices.iter().for_each(|slice| slice.search.stop());
        self.waiting.iter().for_each(|waiting| waiting.search.stop());
    }

    fn end_slice(&mut self, number: u64) {
        let Some(i) = self.slices.iter().position(|slice| slice.search.number == number) else { return };
        let Slice { search, engine, threads, started, pre_empted, is_urgent, .. } =
            self.slices.swap_remove(i);
        let ran = started.elapsed();
        if let Some(order) = pre_empted {
            self.metrics.pre_emption.note(order.elapsed());
        }
        let used = ran.as_secs_f64() * threads as f64;
        *self.used.entry(search.request.client.clone()).or_default() += used;
        if search.end_slice(ran) {
            self.waiting.push(Waiting { search, since: Instant::now(), is_urgent, is_told: false });
        }
        self.idle.push(engine);
        self.dismiss();
    }

    /// Ends engines while those that are idle have more threads than the server.
    fn dismiss(&mut self) {
        let threads = |engine: &Engine| engine.settings().threads;
        while self.idle.len() > 2 && self.idle.iter().map(threads).sum::<usize>() > self.threads {
            self.idle.remove(0);
        }
    }

    /// Looks at the clocks of all searches.
    fn tick(&mut self) {
        let now = Instant::now();
        for slice in &self.slices {
            slice.search.tick(now, Some(now.saturating_duration_since(slice.started)));
        }
        for waiting in &self.waiting {
            waiting.search.tick(now, None);
            if waiting.search.is_lost() {
                waiting.search.stop();
            }
        }
        self.waiting.retain(|waiting| waiting.search.is_open());
        let passed = now.saturating_duration_since(self.decayed);
        if passed >= Duration::from_secs(1) {
            self.decayed = now;
            let kept = 0.5f64.powf(passed.as_secs_f64() / HALF_LIFE.as_secs_f64());
            self.used.retain(|_, used| {
                *used *= kept;
                *used > 0.001
            });
        }
        if now.saturating_duration_since(self.aged) >= AGE && !self.slices.is_empty() {
            self.aged = now;
            self.own_tables.values().chain([&self.keeper]).for_each(Engine::age_table);
        }
    }

    /// Lets the searches run that come first, and makes others pause for them.
    fn schedule(&mut self) {
        self.begin_urgent();
        let candidates = self.candidates();
        let wishes: Vec<Wish> = candidates.iter().map(|candidate| candidate.wish).collect();
        let parts = divide(self.threads, &wishes);
        let mut free = self.threads.saturating_sub(self.busy());
        let mut begin = Vec::new();
        // Threads that running searches give back soon; nobody else need make room for them.
        let mut coming = 0;
        for (candidate, &part) in candidates.iter().zip(&parts) {
            let Ok(i) = candidate.place else { continue };
            let slice = &mut self.slices[i];
            if slice.pre_empted.is_some() {
                coming += slice.threads;
            } else if part == 0 || (part >= 2 * slice.threads && slice.may_grow(free)) {
                slice.pre_empt(&self.metrics);
                coming += slice.threads;
            }
        }
        for (candidate, &part) in candidates.iter().zip(&parts) {
            let Err(i) = candidate.place else { continue };
            if part == 0 {
                continue;
            }
            if free > 0 && 2 * free >= part {
                let threads = part.min(free);
                free -= threads;
                begin.push((self.waiting[i].search.number, threads));
            } else if coming + free >= part {
                coming -= part - free;
                free = 0;
            } else {
                let shrunk = self.shrink_largest(&candidates, &parts);
                if shrunk == 0 && free > 0 {
                    begin.push((self.waiting[i].search.number, free));
                    free = 0;
                }
                coming = (coming + shrunk).saturating_sub(part);
            }
        }
        for (number, threads) in begin {
            if let Some(i) = self.waiting.iter().position(|waiting| waiting.search.number == number) {
                self.begin(i, threads);
            }
        }
    }

    /// Makes the search pause that has most threads beyond its part. Returns the number of its threads.
    fn shrink_largest(&mut self, candidates: &[Contestant], parts: &[usize]) -> usize {
        let excess = |i: usize, part: usize| self.slices[i].threads.saturating_sub(part);
        let largest = candidates
            .iter()
            .zip(parts)
            .filter_map(|(candidate, &part)| candidate.place.ok().map(|i| (i, part)))
            .filter(|&(i, part)| self.slices[i].pre_empted.is_none() && excess(i, part) > 0)
            .max_by_key(|&(i, part)| excess(i, part));
        match largest {
            Some((i, _)) => {
                self.slices[i].pre_empt(&self.metrics);
                self.slices[i].threads
            }
            None => 0,
        }
    }

    /// All searches that may have threads, the most urgent first.
    fn candidates(&self) -> Vec<Contestant> {
        let now = Instant::now();
        let mut used = self.used.clone();
        for slice in &self.slices {
            *used.entry(slice.search.request.client.clone()).or_default() += slice.thread_seconds();
        }
        let candidate = |search: &ClientSearch, ran: Duration, is_boosted: bool, is_waiting, place| {
            let used = used.get(&search.request.client).copied().unwrap_or_default();
            let rank = Urgency::of(search, ran, is_boosted, is_waiting, used);
            let most =
                search.request.settings.threads.min(search.request.grant.threads).clamp(1, self.threads);
            Contestant { wish: Wish { is_first: !rank.is_batch, most }, rank, place }
        };
        let running =
            self.slices.iter().enumerate().filter(|(_, slice)| !slice.is_urgent).map(|(i, slice)| {
                let running_for = now.saturating_duration_since(slice.started);
                let ran = slice.search.ran();
                // Within its slice a search keeps the level with which the slice began.
                let length = if slice.is_boosted { OVERDUE_SLICE } else { slice_length(ran) };
                let is_over = running_for >= length;
                let ran = if is_over { ran + running_for } else { ran };
                candidate(&slice.search, ran, slice.is_boosted && !is_over, is_over, Ok(i))
            });
        let waiting = self.waiting.iter().enumerate().filter(|(_, waiting)| !waiting.is_urgent);
        let waiting = waiting.map(|(i, Waiting { search, since, .. })| {
            candidate(search, search.ran(), is_overdue(*since), true, Err(i))
        });
        let mut all: Vec<Contestant> = running.chain(waiting).collect();
        all.sort_by(|a, b| a.rank.partial_cmp(&b.rank).unwrap_or(std::cmp::Ordering::Equal));
        all
    }

    /// Threads that search, but for urgent slices.
    fn busy(&self) -> usize {
        self.slices.iter().filter(|slice| !slice.is_urgent).map(|slice| slice.threads).sum()
    }

    /// Begins the short slice of a search that only needs a move, if no other such slice runs.
    fn begin_urgent(&mut self) {
        if self.slices.iter().any(|slice| slice.is_urgent) {
            return;
        }
        if let Some(i) = self.waiting.iter().position(|waiting| waiting.is_urgent) {
            self.begin(i, 1);
        }
    }

    /// Begins a slice of the waiting search with index `i`. If the system refuses the threads, the search waits on.
    fn begin(&mut self, i: usize, threads: usize) {
        let token = self.waiting[i].search.request.grant.name.clone();
        let mut engine = match self.engine(&token, threads) {
            Ok(engine) => engine,
            Err(error) => {
                let waiting = &mut self.waiting[i];
                if !std::mem::replace(&mut waiting.is_told, true) {
                    waiting.search.request.observer.message(&format!("the search waits: {error}"));
                }
                return;
            }
        };
        let waiting = self.waiting.swap_remove(i);
        if !waiting.search.begin_slice(waiting.is_urgent) {
            // A `stop` came just now, and asks for an urgent slice. What is answered already leaves at the next tick.
            self.idle.push(engine);
            self.waiting.push(waiting);
            return;
        }
        let Waiting { search, is_urgent, since, .. } = waiting;
        let is_boosted = is_overdue(since);
        let settings = &search.request.settings;
        engine.update(|current| {
            current.multi_pv = settings.multi_pv;
            current.move_overhead = settings.move_overhead;
            current.probing = settings.probing;
            current.telemetry = Telemetry::counting(search.request.has_telemetry);
        });
        engine.set_game(search.request.game.clone());
        let started = Instant::now();
        let observer = Arc::new(SliceObserver(Arc::clone(&search)));
        engine.go_since(search.request.started, search.next_limits(is_urgent), observer);
        if let Some(running) = engine.running() {
            search.slice_has_begun(running, is_urgent);
        }
        self.slices.push(Slice { search, engine, threads, started, pre_empted: None, is_urgent, is_boosted });
    }

    /// An idle engine with so many threads, on the table for searches with this token.
    fn engine(&mut self, token: &str, threads: usize) -> Result<Engine, EngineError> {
        let keeper = self.own_tables.get(token).unwrap_or(&self.keeper);
        let fits = |engine: &Engine| engine.settings().threads == threads && engine.shares_table_with(keeper);
        if let Some(i) = self.idle.iter().position(fits) {
            return Ok(self.idle.swap_remove(i));
        }
        keeper.sharing(threads)
    }

    /// Brings the gauges up to date.
    fn measure(&mut self) {
        let metrics = &self.metrics;
        metrics.running.store(self.slices.len(), Ordering::Relaxed);
        metrics.waiting.store(self.waiting.len(), Ordering::Relaxed);
        metrics.busy_threads.store(self.busy(), Ordering::Relaxed);
        let (since, before) = self.measured;
        let passed = since.elapsed();
        if passed >= Duration::from_secs(1) {
            let running: u64 =
                self.slices.iter().map(|slice| slice.engine.running().map_or(0, |run| run.nodes())).sum();
            let nodes = metrics.nodes.load(Ordering::Relaxed) + running;
            let speed = nodes.saturating_sub(before) as f64 / passed.as_secs_f64();
            metrics.speed.store(speed as u64, Ordering::Relaxed);
            metrics.table_permille.store(self.keeper.table().hashfull() as usize, Ordering::Relaxed);
            self.measured = (Instant::now(), nodes);
        }
    }
}

impl Slice {
    /// What the slice has used so far.
    fn thread_seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64() * self.threads as f64
    }

    fn pre_empt(&mut self, metrics: &Metrics) {
        self.pre_empted = Some(Instant::now());
        Metrics::add(&metrics.pre_emptions);
        self.search.pre_empt();
    }

    /// Whether a new slice with twice the threads is worth it, with `free` threads besides its own.
    fn may_grow(&self, free: usize) -> bool {
        free >= self.threads && self.started.elapsed() >= GROWTH
    }
}
