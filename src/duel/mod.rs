//! Matches of one setting against another by virtual threads: `enfilade duel` and `enfilade speedup`.
//!
//! Each game runs on one thread of the system, in an [`crate::engine::Laboratory`] for each side, so that two cores can
//! play 64 threads against 32. Limits are nodes of all threads, and a game follows from the settings, the seed and its
//! number alone: the same seed gives the same games, whatever the number of cores and their load.

mod contender;
pub mod contest;
pub mod pgn;
pub mod report;
pub mod speedup;
pub mod statistics;

use thiserror::Error;

use crate::board::Board;
use crate::crew::ThreadsRefused;
use crate::datagen::opening::Openings;
use crate::datagen::play::{self, Adjudication, DrawRule};
use crate::engine::{EngineError, Settings};
use crate::random::Random;
pub use statistics::Sprt;

/// Why a match was not played.
#[derive(Debug, Error)]
pub enum DuelError {
    /// Memory.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// Threads.
    #[error(transparent)]
    Threads(#[from] ThreadsRefused),
}

/// A game is drawn that both sides have seen as even for eight moves each, from move 40 on. A score of 15 is about 0.08
/// normalized pawns.
const DRAW: DrawRule = DrawRule { first_move: 40, limit: 15, plies: 16 };

/// Who plays.
#[derive(Clone, Debug, PartialEq)]
pub struct DuelSide {
    /// The settings, but for those that [`crate::engine::Laboratory`] leaves out.
    pub settings: Settings,
    /// Nodes of all threads for each move.
    pub nodes: u64,
}

/// What is to be played.
#[derive(Clone, Debug)]
pub struct DuelPlan {
    /// A and B.
    pub sides: [DuelSide; 2],
    /// Number of the first pair of games. Others have other openings and turns.
    pub first: u64,
    /// Pairs of games to play at most.
    pub pairs: u64,
    /// Where games begin, each of them once with either color.
    pub starts: Starts,
    /// Mean length of a thread's turn in nodes, from 1.
    pub turn: u64,
    /// Seed of openings and turns.
    pub seed: u64,
    /// Games played at the same time, from 1.
    pub jobs: usize,
    /// A test that may end the match before.
    pub sprt: Option<Sprt>,
}

/// A supply of positions to begin games from.
#[derive(Clone, Debug)]
pub enum Starts {
    /// Random openings as [`crate::datagen`] has them.
    Random,
    /// Positions of a book, taken as they are, one after the other and again from the first.
    Book(Vec<Board>),
}

impl Starts {
    /// The positions of a book, at least one, in an order that follows from `seed`.
    pub fn book(mut boards: Vec<Board>, seed: u64) -> Starts {
        // A stream that is no pair's.
        Random::stream(seed, u64::MAX).shuffle(&mut boards);
        Starts::Book(boards)
    }

    /// The start of a pair of games.
    fn draw(&self, pair: u64, random: &mut Random) -> Board {
        match self {
            Starts::Book(boards) => boards[(pair % boards.len() as u64) as usize].clone(),
            Starts::Random => loop {
                if let Some(board) = play::start(&Openings::Standard, random) {
                    return board;
                }
            },
        }
    }

    /// When games are not played to their end under the rules. Who gives a book wants its positions played.
    fn adjudication(&self) -> Adjudication {
        let max_start = match self {
            Starts::Book(_) => i32::MAX,
            Starts::Random => Adjudication::TRAINING.max_start,
        };
        Adjudication { max_start, draw: Some(DRAW) }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_positions_of_a_book_come_once_in_an_order_of_their_seed() {
        let boards: Vec<Board> =
            Board::startpos().legal_moves().into_iter().map(|mv| Board::startpos().after(mv)).collect();
        let drawn = |seed| -> Vec<u64> {
            let starts = Starts::book(boards.clone(), seed);
            (0..25).map(|pair| starts.draw(pair, &mut Random::stream(1, pair)).key()).collect()
        };
        let first = drawn(1);
        assert_eq!(first[..20].iter().collect::<HashSet<_>>().len(), 20);
        assert_eq!(first[20..], first[..5]);
        assert_eq!(drawn(1), first);
        assert_ne!(drawn(2), first);
    }
}
