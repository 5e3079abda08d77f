//! Screening: what many changes of parameters are worth, measured at once: `enfilade screen`.
//!
//! In each pair of games every change is made to one of the two opponents; which one is decided by the toss of a coin, apart
//! from all others (a random balance design: Satterthwaite 1959). So each pair of games says something about every change. The mean
//! of the results, seen from the side that had a change, is what it is worth on the average over the others being there or not, and its
//! error is hardly greater than if all the games had been played for this change alone. What changes do only together is not seen.

use std::collections::BTreeSet;
use std::fmt;
use std::io::Write;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::Args;
use parking_lot::Mutex;

use super::journal::{self, Setting};
use super::opponents::{self, Opponents};
use super::{TuneError, unless_failed};
use crate::console::Progress;
use crate::crew;
use crate::engine::Settings;
use crate::file::FileError;
use crate::number;
use crate::params::{Declaration, Params};
use crate::random::Random;

/// What a point more in each pair of games is worth in Elo, near equality: half of that a game, and a
/// game has two points between winning and losing. 400 / ln(10).
const ELO_OF_A_POINT: f64 = 400.0 / std::f64::consts::LN_10;

/// What `enfilade screen` is asked to do.
#[derive(Args, Clone, Debug)]
pub struct Arguments {
    /// File with a line for each pair of games; one that is there already is continued, with the same settings
    #[arg(long, value_name = "FILE.csv")]
    pub out: PathBuf,
    /// Pairs of games in all
    #[arg(long, value_parser = number::from(1u64))]
    pub pairs: u64,
    /// Nodes for each move
    #[arg(long, default_value_t = 20_000, value_parser = number::from(1u64))]
    pub nodes: u64,
    /// Pairs played at the same time
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: u16,
    /// Of openings and coins
    #[arg(long, default_value_t = 1, value_parser = number::from(0u64))]
    pub seed: u64,
    /// The changes: parameters of the search and values to try in place of the current ones
    #[arg(required = true, value_name = "NAME=VALUE")]
    pub changes: Vec<Change>,
}

/// Another value for one parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    declaration: &'static Declaration,
    value: i32,
}

impl FromStr for Change {
    type Err = String;

    fn from_str(text: &str) -> Result<Change, String> {
        let (name, value) = text.split_once('=').ok_or("a parameter's name, = and a value are needed")?;
        let declaration = Params::ALL
            .iter()
            .find(|known| known.name == name)
            .ok_or_else(|| format!("there is no parameter called {name}"))?;
        let Declaration { min, max, .. } = *declaration;
        let value = value.parse().ok().filter(|value| (min..=max).contains(value));
        let value = value.ok_or_else(|| format!("{name} is a whole number from {min} to {max}"))?;
        Ok(Change { declaration, value })
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.declaration.name, self.value)
    }
}

/// What came of one pair of games.
#[derive(Clone, Debug, PartialEq)]
struct Pair {
    /// Which of the random numbers it was played by.
    number: u64,
    /// Points of the first opponent less those of the second, -2 to 2.
    difference: f64,
    /// For each change, whether the first opponent had it.
    is_first: Vec<bool>,
}

impl fmt::Display for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.number, self.difference)?;
        self.is_first.iter().try_for_each(|&is_first| write!(f, ",{}", if is_first { 1 } else { -1 }))
    }
}

fn parse(line: &str, changes: usize) -> Option<Pair> {
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
    (is_first.len() == changes).then_some(Pair { number, difference, is_first })
}

/// What a change is worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effect {
    /// The change.
    pub change: Change,
    /// The value before it.
    pub before: i32,
    /// Elo gained by it.
    pub elo: f64,
    /// The 95% error of that; infinite with a single pair.
    pub error: f64,
}

/// What all changes are worth, the best first.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Pairs of games that say so.
    pub pairs: usize,
    /// Each change once.
    pub effects: Vec<Effect>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.effects.iter().map(|effect| effect.change.declaration.name.len()).max().unwrap_or(0);
        for Effect { change: Change { declaration, value }, before, elo, error } in &self.effects {
            writeln!(
                f,
                "{:width$} {before:>6} -> {value:<6} {elo:+6.1} +- {error:.1} Elo",
                declaration.name
            )?;
        }
        write!(f, "{} pairs of games", self.pairs)
    }
}

/// Plays the pairs that are missing, with a progress bar on standard error. Network and parameters are those of the settings.
///
/// # Errors
/// If a parameter is named twice, the file cannot be read or written or is no log of these changes with these settings, or
/// the system has not got the memory or the threads.
pub fn run(arguments: &Arguments, settings: &Settings) -> Result<Report, TuneError> {
    let Arguments { out, changes, nodes, seed, .. } = arguments;
    let mut known = BTreeSet::new();
    // Where one opponent had both changes, the second would undo the first.
    if let Some(again) = changes.iter().find(|change| !known.insert(change.declaration.name)) {
        return Err(TuneError::Twice(again.declaration.name));
    }
    let names: String = changes.iter().map(|change| format!(",{change}")).collect();
    let columns = format!("pair,difference{names}");
    let mut basis = vec![Setting::new("nodes", nodes), Setting::new("seed", seed)];
    basis.extend(Setting::of_games(settings));
    let mut done = BTreeSet::new();
    let (file, pairs) = journal::open(out, &basis, &columns, |line| {
        parse(line, changes.len()).filter(|pair| done.insert(pair.number))
    })?;
    let begun = pairs.len();
    let missing: Vec<u64> = (0..arguments.pairs).filter(|number| !done.contains(number)).collect();
    let count = missing.len() as u64;
    let players = opponents::players(count, arguments.threads, arguments.nodes, settings)?;
    let progress = Progress::new("pairs", arguments.pairs - count, arguments.pairs);
    let next = AtomicUsize::new(0);
    let state = Mutex::new((file, pairs, Ok(())));
    crew::work(players, |mut opponents| {
        while let Some(&number) = missing.get(next.fetch_add(1, Ordering::Relaxed)) {
            if state.lock().2.is_err() {
                return;
            }
            let pair = play(&mut opponents, number, arguments, &settings.params);
            let (file, pairs, result) = &mut *state.lock();
            unless_failed(result, || {
                let written = file.write_all(format!("{pair}\n").as_bytes());
                Ok(written.map_err(FileError::because("cannot write", out))?)
            });
            pairs.push(pair);
            let played = (pairs.len() - begun) as u64;
            progress.advance(format_args!("{:.2} a second", progress.rate(played)));
        }
    })?;
    progress.finish();
    let (_, pairs, result) = state.into_inner();
    result.map(|()| report(changes, &settings.params, &pairs))
}

fn play(opponents: &mut Opponents, number: u64, arguments: &Arguments, base: &Params) -> Pair {
    let mut random = Random::stream(arguments.seed, number);
    let mut players = [base.clone(), base.clone()];
    let is_first: Vec<bool> = arguments.changes.iter().map(|_| random.below(2) == 0).collect();
    for (change, &is_first) in arguments.changes.iter().zip(&is_first) {
        players[usize::from(!is_first)].set(change.declaration.name, change.value);
    }
    Pair { number, difference: opponents.play_pair(&players, &mut random), is_first }
}

fn report(changes: &[Change], base: &Params, pairs: &[Pair]) -> Report {
    let count = pairs.len() as f64;
    let mut effects: Vec<Effect> = (changes.iter().enumerate())
        .map(|(index, &change)| {
            let seen = pairs
                .iter()
                .map(|pair| if pair.is_first[index] { pair.difference } else { -pair.difference });
            let mean = seen.clone().sum::<f64>() / count;
            let squares: f64 = seen.map(|difference| (difference - mean).powi(2)).sum();
            // One pair alone says nothing of how much pairs differ.
            let variance = if count > 1.0 { squares / (count - 1.0) } else { f64::INFINITY };
            Effect {
                change,
                before: base.get(change.declaration.name),
                elo: ELO_OF_A_POINT * mean,
                error: ELO_OF_A_POINT * 1.96 * (variance / count).sqrt(),
            }
        })
        .collect();
    effects.sort_by(|a, b| b.elo.total_cmp(&a.elo));
    Report { pairs: pairs.len(), effects }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn changes() -> Vec<Change> {
        ["razor_depth=2", "probcut_margin=180", "iir_depth=5"].map(|text| text.parse().unwrap()).to_vec()
    }

    #[test]
    fn a_change_is_a_known_parameter_and_a_value_of_its_range() {
        assert_eq!("iir_depth=5".parse::<Change>().unwrap().to_string(), "iir_depth=5");
        for (text, reason) in [
            ("iir_depth", "and a value"),
            ("iir_debth=5", "no parameter called iir_debth"),
            ("iir_depth=99", "from 2 to 8"),
            ("iir_depth=x", "from 2 to 8"),
        ] {
            assert!(text.parse::<Change>().unwrap_err().contains(reason), "{text}");
        }
    }

    #[test]
    fn each_change_is_told_apart_from_the_others() {
        // The first change wins a point of two pairs in three, the second loses one in three, the third does nothing.
        let mut random = Random::stream(3, 3);
        let pairs: Vec<Pair> = (0..4_000)
            .map(|number| {
                let is_first: Vec<bool> = (0..3).map(|_| random.below(2) == 0).collect();
                let sign = |index: usize| if is_first[index] { 1.0 } else { -1.0 };
                let chance = random.unit();
                let difference = match chance {
                    c if c < 0.6 => sign(0),
                    c if c < 0.9 => -sign(1),
                    _ => 0.0,
                };
                Pair { number, difference, is_first }
            })
            .collect();
        let report = report(&changes(), &Params::default(), &pairs);
        let names: Vec<String> = report.effects.iter().map(|effect| effect.change.to_string()).collect();
        assert_eq!(names, ["razor_depth=2", "iir_depth=5", "probcut_margin=180"]);
        for (effect, points) in report.effects.iter().zip([0.6, 0.0, -0.3]) {
            let off = (effect.elo - points * ELO_OF_A_POINT).abs();
            assert!(off < 2.0 * effect.error && effect.error < 6.0, "{effect:?}");
        }
    }

    #[test]
    fn a_screening_can_be_continued_where_it_was_cut_off() {
        let directory = tempfile::tempdir().unwrap();
        let out = directory.path().join("screen.csv");
        let arguments =
            |pairs| Arguments { out: out.clone(), pairs, nodes: 30, threads: 2, seed: 3, changes: changes() };
        assert_eq!(run(&arguments(2), &Settings::default()).unwrap().pairs, 2);
        let text = fs::read_to_string(&out).unwrap();
        assert!(text.starts_with("# nodes = 30\n# seed = 3\n# network = "), "{text}");
        let columns = "\npair,difference,razor_depth=2,probcut_margin=180,iir_depth=5\n";
        assert!(text.contains(columns), "{text}");
        // With all its fields, and yet perhaps without the end of the last.
        fs::write(&out, format!("{text}7,1,1,1,1")).unwrap();
        let report = run(&arguments(4), &Settings::default()).unwrap();
        assert_eq!((report.pairs, report.effects.len()), (4, 3));
        assert!(report.to_string().ends_with("\n4 pairs of games"), "{report}");
        let mut numbers: Vec<u64> = (fs::read_to_string(&out).unwrap().lines())
            .filter_map(|line| parse(line, 3))
            .map(|pair| pair.number)
            .collect();
        numbers.sort_unstable();
        assert_eq!(numbers, [0, 1, 2, 3]);
        for (other, difference) in [
            (Arguments { changes: changes()[..2].to_vec(), ..arguments(5) }, "no log of these parameters"),
            (
                Arguments { changes: vec!["razor_depth=3".parse().unwrap()], ..arguments(5) },
                "razor_depth=2 (now razor_depth=3)",
            ),
            (Arguments { nodes: 31, ..arguments(5) }, "nodes 30 (now 31)"),
            (Arguments { seed: 4, ..arguments(5) }, "seed 3 (now 4)"),
        ] {
            let error = run(&other, &Settings::default()).unwrap_err().to_string();
            assert!(error.ends_with(difference), "{error}");
        }
        let mut preset = Settings::default();
        preset.params.set("razor_base", 300);
        let error = run(&arguments(5), &preset).unwrap_err().to_string();
        assert!(error.ends_with("razor_base 267 (now 300)"), "{error}");
    }

    /// Such lines were once passed over, or counted.
    #[test]
    fn pairs_that_cannot_be_are_refused() {
        assert!(parse("7,-2,1,-1", 2).is_some());
        for wrong in ["7,NaN,1,-1", "7,3,1,-1", "7,1,1", "7,1,1,-1,1", "7,1,1,0", "x,1,1,1"] {
            assert_eq!(parse(wrong, 2), None, "{wrong}");
        }
        let directory = tempfile::tempdir().unwrap();
        let out = directory.path().join("screen.csv");
        let arguments = Arguments { out, pairs: 1, nodes: 30, threads: 1, seed: 3, changes: changes() };
        run(&arguments, &Settings::default()).unwrap();
        let text = fs::read_to_string(&arguments.out).unwrap();
        let pair = text.lines().last().unwrap();
        fs::write(&arguments.out, format!("{text}{pair}\n")).unwrap();
        assert!(
            matches!(run(&arguments, &Settings::default()), Err(TuneError::Line { .. })),
            "the pair counts twice"
        );
    }

    #[test]
    fn a_parameter_that_is_named_twice_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        let out = directory.path().join("screen.csv");
        let changes =
            ["iir_depth=5", "razor_depth=2", "iir_depth=6"].map(|text| text.parse().unwrap()).to_vec();
        let arguments = Arguments { out: out.clone(), pairs: 1, nodes: 30, threads: 1, seed: 3, changes };
        let error = run(&arguments, &Settings::default()).unwrap_err().to_string();
        assert!(error.starts_with("iir_depth is named twice"), "{error}");
        assert!(!out.exists());
    }

    #[test]
    fn one_pair_has_no_error_to_tell() {
        let pairs = [Pair { number: 0, difference: 1.0, is_first: vec![true, false, true] }];
        let report = report(&changes(), &Params::default(), &pairs);
        assert!(report.effects.iter().all(|effect| effect.elo.is_finite() && effect.error == f64::INFINITY));
        assert!(!report.to_string().contains("NaN"), "{report}");
    }
}
