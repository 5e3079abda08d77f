//! The order in which searches get threads, and the length of their slices.

use std::time::Duration;

use super::client_search::ClientSearch;

/// The first slice of a search. In it every search counts as interactive, so that all clients see a first line soon.
const FIRST_SLICE: Duration = Duration::from_millis(100);
const LONGEST_SLICE: Duration = Duration::from_secs(2);
/// A search that waits this long is overdue, and gets one slice of [`OVERDUE_SLICE`]: an interactive search before all
/// others, a batch search as an interactive one of [`OVERDUE_LEVEL`] at most. Else the first slices of many clients
/// could take all threads for ever.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);
pub(super) const OVERDUE_SLICE: Duration = Duration::from_millis(500);
const OVERDUE_LEVEL: u32 = 3;

/// The order in which searches get threads: the least first.
#[derive(PartialEq, PartialOrd)]
pub(super) struct Urgency {
    pub is_batch: bool,
    level: u32,
    /// A search in its slice stays before others of its level.
    is_waiting: bool,
    used: f64,
    number: u64,
}

impl Urgency {
    /// The rank of a search that has run for `ran`. `used` are the thread-seconds of its client.
    pub fn of(
        search: &ClientSearch,
        ran: Duration,
        is_overdue: bool,
        is_waiting: bool,
        used: f64,
    ) -> Urgency {
        let (is_batch, level, used) = priority(search.is_batch, ran, is_overdue, used);
        Urgency { is_batch, level, is_waiting, used, number: search.number }
    }
}

/// Whether a search comes after the interactive ones, its level, and what counts as used by its client.
fn priority(is_batch: bool, ran: Duration, is_overdue: bool, used: f64) -> (bool, u32, f64) {
    match (is_batch, is_overdue) {
        (false, true) => (false, 0, 0.0),
        (true, true) => (false, level(ran).min(OVERDUE_LEVEL), used),
        (_, false) => (is_batch && level(ran) > 0, level(ran), used),
    }
}

/// Whether a search that has waited for this long comes first for one slice.
pub(super) fn is_overdue(waited: Duration) -> bool {
    waited >= PATIENCE
}

/// How often a search has doubled the time that it has run.
fn level(ran: Duration) -> u32 {
    (ran.as_millis() / FIRST_SLICE.as_millis() + 1).ilog2()
}

/// The length of the next slice of a search that has run for a time.
pub(super) fn slice_length(ran: Duration) -> Duration {
    (FIRST_SLICE * 2u32.saturating_pow(level(ran).min(16))).min(LONGEST_SLICE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_grow_with_the_time_that_a_search_has_run() {
        let millis = Duration::from_millis;
        assert_eq!(level(Duration::ZERO), 0);
        assert_eq!(slice_length(Duration::ZERO), FIRST_SLICE);
        assert_eq!((level(millis(100)), slice_length(millis(100))), (1, millis(200)));
        assert_eq!((level(millis(300)), slice_length(millis(300))), (2, millis(400)));
        assert_eq!(slice_length(Duration::from_secs(1_000_000)), LONGEST_SLICE);
    }

    #[test]
    fn interactive_searches_come_first_and_then_those_that_have_run_least() {
        let rank =
            |is_batch, level, is_waiting, used, number| Urgency { is_batch, level, is_waiting, used, number };
        let order = [
            rank(false, 0, false, 9.0, 9),
            rank(false, 0, true, 0.0, 3),
            rank(false, 0, true, 0.5, 1),
            rank(false, 3, false, 0.0, 2),
            rank(true, 1, true, 0.0, 0),
        ];
        assert!(order.windows(2).all(|pair| pair[0] < pair[1]));
    }

    /// With 200 clients on two threads, first slices took both threads for two minutes, and searches that needed a
    /// second slice got none.
    #[test]
    fn an_overdue_search_comes_before_first_slices_if_somebody_waits_for_it() {
        let second = Duration::from_secs(1);
        assert_eq!(priority(false, second, true, 5.0), (false, 0, 0.0));
        assert_eq!(priority(false, second, false, 5.0), (false, 3, 5.0));
        assert_eq!(priority(true, 60 * second, true, 5.0), (false, OVERDUE_LEVEL, 5.0));
        assert!(priority(true, 60 * second, false, 5.0).0);
        assert_eq!(priority(true, Duration::ZERO, false, 5.0), (false, 0, 5.0));
    }
}
