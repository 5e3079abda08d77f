//! Openings without games, for OpenBench. Its workers ask an engine for openings (`genfens`) and play the games
//! themselves.

use std::path::PathBuf;

use thiserror::Error;

use super::book::{self, BookError};
use super::opening::{NoOpening, Openings};
use super::pace::{Pace, SoftNodes};
use super::play::{self, Player};
use super::solo_player::{SoloPlayer, TABLE_MEBIBYTES};
use crate::base::random::Random;
use crate::chess::board::{Board, Game};
use crate::engine::facade::Settings;
use crate::engine::tt::TableError;

/// The soft node limit of the search that judges a position.
const NODES: u64 = 1_000;

/// How many positions are tried to find a balanced one. A book may have none.
const TRIES: u32 = 50;

/// A request for openings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The number of openings.
    pub count: u64,
    /// The seed of the openings. The openings depend only on the seed and the book.
    pub seed: u64,
    /// The book of start positions; `None` for the initial position.
    pub book: Option<PathBuf>,
}

/// No opening could be drawn.
#[derive(Debug, Error)]
pub enum GenfensError {
    /// There is not enough memory for a table.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The book cannot be used.
    #[error(transparent)]
    Book(#[from] BookError),
    /// The positions of the book are decided, or the games are over.
    #[error(transparent)]
    NoOpening(#[from] NoOpening),
}

/// Draws openings as `datagen` does: random moves from the initial position or from a position of the book. Prefers
/// balanced positions. `print` receives each opening as soon as it is found.
///
/// # Errors
/// If the book cannot be used or leads to no game, or if there is not enough memory.
pub fn run(
    request: &Request,
    settings: &Settings,
    mut print: impl FnMut(&Board),
) -> Result<(), GenfensError> {
    let openings = match &request.book {
        Some(path) => Openings::Book(book::read(path)?),
        None => Openings::Standard,
    };
    let mut player = SoloPlayer::new(SoftNodes::all(NODES), TABLE_MEBIBYTES, settings)?;
    for number in 0..request.count {
        let mut random = Random::stream(request.seed, number);
        print(&opening(&mut player, &openings, &mut random).ok_or(NoOpening)?);
    }
    Ok(())
}

/// A balanced position. If none is found, a position in which the game is not over, or `None`.
fn opening(player: &mut impl Player, openings: &Openings, random: &mut Random) -> Option<Board> {
    let mut last = None;
    for _ in 0..TRIES {
        let Some(board) = play::start(openings, random) else { continue };
        player.new_game();
        let (_, score) = player.choose(&Game::new(board.clone()), Pace::Full);
        if play::is_balanced(score) {
            return Some(board);
        }
        last = Some(board);
    }
    last
}

#[cfg(test)]
mod tests {
    use super::super::play::tests::OnePly;
    use super::*;

    fn openings(fen: &str) -> Openings {
        Openings::Book(vec![Board::from_fen(fen).unwrap().0])
    }

    #[test]
    fn decided_book_positions_are_used_too() {
        let random = &mut Random::stream(1, 1);
        let won = openings("4k3/8/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1");
        assert!(opening(&mut OnePly, &won, random).is_some());
        // Every move ends the game.
        let over = openings("7k/8/8/8/8/8/5q2/7K w - - 99 90");
        assert_eq!(opening(&mut OnePly, &over, random), None);
    }
}
