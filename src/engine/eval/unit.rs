//! One unit for evaluations and search scores in all phases of the game.
//!
//! A network learns scores of searches, which are larger than static evaluations. So its unit grows from one network to
//! the next, and most of all in endings: with few pieces left, a lead of so many centipawns wins less often. Margins of
//! the search mean the same everywhere only if evaluations do. So the search scales the network's outputs by the
//! material on the board (Obsidian, Alexandria, Reckless and Stockfish do so, too).
//!
//! The two numbers of this factor belong to the network. Its file has them (`eval::network::format`).
//!
//! Training games store scores of the search. The training converts them to the network's unit. Otherwise the next
//! network would learn scores that have been scaled already, and the search would scale them again.

use crate::chess::types::Score;

/// The most material that counts: that of the starting position.
const FULL: i32 = 78;
/// The greatest value of either number of a unit. Greater ones could overflow.
const LIMIT: i32 = 10_000;

/// The unit of a network's outputs: the search multiplies them by `(base + material) / whole`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unit {
    base: i32,
    whole: i32,
}

impl Unit {
    /// The outputs are in the unit of the search already.
    pub const SEARCH: Unit = Unit { base: 0, whole: 0 };

    /// The unit with these numbers: `base` is the material that an empty board counts as, and `whole` is the sum of
    /// material and `base` at which outputs keep their size. Two zeros stand for [`Unit::SEARCH`]. Otherwise `base` is
    /// 0 to 10,000 and `whole` 1 to 10,000; `None` for other numbers.
    pub fn new(base: i32, whole: i32) -> Option<Unit> {
        let is_valid = (0..=LIMIT).contains(&base) && (1..=LIMIT).contains(&whole);
        (is_valid || (base, whole) == (0, 0)).then_some(Unit { base, whole })
    }

    /// The numbers that [`Unit::new`] takes.
    pub fn numbers(self) -> [i32; 2] {
        [self.base, self.whole]
    }

    /// The factor from the unit of the network to that of the search, as numerator and denominator, with this
    /// `material` on the board ([`Board::material`](crate::chess::board::Board::material)).
    #[inline]
    fn factor(self, material: i32) -> (i32, i32) {
        if self.whole == 0 { (1, 1) } else { (self.base + material.min(FULL), self.whole) }
    }

    /// The factor from the unit of the network to that of the search, with this `material` on the board.
    #[inline]
    pub fn share(self, material: i32) -> f32 {
        let (numerator, denominator) = self.factor(material);
        numerator as f32 / denominator as f32
    }

    /// An output of the network, within +-[`Score::MAX_EVAL`], in the unit of the search.
    #[inline]
    pub fn to_search(self, output: i32, material: i32) -> i32 {
        let (numerator, denominator) = self.factor(material);
        output * numerator / denominator
    }

    /// A score of a search in the unit of the network. Decisive scores stay as they are.
    pub fn to_network(self, score: Score, material: i32) -> Score {
        if score.is_decisive() {
            return score;
        }
        let (numerator, denominator) = self.factor(material);
        Score::new(score.value() * denominator / numerator.max(1)).clamp_eval()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::types::WinModel;

    /// The unit of network 16.
    const GROWN: Unit = Unit { base: 40, whole: 118 };

    #[test]
    fn only_numbers_that_cannot_overflow_are_valid() {
        assert_eq!(Unit::new(40, 118), Some(GROWN));
        assert_eq!(Unit::new(0, 0), Some(Unit::SEARCH));
        assert!(Unit::new(LIMIT, LIMIT).is_some() && Unit::new(0, 1).is_some());
        for (base, whole) in [(1, 0), (-1, 5), (5, -1), (LIMIT + 1, 5), (5, LIMIT + 1), (i32::MAX, i32::MIN)]
        {
            assert_eq!(Unit::new(base, whole), None, "{base} and {whole}");
        }
        for unit in [Unit::SEARCH, GROWN, Unit { base: LIMIT, whole: 1 }, Unit { base: 0, whole: LIMIT }] {
            for material in [0, 1, 78, 500] {
                let greatest = unit.to_search(Score::MAX_EVAL.value(), material);
                assert!(greatest >= 0);
                assert!(!unit.to_network(Score::MAX_EVAL, material).is_decisive());
            }
        }
    }

    #[test]
    fn the_unit_of_the_search_changes_nothing() {
        for material in [0, 20, 78, 110] {
            assert_eq!(Unit::SEARCH.to_search(-1_234, material), -1_234);
            assert_eq!(Unit::SEARCH.to_network(Score::new(1_234), material), Score::new(1_234));
        }
        assert_eq!(
            [0, 19, 78, 110].map(|material| GROWN.to_search(1_180, material)),
            [400, 590, 1_180, 1_180]
        );
    }

    #[test]
    fn a_score_of_the_search_returns_to_the_unit_of_the_networks_output() {
        for material in 0..=110 {
            for output in (-5_000..=5_000).step_by(7) {
                let stored =
                    GROWN.to_network(Score::new(GROWN.to_search(output, material)), material).value();
                // Both divisions round towards zero.
                assert!((output - stored).abs() <= 3, "{output} with material {material}: {stored}");
                assert!(stored.abs() <= output.abs());
            }
        }
    }

    #[test]
    fn decisive_scores_have_no_unit() {
        for score in [Score::mate_in(3), Score::mated_in(4), -Score::TABLEBASE_WIN] {
            assert_eq!(GROWN.to_network(score, 20), score);
        }
        let greatest = [Score::MAX_EVAL, -Score::MAX_EVAL].map(|score| GROWN.to_network(score, 0));
        assert!(greatest.iter().all(|score| !score.is_decisive()));
    }

    /// If a new network's scores leave this range, its unit has to follow them (docs/networks.md).
    #[test]
    fn an_even_chance_to_win_is_about_the_same_score_in_all_phases() {
        for material in 20..=78 {
            let center = WinModel::FITTED.center(material);
            assert!((95.0..=150.0).contains(&center), "{center} with material {material}");
        }
    }
}
