//! The statistics of a match: points, Elo with its error, and a sequential test.
//!
//! The two games of an opening are not independent: an advantage that the opening gives to one color helps each side in
//! one of the games. So pairs of games are counted (the pentanomial), and the error is that of the mean over pairs.

use std::str::FromStr;

use serde::Serialize;

use crate::base::confidence::{ELO_PER_LOGIT, ERRORS};

/// The normalized Elo of a mean that lies one standard deviation of a game above one half.
const NORMALIZED: f64 = 2.0 * ELO_PER_LOGIT;

/// The chance of each of the two errors of a sequential test.
const CHANCE_OF_ERROR: f64 = 0.05;

/// The results of pairs of games from one side's point of view: the numbers of pairs with 0, 1/2, 1, 3/2 and 2 points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Pentanomial(pub [u64; 5]);

/// A value with its 95% error. The error is infinite if the results do not tell it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The value.
    pub value: f64,
    /// Half of the width of the interval that holds the true value in 95 of 100 cases.
    pub error: f64,
}

impl Pentanomial {
    /// Counts a pair of games with this number of half points, 0 to 4.
    pub fn add(&mut self, half_points: usize) {
        self.0[half_points] += 1;
    }

    /// Number of pairs.
    pub fn pairs(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The mean and the variance of a pair's share of the points, 0 to 1; `None` without pairs.
    fn moments(counts: &[f64; 5]) -> Option<(f64, f64)> {
        let pairs: f64 = counts.iter().sum();
        let shares =
            || counts.iter().enumerate().map(|(half_points, count)| (half_points as f64 / 4.0, count));
        let mean = shares().map(|(share, count)| share * count).sum::<f64>() / pairs;
        let variance = shares().map(|(share, count)| (share - mean).powi(2) * count).sum::<f64>() / pairs;
        (pairs > 0.0).then_some((mean, variance))
    }

    fn counts(&self) -> [f64; 5] {
        self.0.map(|count| count as f64)
    }

    /// The share of the points; one half if there are no games.
    pub fn score(&self) -> Estimate {
        let Some((mean, variance)) = Pentanomial::moments(&self.counts()) else {
            return Estimate { value: 0.5, error: f64::INFINITY };
        };
        let pairs = self.pairs() as f64;
        let error = if pairs > 1.0 { ERRORS * (variance / (pairs - 1.0)).sqrt() } else { f64::INFINITY };
        Estimate { value: mean, error }
    }

    /// The difference in logistic Elo. 400 Elo are odds of ten to one.
    pub fn elo(&self) -> Estimate {
        let Estimate { value, error } = self.score();
        let [low, high] = [value - error, value + error].map(|score| elo(score.clamp(0.0, 1.0)));
        let error = (high - low) / 2.0;
        // If all points were won, the interval has no upper end.
        Estimate { value: elo(value), error: if error.is_nan() { f64::INFINITY } else { error } }
    }

    /// The difference in normalized Elo (Van den Bergh, "Normalized Elo"). It tells how many games are needed to see
    /// the difference. For even games without draws it equals logistic Elo.
    pub fn normalized_elo(&self) -> Estimate {
        let Some((mean, variance)) = Pentanomial::moments(&self.counts()) else {
            return Estimate { value: 0.0, error: f64::INFINITY };
        };
        let value = if variance > 0.0 { NORMALIZED * (mean - 0.5) / (2.0 * variance).sqrt() } else { 0.0 };
        let error = if variance > 0.0 {
            ERRORS * NORMALIZED / (2.0 * self.pairs() as f64).sqrt()
        } else {
            f64::INFINITY
        };
        Estimate { value, error }
    }
}

/// The logistic Elo of a share of the points, 0 to 1; infinite at both ends.
pub fn elo(score: f64) -> f64 {
    400.0 * (score / (1.0 - score)).log10()
}

/// A sequential test of two hypotheses on the difference in normalized Elo.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Sprt {
    /// The difference that the test may reject.
    pub elo0: f64,
    /// The difference that the test may accept, greater than `elo0`.
    pub elo1: f64,
}

/// The verdict of a sequential test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SprtVerdict {
    /// The difference is `elo0` or less.
    Rejected,
    /// The test needs more games.
    Open,
    /// The difference is `elo1` or more.
    Accepted,
}

impl FromStr for Sprt {
    type Err = String;

    fn from_str(text: &str) -> Result<Sprt, String> {
        let numbers =
            text.split_once(',').map(|(low, high)| [low, high].map(|elo| elo.trim().parse::<f64>()));
        match numbers {
            Some([Ok(elo0), Ok(elo1)]) if elo0 < elo1 && elo0.is_finite() && elo1.is_finite() => {
                Ok(Sprt { elo0, elo1 })
            }
            _ => Err("two numbers with a comma between them are needed, the lesser one first".to_owned()),
        }
    }
}

impl Sprt {
    /// The log-likelihood ratio for a verdict: at least this bound, or at most its negative. Each error has a chance of
    /// 5%.
    pub fn bound() -> f64 {
        ((1.0 - CHANCE_OF_ERROR) / CHANCE_OF_ERROR).ln()
    }

    /// The log-likelihood ratio of `elo1` against `elo0`, by the approximation of Van den Bergh ("Normalized Elo in
    /// practice", 4.2). A result that has not occurred counts as a thousandth, as in fishtest.
    pub fn log_likelihood_ratio(&self, results: &Pentanomial) -> f64 {
        let counts = results.counts().map(|count| count.max(1e-3));
        let Some((mean, variance)) = Pentanomial::moments(&counts).filter(|_| results.pairs() > 0) else {
            return 0.0;
        };
        let games = 2.0 * counts.iter().sum::<f64>();
        let found = (mean - 0.5) / (2.0 * variance).sqrt();
        let distance = |elo: f64| 1.0 + (found - elo / NORMALIZED).powi(2);
        games / 2.0 * (distance(self.elo0) / distance(self.elo1)).ln()
    }

    /// The verdict after these results.
    pub fn verdict(&self, results: &Pentanomial) -> SprtVerdict {
        match self.log_likelihood_ratio(results) {
            ratio if ratio >= Sprt::bound() => SprtVerdict::Accepted,
            ratio if ratio <= -Sprt::bound() => SprtVerdict::Rejected,
            _ => SprtVerdict::Open,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-3 * expected.abs().max(1.0), "{found}, not {expected}");
    }

    #[test]
    fn three_quarters_of_the_points_are_191_elo() {
        near(elo(0.75), 190.849);
        near(elo(0.5), 0.0);
        assert_eq!((elo(0.0), elo(1.0)), (f64::NEG_INFINITY, f64::INFINITY));
    }

    /// The expected values were calculated by hand.
    #[test]
    fn mean_and_error_follow_from_the_pairs() {
        let results = Pentanomial([5, 10, 20, 15, 10]);
        assert_eq!(results.pairs(), 60);
        // Mean (10/4 + 20/2 + 45/4 + 10) / 60 = 33.75/60; mean of squares (10/16 + 5 + 9 * 15/16 + 10) / 60 =
        // 24.0625/60.
        let (mean, variance) = (0.5625f64, 24.0625 / 60.0 - 0.5625 * 0.5625);
        near(results.score().value, mean);
        near(results.score().error, 1.96 * (variance / 59.0f64).sqrt());
        near(results.elo().value, 43.66);
        near(results.normalized_elo().value, 347.4356 * 0.0625 / (2.0 * variance).sqrt());
        near(results.normalized_elo().error, 1.96 * 347.4356 / 120f64.sqrt());
    }

    #[test]
    fn an_error_that_results_do_not_determine_is_infinite() {
        for (results, value) in [([0; 5], 0.0), ([0, 0, 1, 0, 0], 0.0)] {
            let elo = Pentanomial(results).elo();
            assert_eq!((elo.value, elo.error), (value, f64::INFINITY), "{results:?}");
        }
        let swept = Pentanomial([0, 0, 0, 0, 9]).elo();
        assert_eq!((swept.value, swept.error), (f64::INFINITY, f64::INFINITY));
        // If all pairs are even, the error of the share is zero, and the deviation of a game cannot be estimated.
        let even = Pentanomial([0, 0, 9, 0, 0]);
        assert_eq!((even.elo().value, even.elo().error), (0.0, 0.0));
        assert_eq!((even.normalized_elo().value, even.normalized_elo().error), (0.0, f64::INFINITY));
    }

    /// The formula is that of fishtest's `LLR_normalized_alt`. The expected values were computed independently of this
    /// code.
    #[test]
    fn the_likelihood_ratio_grows_with_the_evidence() {
        let sprt: Sprt = "0,5".parse().unwrap();
        assert_eq!(sprt.log_likelihood_ratio(&Pentanomial::default()), 0.0);
        let better = Pentanomial([100, 950, 2_000, 1_000, 120]);
        let mirrored = Pentanomial([120, 1_000, 2_000, 950, 100]);
        near(sprt.log_likelihood_ratio(&better), 1.3603);
        near(sprt.log_likelihood_ratio(&mirrored), -3.0856);
        assert_eq!(sprt.verdict(&better), SprtVerdict::Open);
        assert_eq!(sprt.verdict(&mirrored), SprtVerdict::Rejected);
        assert_eq!(sprt.verdict(&Pentanomial(better.0.map(|count| 5 * count))), SprtVerdict::Accepted);
        near(Sprt::bound(), 2.944);
    }

    #[test]
    fn bounds_must_be_two_numbers_in_order() {
        assert_eq!("-5, 0".parse(), Ok(Sprt { elo0: -5.0, elo1: 0.0 }));
        for wrong in ["", "5", "5,0", "0,0", "0,x", "0,inf", "1,2,3"] {
            assert!(wrong.parse::<Sprt>().is_err(), "{wrong}");
        }
    }
}
