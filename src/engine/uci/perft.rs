//! Perft with progress on standard error, because a count may take hours.

use std::time::Duration;

use crate::base::console::{self, LineTimer};
use crate::chess::board::{Board, Move, Part, parallel_perft_with};

/// The time between two lines of progress on a terminal, and before the first. Most counts take less time.
const INTERVAL: Duration = Duration::from_secs(5);

/// Runs [`parallel_perft`](crate::chess::board::parallel_perft), and writes lines of progress to standard error.
///
/// # Errors
///
/// If the threads cannot be started.
pub fn count(
    board: &Board,
    depth: u32,
    threads: usize,
) -> Result<Vec<(Move, u64)>, rayon::ThreadPoolBuildError> {
    let timer = if console::is_watched() { LineTimer::new(INTERVAL) } else { LineTimer::of_log() };
    parallel_perft_with(board, depth, threads, |part| {
        if timer.is_due() {
            console::warn(line(part, timer.elapsed()));
        }
    })
}

fn line(Part { done, parts, nodes }: Part, elapsed: Duration) -> String {
    let percent = 100 * done / parts.max(1);
    format!("perft: {percent}% counted, {nodes} nodes in {} s", elapsed.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_progress_line_shows_the_count_so_far() {
        let part = Part { done: 30, parts: 400, nodes: 123_456 };
        assert_eq!(line(part, Duration::from_secs(61)), "perft: 7% counted, 123456 nodes in 61 s");
    }

    #[test]
    fn the_count_equals_plain_perft() {
        let board = Board::startpos();
        for (depth, expected) in [(1, 20), (3, 8_902), (5, 4_865_609)] {
            let counts = count(&board, depth, 2).unwrap();
            assert_eq!(counts.iter().map(|(_, count)| count).sum::<u64>(), expected);
        }
    }
}
