//! Openings of games: a starting position or a position of a book, and then some random moves.

use thiserror::Error;

use crate::base::random::Random;
use crate::chess::board::Board;

/// No game can begin: the positions of the book are decided, or the games are over.
#[derive(Debug, Error)]
#[error("no game can begin from the positions of the book: they are decided or nearly decided")]
pub struct NoOpening;

/// The number of random plies from a starting position. Half of the games have one more, so that both sides get to make
/// the first move that is not random.
const RANDOM_PLIES: usize = 8;

/// The number of random plies after a position of a book. Book positions already differ. The random plies prevent equal
/// games from the same position.
const PLIES_BEHIND_BOOK: usize = 2;

/// The number of starting positions of Chess960.
const ARRANGEMENTS: usize = 960;

/// A source of openings.
#[derive(Clone, Debug)]
pub enum Openings {
    /// The starting position of chess.
    Standard,
    /// The 960 starting positions of Chess960.
    Chess960,
    /// The positions of a book, at least one.
    Book(Vec<Board>),
}

impl Openings {
    /// A position after 8 or 9 random legal moves, or after 2 or 3 with a book; `None` if these moves ended the game.
    pub fn draw(&self, random: &mut Random) -> Option<Board> {
        let (mut board, plies) = match self {
            Openings::Standard => (Board::startpos(), RANDOM_PLIES),
            Openings::Chess960 => (chess960(random.below(ARRANGEMENTS)), RANDOM_PLIES),
            Openings::Book(boards) => (boards[random.below(boards.len())].clone(), PLIES_BEHIND_BOOK),
        };
        for _ in 0..plies + random.below(2) {
            let moves = board.legal_moves();
            if moves.is_empty() {
                return None;
            }
            board = board.after(moves[random.below(moves.len())]);
        }
        Some(board)
    }
}

/// The starting position with a number from 0 to 959 in Reinhard Scharnagl's numbering. Number 518 is that of chess.
fn chess960(number: usize) -> Board {
    let mut rank = [None; 8];
    rank[2 * (number % 4) + 1] = Some('B');
    rank[2 * (number / 4 % 4)] = Some('B');
    // The other pieces are placed on the free files, counted from the queen's side.
    let mut place = |piece, index| {
        let free = rank.iter_mut().filter(|file| file.is_none()).nth(index);
        *free.expect("a free file is left for each piece") = Some(piece);
    };
    place('Q', number / 16 % 6);
    const KNIGHTS: [(usize, usize); 10] =
        [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)];
    let (first, second) = KNIGHTS[number / 96];
    // The knight with the higher number is placed first, because a placed piece no longer counts as a free file.
    place('N', second);
    place('N', first);
    for piece in ['R', 'K', 'R'] {
        place(piece, 0);
    }
    let white: String = rank.into_iter().flatten().collect();
    let fen = format!("{}/pppppppp/8/8/8/8/PPPPPPPP/{white} w KQkq - 0 1", white.to_lowercase());
    Board::from_fen(&fen).expect("every arrangement is legal").0
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn chess960_arrangements_have_their_standard_numbers() {
        assert_eq!(chess960(518), Board::startpos());
        assert!(chess960(0).fen(false).ends_with("BBQNNRKR w KQkq - 0 1"));
        assert!(chess960(959).fen(false).ends_with("RKRNNQBB w KQkq - 0 1"));
        let all: HashSet<String> = (0..ARRANGEMENTS).map(|number| chess960(number).fen(true)).collect();
        assert_eq!(all.len(), ARRANGEMENTS);
        assert!((0..ARRANGEMENTS).all(|number| chess960(number).castling_rooks().count() == 4));
    }

    #[test]
    fn random_moves_follow_a_book_position() {
        let book = vec![Board::from_fen("4k3/pppp4/8/8/8/8/PPPP4/4K2R w K - 0 10").unwrap().0];
        let openings = Openings::Book(book);
        let mut seen = HashSet::new();
        for index in 0..50 {
            let board = openings.draw(&mut Random::stream(2, index)).unwrap();
            assert_eq!(board.fullmove(), 11);
            seen.insert(board.fen(false));
        }
        assert!(seen.len() > 30);
    }

    #[test]
    fn a_finished_game_is_not_used_as_an_opening() {
        let book = vec![Board::from_fen("k7/2Q5/8/8/8/8/8/1K6 w - - 0 1").unwrap().0];
        let openings = Openings::Book(book);
        let drawn = (0..200).map(|index| openings.draw(&mut Random::stream(2, index)));
        assert!(drawn.filter(Option::is_none).count() > 0);
    }
}
