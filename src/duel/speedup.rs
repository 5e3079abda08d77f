//! The effective speed-up of several threads: a single thread needs this many times the nodes of one of them to be as
//! strong as all of them together.
//!
//! It is measured by matches of several threads against a single thread that has more nodes than one of them. A
//! logistic curve over the logarithm of these nodes is fitted to the results. The next matches are played half a
//! doubling above and half a doubling below the point at which the curve is one half. Near this point a game tells the
//! most, and the distance between the two matches shows the slope. While there are few games, the fit relies on a
//! prior: what is known of threads and nodes in general.

use serde::Serialize;

use super::pairs_log::{self, PairsLog};
use super::report::DuelReport;
use super::statistics::Pentanomial;
use super::{DuelError, DuelPlan, DuelSide, Starts, contest};
use crate::confidence::{ELO_PER_LOGIT, ERRORS};
use crate::engine::Settings;
use crate::plot::{Chart, Series, SeriesStyle};
use crate::selfplay::allowance::Allowance;
use crate::selfplay::games_log::RecordedSetting;

/// The number of rounds of matches. Each round uses the results of those before.
const ROUNDS: u64 = 8;
/// The distance between the estimate and a match, in doublings.
const DISTANCE: f64 = 0.5;
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

/// The plan of a measurement.
#[derive(Clone, Debug)]
pub struct SpeedupPlan {
    /// The settings of all sides. The number of threads is taken from `counts`.
    pub settings: Settings,
    /// The numbers of threads, each at least 2.
    pub counts: Vec<usize>,
    /// The nodes of each thread for each move.
    pub nodes: u64,
    /// The number of pairs of games for each measurement.
    pub pairs: u64,
    /// Whether each number of threads also plays against half as many threads.
    pub has_doublings: bool,
    /// The start positions.
    pub starts: Starts,
    /// The mean length of a turn in nodes, from 1.
    pub turn: u64,
    /// Seed of the openings and turns.
    pub seed: u64,
    /// The number of games played at the same time, from 1.
    pub jobs: usize,
}

/// The results of one number of threads.
#[derive(Clone, Debug, Serialize)]
pub struct SpeedupRow {
    /// Number of threads.
    pub threads: usize,
    /// The effective speed-up of this number of threads.
    pub speedup: Speedup,
    /// The matches from which the speed-up follows.
    pub points: Vec<Point>,
    /// The match against half as many threads, each with as many nodes.
    pub doubling: Option<DuelReport>,
}

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

/// Plays the matches. After each pair it calls `on_progress` with the number of threads that played it. After each
/// number of threads it calls `finished` with the rows so far. Pairs that the log has are not played again.
///
/// # Errors
/// If the system refuses memory or threads, if the log cannot be written, and the first error of `finished`.
pub fn run<E: From<DuelError>>(
    plan: &SpeedupPlan,
    log: &mut PairsLog,
    mut on_progress: impl FnMut(usize) + Send,
    mut finished: impl FnMut(&[SpeedupRow]) -> Result<(), E>,
) -> Result<Vec<SpeedupRow>, E> {
    let mut rows = Vec::new();
    for &threads in &plan.counts {
        rows.push(plan.row(threads, log, || on_progress(threads))?);
        finished(&rows)?;
    }
    Ok(rows)
}

impl SpeedupPlan {
    /// The number of all pairs of games.
    pub fn all_pairs(&self) -> u64 {
        self.counts.len() as u64 * self.pairs * if self.has_doublings { 2 } else { 1 }
    }

    /// The settings on which the pairs in a log depend. The rounds of a number of threads follow from the number of
    /// pairs.
    pub fn recorded(&self) -> Vec<RecordedSetting> {
        let mut all = pairs_log::of_match(&self.starts, self.turn, self.seed);
        all.push(RecordedSetting::new("games", 2 * self.pairs));
        let settings = self.settings.clone();
        all.extend(pairs_log::of_side("all", &DuelSide { settings, allowance: Allowance::Move(self.nodes) }));
        all
    }

    fn row(
        &self,
        threads: usize,
        log: &mut PairsLog,
        mut on_progress: impl FnMut() + Send,
    ) -> Result<SpeedupRow, DuelError> {
        let mut curve = Curve::expected(threads);
        let mut points = Vec::new();
        for round in 0..ROUNDS {
            let [begin, end] = [round, round + 1].map(|round| self.pairs * round / ROUNDS);
            let middle = (begin + end).div_ceil(2);
            let center = curve.even();
            for (first, last, distance) in [(begin, middle, DISTANCE), (middle, end, -DISTANCE)] {
                if first == last {
                    continue;
                }
                let nodes = (self.nodes as f64 * (center + distance).exp2()).round().max(1.0);
                let sides = [(threads, self.all_nodes(threads)), (1, nodes as u64)];
                let (name, plan) = (match_name(sides), self.duel_plan(sides, first..last));
                let played = contest::run(&plan, &name, log, |_| on_progress())?;
                let doublings = (nodes / self.nodes as f64).log2();
                points.push(Point { doublings, results: played.results() });
            }
            curve = Curve::fit(threads, &points);
        }
        let doubling = if self.has_doublings {
            let sides = [threads, threads / 2].map(|threads| (threads, self.all_nodes(threads)));
            let (name, plan) = (match_name(sides), self.duel_plan(sides, 0..self.pairs));
            Some(DuelReport::of(&plan, &contest::run(&plan, &name, log, |_| on_progress())?))
        } else {
            None
        };
        Ok(SpeedupRow { threads, speedup: curve.speedup(), points, doubling })
    }

    fn all_nodes(&self, threads: usize) -> u64 {
        self.nodes * threads as u64
    }

    /// The plan of the pairs with these numbers. A side is its number of threads and the nodes of all of them.
    fn duel_plan(&self, sides: [(usize, u64); 2], pairs: std::ops::Range<u64>) -> DuelPlan {
        let side = |(threads, nodes)| DuelSide {
            settings: Settings { threads, ..self.settings.clone() },
            allowance: Allowance::Move(nodes),
        };
        DuelPlan {
            sides: sides.map(side),
            first: pairs.start,
            pairs: pairs.end - pairs.start,
            starts: self.starts.clone(),
            turn: self.turn,
            seed: self.seed,
            jobs: self.jobs,
            sprt: None,
        }
    }
}

/// The name of a match in the log. A side is its number of threads and the nodes of all of them.
fn match_name(sides: [(usize, u64); 2]) -> String {
    let [a, b] = sides.map(|(threads, nodes)| format!("{threads} threads {nodes} nodes"));
    format!("{a} - {b}")
}

/// The threads' share of the points by the single thread's nodes: the logistic function of `level - slope * (x -
/// center)`, where x counts doublings of the nodes of one of the threads.
#[derive(Clone, Copy, Debug)]
struct Curve {
    center: f64,
    level: f64,
    slope: f64,
    /// The variance of the level, the covariance, and the variance of the slope.
    covariance: [f64; 3],
}

impl Curve {
    /// The prior for this number of threads.
    fn expected(threads: usize) -> Curve {
        let variance = (EXPECTED[1] * SLOPE[0]).powi(2);
        Curve {
            center: EXPECTED[0] * (threads as f64).log2(),
            level: 0.0,
            slope: SLOPE[0],
            covariance: [variance, 0.0, SLOPE[1].powi(2)],
        }
    }

    /// The most likely curve.
    fn fit(threads: usize, points: &[Point]) -> Curve {
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
    fn even(&self) -> f64 {
        self.center + self.level / self.slope
    }

    fn speedup(&self) -> Speedup {
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

/// Draws the speed-ups with their errors, by doublings of threads.
pub fn chart(plan: &SpeedupPlan, rows: &[SpeedupRow]) -> String {
    let x = |row: &SpeedupRow| (row.threads as f64).log2();
    let last = rows.iter().map(x).fold(1.0, f64::max);
    let highest = rows.iter().map(|row| row.speedup.range[1].log2()).fold(last, f64::max);
    let lowest = rows.iter().map(|row| row.speedup.range[0].log2()).fold(0.0, f64::min);
    let series = |name: &str, points, style, color| Series { name: name.to_owned(), points, style, color };
    let found = rows.iter().map(|row| (x(row), row.speedup.factor.log2())).collect();
    let error = |row: &SpeedupRow| {
        let points = row.speedup.range.map(|factor| (x(row), factor.log2())).to_vec();
        series("", points, SeriesStyle::Line, 0)
    };
    let mut all = vec![
        series("effective speed-up", found, SeriesStyle::LineAndPoints, 0),
        series("ideal", vec![(0.0, 0.0), (last, last)], SeriesStyle::Line, 5),
    ];
    all.extend(rows.iter().map(error));
    Chart {
        title: format!("{} nodes of each thread for each move", plan.nodes),
        labels: ["doublings of threads".to_owned(), "doublings of one thread's nodes".to_owned()],
        x: [0.0, last],
        y: [lowest, highest],
        series: all,
    }
    .svg()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

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

    #[test]
    fn every_number_of_threads_plays_one_and_half_as_many() {
        let plan = SpeedupPlan {
            settings: Settings { hash: 1, ..Settings::default() },
            counts: vec![2, 4],
            nodes: 150,
            pairs: 3,
            has_doublings: true,
            starts: Starts::Random,
            turn: 96,
            seed: 1,
            jobs: 2,
        };
        let mut played = [0; 5];
        let mut reported = Vec::new();
        let told_rows = |rows: &[SpeedupRow]| -> Result<(), DuelError> {
            reported.push(rows.len());
            Ok(())
        };
        let rows = run(&plan, &mut PairsLog::default(), |threads| played[threads] += 1, told_rows).unwrap();
        assert_eq!(reported, [1, 2], "the rows are reported after each number of threads");
        assert_eq!(played, [0, 0, 6, 0, 6]);
        assert_eq!(plan.all_pairs(), 12);
        for (row, threads) in rows.iter().zip([2, 4]) {
            assert_eq!(row.threads, threads);
            assert_eq!(row.points.iter().map(|point| point.results.pairs()).sum::<u64>(), 3);
            let [all, half] = row.doubling.as_ref().unwrap().sides;
            assert_eq!((all.threads, half.threads), (threads, threads / 2));
            assert_eq!(
                (all.nodes_allowed, half.nodes_allowed),
                (Allowance::Move(150 * threads as u64), Allowance::Move(75 * threads as u64))
            );
        }
        let chart = chart(&plan, &rows);
        assert!(chart.contains("effective speed-up") && chart.matches("<polyline").count() == 4, "{chart}");
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.csv");
        for missing in [12, 5, 0] {
            let mut log = PairsLog::open(Some(&path), &[]).unwrap();
            assert_eq!(log.count(), 12 - missing);
            let mut count = 0;
            let again = run(&plan, &mut log, |_| count += 1, |_| Ok::<_, DuelError>(())).unwrap();
            assert_eq!(count, missing);
            assert_eq!(format!("{:?}", again[0].points), format!("{:?}", rows[0].points));
            drop(log);
            // A kill after seven of twelve pairs, and then one after the last.
            if missing == 12 {
                let text = std::fs::read_to_string(&path).unwrap();
                std::fs::write(&path, text.split_inclusive('\n').take(1 + 7).collect::<String>()).unwrap();
            }
        }
    }
}
