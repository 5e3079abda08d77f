//! Measures what more threads gain: `enfilade speedtest`.
//!
//! The speed test searches positions of real games for a fixed time and compares the results position by position. The
//! numbers of threads take turns on each position, so other load affects all of them alike.

mod chart;
pub(crate) mod command;
mod ratio;
pub mod speedtest;
mod trial;

use crate::chess::board::Game;
use trial::Trial;

/// Positions at moves 10 to 32 of games of the TCEC's 25th season (division P, playoff), one for each game. No position
/// is in check, and none was decided in the opinion of the engines that played.
const POSITIONS: &str = include_str!("positions.fen");

/// The positions of all measurements.
pub fn positions() -> Vec<Game> {
    POSITIONS.lines().map(|fen| Game::from_fen(fen).expect("the positions are tested").0).collect()
}

/// The deepest iteration that all trials finished, in plies; `None` if one of them finished none.
fn common_depth<'a>(trials: impl IntoIterator<Item = &'a Trial>) -> Option<i32> {
    trials.into_iter().map(Trial::depth).min().filter(|depth| *depth > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_is_valid_and_listed_once() {
        let mut fens: Vec<&str> = POSITIONS.lines().collect();
        for fen in &fens {
            let (game, repairs) = Game::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
            assert!(repairs.is_empty(), "{fen}: {repairs:?}");
            assert!(!game.board().in_check() && game.board().legal_moves().len() > 1, "{fen}");
            assert!((10..=40).contains(&game.board().fullmove()), "{fen}");
        }
        fens.sort_unstable();
        fens.dedup();
        assert!(fens.len() >= 40);
        assert_eq!(fens.len(), positions().len());
    }
}
