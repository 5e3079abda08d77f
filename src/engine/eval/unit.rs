//! One unit for evaluations and search scores in all phases of the game.
//!
//! A network learns scores of searches, which are larger than static evaluations. So its unit grows from one network to
//! the next, and most of all in endings: with few pieces left, a lead of so many centipawns wins less often. Margins of
//! the search mean the same everywhere only if evaluations do. So the search scales the network's outputs by the
//! material on the board (Obsidian, Alexandria, Reckless and Stockfish do so, too).
//!
//! Training games store scores of the search. The training converts them to the network's unit. Otherwise the next
//! network would learn scores that have been scaled already, and the search would scale them again.

use crate::chess::types::Score;

/// Outputs with [`FULL`] material keep their size.
const FULL: i32 = 78;
/// How many points of material an empty board counts as. With 40 and network 16, an even chance to win is at 103 to 143
/// centipawns for material of 20 to 78. In the network's own unit it is at 103 to 281.
const BASE: i32 = 40;

/// The factor from the unit of the network to that of the search, with this `material` on the board.
pub fn share(material: i32) -> f64 {
    f64::from(BASE + material.min(FULL)) / f64::from(BASE + FULL)
}

/// An output of the network in the unit of the search, with this `material` on the board
/// ([`Board::material`](crate::chess::board::Board::material)).
#[inline]
pub fn from_network(output: i32, material: i32) -> i32 {
    output * (BASE + material.min(FULL)) / (BASE + FULL)
}

/// A score of a search in the unit of the network. Decisive scores stay as they are.
pub fn to_network(score: Score, material: i32) -> Score {
    if score.is_decisive() {
        return score;
    }
    Score::new(score.value() * (BASE + FULL) / (BASE + material.min(FULL))).clamp_eval()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::types::WinModel;

    #[test]
    fn a_score_of_the_search_returns_to_the_unit_of_the_networks_output() {
        for material in 0..=110 {
            for output in (-5_000..=5_000).step_by(7) {
                let stored = to_network(Score::new(from_network(output, material)), material).value();
                // Both divisions round towards zero.
                assert!((output - stored).abs() <= 3, "{output} with material {material}: {stored}");
                assert!(stored.abs() <= output.abs());
            }
        }
    }

    #[test]
    fn decisive_scores_have_no_unit() {
        for score in [Score::mate_in(3), Score::mated_in(4), -Score::TABLEBASE_WIN] {
            assert_eq!(to_network(score, 20), score);
        }
        assert!(
            !to_network(Score::MAX_EVAL, 0).is_decisive() && !to_network(-Score::MAX_EVAL, 0).is_decisive()
        );
    }

    /// If a new network's scores leave this range, [`BASE`] has to follow them (docs/networks.md).
    #[test]
    fn an_even_chance_to_win_is_about_the_same_score_in_all_phases() {
        for material in 20..=78 {
            let center = WinModel::FITTED.center(material);
            assert!((95.0..=150.0).contains(&center), "{center} with material {material}");
        }
    }
}
