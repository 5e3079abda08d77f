//! One `go` of a client, from its arrival to its `bestmove`.
//!
//! A search runs in slices, each on any engine of the server. Between slices it waits for threads. What the slices find
//! is put together here, so that the client sees one search: nodes add up, no depth is shown that is less than one
//! shown before, and there is one `bestmove`. The table is what makes the next slice get back to the same depth
//! quickly.
//!
//! The state has one lock. Whoever holds it may print, because printing only fills a queue and never waits.

use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use super::access::Grant;
use super::event::Event;
use super::metrics::Metrics;
use crate::chess::board::{Game, Move};
use crate::chess::types::Bound;
use crate::engine::facade::{RunningSearch, Settings};
use crate::engine::run::{Failure, Limits, Line, Observer, Outcome};

/// Searches up to these limits are interactive: somebody waits for their end.
const INTERACTIVE_NODES: u64 = 20_000_000;
const INTERACTIVE_DEPTH: i32 = 20;
const INTERACTIVE_TIME: Duration = Duration::from_secs(10);

/// What a client is told when its search is over, but its `bestmove` has to wait for an order. The page knows this text.
const FINISHED: &str = "search finished";

/// What the scheduler of these searches is told.
pub(super) type SearchEvent = Event<ClientSearch>;

/// What a client wants to have searched.
pub(super) struct SearchRequest {
    pub game: Game,
    pub limits: Limits,
    /// The settings of the session.
    pub settings: Settings,
    pub started: Instant,
    /// Whose share the search counts against.
    pub client: String,
    pub grant: Arc<Grant>,
    /// The least time between two groups of `info` lines.
    pub pause: Duration,
    /// Whether the client wants to know what the threads do.
    pub has_telemetry: bool,
    pub observer: Arc<dyn Observer>,
}

/// A `go` of a client.
pub(super) struct ClientSearch {
    pub number: u64,
    pub request: SearchRequest,
    /// Whether it comes after the searches that somebody waits for.
    pub is_batch: bool,
    /// After this time since the `go` an answer is due; `None` without a time limit.
    due: Option<Duration>,
    state: Mutex<SearchState>,
    answered: Condvar,
    events: Sender<SearchEvent>,
    metrics: Arc<Metrics>,
}

#[derive(Default)]
struct SearchState {
    /// The slice that runs, once its engine has begun.
    slice: Option<RunningSearch>,
    is_running: bool,
    /// An order of the scheduler to make room.
    is_pre_empted: bool,
    /// When the client sent `stop`.
    ordered: Option<Instant>,
    /// The token's time is over.
    is_expired: bool,
    has_ponder_hit: bool,
    /// How a slice ended that was told to make room. The scheduler decides what it means.
    paused: Option<Outcome>,
    /// The result of an infinite search that is over before its `stop`.
    held: Option<Outcome>,
    is_answered: bool,
    /// Nodes and running time of the finished slices.
    nodes: u64,
    ran: Duration,
    /// The last line of each rank.
    best: Vec<Line>,
    /// Lines that are not printed yet.
    unprinted: Vec<Line>,
    printed: Option<Instant>,
    /// When the client was last told what the threads do.
    told: Option<Instant>,
    /// Whether the lines after the first of their group are printed too.
    is_group_printed: bool,
}

impl ClientSearch {
    pub fn new(
        number: u64,
        request: SearchRequest,
        events: Sender<SearchEvent>,
        metrics: Arc<Metrics>,
    ) -> ClientSearch {
        let due = if request.limits.infinite {
            None
        } else {
            let budget = request.settings.budget(&request.limits, request.game.board().fullmove());
            budget.map(|budget| budget.soft.min(budget.hard))
        };
        let is_batch = request.grant.is_batch || !is_interactive(&request.limits);
        let state = Mutex::new(SearchState::default());
        let answered = Condvar::new();
        ClientSearch { number, request, is_batch, due, state, answered, events, metrics }
    }

    /// The client's `stop`. The answer comes at once if there is anything to answer.
    pub fn stop(&self) {
        let mut state = self.state.lock();
        if state.is_answered || state.ordered.is_some() {
            return;
        }
        state.ordered = Some(Instant::now());
        if let Some(outcome) = state.held.take() {
            self.answer(&mut state, outcome);
        } else if state.is_running {
            state.stop_slice();
        } else {
            self.answer_now(&mut state);
        }
    }

    /// The opponent played the expected move.
    pub fn ponder_hit(&self) {
        let mut state = self.state.lock();
        state.has_ponder_hit = true;
        if let Some(outcome) = state.held.take() {
            self.answer(&mut state, outcome);
        } else if let Some(slice) = &state.slice {
            slice.ponder_hit();
        }
    }

    /// Answers with any legal move, because no engine is left.
    pub fn answer_without_search(&self) {
        let board = self.request.game.board();
        let best_move = board.legal_moves().into_iter().next();
        let time = self.request.started.elapsed();
        let outcome = Outcome { best_move, ponder_move: None, lines: Vec::new(), nodes: 0, time };
        self.answer(&mut self.state.lock(), outcome);
    }

    /// Waits for the `bestmove`.
    pub fn wait(&self) {
        let mut state = self.state.lock();
        while !state.is_answered {
            self.answered.wait(&mut state);
        }
    }

    /// The limits of the next slice. In an urgent slice the search looks at few nodes.
    pub fn next_limits(&self, is_urgent: bool) -> Limits {
        let state = self.state.lock();
        let mut limits = self.request.limits.clone();
        // An infinite search that is over frees its threads; its result is held back here.
        limits.infinite = false;
        limits.ponder &= !state.has_ponder_hit;
        limits.nodes = limits.nodes.map(|nodes| nodes.saturating_sub(state.nodes).max(1));
        if self.request.limits.infinite {
            (limits.move_time, limits.clock) = (None, None);
        }
        if is_urgent {
            limits =
                Limits { nodes: Some(URGENT_NODES), search_moves: limits.search_moves, ..Limits::default() };
        }
        limits
    }

    /// A slice is about to begin. Returns whether it is still wanted.
    pub fn begin_slice(&self, is_urgent: bool) -> bool {
        let mut state = self.state.lock();
        if state.is_answered || state.is_running || (state.ordered.is_some() && !is_urgent) {
            return false;
        }
        state.is_running = true;
        state.is_pre_empted = false;
        state.paused = None;
        true
    }

    /// The engine has begun the slice. Orders that came meanwhile are carried out.
    pub fn slice_has_begun(&self, slice: RunningSearch, is_urgent: bool) {
        let mut state = self.state.lock();
        if state.is_running {
            if state.ordered.is_some() && !is_urgent {
                slice.stop();
            }
            if state.has_ponder_hit {
                slice.ponder_hit();
            }
            state.slice = Some(slice);
        }
    }

    /// Makes the slice that runs end, so that others get its threads.
    pub fn pre_empt(&self) {
        let mut state = self.state.lock();
        if state.is_running {
            state.is_pre_empted = true;
            state.stop_slice();
        }
    }

    /// The scheduler has noticed the end of a slice of the length `ran`. Returns whether the search waits for another.
    pub fn end_slice(&self, ran: Duration) -> bool {
        let mut state = self.state.lock();
        state.ran += ran;
        let was_cut_off = state.slice.take().is_some_and(|slice| slice.is_cut_off());
        let Some(outcome) = state.paused.take() else {
            return !state.is_answered && state.held.is_none();
        };
        state.is_running = false;
        if state.ordered.is_some() || state.is_expired || !was_cut_off {
            self.finish(&mut state, outcome);
        }
        !state.is_answered && state.held.is_none()
    }

    /// Looks at the clock: prints lines that have waited long enough, and ends a search whose time is over. While the
    /// search waits for threads, nobody else would.
    pub fn tick(&self, now: Instant, running_for: Option<Duration>) {
        let mut state = self.state.lock();
        if state.is_answered {
            return;
        }
        if self.may_print(&state, now) {
            self.print(&mut state, now);
        }
        if self.request.has_telemetry {
            self.tell_threads(&mut state, now);
        }
        let longest = self.request.grant.longest;
        let ran = state.ran + running_for.unwrap_or_default();
        if longest.is_some_and(|longest| ran >= longest) && state.held.is_none() {
            if !std::mem::replace(&mut state.is_expired, true) {
                self.request.observer.message("the longest time of this token for a search is over");
            }
            if state.is_running {
                state.stop_slice();
            } else if let Some(outcome) = self.found(&state) {
                self.finish(&mut state, outcome);
            }
        }
        let elapsed = now.saturating_duration_since(self.request.started);
        let is_pondering = self.request.limits.ponder && !state.has_ponder_hit;
        if !state.is_running && !is_pondering && state.held.is_none() {
            // Without a result the search needs a moment of its own before its time is over.
            let has_result = !state.best.is_empty();
            if self.due.is_some_and(|due| elapsed >= if has_result { due } else { due / 2 }) {
                self.answer_now(&mut state);
            }
        }
    }

    /// Whether the client's output reaches nobody any more.
    pub fn is_lost(&self) -> bool {
        self.request.observer.is_lost()
    }

    /// The running time of the finished slices.
    pub fn ran(&self) -> Duration {
        self.state.lock().ran
    }

    /// Whether it may still need threads.
    pub fn is_open(&self) -> bool {
        let state = self.state.lock();
        !state.is_answered && state.held.is_none()
    }

    /// Answers with what was found; if that is nothing, asks for an urgent slice.
    fn answer_now(&self, state: &mut SearchState) {
        match self.found(state) {
            Some(outcome) => self.answer(state, outcome),
            None => self.tell(Event::Urgent(self.number)),
        }
    }

    /// The outcome as the best lines so far have it.
    fn found(&self, state: &SearchState) -> Option<Outcome> {
        let mut lines = state.best.clone();
        let time = self.request.started.elapsed();
        for line in &mut lines {
            (line.nodes, line.time) = (state.nodes.max(line.nodes), time);
        }
        let best = lines.first()?;
        Some(Outcome {
            best_move: best.pv.first().copied(),
            ponder_move: best.pv.get(1).copied(),
            nodes: best.nodes,
            time,
            lines,
        })
    }

    /// The search is over. An infinite search keeps its result until the client asks for it.
    fn finish(&self, state: &mut SearchState, outcome: Outcome) {
        let Limits { infinite, ponder, .. } = self.request.limits;
        let waits = (infinite || (ponder && !state.has_ponder_hit)) && !self.is_lost();
        if waits && state.ordered.is_none() {
            // The scheduler forgets the search now, so nothing else would print the lines that wait.
            self.print(state, Instant::now());
            self.request.observer.message(FINISHED);
            state.held = Some(outcome);
        } else {
            self.answer(state, outcome);
        }
    }

    /// Prints the last lines and the move, once.
    fn answer(&self, state: &mut SearchState, outcome: Outcome) {
        if state.is_answered {
            return;
        }
        let is_less = |found: &[Line], shown: &[Line]| match (found.first(), shown.first()) {
            (Some(found), Some(shown)) => found.depth < shown.depth,
            _ => false,
        };
        let outcome = match self.found(state) {
            // The last slice was too short to get back to what an earlier one had found.
            Some(earlier) if is_less(&outcome.lines, &state.best) => earlier,
            _ => outcome,
        };
        self.print(state, Instant::now());
        self.request.observer.finished(&outcome);
        state.is_answered = true;
        if let Some(ordered) = state.ordered {
            self.metrics.stop.note(ordered.elapsed());
        }
        Metrics::add(&self.metrics.answered);
        self.answered.notify_all();
        self.tell(Event::Changed);
    }

    fn may_print(&self, state: &SearchState, now: Instant) -> bool {
        state.printed.is_none_or(|printed| now.saturating_duration_since(printed) >= self.request.pause)
    }

    fn print(&self, state: &mut SearchState, now: Instant) {
        if state.unprinted.is_empty() {
            return;
        }
        if state.printed.is_none() {
            self.metrics.first_line.note(self.request.started.elapsed());
        }
        state.printed = Some(now);
        for line in state.unprinted.drain(..) {
            self.request.observer.line(&line);
        }
    }

    /// Tells after each second what the threads do: their depths (least, median, greatest), and how many of 1000 hits
    /// in the table are other threads' results.
    fn tell_threads(&self, state: &mut SearchState, now: Instant) {
        let told = state.told.unwrap_or(self.request.started);
        let is_due = now.saturating_duration_since(told) >= TELEMETRY;
        let Some(slice) = state.slice.as_ref().filter(|_| is_due && state.is_running) else { return };
        let mut depths = slice.depths();
        depths.sort_unstable();
        if let (Some(least), Some(greatest)) = (depths.first(), depths.last()) {
            let (median, hits) = (depths[depths.len() / 2], slice.hits_by_others());
            let text = format!("threads depth {least} {median} {greatest} hits-by-others {hits}");
            self.request.observer.message(&text);
            state.told = Some(now);
        }
    }

    fn tell(&self, event: SearchEvent) {
        // Without a scheduler the server is ending, and has answered all searches.
        let _ = self.events.send(event);
    }
}

impl SearchState {
    fn stop_slice(&self) {
        if let Some(slice) = &self.slice {
            slice.stop();
        }
    }

    /// Whether a line is no step back behind what the client has seen. Bounds come early in a slice that begins again.
    fn is_news(&self, line: &Line) -> bool {
        let shown = self.best.get(line.multi_pv - 1).or(self.best.first());
        let Some(shown) = shown else { return true };
        match line.bound {
            Bound::Exact => line.depth >= shown.depth,
            Bound::Lower | Bound::Upper => self.nodes == 0 || line.depth > shown.depth,
        }
    }

    fn keep(&mut self, line: &Line) {
        let rank = line.multi_pv;
        if self.best.len() >= rank {
            self.best[rank - 1] = line.clone();
        } else {
            self.best.push(line.clone());
        }
        self.unprinted.retain(|other| other.multi_pv != rank);
        self.unprinted.push(line.clone());
    }
}

/// Whether somebody waits for the end of a search with these limits.
fn is_interactive(limits: &Limits) -> bool {
    if limits.infinite {
        return false;
    }
    limits.clock.is_some()
        || limits.move_time.is_some_and(|time| time <= INTERACTIVE_TIME)
        || limits.nodes.is_some_and(|nodes| nodes <= INTERACTIVE_NODES)
        || limits.depth.is_some_and(|depth| depth <= INTERACTIVE_DEPTH)
}

/// The time between two messages about the threads.
const TELEMETRY: Duration = Duration::from_secs(1);

/// Nodes of a slice that only has to find a move.
const URGENT_NODES: u64 = 2_000;

/// Receives the reports of one slice.
pub(super) struct SliceObserver(pub Arc<ClientSearch>);

impl SliceObserver {
    /// The line with the nodes of all slices.
    fn whole(line: &Line, state: &SearchState) -> Line {
        Line { nodes: line.nodes + state.nodes, ..line.clone() }
    }
}

impl Observer for SliceObserver {
    fn line(&self, line: &Line) {
        let search = &self.0;
        let mut state = search.state.lock();
        if state.is_answered || !state.is_news(line) {
            return;
        }
        let line = SliceObserver::whole(line, &state);
        state.keep(&line);
        let now = Instant::now();
        if line.multi_pv == 1 {
            state.is_group_printed = search.may_print(&state, now);
        }
        if state.is_group_printed {
            search.print(&mut state, now);
        }
    }

    /// Not passed on: with many clients these lines would cost more than they tell.
    fn current_move(&self, _depth: i32, _mv: Move, _number: usize) {}

    fn message(&self, text: &str) {
        self.0.request.observer.message(text);
    }

    fn failed(&self, failure: Failure) {
        self.0.request.observer.failed(failure);
    }

    fn finished(&self, outcome: &Outcome) {
        let search = &self.0;
        let mut state = search.state.lock();
        let mut outcome = outcome.clone();
        outcome.lines = outcome.lines.iter().map(|line| SliceObserver::whole(line, &state)).collect();
        outcome.nodes += state.nodes;
        search.metrics.nodes.fetch_add(outcome.nodes - state.nodes, std::sync::atomic::Ordering::Relaxed);
        state.nodes = outcome.nodes;
        if state.is_pre_empted && state.ordered.is_none() && !state.is_expired {
            state.paused = Some(outcome);
        } else {
            state.is_running = false;
            search.finish(&mut state, outcome);
        }
        search.tell(Event::Ended(search.number));
    }

    fn is_lost(&self) -> bool {
        self.0.is_lost()
    }
}
