//! Receives the reports of one slice from its engine, and tells them to the search.

use std::sync::Arc;

use super::client_search::ClientSearch;
use crate::chess::board::Move;
use crate::engine::run::{Failure, Line, Observer, Outcome};

/// The observer of one slice.
pub(super) struct SliceObserver(pub Arc<ClientSearch>);

impl Observer for SliceObserver {
    fn line(&self, line: &Line) {
        self.0.slice_has_found(line);
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
        self.0.slice_has_ended(outcome);
    }

    fn is_lost(&self) -> bool {
        self.0.is_lost()
    }
}
