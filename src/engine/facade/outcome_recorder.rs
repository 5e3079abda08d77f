//! Hands the outcome of a search to a caller that waits for it.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::chess::board::Move;
use crate::engine::run::{Failure, Line, Observer, Outcome};

/// Passes all reports on to `observer`, and keeps the outcome.
pub(super) struct OutcomeRecorder {
    pub observer: Arc<dyn Observer>,
    pub outcome: Mutex<Option<Outcome>>,
}

impl Observer for OutcomeRecorder {
    fn line(&self, line: &Line) {
        self.observer.line(line);
    }

    fn current_move(&self, depth: i32, mv: Move, number: usize) {
        self.observer.current_move(depth, mv, number);
    }

    fn message(&self, text: &str) {
        self.observer.message(text);
    }

    fn failed(&self, failure: Failure) {
        self.observer.failed(failure);
    }

    fn finished(&self, outcome: &Outcome) {
        self.observer.finished(outcome);
        *self.outcome.lock() = Some(outcome.clone());
    }

    fn is_silent(&self) -> bool {
        self.observer.is_silent()
    }

    fn is_lost(&self) -> bool {
        self.observer.is_lost()
    }
}
