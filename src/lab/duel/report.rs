//! The report of a match for people and for programs.

use serde::Serialize;

use super::contender::SearchTotals;
use super::contest::MatchResults;
use super::statistics::{Estimate, Pentanomial, Sprt, SprtVerdict};
use super::{DuelPlan, DuelSide};
use crate::engine::run::telemetry::Work;
use crate::engine::selfplay::allowance::Allowance;

/// The report of a match from A's point of view.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DuelReport {
    /// The number of games played.
    pub games: u64,
    /// The number of games that A won.
    pub wins: u64,
    /// The number of drawn games.
    pub draws: u64,
    /// The number of games that A lost.
    pub losses: u64,
    /// The numbers of pairs of games by A's points: 0, 1/2, 1, 3/2 and 2.
    pub pentanomial: Pentanomial,
    /// The advantage of A in logistic Elo.
    pub elo: Estimate,
    /// The advantage of A in normalized Elo.
    pub normalized_elo: Estimate,
    /// The state of the sequential test, if there is one.
    pub sprt: Option<Test>,
    /// The reports of A and B.
    pub sides: [SideReport; 2],
}

/// The state of a sequential test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Test {
    /// The hypotheses, in normalized Elo.
    #[serde(flatten)]
    pub sprt: Sprt,
    /// The log-likelihood ratio.
    pub ratio: f64,
    /// The test ends when the ratio reaches this bound or its negative.
    pub bound: f64,
    /// The verdict of the test.
    pub verdict: SprtVerdict,
}

/// The report of a side.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SideReport {
    /// The number of virtual threads.
    pub threads: usize,
    /// What all threads together may search.
    pub nodes_allowed: Allowance,
    /// The number of searches.
    pub searches: u64,
    /// The nodes of all searches.
    pub nodes: u64,
    /// Nodes per second of processor time; `None` if the system does not tell it.
    #[serde(rename = "nps")]
    pub nodes_per_second: Option<f64>,
    /// How the threads helped and repeated each other, if that was counted.
    pub threads_together: Option<Together>,
}

/// How the threads of a side helped and repeated each other: means over its searches.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Together {
    /// The share of table hits on records that another thread had stored.
    pub foreign_hits: Option<f64>,
    /// The share of stored results that repeat work: another thread had already stored a result of at least this depth
    /// for the position, and the thread itself had not.
    pub repeated: Option<f64>,
    /// The share of stored results that are deeper than all results of other threads for the same position.
    pub deepened: Option<f64>,
    /// The share of nodes that threads searched after their last results. They have no influence on the move.
    pub unfinished: Option<f64>,
    /// The mean depth of the threads at the end of a search, in plies.
    pub depth_mean: f64,
    /// The standard deviation of these depths among the threads of a search.
    pub depth_deviation: f64,
    /// The difference between the greatest and the least of these depths.
    pub depth_range: f64,
}

impl DuelReport {
    /// The report of the pairs that count so far.
    pub fn of(plan: &DuelPlan, played: &MatchResults) -> DuelReport {
        let [wins, draws, losses] = played.games();
        let pentanomial = played.results();
        let work = |index: usize| {
            let mut totals = SearchTotals::default();
            played.pairs.values().for_each(|pair| totals.add(&pair.totals[index]));
            SideReport::of(&plan.sides[index], &totals)
        };
        DuelReport {
            games: wins + draws + losses,
            wins,
            draws,
            losses,
            pentanomial,
            elo: pentanomial.elo(),
            normalized_elo: pentanomial.normalized_elo(),
            sprt: plan.sprt.map(|sprt| Test {
                sprt,
                ratio: sprt.log_likelihood_ratio(&pentanomial),
                bound: Sprt::bound(),
                verdict: sprt.verdict(&pentanomial),
            }),
            sides: [work(0), work(1)],
        }
    }
}

impl SideReport {
    fn of(side: &DuelSide, totals: &SearchTotals) -> SideReport {
        let seconds = totals.time.as_secs_f64();
        let searches = totals.searches.max(1) as f64;
        SideReport {
            threads: side.settings.threads,
            nodes_allowed: side.allowance,
            searches: totals.searches,
            nodes: totals.nodes,
            nodes_per_second: (seconds > 0.0).then(|| totals.nodes as f64 / seconds),
            threads_together: side.settings.telemetry.is_on().then(|| Together {
                foreign_hits: share(totals.hits[1], totals.hits.iter().sum()),
                repeated: share(totals.stores[Work::Repeated as usize], totals.stores.iter().sum()),
                deepened: share(totals.stores[Work::Deeper as usize], totals.stores.iter().sum()),
                unfinished: share(totals.unfinished, totals.nodes),
                depth_mean: totals.depth / searches,
                depth_deviation: totals.deviation / searches,
                depth_range: totals.range / searches,
            }),
        }
    }
}

fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

#[cfg(test)]
mod tests {
    use super::super::contest::tests::{pair, plan};
    use super::*;

    #[test]
    fn a_report_sums_the_results_of_the_pairs() {
        let sprt = Some(Sprt { elo0: 0.0, elo1: 5.0 });
        let mut plan = DuelPlan { sprt, ..plan([4, 1], [4_000, 1_500]) };
        plan.sides[0].settings.telemetry = crate::engine::run::Telemetry::Count;
        let mut played = MatchResults::default();
        for (number, half_points) in [[2, 1], [1, 1], [0, 1], [2, 2]].into_iter().enumerate() {
            let mut pair = pair(half_points);
            pair.totals[0] = SearchTotals {
                searches: 10,
                nodes: 40_000,
                time: std::time::Duration::from_millis(20),
                hits: [30, 10],
                stores: [10, 60, 25, 5],
                unfinished: 4_000,
                depth: 80.0,
                deviation: 5.0,
                range: 20.0,
            };
            played.pairs.insert(number as u64, pair);
        }
        let report = DuelReport::of(&plan, &played);
        assert_eq!([report.games, report.wins, report.draws, report.losses], [8, 3, 4, 1]);
        assert_eq!(report.pentanomial, Pentanomial([0, 1, 1, 1, 1]));
        assert_eq!(report.sprt.unwrap().verdict, SprtVerdict::Open);
        let [a, b] = report.sides;
        assert_eq!(
            (a.threads, a.nodes_allowed, a.searches, a.nodes),
            (4, Allowance::Move(4_000), 40, 160_000)
        );
        assert!((a.nodes_per_second.unwrap() - 2e6).abs() < 1.0);
        let together = a.threads_together.unwrap();
        assert_eq!(together.foreign_hits, Some(0.25));
        assert_eq!((together.repeated, together.deepened), (Some(0.05), Some(0.25)));
        assert_eq!(together.unfinished, Some(0.1));
        assert_eq!([together.depth_mean, together.depth_deviation, together.depth_range], [8.0, 0.5, 2.0]);
        assert_eq!((b.threads, b.nodes_per_second, b.threads_together), (1, None, None));
    }
}
