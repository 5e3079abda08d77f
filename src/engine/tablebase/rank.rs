//! Ranks the root moves by the tables' answers, so that a win is kept and converted within the fifty-move rule.
//!
//! The order follows Stockfish's root probe. All moves that certainly win are equal, and the search chooses the most
//! forceful of them. If the fifty-move clock has run for a while, or if a position has been repeated since the clock
//! was last reset, only the nearest zeroing move counts. So the engine cannot make waiting moves for ever. We do this
//! earlier than necessary, because a search that sees no mate tends to delay a win.

use std::cmp::Reverse;
use std::collections::HashSet;

use super::{Tablebases, Wdl};
use crate::chess::board::{Board, Game, Move};
use crate::chess::types::Score;

/// The number of plies without a capture or a pawn move after which the fifty-move rule makes a draw.
const FIFTY_MOVES: i32 = 100;

/// The number of plies on the fifty-move clock from which on only the nearest zeroing move counts.
const PATIENCE: i32 = 16;

/// The result of a root move, from the worst to the best. Plies are the value of the fifty-move clock at the winner's
/// next zeroing move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Rank {
    /// A certain loss: the fifty-move rule cannot save it.
    Lost,
    /// A loss that the fifty-move rule may prevent. More plies are better.
    Resisting(i32),
    /// A draw, or unknown.
    #[default]
    Drawn,
    /// A win that the fifty-move rule may prevent. Fewer plies are better.
    Pressing(Reverse<i32>),
    /// A certain win: the fifty-move rule cannot prevent it.
    Won,
}

impl Rank {
    /// The rank of a move. `distance` is the mover's distance to zeroing, counted from before the move. `clock` is the
    /// number of plies on the fifty-move clock.
    fn of_distance(distance: i32, clock: i32, is_repeated: bool) -> Rank {
        let plies = distance.abs() + clock;
        match distance {
            0 => Rank::Drawn,
            // The limit is one ply below that of the rule, because distances may be too small by one.
            1.. if plies < FIFTY_MOVES && clock < PATIENCE && !is_repeated => Rank::Won,
            1.. => Rank::Pressing(Reverse(plies)),
            // The winner may need up to twice as long if it does not choose the nearest zeroing move.
            _ if 2 * distance.abs() + clock < FIFTY_MOVES => Rank::Lost,
            _ => Rank::Resisting(plies),
        }
    }

    /// The rank by a WDL table alone. Such a table does not know the fifty-move clock.
    fn of_wdl(wdl: Wdl) -> Rank {
        match wdl {
            Wdl::Loss => Rank::Lost,
            Wdl::BlessedLoss => Rank::Resisting(FIFTY_MOVES + 1),
            Wdl::Draw => Rank::Drawn,
            Wdl::CursedWin => Rank::Pressing(Reverse(FIFTY_MOVES + 1)),
            Wdl::Win => Rank::Won,
        }
    }

    fn wdl(self) -> Wdl {
        match self {
            Rank::Lost => Wdl::Loss,
            Rank::Resisting(plies) if plies <= FIFTY_MOVES => Wdl::Loss,
            Rank::Resisting(_) => Wdl::BlessedLoss,
            Rank::Drawn => Wdl::Draw,
            Rank::Pressing(Reverse(plies)) if plies > FIFTY_MOVES => Wdl::CursedWin,
            Rank::Pressing(_) | Rank::Won => Wdl::Win,
        }
    }

    /// The score to show if the search has not proven a mate.
    pub fn score(self, fifty_moves: bool) -> Score {
        super::score(self.wdl(), fifty_moves, 0)
    }
}

/// The ranks of the root moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ranking {
    /// For each move, in the order in which the moves were given: its rank, and its distance to zeroing in plies,
    /// positive for wins and negative for losses. Among moves of equal rank the smaller distance is probably better.
    pub ranks: Vec<(Rank, i32)>,
    /// Whether the ranks come from DTZ tables. If they come from WDL tables alone, they do not tell which move makes
    /// progress.
    pub by_distance: bool,
}

impl Tablebases {
    /// Ranks the legal `moves` of the current position of `game`. `None` if one of them needs a table that is missing
    /// or damaged. Then `complain` receives the reason, if it is new.
    pub fn rank(
        &self,
        game: &Game,
        moves: &[Move],
        fifty_moves: bool,
        complain: &dyn Fn(&str),
    ) -> Option<Ranking> {
        let collect = |by_distance: bool, rank: &dyn Fn(&Board) -> Option<(Rank, i32)>| {
            let ranks = moves
                .iter()
                .map(|&mv| {
                    let child = game.board().after(mv);
                    if is_draw(game, &child, fifty_moves) { Some((Rank::Drawn, 0)) } else { rank(&child) }
                })
                .collect::<Option<Vec<_>>>()?;
            Some(Ranking { ranks, by_distance })
        };
        let clock = game.board().halfmove_clock() as i32;
        let is_repeated = is_repeated(game);
        let by_distance = |child: &Board| {
            let distance = self.distance(child, complain)?;
            Some((Rank::of_distance(distance, clock, is_repeated), distance))
        };
        let by_wdl = |child: &Board| Some((Rank::of_wdl(-self.wdl(child, complain)?), 0));
        (self.dtz_files > 0)
            .then(|| collect(true, &by_distance))
            .flatten()
            .or_else(|| collect(false, &by_wdl))
    }

    /// The distance to zeroing of the move that led to `child`, for its mover, counted from before the move.
    fn distance(&self, child: &Board, complain: &dyn Fn(&str)) -> Option<i32> {
        if is_mate(child) {
            return Some(1);
        }
        if child.halfmove_clock() == 0 {
            // The move itself has reset the clock.
            return Some(match -self.wdl(child, complain)? {
                Wdl::Loss => -1,
                Wdl::BlessedLoss => -1 - FIFTY_MOVES,
                Wdl::Draw => 0,
                Wdl::CursedWin => 1 + FIFTY_MOVES,
                Wdl::Win => 1,
            });
        }
        let distance = -self.dtz(child, complain)?;
        Some(distance + distance.signum())
    }
}

fn is_mate(board: &Board) -> bool {
    board.in_check() && board.legal_moves().is_empty()
}

/// Whether the move to `child` ends the game as a draw: by threefold repetition or by the fifty-move rule.
fn is_draw(game: &Game, child: &Board, fifty_moves: bool) -> bool {
    let earlier = game.keys().iter().filter(|&&key| key == child.key()).count();
    earlier >= 2 || (fifty_moves && child.halfmove_clock() >= FIFTY_MOVES as u32 && !is_mate(child))
}

/// Whether any position has occurred twice since the clock was last reset.
fn is_repeated(game: &Game) -> bool {
    let mut seen = HashSet::new();
    !game.keys().iter().chain([&game.board().key()]).all(|key| seen.insert(key))
}
