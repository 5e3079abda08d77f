//! Compares the stagger policies by the time to a depth.

use std::time::Duration;

use super::ratio::Ratio;
use super::trial::Trial;
use super::{common_depth, positions};
use crate::engine::{Engine, EngineError, Settings};
use crate::pool::Stagger;

/// The number of standard errors by which a policy must be better than the default. If four other policies are as good
/// as the default, the chance is 5% that one of them seems better or worse by so much.
pub const ERRORS: f64 = 2.5;

/// The longest search. With more time, the positions are searched again.
const LONGEST: Duration = Duration::from_secs(2);

/// How the time is divided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrialSchedule {
    /// The number of searches of each position with each policy.
    pub rounds: u32,
    /// The time of each search.
    pub each: Duration,
}

impl TrialSchedule {
    /// The schedule for `searches` searches in each round, within the time `total`.
    fn of(total: Duration, searches: u32) -> TrialSchedule {
        let rounds = total.div_duration_f64(LONGEST * searches).ceil().max(1.0) as u32;
        TrialSchedule { rounds, each: total / (searches * rounds) }
    }
}

/// The result of one policy.
#[derive(Clone, Debug)]
pub struct PolicyRow {
    /// The policy.
    pub stagger: Stagger,
    /// The time to depth divided by the default policy's time. Below 1 is faster. `None` if no depth was reached.
    pub time: Option<Ratio>,
}

/// The result of a comparison.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Number of threads.
    pub threads: usize,
    /// Size of the table in MiB.
    pub hash: usize,
    /// Number of positions.
    pub positions: usize,
    /// How the time was divided.
    pub schedule: TrialSchedule,
    /// One row for each policy.
    pub rows: Vec<PolicyRow>,
}

impl Comparison {
    /// The policy to use: the fastest of those that are faster than the default by more than their error; otherwise the
    /// default.
    pub fn choice(&self) -> Stagger {
        let better = |row: &&PolicyRow| row.time.is_some_and(|time| time.range(ERRORS)[1] < 1.0);
        let mean = |row: &PolicyRow| row.time.map_or(1.0, |time| time.mean);
        let best = self.rows.iter().filter(better).min_by(|a, b| mean(a).total_cmp(&mean(b)));
        best.map_or_else(Stagger::default, |row| row.stagger.clone())
    }
}

/// The plan of a comparison.
#[derive(Clone, Debug)]
pub struct PoliciesPlan {
    /// The settings of the engine. The stagger policy is replaced.
    pub settings: Settings,
    /// The time of all searches together.
    pub time: Duration,
}

/// Compares all policies. After each search it calls `heard` with the number of finished searches and the number of
/// all.
///
/// The policies take turns on each position. Each time another one begins.
///
/// # Errors
/// If the system refuses memory or threads. Nothing has been searched then.
pub fn compare(plan: &PoliciesPlan, mut heard: impl FnMut(u64, u64)) -> Result<Comparison, EngineError> {
    let PoliciesPlan { settings, time } = plan;
    let games = positions();
    let policies = Stagger::all();
    let default = Stagger::default();
    let baseline = policies.iter().position(|policy| *policy == default).expect("the default is a policy");
    let schedule = TrialSchedule::of(*time, (games.len() * policies.len()) as u32);
    let mut engine = Engine::new(settings.for_measuring())?;
    // The logarithms of the ratios by policy and position, one for each round.
    let mut logs = vec![vec![Vec::new(); games.len()]; policies.len()];
    let all = (games.len() * policies.len()) as u64 * u64::from(schedule.rounds);
    let mut done = 0;
    for round in 0..schedule.rounds as usize {
        for (number, game) in games.iter().enumerate() {
            let mut trials: Vec<Option<Trial>> = vec![None; policies.len()];
            for turn in 0..policies.len() {
                let index = (turn + number + round) % policies.len();
                engine.update(|settings| settings.stagger = policies[index].clone());
                trials[index] = Some(Trial::run(&mut engine, game, schedule.each));
                done += 1;
                heard(done, all);
            }
            let Some(depth) = common_depth(trials.iter().flatten()) else { continue };
            let times: Vec<f64> =
                trials.iter().flatten().filter_map(|trial| trial.seconds_to(depth)).collect();
            for (logs, time) in logs.iter_mut().zip(&times) {
                logs[number].push((time / times[baseline]).ln());
            }
        }
    }
    let rows = policies
        .into_iter()
        .zip(&logs)
        .map(|(stagger, logs)| PolicyRow { stagger, time: over_positions(logs) });
    Ok(Comparison {
        threads: engine.settings().threads,
        hash: settings.hash,
        positions: games.len(),
        schedule,
        rows: rows.collect(),
    })
}

/// The rounds of one position are not independent of each other. So each position counts once, with its mean.
fn over_positions(logs: &[Vec<f64>]) -> Option<Ratio> {
    let means = logs.iter().filter(|logs| !logs.is_empty());
    let means: Vec<f64> = means.map(|logs| logs.iter().sum::<f64>() / logs.len() as f64).collect();
    Ratio::of_logs(&means)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comparison(times: &[(Stagger, [f64; 2])]) -> Comparison {
        let row = |(stagger, [mean, deviation]): &(Stagger, [f64; 2])| PolicyRow {
            stagger: stagger.clone(),
            time: Some(Ratio { mean: *mean, deviation: *deviation }),
        };
        let schedule = TrialSchedule { rounds: 1, each: LONGEST };
        Comparison { threads: 2, hash: 1, positions: 40, schedule, rows: times.iter().map(row).collect() }
    }

    #[test]
    fn only_a_policy_that_is_surely_faster_replaces_the_default() {
        let other = || Stagger::all().into_iter().filter(|policy| *policy != Stagger::default());
        let [first, second] = [other().next().unwrap(), other().nth(1).unwrap()];
        let default = (Stagger::default(), [1.0, 0.0]);
        let unsure = comparison(&[default.clone(), (first.clone(), [0.9, 0.05])]);
        assert_eq!(unsure.choice(), Stagger::default());
        let sure = comparison(&[default.clone(), (first.clone(), [0.9, 0.04])]);
        assert_eq!(sure.choice(), first);
        let two = comparison(&[default, (first, [0.9, 0.04]), (second.clone(), [0.8, 0.08])]);
        assert_eq!(two.choice(), second);
    }

    #[test]
    fn much_time_is_spent_on_more_rounds() {
        let of = |seconds| TrialSchedule::of(Duration::from_secs(seconds), 200);
        assert_eq!(of(20), TrialSchedule { rounds: 1, each: Duration::from_millis(100) });
        assert_eq!(of(400), TrialSchedule { rounds: 1, each: LONGEST });
        assert_eq!(of(800), TrialSchedule { rounds: 2, each: LONGEST });
        assert_eq!(of(600), TrialSchedule { rounds: 2, each: Duration::from_millis(1500) });
    }

    #[test]
    fn a_position_counts_once_however_often_it_was_searched() {
        let ratio = over_positions(&[vec![0.0, 2.0], vec![], vec![3.0]]).unwrap();
        assert!((ratio.mean.ln() - 2.0).abs() < 1e-12);
        assert_eq!(over_positions(&[vec![], vec![]]), None);
    }

    #[test]
    fn every_policy_is_compared_with_the_default() {
        let settings = Settings { hash: 1, threads: 2, ..Settings::default() };
        let mut last = (0, 0);
        let plan = PoliciesPlan { settings, time: Duration::ZERO };
        let comparison = compare(&plan, |done, all| last = (done, all)).unwrap();
        assert_eq!(last, (200, 200));
        assert_eq!(
            comparison.rows.iter().map(|row| &row.stagger).collect::<Vec<_>>(),
            Stagger::all().each_ref()
        );
        for row in &comparison.rows {
            let time = row.time.expect("every search finishes depth 1");
            assert!(time.mean > 0.0);
            if row.stagger == Stagger::default() {
                assert_eq!((time.mean, time.deviation), (1.0, 0.0));
            }
        }
    }
}
