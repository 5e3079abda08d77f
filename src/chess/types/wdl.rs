//! The chances of a win, a draw and a loss for a score, and scores in units of those chances.
//!
//! The model is the one that Stockfish's authors fit to their games. The chance to win is a logistic curve of the
//! score, whose center and width follow the material on the board. The chance to lose is its mirror image. The rest is
//! the chance of a draw. `enfilade data wdl` fits the parameters to our own games. `docs/networks.md` describes how,
//! and `docs/journal/win-model.md` shows the fit.

use super::Score;

/// A logistic curve of the score for each amount of material.
///
/// Both polynomials are in `material / `[`WinModel::FULL`]. Material counts pawns 1, minor pieces 3, rooks 5 and queens
/// 9, of both sides together.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WinModel {
    /// The score at which the chance of a win is one half, in centipawns; coefficients from the constant upward.
    pub center: [f64; 4],
    /// How slowly the chance changes around that score, in centipawns; coefficients from the constant upward.
    pub width: [f64; 4],
}

impl WinModel {
    /// The model of the search's scores with network 18.
    pub const FITTED: WinModel =
        WinModel { center: [241.64, -445.63, 495.68, -176.41], width: [37.48, 4.10, 29.67, 1.44] };

    /// Material of a typical middlegame, the unit of the polynomials.
    pub const FULL: f64 = 58.0;

    /// Less material than the first value counts as the first, more than the second as the second. Hardly any games had
    /// such material.
    pub const RANGE: [i32; 2] = [10, 78];

    /// The score at which the chance of a win is one half, in centipawns.
    pub fn center(&self, material: i32) -> f64 {
        polynomial(&self.center, share(material))
    }

    /// How slowly the chance changes around that score, in centipawns.
    pub fn width(&self, material: i32) -> f64 {
        polynomial(&self.width, share(material))
    }

    /// The chance of a win for the side that has `score`, from 0 to 1.
    pub fn win(&self, score: f64, material: i32) -> f64 {
        1.0 / (1.0 + ((self.center(material) - score) / self.width(material)).exp())
    }

    /// A score as users know it: at +100 the chance of a win is one half. Decisive scores stay as they are.
    pub fn normalized(&self, score: Score, material: i32) -> Score {
        if score.is_decisive() {
            return score;
        }
        let value = (100.0 * f64::from(score.value()) / self.center(material)).round() as i32;
        Score::new(value).clamp_eval()
    }
}

/// The variable of the polynomials.
pub(crate) fn share(material: i32) -> f64 {
    let [low, high] = WinModel::RANGE;
    f64::from(material.clamp(low, high)) / WinModel::FULL
}

fn polynomial(coefficients: &[f64; 4], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |value, coefficient| value * x + coefficient)
}

/// Chances in permille, for the side to move; they sum to 1000.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wdl {
    /// Chance of a win.
    pub win: u32,
    /// Chance of a draw.
    pub draw: u32,
    /// Chance of a loss.
    pub loss: u32,
}

impl Wdl {
    /// A certain draw.
    pub const DRAW: Wdl = Wdl { win: 0, draw: 1000, loss: 0 };

    /// The chances for a score with this `material` on the board (see [`WinModel`]). Proven mates and tablebase results
    /// are certain.
    pub fn of(score: Score, material: i32) -> Wdl {
        if score.is_win() {
            return Wdl { win: 1000, draw: 0, loss: 0 };
        }
        if score.is_loss() {
            return Wdl { win: 0, draw: 0, loss: 1000 };
        }
        let chance =
            |centipawns: i32| (1000.0 * WinModel::FITTED.win(f64::from(centipawns), material)).round() as u32;
        // The two curves add up to at most one. Rounding may add one permille, which `min` subtracts from the loss.
        let win = chance(score.value());
        let loss = chance(-score.value()).min(1000 - win);
        Wdl { win, draw: 1000 - win - loss, loss }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wdl_sums_to_one_thousand_and_mirrors_with_the_score() {
        for material in [0, 10, 31, 58, 78, 103] {
            for value in (-30_000..=30_000).step_by(7) {
                let wdl = Wdl::of(Score::new(value), material);
                assert_eq!(wdl.win + wdl.draw + wdl.loss, 1000, "at {value}");
                let mirrored = Wdl::of(Score::new(-value), material);
                assert_eq!((wdl.win, wdl.loss), (mirrored.loss, mirrored.win), "at {value}");
            }
        }
    }

    #[test]
    fn win_chance_and_shown_score_never_fall_as_the_score_rises() {
        for material in 0..=110 {
            let scores = || (-3000..=3000).map(Score::new);
            assert!(scores().map(|score| Wdl::of(score, material).win).is_sorted());
            assert!(scores().map(|score| WinModel::FITTED.normalized(score, material)).is_sorted());
        }
    }

    #[test]
    fn one_hundred_centipawns_are_a_50_percent_win_chance() {
        for material in [5, 20, 40, 60, 78] {
            let score = Score::new(WinModel::FITTED.center(material).round() as i32);
            // The score is rounded by up to half a centipawn, and the chance by half a permille. At the center the
            // chance rises by a quarter in one width.
            let off = 0.5 * 250.0 / WinModel::FITTED.width(material) + 0.5;
            let win = f64::from(Wdl::of(score, material).win);
            assert!((win - 500.0).abs() <= off, "{win} with material {material}");
            assert_eq!(WinModel::FITTED.normalized(score, material).value(), 100);
            assert_eq!(WinModel::FITTED.normalized(-score, material).value(), -100);
        }
    }

    #[test]
    fn proven_scores_have_certain_results_and_are_not_normalized() {
        for (score, wdl) in [
            (Score::mate_in(5), Wdl { win: 1000, draw: 0, loss: 0 }),
            (Score::mated_in(4), Wdl { win: 0, draw: 0, loss: 1000 }),
            (-Score::TABLEBASE_WIN, Wdl { win: 0, draw: 0, loss: 1000 }),
        ] {
            assert_eq!(Wdl::of(score, 40), wdl);
            assert_eq!(WinModel::FITTED.normalized(score, 40), score);
        }
        assert!(!WinModel::FITTED.normalized(Score::MAX_EVAL, 10).is_decisive());
        assert_eq!(Wdl::of(Score::ZERO, 40).win, Wdl::of(Score::ZERO, 40).loss);
    }
}
