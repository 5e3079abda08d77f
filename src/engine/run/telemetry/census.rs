//! Which thread stored which result first. This shows how much of a search's work another thread had already done.

use std::collections::HashMap;

use parking_lot::Mutex;

use crate::engine::tt::Draft;

/// How a result compares with the results that the threads of the search stored earlier for the same position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Work {
    /// The thread itself had stored a result as deep or deeper. Sharing does not cause this repetition: a single thread
    /// would also have searched the position twice.
    Own,
    /// No other thread had stored a result.
    New,
    /// Other threads had stored results, but none as deep.
    Deeper,
    /// Another thread had stored a result as deep or deeper.
    Repeated,
}

impl Work {
    /// Number of kinds.
    pub const KINDS: usize = 4;
}

/// The results that the threads of one search have stored. Only a sample of the keys is noted
/// ([`super::ThreadTelemetry`]).
#[derive(Default)]
pub struct Census {
    /// The deepest result of each thread, by key.
    deepest: Mutex<HashMap<u64, Vec<(usize, Draft)>>>,
}

impl Census {
    /// Notes a result of `thread` and classifies it.
    pub fn note(&self, thread: usize, key: u64, draft: Draft) -> Work {
        let mut deepest = self.deepest.lock();
        let results = deepest.entry(key).or_default();
        match results.iter_mut().find(|(by, _)| *by == thread) {
            Some((_, known)) if *known >= draft => return Work::Own,
            Some((_, known)) => *known = draft,
            None => results.push((thread, draft)),
        }
        let of_others = results.iter().filter(|(by, _)| *by != thread).map(|(_, known)| *known);
        match of_others.max() {
            None => Work::New,
            Some(known) if known < draft => Work::Deeper,
            Some(_) => Work::Repeated,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_classified_by_the_earlier_results_of_each_thread() {
        let census = Census::default();
        for (thread, key, depth, work) in [
            (0, 1, 5, Work::New),
            (0, 1, 5, Work::Own),
            (0, 1, 4, Work::Own),
            (0, 1, 6, Work::New),
            (1, 1, 7, Work::Deeper),
            (0, 1, 7, Work::Repeated),
            (0, 1, 7, Work::Own),
            (2, 1, 1, Work::Repeated),
            (2, 2, 1, Work::New),
        ] {
            assert_eq!(census.note(thread, key, Draft::main(depth)), work, "{thread} {key} {depth}");
        }
    }
}
