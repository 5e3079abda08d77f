//! The curve from which an effective speed-up follows: a logistic function, fitted to matches of several threads
//! against one.
//!
//! While there are few games, the fit relies on a prior: what is known of threads and nodes in general.

use serde::Serialize;

use super::statistics::Pentanomial;
use crate::base::confidence::{ELO_PER_LOGIT, ERRORS};

/// The prior of the slope and its standard deviation, in logits: a doubling of one thread's nodes is worth 100 +- 35
/// Elo.
const SLOPE: [f64; 2] = [100.0 / ELO_PER_LOGIT, 35.0 / ELO_PER_LOGIT];
/// The prior of the speed-up: each doubling of threads counts as 0.65 doublings of nodes. The second number is the
/// standard deviation of the whole speed-up, in doublings.
const EXPECTED: [f64; 2] = [0.65, 1.5];
/// The prior of the dispersion: the variance of a pair's share of the points, divided by that of a single game without
/// draws.
const DISPERSION: f64 = 0.3;
/// From this number of pairs on, the results themselves give the dispersion.
const MANY: u64 = 50;

/// The result of a match against one thread.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Point {
    /// The single thread's nodes divided by those of one of the several threads, as a number of doublings.
    pub doublings: f64,
    /// The results from the point of view of the several threads.
    pub results: Pentanomial,
}

/// An effective speed-up.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Speedup {
    /// The factor.
    pub factor: f64,
    /// The 95% interval of the factor.
    pub range: [f64; 2],
    /// What a doubling of one thread's nodes is worth near this factor, in Elo.
    pub elo_of_a_doubling: f64,
}

/// The threads' share of the points by the single thread's nodes: the logistic function of `level - slope * (x -
/// center)`, where x counts doublings of the nodes of one of the threads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Curve {
    center: f64,
    level: f64,
    slope: f64,
    /// The variance of the level, the covariance, and the variance of the slope.
    covariance: [f64; 3],
}

impl Curve {
    /// The prior for this number of threads.
    pub fn expected(threads: usize) -> Curve {
        let variance = (EXPECTED[1] * SLOPE[0]).powi(2);
        Curve {
            center: EXPECTED[0] * (threads as f64).log2(),
            level: 0.0,
            slope: SLOPE[0],
            covariance: [variance, 0.0, SLOPE[1].powi(2)],
        }
    }

    /// The most likely curve.
    pub fn fit(threads: usize, points: &[Point]) -> Curve {
        let pairs: u64 = points.iter().map(|point| point.results.pairs()).sum();
        let curve = Curve::expected(threads).fitted(points, DISPERSION);
        if pairs < MANY { curve } else { Curve::expected(threads).fitted(points, curve.dispersion(points)) }
    }

    /// Fits the curve to `points` by Newton's method, with `self` as the prior. The likelihood assumes that the
    /// variance of shares is `dispersion` times that of single games without draws (McCullagh and Nelder, "Generalized
    /// linear models", on quasi-likelihood).
    fn fitted(self, points: &[Point], dispersion: f64) -> Curve {
        let [level_variance, _, slope_variance] = self.covariance;
        let mut curve = self;
        for _ in 0..50 {
            let mut gradient = [-curve.level / level_variance, (self.slope - curve.slope) / slope_variance];
            let mut information = [1.0 / level_variance, 0.0, 1.0 / slope_variance];
            for point in points {
                let weight = point.results.pairs() as f64 / dispersion;
                let share = curve.share(point.doublings);
                let distance = self.center - point.doublings;
                let error = weight * (point.results.score().value - share);
                let certainty = weight * share * (1.0 - share);
                gradient[0] += error;
                gradient[1] += error * distance;
                information[0] += certainty;
                information[1] += certainty * distance;
                information[2] += certainty * distance * distance;
            }
            let determinant = information[0] * information[2] - information[1] * information[1];
            curve.covariance =
                [information[2], -information[1], information[0]].map(|part| part / determinant);
            let [a, b, c] = curve.covariance;
            let step = [a * gradient[0] + b * gradient[1], b * gradient[0] + c * gradient[1]];
            // Far from the solution the curve is nearly flat, and a whole step could lead anywhere. So steps are
            // limited.
            curve.level += step[0].clamp(-1.0, 1.0);
            curve.slope = (curve.slope + step[1].clamp(-0.2, 0.2)).max(SLOPE[0] / 10.0);
        }
        curve
    }

    fn share(&self, doublings: f64) -> f64 {
        1.0 / (1.0 + (self.slope * (doublings - self.center) - self.level).exp())
    }

    /// The variance of the pairs' shares, divided by that of single games without draws.
    fn dispersion(&self, points: &[Point]) -> f64 {
        let (mut sum, mut pairs) = (0.0, 0);
        for point in points {
            let share = self.share(point.doublings);
            for (half_points, count) in point.results.0.into_iter().enumerate() {
                let error = half_points as f64 / 4.0 - share;
                sum += count as f64 * error * error / (share * (1.0 - share));
                pairs += count;
            }
        }
        (sum / pairs as f64).max(DISPERSION / 10.0)
    }

    /// The number of doublings at which one thread is as strong as all threads.
    pub fn even(&self) -> f64 {
        self.center + self.level / self.slope
    }

    pub fn speedup(&self) -> Speedup {
        // The error follows from the derivatives of `level / slope`.
        let [level, slope] = [1.0 / self.slope, -self.level / self.slope.powi(2)];
        let [a, b, c] = self.covariance;
        let error = ERRORS * (level * level * a + 2.0 * level * slope * b + slope * slope * c).sqrt();
        let even = self.even();
        Speedup {
            factor: even.exp2(),
            range: [even - error, even + error].map(f64::exp2),
            elo_of_a_doubling: self.slope * ELO_PER_LOGIT,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

    /// The distance between the estimate and a match, in doublings, as in a measurement.
    const DISTANCE: f64 = 0.5;

    /// Random results of `pairs` pairs. The several threads win or lose each game with the chances of the curve
    /// `truth`.
    fn played(truth: &Curve, doublings: f64, pairs: u64, random: &mut Random) -> Point {
        let share = truth.share(doublings);
        let mut results = Pentanomial::default();
        for _ in 0..pairs {
            let wins = [random.unit(), random.unit()].into_iter().filter(|chance| *chance < share).count();
            results.add(2 * wins);
        }
        Point { doublings, results }
    }

    #[test]
    fn the_fit_finds_the_curve_that_made_the_results() {
        let truth = Curve { center: 0.0, level: 2.6 * 0.5, slope: 0.5, covariance: [0.0; 3] };
        let mut inside = 0;
        for seed in 0..40 {
            let mut random = Random::stream(seed, 0);
            let mut curve = Curve::expected(8);
            let mut points = Vec::new();
            for round in 0..10 {
                let distance = if round % 2 == 0 { DISTANCE } else { -DISTANCE };
                points.push(played(&truth, curve.even() + distance, 60, &mut random));
                curve = Curve::fit(8, &points);
            }
            let Speedup { factor, range, elo_of_a_doubling } = curve.speedup();
            assert!((1.8..3.4).contains(&factor.log2()), "{factor}");
            assert!((40.0..160.0).contains(&elo_of_a_doubling), "{elo_of_a_doubling}");
            inside += usize::from(range[0] < 2.6f64.exp2() && 2.6f64.exp2() < range[1]);
            assert!(range[1] / range[0] < 3.0, "{range:?}");
        }
        assert!((34..=40).contains(&inside), "{inside} of 40 intervals hold the true factor");
    }

    #[test]
    fn without_games_the_prior_remains() {
        let speedup = Curve::fit(8, &[]).speedup();
        assert!((speedup.factor.log2() - 3.0 * EXPECTED[0]).abs() < 1e-9);
        assert!((speedup.elo_of_a_doubling - 100.0).abs() < 1e-6);
        assert!(speedup.range[0] < 1.0 && speedup.range[1] > 8.0, "{speedup:?}");
        // If all games were won or all were lost, the estimate moves in this direction but stays finite.
        for (half_points, is_more) in [(4, true), (0, false)] {
            let mut results = Pentanomial::default();
            (0..200).for_each(|_| results.add(half_points));
            let found = Curve::fit(8, &[Point { doublings: 2.0, results }]).speedup();
            assert!(found.factor.is_finite() && (found.factor > speedup.factor) == is_more, "{found:?}");
        }
    }
}
