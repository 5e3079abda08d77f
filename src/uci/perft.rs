//! Perft with progress on standard error, because a count may take hours.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::board::{Board, Move, Part, parallel_perft_with};
use crate::console;

/// The time between two lines of progress on a terminal, and before the first. Most counts take less time.
const LINES_FOR_A_READER: Duration = Duration::from_secs(5);
/// The time between two lines of progress, and before the first, if standard error is not a terminal.
const LINES_FOR_A_LOG: Duration = Duration::from_secs(60);

/// Runs [`parallel_perft`](crate::board::parallel_perft), and writes lines of progress to standard error.
///
/// # Errors
///
/// If the threads cannot be started.
pub fn count(
    board: &Board,
    depth: u32,
    threads: usize,
) -> Result<Vec<(Move, u64)>, rayon::ThreadPoolBuildError> {
    let started = Instant::now();
    let timer = LineTimer::new(if console::is_watched() { LINES_FOR_A_READER } else { LINES_FOR_A_LOG });
    parallel_perft_with(board, depth, threads, |part| {
        let elapsed = started.elapsed();
        if timer.is_due(elapsed) {
            console::warn(line(part, elapsed));
        }
    })
}

/// When lines of progress are due.
struct LineTimer {
    /// Milliseconds between two lines.
    pause: u64,
    /// When the next line is due, in milliseconds from the start. Relaxed: it only prevents that two threads write it
    /// at the same time.
    next: AtomicU64,
}

impl LineTimer {
    fn new(pause: Duration) -> LineTimer {
        let pause = pause.as_millis() as u64;
        LineTimer { pause, next: AtomicU64::new(pause) }
    }

    /// Whether it is time for the next line. If so, the caller must write it.
    fn is_due(&self, elapsed: Duration) -> bool {
        let now = elapsed.as_millis() as u64;
        let next = self.next.load(Ordering::Relaxed);
        let later = now + self.pause;
        now >= next && self.next.compare_exchange(next, later, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }
}

fn line(Part { done, parts, nodes }: Part, elapsed: Duration) -> String {
    let percent = 100 * done / parts.max(1);
    format!("perft: {percent}% counted, {nodes} nodes in {} s", elapsed.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_of_life_comes_now_and_then() {
        let timer = LineTimer::new(LINES_FOR_A_LOG);
        let due = |&seconds: &f64| timer.is_due(Duration::from_secs_f64(seconds));
        let times: Vec<f64> = [1.0, 59.9, 60.0, 60.1, 119.0, 120.0].into_iter().filter(due).collect();
        assert_eq!(times, [60.0, 120.0]);
        let part = Part { done: 30, parts: 400, nodes: 123_456 };
        assert_eq!(line(part, Duration::from_secs(61)), "perft: 7% counted, 123456 nodes in 61 s");
    }

    #[test]
    fn the_count_is_that_of_a_plain_perft() {
        let board = Board::startpos();
        for (depth, expected) in [(1, 20), (3, 8_902), (5, 4_865_609)] {
            let counts = count(&board, depth, 2).unwrap();
            assert_eq!(counts.iter().map(|(_, count)| count).sum::<u64>(), expected);
        }
    }
}
