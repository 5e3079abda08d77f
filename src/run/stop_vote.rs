//! The vote to end a search that has a clock.
//!
//! Each thread judges after each of its iterations whether it has used its time, by the stability of its own results.
//! The search ends when enough of the threads think so. So a main thread that has settled on a move too early does not
//! end the search alone, and one that has not does not hold up all others. The idea is Reckless's (its #706 of 2026).

use std::sync::atomic::Ordering;

use crossbeam_utils::CachePadded;

use super::counters::Counters;

/// Whether at least `percent` percent of the threads that have begun would end the search. Helpers that the search does
/// not need never begin.
pub fn is_agreed(counters: &[CachePadded<Counters>], percent: i32) -> bool {
    // Relaxed: a vote carries no data, and a late one counts when the next thread asks.
    let voters = || counters.iter().filter(|counters| counters.depth.load(Ordering::Relaxed) > 0);
    let agreeing = voters().filter(|counters| counters.would_stop.load(Ordering::Relaxed)).count();
    agreeing > 0 && 100 * agreeing >= percent as usize * voters().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Threads as letters: `y` would end the search, `n` would not, and `-` has not begun.
    fn is_agreed_by(threads: &str, percent: i32) -> bool {
        let counters: Vec<CachePadded<Counters>> = threads
            .chars()
            .map(|vote| {
                let counters = Counters::default();
                counters.depth.store(i32::from(vote != '-'), Ordering::Relaxed);
                counters.would_stop.store(vote == 'y', Ordering::Relaxed);
                counters.into()
            })
            .collect();
        is_agreed(&counters, percent)
    }

    #[test]
    fn threads_that_have_begun_decide_by_their_share() {
        for (threads, percent, expected) in [
            ("y", 65, true),
            ("n", 65, false),
            ("y-------", 65, true),
            ("yn", 65, false),
            ("yn", 50, true),
            ("yyn", 65, true),
            ("ynn", 65, false),
            ("nyyyyyyy", 65, true),
            ("yyyyyynn", 65, true),
            ("yyyyynnn", 65, false),
            ("yyyyyyyn", 100, false),
            ("yyyyyyyy", 100, true),
            ("nnnn", 1, false),
            ("----", 65, false),
        ] {
            assert_eq!(is_agreed_by(threads, percent), expected, "{threads} {percent}");
        }
    }
}
