//! What all matches have in common: the start positions, the number of games, and how they are played.

use serde::Serialize;
use xxhash_rust::xxh3::Xxh3;

use crate::base::random::Random;
use crate::chess::board::Board;
use crate::engine::selfplay::adjudication::{Adjudication, DrawRule, MAX_START};
use crate::engine::selfplay::opening::Openings;
use crate::engine::selfplay::play;

/// From move 40 on, a game is adjudicated as a draw if both sides have seen it as even for eight moves each. A score of
/// 15 is about 0.12 normalized pawns.
const DRAW: DrawRule = DrawRule { first_move: 40, few_pieces: 0, limit: 15, plies: 16 };

/// How the games of a match are played. As JSON, it has the openings, the length of turns and the seed.
#[derive(Clone, Debug, Serialize)]
pub struct MatchRules {
    /// A description of the start positions.
    pub openings: String,
    /// The start positions. Each of them is played once with each color.
    #[serde(skip)]
    pub starts: Starts,
    /// Mean length of a thread's turn in nodes, from 1.
    pub turn: u64,
    /// Seed of the openings and turns.
    pub seed: u64,
    /// The greatest number of pairs of games to play.
    #[serde(skip)]
    pub pairs: u64,
    /// The number of games played at the same time, from 1.
    #[serde(skip)]
    pub jobs: usize,
}

/// A source of start positions.
#[derive(Clone, Debug)]
pub enum Starts {
    /// Random openings like those of [`crate::lab::datagen`].
    Random,
    /// The positions of a book, unchanged, one after the other. After the last one the first one follows again.
    Book(Vec<Board>),
}

impl Starts {
    /// The positions of a book, at least one. `seed` determines their order.
    pub fn book(mut boards: Vec<Board>, seed: u64) -> Starts {
        // No pair uses this stream.
        Random::stream(seed, u64::MAX).shuffle(&mut boards);
        Starts::Book(boards)
    }

    /// A hash of the book's positions in their order; `None` without a book.
    pub(super) fn book_checksum(&self) -> Option<u64> {
        let Starts::Book(boards) = self else { return None };
        let mut hasher = Xxh3::new();
        for board in boards {
            hasher.update(board.fen(true).as_bytes());
            hasher.update(b"\n");
        }
        Some(hasher.digest())
    }

    /// The start of a pair of games.
    pub(super) fn draw(&self, pair: u64, random: &mut Random) -> Board {
        match self {
            Starts::Book(boards) => boards[(pair % boards.len() as u64) as usize].clone(),
            Starts::Random => loop {
                if let Some(board) = play::start(&Openings::Standard, random) {
                    return board;
                }
            },
        }
    }

    /// The rules of adjudication. A book's positions are played however uneven they are, because the user has chosen
    /// them.
    pub(super) fn adjudication(&self) -> Adjudication {
        let max_start = match self {
            Starts::Book(_) => i32::MAX,
            Starts::Random => MAX_START,
        };
        Adjudication { max_start, draw: Some(DRAW) }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    impl MatchRules {
        /// Pairs of games from random openings, one game after the other.
        pub fn random(pairs: u64) -> MatchRules {
            let (openings, starts) = ("random openings".to_owned(), Starts::Random);
            MatchRules { openings, starts, turn: 96, seed: 1, pairs, jobs: 1 }
        }
    }

    #[test]
    fn each_book_position_comes_once_in_an_order_that_the_seed_sets() {
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
        let checksum = |seed| Starts::book(boards.clone(), seed).book_checksum();
        assert!(checksum(1).is_some() && checksum(1) == checksum(1) && checksum(1) != checksum(2));
        assert_eq!(Starts::Random.book_checksum(), None);
    }
}
