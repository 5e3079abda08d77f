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
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::client_search::{ClientSearch, SearchEvent, SearchLinks};
use super::division::{Wish, divide};
use super::engines::Engines;
use super::metrics::Metrics;
use super::running_slice::{SystemTime, Timepiece};
use super::slice::Slice;
use super::slice_runner::SliceRunner;
use super::urgency::{OVERDUE_SLICE, Urgency, is_overdue, slice_length};
use super::usage::Usage;
use crate::engine::pool::prompt;

/// The time between two looks at the clock while there are searches.
const TICK: Duration = Duration::from_millis(10);
/// The time between two looks while there are none.
const REST: Duration = Duration::from_secs(1);
/// The table counts results as older after this time.
const AGE: Duration = Duration::from_secs(10);

/// What is left of a scheduler: the engines, and thread-seconds that clients have used of late.
pub(super) type Kept = (Engines, HashMap<String, f64>);

/// Starts the scheduler's thread. Its join handle gives back the engines, and what clients have used.
pub(super) fn start(
    engines: Engines,
    threads: usize,
    used: HashMap<String, f64>,
    metrics: Arc<Metrics>,
) -> std::io::Result<(SearchLinks, JoinHandle<Kept>)> {
    let (events, received) = channel();
    let links = SearchLinks { events, metrics: Arc::clone(&metrics), timepiece: Arc::new(SystemTime) };
    let scheduler = Scheduler::new(engines, threads, used, metrics, Arc::clone(&links.timepiece));
    let handle = std::thread::Builder::new().name("scheduler".to_owned()).spawn(move || {
        prompt::wake_promptly();
        scheduler.run(&received)
    })?;
    Ok((links, handle))
}

/// A search that waits for threads.
struct Waiting {
    search: Arc<ClientSearch>,
    since: Instant,
    is_urgent: bool,
    /// Whether its client knows that the system refuses threads.
    is_told: bool,
}

/// The searches and the slices. `R` has the engines.
pub(super) struct Scheduler<R: SliceRunner> {
    runner: R,
    timepiece: Arc<dyn Timepiece>,
    threads: usize,
    slices: Vec<Slice<R::Engine>>,
    waiting: Vec<Waiting>,
    usage: Usage,
    aged: Instant,
    measured: (Instant, u64),
    metrics: Arc<Metrics>,
    is_ending: bool,
}

/// A search that may run now, and the slice it has.
struct Contestant {
    rank: Urgency,
    wish: Wish,
    /// The index among the slices, or among those that wait.
    place: Result<usize, usize>,
}

impl<R: SliceRunner> Scheduler<R> {
    pub fn new(
        runner: R,
        threads: usize,
        used: HashMap<String, f64>,
        metrics: Arc<Metrics>,
        timepiece: Arc<dyn Timepiece>,
    ) -> Scheduler<R> {
        let now = timepiece.now();
        Scheduler {
            runner,
            timepiece,
            threads,
            slices: Vec::new(),
            waiting: Vec::new(),
            usage: Usage::new(used, now),
            aged: now,
            measured: (now, 0),
            metrics,
            is_ending: false,
        }
    }

    fn run(mut self, events: &Receiver<SearchEvent>) -> (R, HashMap<String, f64>) {
        while !(self.is_ending && self.is_idle()) {
            let first = events.recv_timeout(if self.is_idle() { REST } else { TICK });
            self.is_ending |= matches!(first, Err(RecvTimeoutError::Disconnected));
            self.turn(first.into_iter().chain(events.try_iter()));
        }
        for event in events.try_iter() {
            if let SearchEvent::New(search) = event {
                search.answer_without_search();
            }
        }
        (self.runner, self.usage.into_all())
    }

    /// Whether no search runs or waits.
    pub fn is_idle(&self) -> bool {
        self.slices.is_empty() && self.waiting.is_empty()
    }

    /// Takes events, looks at the clocks, and lets the searches run that come first.
    pub fn turn(&mut self, events: impl Iterator<Item = SearchEvent>) {
        for event in events {
            match event {
                SearchEvent::New(search) => self.admit(search),
                SearchEvent::Ended(number) => self.end_slice(number),
                SearchEvent::Urgent(number) => self.hurry(number),
                SearchEvent::Changed => {}
                SearchEvent::End => self.is_ending = true,
            }
        }
        if self.is_ending {
            self.stop_all();
        }
        self.tick();
        self.schedule();
        self.measure();
    }

    fn wait(&mut self, search: Arc<ClientSearch>, is_urgent: bool) {
        let since = self.timepiece.now();
        self.waiting.push(Waiting { search, since, is_urgent, is_told: false });
    }

    fn admit(&mut self, search: Arc<ClientSearch>) {
        Metrics::add(&self.metrics.begun[usize::from(search.is_batch)]);
        self.wait(search, false);
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
        let slice = self.slices.swap_remove(i);
        let now = self.timepiece.now();
        if let Some(order) = slice.pre_empted {
            self.metrics.pre_emption.note(now.saturating_duration_since(order));
        }
        self.usage.add(&slice.search.request.client, slice.thread_seconds(now));
        if slice.search.end_slice(slice.running_for(now), slice.running.is_cut_off()) {
            self.wait(slice.search, slice.is_urgent);
        }
        self.runner.take_back(slice.engine);
    }

    /// Looks at the clocks of all searches.
    fn tick(&mut self) {
        let now = self.timepiece.now();
        for slice in &self.slices {
            slice.search.tick(now, slice.running_for(now));
        }
        for waiting in &self.waiting {
            waiting.search.tick(now, Duration::ZERO);
            if waiting.search.is_lost() {
                waiting.search.stop();
            }
        }
        self.waiting.retain(|waiting| waiting.search.is_open());
        self.usage.decay(now);
        if now.saturating_duration_since(self.aged) >= AGE && !self.slices.is_empty() {
            self.aged = now;
            self.runner.age_tables();
        }
    }

    /// Lets the searches run that come first, and makes others pause for them.
    fn schedule(&mut self) {
        self.begin_urgent();
        let now = self.timepiece.now();
        let candidates = self.candidates(now);
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
            } else if part == 0 || (part >= 2 * slice.threads && slice.may_grow(free, now)) {
                slice.pre_empt(now, &self.metrics);
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
                let shrunk = self.shrink_largest(&candidates, &parts, now);
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
    fn shrink_largest(&mut self, candidates: &[Contestant], parts: &[usize], now: Instant) -> usize {
        let excess = |i: usize, part: usize| self.slices[i].threads.saturating_sub(part);
        let largest = candidates
            .iter()
            .zip(parts)
            .filter_map(|(candidate, &part)| candidate.place.ok().map(|i| (i, part)))
            .filter(|&(i, part)| self.slices[i].pre_empted.is_none() && excess(i, part) > 0)
            .max_by_key(|&(i, part)| excess(i, part));
        match largest {
            Some((i, _)) => {
                self.slices[i].pre_empt(now, &self.metrics);
                self.slices[i].threads
            }
            None => 0,
        }
    }

    /// All searches that may have threads, the most urgent first.
    fn candidates(&self, now: Instant) -> Vec<Contestant> {
        let mut used = self.usage.all().clone();
        for slice in &self.slices {
            *used.entry(slice.search.request.client.clone()).or_default() += slice.thread_seconds(now);
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
                let running_for = slice.running_for(now);
                let ran = slice.search.ran();
                // Within its slice a search keeps the level with which the slice began.
                let length = if slice.is_boosted { OVERDUE_SLICE } else { slice_length(ran) };
                let is_over = running_for >= length;
                let ran = if is_over { ran + running_for } else { ran };
                candidate(&slice.search, ran, slice.is_boosted && !is_over, is_over, Ok(i))
            });
        let waiting = self.waiting.iter().enumerate().filter(|(_, waiting)| !waiting.is_urgent);
        let waiting = waiting.map(|(i, Waiting { search, since, .. })| {
            let is_overdue = is_overdue(now.saturating_duration_since(*since));
            candidate(search, search.ran(), is_overdue, true, Err(i))
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
        let mut engine = match self.runner.engine(&token, threads) {
            Ok(engine) => engine,
            Err(error) => {
                let waiting = &mut self.waiting[i];
                if !std::mem::replace(&mut waiting.is_told, true) {
                    waiting.search.request.observer.message(&format!("the search waits: {error}"));
                }
                return;
            }
        };
        let Waiting { search, is_urgent, since, .. } = &self.waiting[i];
        let Some(limits) = search.begin_slice(*is_urgent) else {
            // A `stop` came just now, and asks for an urgent slice. What is answered already leaves at the next tick.
            self.runner.take_back(engine);
            return;
        };
        let started = self.timepiece.now();
        let is_boosted = is_overdue(started.saturating_duration_since(*since));
        let running = self.runner.begin(&mut engine, search, limits);
        search.slice_has_begun(&running, *is_urgent);
        let Waiting { search, is_urgent, .. } = self.waiting.swap_remove(i);
        self.slices.push(Slice {
            search,
            engine,
            running,
            threads,
            started,
            pre_empted: None,
            is_urgent,
            is_boosted,
        });
    }

    /// Brings the gauges up to date.
    fn measure(&mut self) {
        let metrics = &self.metrics;
        metrics.running.store(self.slices.len(), Ordering::Relaxed);
        metrics.waiting.store(self.waiting.len(), Ordering::Relaxed);
        metrics.busy_threads.store(self.busy(), Ordering::Relaxed);
        let (since, before) = self.measured;
        let now = self.timepiece.now();
        let passed = now.saturating_duration_since(since);
        if passed >= Duration::from_secs(1) {
            let running: u64 = self.slices.iter().map(|slice| slice.running.nodes()).sum();
            let nodes = metrics.nodes.load(Ordering::Relaxed) + running;
            let speed = nodes.saturating_sub(before) as f64 / passed.as_secs_f64();
            metrics.speed.store(speed as u64, Ordering::Relaxed);
            metrics.table_permille.store(self.runner.fullness(), Ordering::Relaxed);
            self.measured = (now, nodes);
        }
    }
}
