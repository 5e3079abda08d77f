//! The effective speed-up of several threads: a single thread needs this many times the nodes of one of them to be as
//! strong as all of them together.
//!
//! It is measured by matches of several threads against a single thread that has more nodes than one of them. A
//! [curve](super::speedup_curve) over the logarithm of these nodes is fitted to the results. The next matches are
//! played half a doubling above and half a doubling below the point at which the curve is one half. Near this point a
//! game tells the most, and the distance between the two matches shows the slope.

use std::ops::ControlFlow;

use serde::Serialize;

use super::contest::MatchResults;
use super::pairs_log::{self, PairsLog};
use super::report::DuelReport;
use super::speedup_curve::{Curve, Point, Speedup};
use super::{DuelError, DuelPlan, DuelSide, MatchRules, contest};
use crate::base::plot::{Chart, Series, SeriesStyle};
use crate::engine::facade::Settings;
use crate::engine::selfplay::allowance::Allowance;
use crate::engine::selfplay::games_log::RecordedSetting;

/// The number of rounds of matches. Each round uses the results of those before.
const ROUNDS: u64 = 8;
/// The distance between the estimate and a match, in doublings.
const DISTANCE: f64 = 0.5;

/// The plan of a measurement.
#[derive(Clone, Debug)]
pub struct SpeedupPlan {
    /// The settings of all sides. The number of threads is taken from `counts`.
    pub settings: Settings,
    /// The numbers of threads, each at least 2.
    pub counts: Vec<usize>,
    /// The nodes of each thread for each move.
    pub nodes: u64,
    /// Whether each number of threads also plays against half as many threads.
    pub has_doublings: bool,
    /// How the games are played. It has the number of pairs for each measurement.
    pub rules: MatchRules,
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
        self.counts.len() as u64 * self.rules.pairs * if self.has_doublings { 2 } else { 1 }
    }

    /// The settings on which the pairs in a log depend. The rounds of a number of threads follow from the number of
    /// pairs.
    pub fn recorded(&self) -> Vec<RecordedSetting> {
        let mut all = pairs_log::of_match(&self.rules);
        all.push(RecordedSetting::new("games", 2 * self.rules.pairs));
        let settings = self.settings.clone();
        all.extend(pairs_log::of_side(&DuelSide { settings, allowance: Allowance::Move(self.nodes) }));
        all
    }

    fn row(
        &self,
        threads: usize,
        log: &mut PairsLog,
        mut on_progress: impl FnMut() + Send,
    ) -> Result<SpeedupRow, DuelError> {
        let heard = &mut |_: &MatchResults| {
            on_progress();
            ControlFlow::Continue(())
        };
        let mut curve = Curve::expected(threads);
        let mut points = Vec::new();
        for round in 0..ROUNDS {
            let [begin, end] = [round, round + 1].map(|round| self.rules.pairs * round / ROUNDS);
            let middle = (begin + end).div_ceil(2);
            let center = curve.even();
            for (first, last, distance) in [(begin, middle, DISTANCE), (middle, end, -DISTANCE)] {
                if first == last {
                    continue;
                }
                let nodes = (self.nodes as f64 * (center + distance).exp2()).round().max(1.0);
                let sides = [(threads, self.all_nodes(threads)), (1, nodes as u64)];
                let (name, plan) = (match_name(sides), self.duel_plan(sides, first..last));
                let played = contest::run(&plan, &name, log, &mut *heard)?;
                let doublings = (nodes / self.nodes as f64).log2();
                points.push(Point { doublings, results: played.results() });
            }
            curve = Curve::fit(threads, &points);
        }
        let doubling = if self.has_doublings {
            let sides = [threads, threads / 2].map(|threads| (threads, self.all_nodes(threads)));
            let (name, plan) = (match_name(sides), self.duel_plan(sides, 0..self.rules.pairs));
            Some(DuelReport::of(&plan, &contest::run(&plan, &name, log, &mut *heard)?))
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
            rules: MatchRules { pairs: pairs.end - pairs.start, ..self.rules.clone() },
            first: pairs.start,
            sprt: None,
        }
    }
}

/// The name of a match in the log. A side is its number of threads and the nodes of all of them.
fn match_name(sides: [(usize, u64); 2]) -> String {
    let [a, b] = sides.map(|(threads, nodes)| format!("{threads} threads {nodes} nodes"));
    format!("{a} - {b}")
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

    #[test]
    fn every_number_of_threads_plays_one_and_half_as_many() {
        let plan = SpeedupPlan {
            settings: Settings { hash: 1, ..Settings::default() },
            counts: vec![2, 4],
            nodes: 150,
            has_doublings: true,
            rules: MatchRules { jobs: 2, ..MatchRules::random(3) },
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
