//! What a client sees of its search: the lines of all slices as those of one search.
//!
//! Nodes add up. No depth is shown that is less than one shown before. Lines go out in groups, one line of each rank,
//! and no group sooner than a pause after the last one; the newest line of each rank waits for its time.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::metrics::Metrics;
use super::running_slice::RunningSlice;
use super::search_request::SearchRequest;
use crate::chess::types::Bound;
use crate::engine::run::{Line, Observer, Outcome};

/// The time between two messages about the threads.
const TELEMETRY: Duration = Duration::from_secs(1);

/// The lines of a search.
pub(super) struct AnswerLines {
    observer: Arc<dyn Observer>,
    metrics: Arc<Metrics>,
    started: Instant,
    pause: Duration,
    /// Nodes of the finished slices.
    nodes: u64,
    /// The last line of each rank.
    best: Vec<Line>,
    /// Lines that are not printed yet.
    unprinted: Vec<Line>,
    printed: Option<Instant>,
    /// Whether the lines after the first of their group are printed too.
    is_group_printed: bool,
    /// When the client was last told what the threads do.
    told: Instant,
}

impl AnswerLines {
    pub fn new(request: &SearchRequest, metrics: Arc<Metrics>) -> AnswerLines {
        AnswerLines {
            observer: Arc::clone(&request.observer),
            metrics,
            started: request.started,
            pause: request.pause,
            nodes: 0,
            best: Vec::new(),
            unprinted: Vec::new(),
            printed: None,
            is_group_printed: false,
            told: request.started,
        }
    }

    /// Nodes of the finished slices.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Takes a line of the slice that runs.
    pub fn take(&mut self, line: &Line, now: Instant) {
        if !self.is_news(line) {
            return;
        }
        let line = self.whole(line);
        let rank = line.multi_pv;
        self.unprinted.retain(|other| other.multi_pv != rank);
        self.unprinted.push(line.clone());
        if rank == 1 {
            self.is_group_printed = self.may_print(now);
        }
        match self.best.get_mut(rank - 1) {
            Some(best) => *best = line,
            None => self.best.push(line),
        }
        if self.is_group_printed {
            self.print(now);
        }
    }

    /// Takes the outcome of a slice, which has ended. Returns it as one of the whole search.
    pub fn end_slice(&mut self, outcome: &Outcome) -> Outcome {
        let lines = outcome.lines.iter().map(|line| self.whole(line)).collect();
        self.nodes += outcome.nodes;
        Metrics::count(&self.metrics.nodes, outcome.nodes);
        Outcome { lines, nodes: self.nodes, ..outcome.clone() }
    }

    /// The line with the nodes of all slices.
    fn whole(&self, line: &Line) -> Line {
        Line { nodes: line.nodes + self.nodes, ..line.clone() }
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

    fn may_print(&self, now: Instant) -> bool {
        self.printed.is_none_or(|printed| now.saturating_duration_since(printed) >= self.pause)
    }

    /// Prints the lines that have waited long enough.
    pub fn print_due(&mut self, now: Instant) {
        if self.may_print(now) {
            self.print(now);
        }
    }

    /// Prints the lines that wait.
    pub fn print(&mut self, now: Instant) {
        if self.unprinted.is_empty() {
            return;
        }
        if self.printed.is_none() {
            self.metrics.first_line.note(now.saturating_duration_since(self.started));
        }
        self.printed = Some(now);
        for line in self.unprinted.drain(..) {
            self.observer.line(&line);
        }
    }

    /// The outcome as the best lines so far have it; `None` if there is none yet.
    pub fn found(&self, now: Instant) -> Option<Outcome> {
        let mut lines = self.best.clone();
        let time = now.saturating_duration_since(self.started);
        for line in &mut lines {
            (line.nodes, line.time) = (self.nodes.max(line.nodes), time);
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

    /// The outcome of the last slice, or what an earlier one had found if the last one was too short to get back to it.
    pub fn deeper(&self, outcome: Outcome, now: Instant) -> Outcome {
        let depth = |lines: &[Line]| lines.first().map(|line| line.depth);
        match self.found(now) {
            Some(earlier) if depth(&outcome.lines) < depth(&self.best) => earlier,
            _ => outcome,
        }
    }

    /// Tells after each second what the threads do: their depths (least, median, greatest), and how many of 1000 hits
    /// in the table are other threads' results.
    pub fn tell_threads(&mut self, slice: &dyn RunningSlice, now: Instant) {
        if now.saturating_duration_since(self.told) < TELEMETRY {
            return;
        }
        let mut depths = slice.depths();
        depths.sort_unstable();
        if let (Some(least), Some(greatest)) = (depths.first(), depths.last()) {
            let (median, hits) = (depths[depths.len() / 2], slice.hits_by_others());
            let text = format!("threads depth {least} {median} {greatest} hits-by-others {hits}");
            self.observer.message(&text);
            self.told = now;
        }
    }
}
