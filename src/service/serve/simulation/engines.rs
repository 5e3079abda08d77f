//! Engines that only count: each thread has so many nodes in a millisecond, and a depth costs twice the one before.
//! What a search has found before costs it little, as with a warm table.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::chess::board::Game;
use crate::chess::types::{Bound, Score};
use crate::engine::facade::EngineError;
use crate::engine::run::{Limits, Line, Observer, Outcome};
use crate::service::serve::client_search::ClientSearch;
use crate::service::serve::running_slice::{RunningSlice, Timepiece};
use crate::service::serve::slice_observer::SliceObserver;
use crate::service::serve::slice_runner::SliceRunner;

/// Nodes of one thread in a millisecond.
const SPEED: u64 = 1_000;
/// How much faster a search finds again what it has found before.
const WARM: u64 = 20;

/// A time that the tests move.
#[derive(Clone)]
pub struct ManualTime(Arc<Mutex<Instant>>);

impl ManualTime {
    pub fn new() -> ManualTime {
        ManualTime(Arc::new(Mutex::new(Instant::now())))
    }

    pub fn pass(&self, time: Duration) {
        *self.0.lock() += time;
    }
}

impl Timepiece for ManualTime {
    fn now(&self) -> Instant {
        *self.0.lock()
    }
}

/// A slice of a simulated engine.
struct SimulatedSlice {
    search: Arc<ClientSearch>,
    observer: SliceObserver,
    threads: usize,
    limits: Limits,
    started: Instant,
    /// Nodes of the search's earlier slices.
    known: u64,
    time: ManualTime,
    progress: Mutex<SliceProgress>,
}

#[derive(Default)]
struct SliceProgress {
    is_stopped: bool,
    has_ponder_hit: bool,
    was_cut_off: bool,
    depth: i32,
    nodes: u64,
}

impl RunningSlice for SimulatedSlice {
    fn stop(&self) {
        self.progress.lock().is_stopped = true;
    }

    fn ponder_hit(&self) {
        self.progress.lock().has_ponder_hit = true;
    }

    fn is_cut_off(&self) -> bool {
        self.progress.lock().was_cut_off
    }

    fn nodes(&self) -> u64 {
        self.progress.lock().nodes
    }

    fn depths(&self) -> Vec<i32> {
        vec![self.progress.lock().depth; self.threads]
    }

    fn hits_by_others(&self) -> u64 {
        0
    }
}

impl SimulatedSlice {
    /// Works up to the present. Returns the nodes of the slice if that is its end.
    fn work(&self) -> Option<u64> {
        let now = self.time.now();
        let millis = now.saturating_duration_since(self.started).as_millis() as u64;
        let most = self.limits.nodes.unwrap_or(u64::MAX);
        let nodes = (millis * SPEED * self.threads as u64).min(most);
        let worth = nodes + (nodes * WARM).min(self.known);
        let deepest = self.limits.depth.unwrap_or(200);
        let reached = ((worth / (SPEED / 2)).checked_ilog2().unwrap_or(0) as i32).min(deepest);
        let before = self.progress.lock().depth;
        for depth in before + 1..=reached {
            self.observer.line(&line(depth, nodes));
        }
        let (is_stopped, has_hit) = {
            let mut progress = self.progress.lock();
            (progress.depth, progress.nodes) = (reached.max(before), nodes);
            (progress.is_stopped || self.observer.is_lost(), progress.has_ponder_hit)
        };
        let may_end = !self.limits.ponder || has_hit;
        let is_complete = may_end && (nodes == most || reached == deepest);
        let is_late = may_end && self.is_late(now);
        if !is_complete && !is_late && !is_stopped {
            return None;
        }
        self.progress.lock().was_cut_off = !is_complete;
        let last = line(reached, nodes);
        if reached == 0 {
            self.observer.line(&last);
        }
        self.observer.finished(&Outcome {
            best_move: last.pv.first().copied(),
            ponder_move: None,
            nodes,
            time: now.saturating_duration_since(self.search.request.started),
            lines: vec![last],
        });
        Some(nodes)
    }

    fn is_late(&self, now: Instant) -> bool {
        let request = &self.search.request;
        let budget = request.settings.budget(&self.limits, 1);
        budget.is_some_and(|budget| now.saturating_duration_since(request.started) >= budget.soft)
    }
}

fn line(depth: i32, nodes: u64) -> Line {
    Line {
        multi_pv: 1,
        depth,
        seldepth: 1,
        score: Score::ZERO,
        bound: Bound::Exact,
        nodes,
        tablebase_hits: 0,
        hashfull: 0,
        time: Duration::ZERO,
        pv: Game::startpos().board().legal_moves().into_iter().take(1).collect(),
        searched: 1,
    }
}

/// The slices at work, and the nodes of all searches so far by their numbers.
#[derive(Clone, Default)]
pub struct SlicesAtWork(Rc<RefCell<SimulatedWork>>);

#[derive(Default)]
struct SimulatedWork {
    slices: Vec<Arc<SimulatedSlice>>,
    nodes: HashMap<u64, u64>,
}

impl SlicesAtWork {
    /// Lets all slices work. Those that end are gone.
    pub fn work(&self) {
        let slices = self.0.borrow().slices.clone();
        for slice in slices {
            if let Some(nodes) = slice.work() {
                let mut work = self.0.borrow_mut();
                work.slices.retain(|other| !Arc::ptr_eq(other, &slice));
                *work.nodes.entry(slice.search.number).or_default() += nodes;
            }
        }
    }

    /// The threads of all slices.
    pub fn threads(&self) -> usize {
        self.0.borrow().slices.iter().map(|slice| slice.threads).sum()
    }

    /// Whether a slice of the search with this number is at work.
    pub fn has(&self, number: u64) -> bool {
        self.0.borrow().slices.iter().any(|slice| slice.search.number == number)
    }

    /// The nodes of the finished slices of a search.
    pub fn nodes_of(&self, number: u64) -> u64 {
        self.0.borrow().nodes.get(&number).copied().unwrap_or_default()
    }
}

/// Begins slices at once.
pub struct SimulatedEngines {
    pub time: ManualTime,
    pub at_work: SlicesAtWork,
}

impl SliceRunner for SimulatedEngines {
    /// The number of its threads.
    type Engine = usize;

    fn engine(&mut self, _token: &str, threads: usize) -> Result<usize, EngineError> {
        Ok(threads)
    }

    fn begin(
        &mut self,
        threads: &mut usize,
        search: &Arc<ClientSearch>,
        limits: Limits,
    ) -> Arc<dyn RunningSlice> {
        let slice = Arc::new(SimulatedSlice {
            search: Arc::clone(search),
            observer: SliceObserver(Arc::clone(search)),
            threads: *threads,
            limits,
            started: self.time.now(),
            known: self.at_work.nodes_of(search.number),
            time: self.time.clone(),
            progress: Mutex::default(),
        });
        self.at_work.0.borrow_mut().slices.push(Arc::clone(&slice));
        slice
    }

    fn take_back(&mut self, _threads: usize) {}

    fn age_tables(&self) {}

    fn fullness(&self) -> usize {
        0
    }
}
