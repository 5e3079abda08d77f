//! The gate for the reports of a search: they pass until the end of the search is reported, and never after that.

use std::sync::Arc;

use crossbeam_utils::CachePadded;
use parking_lot::Mutex;

use super::report::{Failure, Line, Observer};
use crate::chess::board::Move;

/// Passes reports on to an observer until the end of the search is reported. After that it drops all reports, however
/// late a thread notices the end.
pub struct ReportGate {
    observer: Arc<dyn Observer>,
    state: CachePadded<Mutex<GateState>>,
}

struct GateState {
    is_open: bool,
    /// The lines that were reported last.
    last: Vec<Line>,
}

impl ReportGate {
    /// A gate that passes reports on to `observer`.
    pub fn new(observer: Arc<dyn Observer>) -> ReportGate {
        ReportGate { observer, state: Mutex::new(GateState { is_open: true, last: Vec::new() }).into() }
    }

    /// Whether the observer ignores everything but the end of the search.
    pub fn is_silent(&self) -> bool {
        self.observer.is_silent()
    }

    /// Whether the reports reach nobody any more.
    pub fn is_lost(&self) -> bool {
        self.observer.is_lost()
    }

    /// Reports lines: all of them or none.
    pub fn lines(&self, lines: &[Line]) {
        let mut state = self.state.lock();
        if state.is_open {
            lines.iter().for_each(|line| self.observer.line(line));
            state.last = lines.to_vec();
        }
    }

    /// Reports the root move being searched.
    pub fn current_move(&self, depth: i32, mv: Move, number: usize) {
        let state = self.state.lock();
        if state.is_open {
            self.observer.current_move(depth, mv, number);
        }
    }

    /// Reports text.
    pub fn message(&self, text: &str) {
        let state = self.state.lock();
        if state.is_open {
            self.observer.message(text);
        }
    }

    /// Reports a failure.
    pub fn failed(&self, failure: Failure) {
        let state = self.state.lock();
        if state.is_open {
            self.observer.failed(failure);
        }
    }

    /// Reports the end and closes the gate; nothing passes it after that. `conclude` gets the observer, the final
    /// lines, and whether the search found anything in them that the last reported lines lack. Only the first call has
    /// an effect.
    pub fn close(&self, lines: &[Line], conclude: impl FnOnce(&dyn Observer, &[Line], bool)) {
        let mut state = self.state.lock();
        if std::mem::replace(&mut state.is_open, false) {
            // The moves that the table adds at the end of a line may have changed since. That alone is no reason to
            // report the line again.
            let is_same = |(a, b): (&Line, &Line)| {
                let common = a.searched.min(b.searched);
                a.pv[..common] == b.pv[..common] && (a.score, a.bound) == (b.score, b.bound)
            };
            let is_changed = state.last.len() != lines.len() || !state.last.iter().zip(lines).all(is_same);
            // The lines that were reported last remain valid, unless they lack a move to ponder on. Only their counters
            // are brought up to date.
            let is_enough = state.last.first().is_some_and(|best| best.pv.len() > 1);
            if is_changed || !is_enough {
                return conclude(&*self.observer, lines, is_changed);
            }
            for (shown, line) in state.last.iter_mut().zip(lines) {
                shown.nodes = line.nodes;
                shown.tablebase_hits = line.tablebase_hits;
                shown.hashfull = line.hashfull;
                shown.time = line.time;
            }
            conclude(&*self.observer, &state.last, is_changed);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::chess::board::Board;
    use crate::chess::types::{Bound, Score};
    use crate::engine::run::Silent;

    /// A line of legal moves, of which the first `searched` come from the search.
    fn line(score: i32, searched: usize, moves: &[&str]) -> Line {
        let mut board = Board::startpos();
        let mut pv = Vec::new();
        for text in moves {
            let mv = board.parse_uci(text).unwrap();
            board = board.after(mv);
            pv.push(mv);
        }
        Line {
            multi_pv: 1,
            depth: 5,
            seldepth: 5,
            score: Score::new(score),
            bound: Bound::Exact,
            nodes: 100,
            tablebase_hits: 0,
            hashfull: 0,
            time: Duration::ZERO,
            searched,
            pv,
        }
    }

    /// The line that the end reports after `last` was reported and `end` is the result, and whether it has changed.
    fn closed(last: &Line, end: &Line) -> (Line, bool) {
        let reporter = ReportGate::new(Arc::new(Silent));
        reporter.lines(std::slice::from_ref(last));
        let mut found = None;
        reporter.close(std::slice::from_ref(end), |_, lines, is_changed| {
            found = Some((lines[0].clone(), is_changed))
        });
        found.unwrap()
    }

    #[test]
    fn a_pv_completed_differently_is_not_reported_again() {
        let shown = line(20, 2, &["e2e4", "e7e5", "g1f3"]);
        for end in [line(20, 2, &["e2e4", "e7e5", "b1c3"]), line(20, 1, &["e2e4", "c7c5"])] {
            assert_eq!(closed(&shown, &end), (shown.clone(), false));
        }
        let short = line(20, 1, &["e2e4"]);
        let grown = line(20, 1, &["e2e4", "e7e5"]);
        assert_eq!(closed(&short, &grown), (grown, false), "a move to ponder on");
    }

    #[test]
    fn a_changed_score_or_searched_move_is_reported_again() {
        let shown = line(20, 2, &["e2e4", "e7e5", "g1f3"]);
        for end in [line(21, 2, &["e2e4", "e7e5", "g1f3"]), line(20, 2, &["e2e4", "c7c5"])] {
            assert_eq!(closed(&shown, &end), (end, true));
        }
    }
}
