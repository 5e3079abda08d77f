//! One `go` of a client, from its arrival to its `bestmove`.
//!
//! A search runs in slices, each on any engine of the server. Between slices it waits for threads. The table is what
//! makes the next slice get back to the same depth quickly. [`AnswerLines`] puts together what the slices find.
//!
//! `README.md` has the table of phases and events. The state has one lock. Whoever holds it may print, because printing
//! only fills a queue and never waits.

use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use super::answer_lines::AnswerLines;
use super::metrics::Metrics;
use super::running_slice::{RunningSlice, Timepiece};
use super::search_request::SearchRequest;
use crate::engine::run::{Limits, Line, Outcome};

/// Nodes of a slice that only has to find a move.
const URGENT_NODES: u64 = 2_000;
/// What a client is told when its search is over, but its `bestmove` has to wait for an order. The page knows it.
const FINISHED: &str = "search finished";

/// What the scheduler is told.
pub(super) enum SearchEvent {
    /// A search has arrived.
    New(Arc<ClientSearch>),
    /// The slice of the search with this number has ended.
    Ended(u64),
    /// The search with this number needs a move at once.
    Urgent(u64),
    /// A search was answered while it waited.
    Changed,
    /// The server ends.
    End,
}

/// What a search uses of the server.
#[derive(Clone)]
pub(super) struct SearchLinks {
    pub events: Sender<SearchEvent>,
    pub metrics: Arc<Metrics>,
    pub timepiece: Arc<dyn Timepiece>,
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
    links: SearchLinks,
}

struct SearchState {
    phase: SearchPhase,
    orders: SearchOrders,
    /// Running time of the finished slices.
    ran: Duration,
    lines: AnswerLines,
}

/// Where a search stands.
enum SearchPhase {
    /// It waits for threads.
    Waiting,
    /// A slice runs. `slice` is there as soon as its engine has begun.
    Running {
        slice: Option<Arc<dyn RunningSlice>>,
        must_make_room: bool,
    },
    /// A slice that had to make room has ended with this outcome. The scheduler finds out what that means: the search
    /// may have come to its end at the same moment.
    Paused(Outcome),
    /// The search is over, but its client has to ask for the answer.
    Held(Outcome),
    Answered,
}

/// What a search was told. No order is taken back.
#[derive(Default)]
struct SearchOrders {
    /// When the client sent `stop`.
    stop: Option<Instant>,
    has_ponder_hit: bool,
    /// The token's time is over.
    is_expired: bool,
}

impl ClientSearch {
    pub fn new(number: u64, request: SearchRequest, links: SearchLinks) -> ClientSearch {
        let due = if request.limits.infinite {
            None
        } else {
            let budget = request.settings.budget(&request.limits, request.game.board().fullmove());
            budget.map(|budget| budget.soft.min(budget.hard))
        };
        let is_batch = request.grant.is_batch || !request.is_interactive();
        let state = SearchState {
            phase: SearchPhase::Waiting,
            orders: SearchOrders::default(),
            ran: Duration::ZERO,
            lines: AnswerLines::new(&request, Arc::clone(&links.metrics)),
        };
        let (state, answered) = (Mutex::new(state), Condvar::new());
        ClientSearch { number, request, is_batch, due, state, answered, links }
    }

    /// The client's `stop`. The answer comes at once if there is anything to answer.
    pub fn stop(&self) {
        let mut state = self.state.lock();
        if state.orders.stop.is_some() {
            return;
        }
        state.orders.stop = Some(self.now());
        match state.take_outcome() {
            Some(outcome) => self.answer(&mut state, outcome),
            None => match &state.phase {
                SearchPhase::Waiting => self.answer_now(&mut state),
                _ => state.stop_slice(),
            },
        }
    }

    /// The opponent played the expected move.
    pub fn ponder_hit(&self) {
        let mut state = self.state.lock();
        state.orders.has_ponder_hit = true;
        match &state.phase {
            SearchPhase::Running { slice: Some(slice), .. } => slice.ponder_hit(),
            SearchPhase::Held(_) if !self.request.limits.infinite => {
                let outcome = state.take_outcome().expect("a held search has an outcome");
                self.answer(&mut state, outcome);
            }
            _ => {}
        }
    }

    /// Answers with any legal move, because no engine is left.
    pub fn answer_without_search(&self) {
        let board = self.request.game.board();
        let best_move = board.legal_moves().into_iter().next();
        let time = self.elapsed();
        let outcome = Outcome { best_move, ponder_move: None, lines: Vec::new(), nodes: 0, time };
        self.answer(&mut self.state.lock(), outcome);
    }

    /// Waits for the `bestmove`.
    pub fn wait(&self) {
        let mut state = self.state.lock();
        while !matches!(state.phase, SearchPhase::Answered) {
            self.answered.wait(&mut state);
        }
    }

    /// Begins a slice if it is still wanted. Returns its limits. In an urgent slice the search looks at few nodes.
    pub fn begin_slice(&self, is_urgent: bool) -> Option<Limits> {
        let mut state = self.state.lock();
        let is_wanted = state.orders.stop.is_none() || is_urgent;
        if !matches!(state.phase, SearchPhase::Waiting) || !is_wanted {
            return None;
        }
        state.phase = SearchPhase::Running { slice: None, must_make_room: false };
        let mut limits = self.request.limits.clone();
        if is_urgent {
            let search_moves = limits.search_moves;
            return Some(Limits { nodes: Some(URGENT_NODES), search_moves, ..Limits::default() });
        }
        if limits.infinite {
            (limits.move_time, limits.clock) = (None, None);
        }
        // An infinite search that is over frees its threads; its result is held back here.
        limits.infinite = false;
        limits.ponder &= !state.orders.has_ponder_hit;
        limits.nodes = limits.nodes.map(|nodes| nodes.saturating_sub(state.lines.nodes()).max(1));
        Some(limits)
    }

    /// The engine has begun the slice. Orders that came meanwhile are carried out.
    pub fn slice_has_begun(&self, running: &Arc<dyn RunningSlice>, is_urgent: bool) {
        let mut state = self.state.lock();
        let SearchState { phase, orders, .. } = &mut *state;
        // The slice may have ended already.
        if let SearchPhase::Running { slice, .. } = phase {
            if orders.stop.is_some() && !is_urgent {
                running.stop();
            }
            if orders.has_ponder_hit {
                running.ponder_hit();
            }
            *slice = Some(Arc::clone(running));
        }
    }

    /// The slice has found a line.
    pub fn slice_has_found(&self, line: &Line) {
        let mut state = self.state.lock();
        if state.is_open() {
            state.lines.take(line, self.now());
        }
    }

    /// The slice has ended. Unless it only had to make room, the search is over.
    pub fn slice_has_ended(&self, outcome: &Outcome) {
        let mut state = self.state.lock();
        let outcome = state.lines.end_slice(outcome);
        let must_make_room = matches!(state.phase, SearchPhase::Running { must_make_room: true, .. });
        if must_make_room && state.orders.stop.is_none() && !state.orders.is_expired {
            state.phase = SearchPhase::Paused(outcome);
        } else {
            self.finish(&mut state, outcome);
        }
        self.tell(SearchEvent::Ended(self.number));
    }

    /// Makes the slice that runs end, so that others get its threads.
    pub fn pre_empt(&self) {
        let mut state = self.state.lock();
        if let SearchPhase::Running { must_make_room, .. } = &mut state.phase {
            *must_make_room = true;
            state.stop_slice();
        }
    }

    /// The scheduler has noticed the end of a slice of the length `ran`. Returns whether the search waits for another.
    pub fn end_slice(&self, ran: Duration, was_cut_off: bool) -> bool {
        let mut state = self.state.lock();
        state.ran += ran;
        if let SearchPhase::Paused(_) = state.phase
            && let Some(outcome) = state.take_outcome()
            && (state.orders.is_expired || !was_cut_off)
        {
            self.finish(&mut state, outcome);
        }
        matches!(state.phase, SearchPhase::Waiting)
    }

    /// Looks at the clock: prints lines that have waited long enough, and ends a search whose time is over. While the
    /// search waits for threads, nobody else would. `running_for` is the time of the slice that runs.
    pub fn tick(&self, now: Instant, running_for: Duration) {
        let mut state = self.state.lock();
        if !state.is_open() {
            return;
        }
        state.lines.print_due(now);
        let SearchState { phase, lines, .. } = &mut *state;
        if let SearchPhase::Running { slice: Some(slice), .. } = phase
            && self.request.has_telemetry
        {
            lines.tell_threads(&**slice, now);
        }
        self.look_at_token(&mut state, now, running_for);
        self.look_at_limit(&mut state, now);
    }

    /// Ends a search whose token allows no more time.
    fn look_at_token(&self, state: &mut SearchState, now: Instant, running_for: Duration) {
        let ran = state.ran + running_for;
        if self.request.grant.longest.is_none_or(|longest| ran < longest) {
            return;
        }
        if !std::mem::replace(&mut state.orders.is_expired, true) {
            self.request.observer.message("the longest time of this token for a search is over");
        }
        state.stop_slice();
        if let (SearchPhase::Waiting, Some(outcome)) = (&state.phase, state.lines.found(now)) {
            self.finish(state, outcome);
        }
    }

    /// Ends a waiting search whose own time is over.
    fn look_at_limit(&self, state: &mut SearchState, now: Instant) {
        let is_pondering = self.request.limits.ponder && !state.orders.has_ponder_hit;
        let Some(due) = self.due.filter(|_| matches!(state.phase, SearchPhase::Waiting) && !is_pondering)
        else {
            return;
        };
        // Without a result the search needs a moment of its own before its time is over.
        let due = if state.lines.found(now).is_some() { due } else { due / 2 };
        if now.saturating_duration_since(self.request.started) >= due {
            self.answer_now(state);
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
        self.state.lock().is_open()
    }

    /// Answers with what was found; if that is nothing, asks for an urgent slice.
    fn answer_now(&self, state: &mut SearchState) {
        match state.lines.found(self.now()) {
            Some(outcome) => self.answer(state, outcome),
            None => self.tell(SearchEvent::Urgent(self.number)),
        }
    }

    /// The search is over. An infinite search keeps its result until the client asks for it.
    fn finish(&self, state: &mut SearchState, outcome: Outcome) {
        let Limits { infinite, ponder, .. } = self.request.limits;
        let waits = (infinite || (ponder && !state.orders.has_ponder_hit)) && !self.is_lost();
        if waits && state.orders.stop.is_none() {
            // The scheduler forgets the search now, so nothing else would print the lines that wait.
            state.lines.print(self.now());
            self.request.observer.message(FINISHED);
            state.phase = SearchPhase::Held(outcome);
        } else {
            self.answer(state, outcome);
        }
    }

    /// Prints the last lines and the move, once.
    fn answer(&self, state: &mut SearchState, outcome: Outcome) {
        if let SearchPhase::Answered = state.phase {
            return;
        }
        let now = self.now();
        let outcome = state.lines.deeper(outcome, now);
        state.lines.print(now);
        // It is counted first: a client that has its move may ask for the metrics at once.
        Metrics::add(&self.links.metrics.answered);
        self.request.observer.finished(&outcome);
        state.phase = SearchPhase::Answered;
        if let Some(ordered) = state.orders.stop {
            self.links.metrics.stop.note(now.saturating_duration_since(ordered));
        }
        self.answered.notify_all();
        self.tell(SearchEvent::Changed);
    }

    fn now(&self) -> Instant {
        self.links.timepiece.now()
    }

    fn elapsed(&self) -> Duration {
        self.now().saturating_duration_since(self.request.started)
    }

    fn tell(&self, event: SearchEvent) {
        // Without a scheduler the server is ending, and has answered all searches.
        let _ = self.links.events.send(event);
    }
}

impl SearchState {
    fn is_open(&self) -> bool {
        !matches!(self.phase, SearchPhase::Held(_) | SearchPhase::Answered)
    }

    fn stop_slice(&self) {
        if let SearchPhase::Running { slice: Some(slice), .. } = &self.phase {
            slice.stop();
        }
    }

    /// Takes the outcome of a search that has one without an answer. It then counts as waiting.
    fn take_outcome(&mut self) -> Option<Outcome> {
        match std::mem::replace(&mut self.phase, SearchPhase::Waiting) {
            SearchPhase::Paused(outcome) | SearchPhase::Held(outcome) => Some(outcome),
            other => {
                self.phase = other;
                None
            }
        }
    }
}
