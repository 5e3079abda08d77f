//! Searches the same positions with different numbers of threads.

use std::time::Duration;

use serde::Serialize;

use super::ratio::Ratio;
use super::trial::Trial;
use super::{common_depth, positions};
use crate::base::confidence::ERRORS;
use crate::engine::facade::{Engine, EngineError, Settings, Spread};
use crate::engine::run::Telemetry;

/// The plan of a speed test.
#[derive(Clone, Debug)]
pub struct SpeedtestPlan {
    /// The settings of the engine. The number of threads is taken from `counts`.
    pub settings: Settings,
    /// The numbers of threads in ascending order, each once. There is at least one.
    pub counts: Vec<usize>,
    /// The time for each number of threads. The positions share it.
    pub time: Duration,
    /// The number of cores that the process may use.
    pub cores: usize,
}

/// The results of a speed test.
#[derive(Clone, Debug, Serialize)]
pub struct SpeedtestReport {
    /// The number of cores that the process may use.
    pub cores: usize,
    /// Size of the table in MiB.
    pub hash: usize,
    /// Name of the stagger policy.
    pub stagger: &'static str,
    /// Number of positions.
    pub positions: usize,
    /// The time of each search, in milliseconds.
    pub search_ms: f64,
    /// The number of threads to which the ratios refer.
    pub baseline: usize,
    /// One row for each number of threads.
    pub rows: Vec<SpeedtestRow>,
}

/// The results of one number of threads. Ratios above 1 are better than the baseline. Errors are 95% errors.
#[derive(Clone, Debug, Serialize)]
pub struct SpeedtestRow {
    /// Number of threads.
    pub threads: usize,
    /// Whether there are more threads than cores.
    pub beyond_cores: bool,
    /// The nodes of all threads and positions.
    pub nodes: u64,
    /// The nodes per second.
    #[serde(rename = "nps")]
    pub nodes_per_second: f64,
    /// The average number of cores that the process used while it searched; `None` if the system does not tell it.
    pub cores_used: Option<f64>,
    /// The nodes per second divided by the baseline's.
    pub speed_ratio: f64,
    /// The error of `speed_ratio`.
    pub speed_error: f64,
    /// The geometric mean of the milliseconds to a depth: on each position, the deepest depth that all numbers of
    /// threads finished. `None` if no position has such a depth.
    pub depth_ms: Option<f64>,
    /// The baseline's time to that depth, divided by the time of this number of threads.
    pub depth_ratio: Option<f64>,
    /// The error of `depth_ratio`.
    pub depth_error: Option<f64>,
    /// The mean share of the table that a search filled, in permille.
    pub hashfull: f64,
    /// The share of table hits on records that another thread had stored; `None` if there were no hits.
    pub foreign_hits: Option<f64>,
    /// The mean depth of the threads' iterations at the end of a search, in plies.
    pub depth_mean: f64,
    /// The mean standard deviation of these depths among the threads of a search, in plies.
    pub depth_deviation: f64,
    /// The mean difference between the deepest and the least deep thread, in plies.
    pub depth_range: f64,
    /// The median of the milliseconds from `stop` to the report.
    pub stop_median_ms: f64,
    /// The greatest number of milliseconds from `stop` to the report.
    pub stop_max_ms: f64,
}

/// Runs the speed test. Calls `on_progress` with the number of threads after each of the
/// `counts * positions` searches.
///
/// The numbers of threads take turns on each position. Every search begins with an empty table and empty histories, so
/// that no search profits from another.
///
/// # Errors
/// If the system refuses memory or threads. Nothing has been searched then.
pub fn run(plan: &SpeedtestPlan, mut on_progress: impl FnMut(usize)) -> Result<SpeedtestReport, EngineError> {
    let games = positions();
    let each = plan.time / games.len() as u32;
    let most = plan.counts.iter().copied().max().unwrap_or(1);
    let settings = Settings { threads: most, telemetry: Telemetry::Count, ..plan.settings.for_measuring() };
    let mut engine = Engine::new(settings)?;
    let mut trials: Vec<Vec<Trial>> = plan.counts.iter().map(|_| Vec::with_capacity(games.len())).collect();
    for (number, game) in games.iter().enumerate() {
        for turn in 0..plan.counts.len() {
            // The order is reversed on every second position, so that no number of threads always comes first.
            let index = if number % 2 == 0 { turn } else { plan.counts.len() - 1 - turn };
            engine.set_threads(plan.counts[index])?;
            trials[index].push(Trial::run(&mut engine, game, each));
            on_progress(plan.counts[index]);
        }
    }
    let depths: Vec<_> =
        (0..games.len()).map(|game| common_depth(trials.iter().map(|of| &of[game]))).collect();
    let row = |(&threads, own): (&usize, &Vec<Trial>)| row(threads, plan.cores, own, &trials[0], &depths);
    Ok(SpeedtestReport {
        cores: plan.cores,
        hash: plan.settings.hash,
        stagger: plan.settings.stagger.name(),
        positions: games.len(),
        search_ms: each.as_secs_f64() * 1000.0,
        baseline: plan.counts[0],
        rows: plan.counts.iter().zip(&trials).map(row).collect(),
    })
}

fn row(
    threads: usize,
    cores: usize,
    trials: &[Trial],
    baseline: &[Trial],
    depths: &[Option<i32>],
) -> SpeedtestRow {
    let count = trials.len() as f64;
    let mean = |of: &dyn Fn(&Trial) -> f64| trials.iter().map(of).sum::<f64>() / count;
    let pairs = || trials.iter().zip(baseline);
    let speed_logs: Vec<f64> = pairs().map(|(own, base)| (own.speed() / base.speed()).ln()).collect();
    let speed = Ratio::of_logs(&speed_logs);
    let times: Vec<[f64; 2]> = pairs()
        .zip(depths)
        .filter_map(|((own, base), depth)| Some([own.seconds_to((*depth)?)?, base.seconds_to((*depth)?)?]))
        .collect();
    let logs = |of: &dyn Fn(&[f64; 2]) -> f64| times.iter().map(|pair| of(pair).ln()).collect::<Vec<_>>();
    let time_to_depth = Ratio::of_logs(&logs(&|[own, _]| *own));
    let depth = Ratio::of_logs(&logs(&|[own, base]| base / own));
    let nodes = trials.iter().map(|trial| trial.nodes).sum();
    let time: f64 = trials.iter().map(|trial| trial.time.as_secs_f64()).sum();
    let cores_used: Option<f64> = trials.iter().map(|trial| trial.cores_used).sum();
    let [own, foreign] = [0, 1].map(|whose| -> u64 {
        trials.iter().flat_map(|trial| &trial.threads).map(|thread| thread.table_hits[whose]).sum()
    });
    let mut latencies: Vec<f64> =
        trials.iter().map(|trial| trial.stop_latency.as_secs_f64() * 1000.0).collect();
    latencies.sort_unstable_by(f64::total_cmp);
    SpeedtestRow {
        threads,
        beyond_cores: threads > cores,
        nodes,
        nodes_per_second: nodes as f64 / time,
        cores_used: cores_used.map(|cores| cores / count),
        speed_ratio: speed.map_or(1.0, |ratio| ratio.mean),
        speed_error: speed.map_or(0.0, |ratio| ratio.error(ERRORS)),
        depth_ms: time_to_depth.map(|time| time.mean * 1000.0),
        depth_ratio: depth.map(|ratio| ratio.mean),
        depth_error: depth.map(|ratio| ratio.error(ERRORS)),
        hashfull: mean(&|trial| f64::from(trial.hashfull)),
        foreign_hits: (own + foreign > 0).then(|| foreign as f64 / (own + foreign) as f64),
        depth_mean: mean(&|trial| Spread::of(&trial.threads).mean),
        depth_deviation: mean(&|trial| Spread::of(&trial.threads).deviation),
        depth_range: mean(&|trial| Spread::of(&trial.threads).range),
        stop_median_ms: median(&latencies),
        stop_max_ms: latencies.last().copied().unwrap_or(0.0),
    }
}

/// The median of sorted values.
fn median(sorted: &[f64]) -> f64 {
    match sorted.len() {
        0 => 0.0,
        length if length % 2 == 1 => sorted[length / 2],
        length => (sorted[length / 2 - 1] + sorted[length / 2]) / 2.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_of_threads_is_compared_with_the_first() {
        let settings = Settings { hash: 1, ..Settings::default() };
        let plan = SpeedtestPlan { settings, counts: vec![1, 2], time: Duration::ZERO, cores: 1 };
        let mut steps = 0;
        let report = run(&plan, |_| steps += 1).unwrap();
        assert_eq!(steps, 2 * report.positions);
        let [one, two] = &report.rows[..] else { panic!("two rows") };
        assert_eq!((one.threads, two.threads, report.baseline), (1, 2, 1));
        assert_eq!((one.speed_ratio, one.speed_error, one.depth_ratio), (1.0, 0.0, Some(1.0)));
        assert!(!one.beyond_cores && two.beyond_cores);
        assert_eq!((one.depth_deviation, one.depth_range), (0.0, 0.0), "one thread is in one depth");
        for row in [one, two] {
            assert!(row.nodes > 0 && row.nodes_per_second > 0.0 && row.depth_ms.is_some_and(|ms| ms > 0.0));
            assert!(row.depth_ratio.is_some() && row.foreign_hits.is_some());
            assert!(row.depth_mean >= 1.0 && row.stop_median_ms <= row.stop_max_ms);
        }
    }

    #[test]
    fn a_table_too_large_for_the_memory_is_an_error_before_any_search() {
        let settings = Settings { hash: 33_554_432, ..Settings::default() };
        let plan = SpeedtestPlan { settings, counts: vec![1], time: Duration::from_secs(60), cores: 1 };
        assert!(run(&plan, |_| panic!("a search")).is_err());
    }

    #[test]
    fn the_median_is_the_middle_value() {
        assert_eq!(median(&[]), 0.0);
        assert_eq!(median(&[3.0]), 3.0);
        assert_eq!(median(&[1.0, 2.0, 9.0]), 2.0);
        assert_eq!(median(&[1.0, 2.0, 4.0, 9.0]), 3.0);
    }
}
