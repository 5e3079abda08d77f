//! Perft counts the leaves of the full game tree. It is the standard test of a move generator.
//!
//! The moves of the last ply are counted without being made, so the figures compare with other engines' bulk counting.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use rayon::prelude::*;

use super::{Board, Move, MoveList};
use crate::base::numa::Binding;

/// The number of legal move sequences of `depth` plies.
pub fn perft(board: &Board, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut list = MoveList::new();
    board.noisy_moves(&mut list);
    board.quiet_moves(&mut list);
    let legal = list.iter().filter(|&&mv| board.is_legal(mv));
    if depth == 1 {
        return legal.count() as u64;
    }
    legal
        .map(|&mv| {
            let mut next = board.clone();
            next.make(mv);
            perft(&next, depth - 1)
        })
        .sum()
}

/// The progress of a count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Parts of the tree that have been counted.
    pub done: usize,
    /// All parts: the tree below each first move, or below each reply to it.
    pub parts: usize,
    /// Nodes counted.
    pub nodes: u64,
}

/// [`perft`] with `threads` threads, for each first move. The work is split at the second ply, which is fine enough to
/// keep all threads busy.
///
/// # Errors
///
/// When the threads cannot be started.
pub fn parallel_perft(
    board: &Board,
    depth: u32,
    threads: usize,
) -> Result<Vec<(Move, u64)>, rayon::ThreadPoolBuildError> {
    parallel_perft_with(board, depth, threads, |_| {})
}

/// [`parallel_perft`] with reports. `progress` gets a report on each part that has been counted, on the thread that
/// counted it.
///
/// # Errors
///
/// When the threads cannot be started.
pub fn parallel_perft_with(
    board: &Board,
    depth: u32,
    threads: usize,
    progress: impl Fn(Part) + Sync,
) -> Result<Vec<(Move, u64)>, rayon::ThreadPoolBuildError> {
    let binding = Binding::of_job(threads);
    let builder = rayon::ThreadPoolBuilder::new().num_threads(threads);
    let pool = builder.start_handler(move |index| binding.bind(index)).build()?;
    let moves = board.legal_moves();
    // It is not worthwhile to split a shallower tree.
    let is_split = depth > 3;
    let parts = if is_split { perft(board, 2) as usize } else { moves.len() };
    let (done, nodes) = (AtomicUsize::new(0), AtomicU64::new(0));
    let count = |board: &Board, depth: u32| {
        let found = perft(board, depth);
        // Relaxed: the figures are only for display.
        let nodes = nodes.fetch_add(found, Ordering::Relaxed) + found;
        progress(Part { done: done.fetch_add(1, Ordering::Relaxed) + 1, parts, nodes });
        found
    };
    let below = |child: &Board| {
        if !is_split {
            return count(child, depth.saturating_sub(1));
        }
        child.legal_moves().as_slice().par_iter().map(|&reply| count(&child.after(reply), depth - 2)).sum()
    };
    Ok(pool.install(|| moves.as_slice().par_iter().map(|&mv| (mv, below(&board.after(mv)))).collect()))
}

impl Board {
    /// See [`perft`].
    pub fn perft(&self, depth: u32) -> u64 {
        perft(self, depth)
    }

    /// The perft of `depth` - 1 plies after each legal move, in the generators' order. `depth` is at least 1.
    pub fn divide(&self, depth: u32) -> Vec<(Move, u64)> {
        self.legal_moves()
            .into_iter()
            .map(|mv| (mv, perft(&self.after(mv), depth.saturating_sub(1))))
            .collect()
    }
}
