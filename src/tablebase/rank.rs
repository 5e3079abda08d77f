//! The moves of the root, ranked by what the tables say of each, so that a win is kept and brought home within the
//! fifty-move rule.
//!
//! The order follows Stockfish's root probe: moves that certainly win are equal, and the search chooses the most
//! forceful among them. When the clock presses, or a position has been repeated since it was last set back, only the
//! nearest zeroing move counts: so the engine cannot shuffle for ever. Ours loses patience sooner than at the last
//! moment, for where the search sees no mate it tends to play around what is already won.

use std::cmp::Reverse;
use std::collections::HashSet;

use super::{Tablebases, Wdl};
use crate::board::{Board, Game, Move};
use crate::types::Score;

/// Plies without capture or pawn move after which the fifty-move rule makes a draw.
const FIFTY_MOVES: i32 = 100;

/// Plies without progress after which only the nearest zeroing move will do.
const PATIENCE: i32 = 16;

/// What a root move leads to, from the worst to the best. Plies are counted on the fifty-move clock, up to the winner's
/// next zeroing move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Rank {
    /// Lost with moves to spare.
    Lost,
    /// Lost, if the fifty-move rule does not help: the more plies the better.
    Resisting(i32),
    /// Drawn; also where nothing is known.
    #[default]
    Drawn,
    /// Won, if the fifty-move rule does not prevent it: the fewer plies the better.
    Pressing(Reverse<i32>),
    /// Won with moves to spare.
    Won,
}

impl Rank {
    /// The rank of a move after which the mover has this distance to zeroing, counted from before the move, with
    /// `clock` plies on the fifty-move clock.
    fn of_distance(distance: i32, clock: i32, is_repeated: bool) -> Rank {
        let plies = distance.abs() + clock;
        match distance {
            0 => Rank::Drawn,
            // One ply less than the rule allows, because distances may be one too small.
            1.. if plies < FIFTY_MOVES && clock < PATIENCE && !is_repeated => Rank::Won,
            1.. => Rank::Pressing(Reverse(plies)),
            // The winner may need up to twice as long where it does not play the nearest zeroing move.
            _ if 2 * distance.abs() + clock < FIFTY_MOVES => Rank::Lost,
            _ => Rank::Resisting(plies),
        }
    }

    /// The rank by a WDL table alone, which knows of no clock.
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

    /// The score to show, where the search has not proven a mate.
    pub fn score(self, fifty_moves: bool) -> Score {
        super::score(self.wdl(), fifty_moves, 0)
    }
}

/// What the tables say of the root.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ranking {
    /// A rank for each move, in the order in which they were given; and its distance to zeroing in plies, positive for
    /// wins and negative for losses. Among equals the lesser distance is the better guess.
    pub ranks: Vec<(Rank, i32)>,
    /// Whether they follow the distance to zeroing: without DTZ tables they do not, and nothing yet leads to the win.
    pub by_distance: bool,
}

impl Tablebases {
    /// Ranks legal `moves` of the position that `game` has come to. `None` where a table is missing or damaged that one
    /// of them needs; `complain` hears which, if it is news.
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

    /// The distance to zeroing of the move that led to `child`, for its mover and counted from before it.
    fn distance(&self, child: &Board, complain: &dyn Fn(&str)) -> Option<i32> {
        if is_mate(child) {
            return Some(1);
        }
        if child.halfmove_clock() == 0 {
            // The move itself has set the clock back.
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

/// Whether the game is drawn with the move to `child`: by the third occurrence of the position, or by the clock.
fn is_draw(game: &Game, child: &Board, fifty_moves: bool) -> bool {
    let earlier = game.keys().iter().filter(|&&key| key == child.key()).count();
    earlier >= 2 || (fifty_moves && child.halfmove_clock() >= FIFTY_MOVES as u32 && !is_mate(child))
}

/// Whether some position has occurred twice since the clock was last set back.
fn is_repeated(game: &Game) -> bool {
    let mut seen = HashSet::new();
    !game.keys().iter().chain([&game.board().key()]).all(|key| seen.insert(key))
}
