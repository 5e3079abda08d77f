//! Perft: counting the leaves of the full game tree, the test that a move generator answers to.
//!
//! The last ply is counted without being made, so the figures compare with other engines' bulk counting.

use rayon::prelude::*;

use super::{Board, Move, MoveList};

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

/// [`perft`] with so many threads; the work is split at the second ply, fine enough to keep all of them busy.
///
/// # Errors
///
/// When the threads cannot be started.
pub fn parallel_perft(
    board: &Board,
    depth: u32,
    threads: usize,
) -> Result<Vec<(Move, u64)>, rayon::ThreadPoolBuildError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    Ok(pool.install(|| {
        let moves = board.legal_moves();
        moves
            .as_slice()
            .par_iter()
            .map(|&mv| (mv, split(&board.after(mv), depth.saturating_sub(1))))
            .collect()
    }))
}

fn split(board: &Board, depth: u32) -> u64 {
    if depth < 3 {
        return perft(board, depth);
    }
    board.legal_moves().as_slice().par_iter().map(|&mv| perft(&board.after(mv), depth - 1)).sum()
}

impl Board {
    /// See [`perft`].
    pub fn perft(&self, depth: u32) -> u64 {
        perft(self, depth)
    }

    /// The perft of `depth` - 1 plies after each legal move, in the generators' order; `depth` is at least 1.
    pub fn divide(&self, depth: u32) -> Vec<(Move, u64)> {
        self.legal_moves()
            .into_iter()
            .map(|mv| (mv, perft(&self.after(mv), depth.saturating_sub(1))))
            .collect()
    }
}
