//! Perft with progress on standard error, because a count may take hours.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::board::{Board, Move, Part, parallel_perft_with};
use crate::console;

/// The time between two lines of progress if standard error is not a terminal.
const LINES_EVERY: Duration = Duration::from_secs(60);
/// The time between two changes of the progress bar on a terminal, and before the first. Most counts take less time.
const CHANGES_EVERY: Duration = Duration::from_millis(500);

/// Runs [`parallel_perft`](crate::board::parallel_perft), and shows its progress on standard error.
///
/// # Errors
///
/// If the threads cannot be started.
pub fn count(
    board: &Board,
    depth: u32,
    threads: usize,
) -> Result<Vec<(Move, u64)>, rayon::ThreadPoolBuildError> {
    let progress = PerftProgress::new(console::is_watched());
    let counts = parallel_perft_with(board, depth, threads, |part| progress.note(part));
    progress.bar.finish_and_clear();
    counts
}

struct PerftProgress {
    is_watched: bool,
    bar: ProgressBar,
    started: Instant,
    /// When the progress is shown next, in milliseconds from the start. Relaxed: it only prevents that two threads show
    /// it at the same time.
    next: AtomicU64,
}

impl PerftProgress {
    fn new(is_watched: bool) -> PerftProgress {
        let style = ProgressStyle::with_template("{percent}% counted, {msg} nodes, {eta} left");
        // The bar becomes visible with the first change.
        let bar = ProgressBar::hidden().with_style(style.expect("a sound template"));
        let progress = PerftProgress { is_watched, bar, started: Instant::now(), next: AtomicU64::new(0) };
        progress.next.store(progress.pause(), Ordering::Relaxed);
        progress
    }

    /// Milliseconds between two reports of progress.
    fn pause(&self) -> u64 {
        (if self.is_watched { CHANGES_EVERY } else { LINES_EVERY }).as_millis() as u64
    }

    fn note(&self, part: Part) {
        let elapsed = self.started.elapsed();
        if !self.is_due(elapsed) {
            return;
        }
        if self.is_watched {
            if self.bar.is_hidden() {
                console::show(&self.bar);
            }
            self.bar.set_length(part.parts as u64);
            self.bar.set_message(part.nodes.to_string());
            self.bar.set_position(part.done as u64);
        } else {
            console::warn(line(part, elapsed));
        }
    }

    /// Whether it is time for the next report. If so, the caller must show it.
    fn is_due(&self, elapsed: Duration) -> bool {
        let now = elapsed.as_millis() as u64;
        let next = self.next.load(Ordering::Relaxed);
        let later = now + self.pause();
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
        let at = |progress: &PerftProgress, seconds: f64| progress.is_due(Duration::from_secs_f64(seconds));
        let unwatched = PerftProgress::new(false);
        let due: Vec<f64> =
            [1.0, 59.9, 60.0, 60.1, 119.0, 120.0].into_iter().filter(|&s| at(&unwatched, s)).collect();
        assert_eq!(due, [60.0, 120.0]);
        let watched = PerftProgress::new(true);
        assert!(!at(&watched, 0.1) && at(&watched, 0.5) && !at(&watched, 0.9) && at(&watched, 1.0));
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
