//! Main effects: measures what many changes of parameters are worth at once (`enfilade screen`).
//!
//! In terms of statistics this is an experiment with many factors in a random balance design (Satterthwaite 1959). A
//! factor is a parameter with another value. In each pair of games one of the two opponents has that value. A coin toss
//! decides which one, separately for each factor. So each pair of games says something about every factor. The main
//! effect of a factor is the mean of the results from the point of view of the side that had the value. It tells what
//! the value is worth on average, with the other factors present or absent. Its error is hardly greater than if all
//! games had been played for this factor alone. The method does not see effects that several factors have only
//! together.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::str::FromStr;

use serde::{Serialize, Serializer};

use super::opponents::{self, Opponents};
use super::{PairsPlayed, TuneError};
use crate::base::confidence::{ELO_PER_LOGIT, ERRORS};
use crate::base::crew;
use crate::base::random::Random;
use crate::engine::facade::Settings;
use crate::engine::params::{Declaration, Params};
use crate::engine::selfplay::allowance::Allowance;
use crate::engine::selfplay::games_log::{self, RecordedSetting};

/// The Elo of a difference of one point in each pair of games, near equality: 400 / ln(10). A difference of one point
/// in a pair is half a point in each game, which moves the share of the points by a quarter. Near equality a whole
/// share is worth 1600 / ln(10).
const ELO_OF_A_POINT: f64 = ELO_PER_LOGIT;

/// What to measure, and by which games.
#[derive(Clone, Debug)]
pub struct MainEffectsPlan {
    /// The file with a line for each pair of games. An existing file is continued if it was begun with the same
    /// settings.
    pub out: PathBuf,
    /// The number of pairs of games, including those of earlier runs.
    pub pairs: u64,
    /// What the threads of each search may search together.
    pub allowance: Allowance,
    /// The number of pairs played at the same time, from 1.
    pub threads: usize,
    /// Seed of the openings and coin tosses.
    pub seed: u64,
    /// The factors to measure, each parameter at most once.
    pub factors: Vec<Factor>,
    /// The network, the other parameters, the virtual threads of each search and all other settings.
    pub settings: Settings,
}

/// A parameter and the value to try in place of its current one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Factor {
    #[serde(rename = "parameter", serialize_with = "name")]
    declaration: &'static Declaration,
    value: i32,
}

fn name<S: Serializer>(declaration: &&Declaration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(declaration.name)
}

impl FromStr for Factor {
    type Err = String;

    fn from_str(text: &str) -> Result<Factor, String> {
        let (name, value) = text.split_once('=').ok_or("a parameter's name, = and a value are needed")?;
        let declaration = Params::ALL
            .iter()
            .find(|known| known.name == name)
            .ok_or_else(|| format!("there is no parameter called {name}"))?;
        let Declaration { min, max, .. } = *declaration;
        let value = value.parse().ok().filter(|value| (min..=max).contains(value));
        let value = value.ok_or_else(|| format!("{name} is a whole number from {min} to {max}"))?;
        Ok(Factor { declaration, value })
    }
}

impl fmt::Display for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.declaration.name, self.value)
    }
}

/// The result of a pair of games: an observation of the experiment.
#[derive(Clone, Debug, PartialEq)]
struct Observation {
    /// The number of the pair. It determines the pair's random numbers.
    number: u64,
    /// The points of the first opponent minus those of the second, -2 to 2.
    difference: f64,
    /// For each factor, whether the first opponent had its value.
    is_first: Vec<bool>,
}

impl fmt::Display for Observation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.number, self.difference)?;
        self.is_first.iter().try_for_each(|&is_first| write!(f, ",{}", if is_first { 1 } else { -1 }))
    }
}

fn parse(line: &str, factors: usize) -> Option<Observation> {
    let mut fields = line.split(',');
    let number = fields.next()?.parse().ok()?;
    let difference = fields.next()?.parse().ok().filter(|points| (-2.0..=2.0).contains(points))?;
    let is_first: Vec<bool> = fields
        .map(|field| match field {
            "1" => Some(true),
            "-1" => Some(false),
            _ => None,
        })
        .collect::<Option<_>>()?;
    (is_first.len() == factors).then_some(Observation { number, difference, is_first })
}

/// The main effect of a factor.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MainEffect {
    /// The factor.
    #[serde(flatten)]
    pub factor: Factor,
    /// The parameter's current value.
    pub before: i32,
    /// The Elo that the factor's value gains.
    pub elo: f64,
    /// The 95% error of the Elo; infinite with a single pair.
    pub error: f64,
}

/// The main effects of all factors, the best first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MainEffectsReport {
    /// The number of pairs of games.
    pub pairs: usize,
    /// Each factor once.
    pub effects: Vec<MainEffect>,
}

impl fmt::Display for MainEffectsReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.effects.iter().map(|effect| effect.factor.declaration.name.len()).max().unwrap_or(0);
        for MainEffect { factor: Factor { declaration, value }, before, elo, error } in &self.effects {
            writeln!(
                f,
                "{:width$} {before:>6} -> {value:<6} {elo:+6.1} +- {error:.1} Elo",
                declaration.name
            )?;
        }
        write!(f, "{} pairs of games", self.pairs)
    }
}

/// Plays the missing pairs. Calls `on_progress` when the games begin, and after each pair.
///
/// # Errors
/// If a parameter is named twice, if the file cannot be read or written or is not a log of these factors with these
/// settings, or if the system refuses memory or threads.
pub fn run(
    plan: &MainEffectsPlan,
    mut on_progress: impl FnMut(PairsPlayed) + Send,
) -> Result<MainEffectsReport, TuneError> {
    let MainEffectsPlan { out, allowance, seed, factors, settings, .. } = plan;
    let mut known = BTreeSet::new();
    // If one opponent had both values, the second would replace the first.
    if let Some(again) = factors.iter().find(|factor| !known.insert(factor.declaration.name)) {
        return Err(TuneError::Twice(again.declaration.name));
    }
    let names: String = factors.iter().map(|factor| format!(",{factor}")).collect();
    let columns = format!("pair,difference{names}");
    let mut basis = vec![RecordedSetting::of_allowance(*allowance), RecordedSetting::new("seed", seed)];
    basis.extend(RecordedSetting::of_games(settings));
    let mut done = BTreeSet::new();
    let (mut log, mut observations) = games_log::open(out, &basis, &columns, |line| {
        parse(line, factors.len()).filter(|observation| done.insert(observation.number))
    })?;
    let missing: Vec<u64> = (0..plan.pairs).filter(|number| !done.contains(number)).collect();
    let opponents = opponents::for_boards(missing.len() as u64, plan.threads, *allowance, settings)?;
    let mut played = PairsPlayed { before: plan.pairs - missing.len() as u64, now: 0 };
    on_progress(played);
    let mut result = Ok(());
    crew::share_out(
        opponents,
        missing.into_iter(),
        |opponents, number| play(opponents, number, plan),
        |_, observation| {
            if result.is_ok() {
                result = log.append(&format!("{observation}\n"));
            }
            observations.push(observation);
            played.now += 1;
            on_progress(played);
            // The first error ends the run. Nothing is written after it.
            if result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        },
    )?;
    result?;
    Ok(report(factors, &settings.params, &observations))
}

fn play(opponents: &mut Opponents, number: u64, plan: &MainEffectsPlan) -> Observation {
    let mut random = Random::stream(plan.seed, number);
    let mut players = [0, 1].map(|_| plan.settings.params.clone());
    let is_first: Vec<bool> = plan.factors.iter().map(|_| random.below(2) == 0).collect();
    for (factor, &is_first) in plan.factors.iter().zip(&is_first) {
        players[usize::from(!is_first)].set(factor.declaration.name, factor.value);
    }
    Observation { number, difference: opponents.play_pair(&players, &mut random), is_first }
}

fn report(factors: &[Factor], base: &Params, observations: &[Observation]) -> MainEffectsReport {
    let count = observations.len() as f64;
    let mut effects: Vec<MainEffect> = (factors.iter().enumerate())
        .map(|(index, &factor)| {
            let seen = observations
                .iter()
                .map(|pair| if pair.is_first[index] { pair.difference } else { -pair.difference });
            let mean = seen.clone().sum::<f64>() / count;
            let squares: f64 = seen.map(|difference| (difference - mean).powi(2)).sum();
            // A single pair does not tell how much pairs differ.
            let variance = if count > 1.0 { squares / (count - 1.0) } else { f64::INFINITY };
            MainEffect {
                factor,
                before: base.get(factor.declaration.name),
                elo: ELO_OF_A_POINT * mean,
                error: ELO_OF_A_POINT * ERRORS * (variance / count).sqrt(),
            }
        })
        .collect();
    effects.sort_by(|a, b| b.elo.total_cmp(&a.elo));
    MainEffectsReport { pairs: observations.len(), effects }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::selfplay::games_log::GamesLogError;
    use std::fs;

    fn factors() -> Vec<Factor> {
        ["razor_depth=2", "probcut_margin=180", "iir_depth=5"].map(|text| text.parse().unwrap()).to_vec()
    }

    /// A plan for one pair of games. It has no file yet.
    fn plan(factors: Vec<Factor>) -> MainEffectsPlan {
        let settings = Settings::default();
        MainEffectsPlan {
            out: PathBuf::new(),
            pairs: 1,
            allowance: Allowance::Move(30),
            threads: 1,
            seed: 3,
            factors,
            settings,
        }
    }

    #[test]
    fn a_factor_needs_a_known_parameter_and_a_value_in_its_range() {
        assert_eq!("iir_depth=5".parse::<Factor>().unwrap().to_string(), "iir_depth=5");
        for (text, reason) in [
            ("iir_depth", "and a value"),
            ("iir_debth=5", "no parameter called iir_debth"),
            ("iir_depth=99", "from 2 to 8"),
            ("iir_depth=x", "from 2 to 8"),
        ] {
            assert!(text.parse::<Factor>().unwrap_err().contains(reason), "{text}");
        }
    }

    #[test]
    fn the_effect_of_each_factor_is_estimated_separately() {
        // The first factor wins a point of two pairs in three, the second loses one in three, the third does nothing.
        let mut random = Random::stream(3, 3);
        let pairs: Vec<Observation> = (0..4_000)
            .map(|number| {
                let is_first: Vec<bool> = (0..3).map(|_| random.below(2) == 0).collect();
                let sign = |index: usize| if is_first[index] { 1.0 } else { -1.0 };
                let chance = random.unit();
                let difference = match chance {
                    c if c < 0.6 => sign(0),
                    c if c < 0.9 => -sign(1),
                    _ => 0.0,
                };
                Observation { number, difference, is_first }
            })
            .collect();
        let report = report(&factors(), &Params::default(), &pairs);
        let names: Vec<String> = report.effects.iter().map(|effect| effect.factor.to_string()).collect();
        assert_eq!(names, ["razor_depth=2", "iir_depth=5", "probcut_margin=180"]);
        for (effect, points) in report.effects.iter().zip([0.6, 0.0, -0.3]) {
            let off = (effect.elo - points * ELO_OF_A_POINT).abs();
            assert!(off < 2.0 * effect.error && effect.error < 6.0, "{effect:?}");
        }
    }

    #[test]
    fn an_interrupted_screening_can_be_continued() {
        let directory = tempfile::tempdir().unwrap();
        let out = directory.path().join("screen.csv");
        let plan = |pairs| MainEffectsPlan { out: out.clone(), pairs, threads: 2, ..plan(factors()) };
        assert_eq!(run(&plan(2), |_| {}).unwrap().pairs, 2);
        let text = fs::read_to_string(&out).unwrap();
        assert!(text.starts_with("# nodes = 30\n# seed = 3\n# network = "), "{text}");
        let columns = "\npair,difference,razor_depth=2,probcut_margin=180,iir_depth=5\n";
        assert!(text.contains(columns), "{text}");
        // The line has all its fields, but the last one may be incomplete.
        fs::write(&out, format!("{text}7,1,1,1,1")).unwrap();
        let mut reported = Vec::new();
        let report = run(&plan(4), |played| reported.push(played)).unwrap();
        assert_eq!(reported, [0, 1, 2].map(|now| PairsPlayed { before: 2, now }));
        assert_eq!((report.pairs, report.effects.len()), (4, 3));
        assert!(report.to_string().ends_with("\n4 pairs of games"), "{report}");
        let mut numbers: Vec<u64> = (fs::read_to_string(&out).unwrap().lines())
            .filter_map(|line| parse(line, 3))
            .map(|pair| pair.number)
            .collect();
        numbers.sort_unstable();
        assert_eq!(numbers, [0, 1, 2, 3]);
        for (other, difference) in [
            (
                MainEffectsPlan { factors: factors()[..2].to_vec(), ..plan(5) },
                "this is not a log of this command with these parameters",
            ),
            (
                MainEffectsPlan { factors: vec!["razor_depth=3".parse().unwrap()], ..plan(5) },
                "razor_depth=2 (now razor_depth=3)",
            ),
            (MainEffectsPlan { allowance: Allowance::Move(31), ..plan(5) }, "nodes 30 (now 31)"),
            (MainEffectsPlan { seed: 4, ..plan(5) }, "seed 3 (now 4)"),
        ] {
            let error = run(&other, |_| {}).unwrap_err().to_string();
            assert!(error.ends_with(difference), "{error}");
        }
        let mut preset = Settings::default();
        preset.params.set("razor_base", 300);
        let error = run(&MainEffectsPlan { settings: preset, ..plan(5) }, |_| {}).unwrap_err().to_string();
        assert!(error.ends_with("razor_base 267 (now 300)"), "{error}");
    }

    /// Such lines were once skipped or counted.
    #[test]
    fn impossible_pairs_in_the_log_are_refused() {
        assert!(parse("7,-2,1,-1", 2).is_some());
        for wrong in ["7,NaN,1,-1", "7,3,1,-1", "7,1,1", "7,1,1,-1,1", "7,1,1,0", "x,1,1,1"] {
            assert_eq!(parse(wrong, 2), None, "{wrong}");
        }
        let directory = tempfile::tempdir().unwrap();
        let out = directory.path().join("screen.csv");
        let plan = MainEffectsPlan { out, ..plan(factors()) };
        run(&plan, |_| {}).unwrap();
        let text = fs::read_to_string(&plan.out).unwrap();
        let pair = text.lines().last().unwrap();
        fs::write(&plan.out, format!("{text}{pair}\n")).unwrap();
        assert!(
            matches!(run(&plan, |_| {}), Err(TuneError::Log(GamesLogError::Line { .. }))),
            "the pair counts twice"
        );
    }

    #[test]
    fn a_parameter_named_twice_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        let out = directory.path().join("screen.csv");
        let factors =
            ["iir_depth=5", "razor_depth=2", "iir_depth=6"].map(|text| text.parse().unwrap()).to_vec();
        let plan = MainEffectsPlan { out: out.clone(), ..plan(factors) };
        let error = run(&plan, |_| {}).unwrap_err().to_string();
        assert!(error.starts_with("iir_depth is named twice"), "{error}");
        assert!(!out.exists());
    }

    #[test]
    fn one_pair_has_no_error_estimate() {
        let pairs = [Observation { number: 0, difference: 1.0, is_first: vec![true, false, true] }];
        let report = report(&factors(), &Params::default(), &pairs);
        assert!(report.effects.iter().all(|effect| effect.elo.is_finite() && effect.error == f64::INFINITY));
        assert!(!report.to_string().contains("NaN"), "{report}");
    }
}
