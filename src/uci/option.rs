//! The options: one table of names, their declarations, and the check of a value before
//! anything is changed.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use super::error::{Excerpt, InputError};
use super::go::whole_number;
use crate::config::Setup;
use crate::config::range::{
    HASH, MOVE_OVERHEAD, MULTI_PV, NODES_TIME, SYZYGY_PROBE_DEPTH, SYZYGY_PROBE_LIMIT, Spin, THREADS, UCI_ELO,
};
use crate::numa::Policy;
use crate::search::quiescence::Kind;

/// How UCI writes an empty string.
const EMPTY: &str = "<empty>";

/// An option of the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Name {
    DebugLogFile,
    Threads,
    NumaPolicy,
    Hash,
    ClearHash,
    NeverClearHash,
    HashFile,
    SaveHash,
    LoadHash,
    Ponder,
    MultiPv,
    MoveOverhead,
    NodesTime,
    Deterministic,
    Chess960,
    ShowWdl,
    LimitStrength,
    Elo,
    AnalyseMode,
    EvalFile,
    SyzygyPath,
    SyzygyProbeDepth,
    SyzygyFiftyMoveRule,
    SyzygyProbeLimit,
    Quiescence,
    Statistics,
}

/// In the order in which a GUI lists them.
const NAMES: [(Name, &str); 26] = [
    (Name::DebugLogFile, "Debug Log File"),
    (Name::Threads, THREADS.name),
    (Name::NumaPolicy, "NumaPolicy"),
    (Name::Hash, HASH.name),
    (Name::ClearHash, "Clear Hash"),
    (Name::NeverClearHash, "NeverClearHash"),
    (Name::HashFile, "HashFile"),
    (Name::SaveHash, "SaveHashtoFile"),
    (Name::LoadHash, "LoadHashfromFile"),
    (Name::Ponder, "Ponder"),
    (Name::MultiPv, MULTI_PV.name),
    (Name::MoveOverhead, MOVE_OVERHEAD.name),
    (Name::NodesTime, NODES_TIME.name),
    (Name::Deterministic, "Deterministic"),
    (Name::Chess960, "UCI_Chess960"),
    (Name::ShowWdl, "UCI_ShowWDL"),
    (Name::LimitStrength, "UCI_LimitStrength"),
    (Name::Elo, UCI_ELO.name),
    (Name::AnalyseMode, "UCI_AnalyseMode"),
    (Name::EvalFile, "EvalFile"),
    (Name::SyzygyPath, "SyzygyPath"),
    (Name::SyzygyProbeDepth, SYZYGY_PROBE_DEPTH.name),
    (Name::SyzygyFiftyMoveRule, "Syzygy50MoveRule"),
    (Name::SyzygyProbeLimit, SYZYGY_PROBE_LIMIT.name),
    (Name::Quiescence, "Quiescence"),
    (Name::Statistics, "Quiescence Statistics"),
];

/// A change of an option, its value known to be good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Log to this file, or to none.
    LogFile(Option<PathBuf>),
    /// Number of threads.
    Threads(usize),
    /// How threads are bound to the machine's nodes.
    NumaPolicy(Policy),
    /// Table size in MiB.
    Hash(usize),
    /// Empty the table.
    ClearHash,
    /// Whether the table outlives a game.
    NeverClearHash(bool),
    /// Where the table is saved to and loaded from.
    HashFile(Option<PathBuf>),
    /// Save the table.
    SaveHash,
    /// Load the table.
    LoadHash,
    /// Whether the GUI may ponder.
    Ponder(bool),
    /// Number of lines.
    MultiPv(usize),
    /// Time set aside for the way of a move to the clock.
    MoveOverhead(Duration),
    /// Nodes that count as a millisecond; 0 where time is time.
    NodesTime(u64),
    /// Whether a search is to go the same way on every run.
    Deterministic(bool),
    /// Castling as king takes rook.
    Chess960(bool),
    /// Chances after scores.
    ShowWdl(bool),
    /// Whether to play at a level.
    LimitStrength(bool),
    /// The level, in Elo.
    Elo(u32),
    /// Whether positions are analyzed, not played.
    AnalyseMode(bool),
    /// Evaluate by the network in this file, or by the embedded one.
    EvalFile(Option<PathBuf>),
    /// Use the tablebases in these directories; none where it is empty.
    SyzygyPath(String),
    /// The least depth at which tablebases are asked about positions of the most men.
    SyzygyProbeDepth(i32),
    /// Whether tablebase wins that the fifty-move rule prevents count as draws.
    SyzygyFiftyMoveRule(bool),
    /// The most men of a position that tablebases are asked about.
    SyzygyProbeLimit(usize),
    /// The quiescence search.
    Quiescence(Kind),
    /// Statistics of the quiescence search.
    Statistics(bool),
}

impl Change {
    /// What `setoption name NAME [value VALUE]` asks for. Names, and values of combo and check
    /// options, are matched whatever their case.
    ///
    /// # Errors
    ///
    /// When no option has the name, or the value is not one of its.
    pub fn parse(name: &str, value: Option<&str>) -> Result<Change, InputError> {
        let (option, name) = NAMES
            .into_iter()
            .find(|(_, text)| text.eq_ignore_ascii_case(name))
            .ok_or_else(|| InputError::UnknownOption(Excerpt::of(name)))?;
        let wrong =
            |expected: String| InputError::OptionValue { name, expected, found: Excerpt::of_next(value) };
        let spin = |range: Spin| {
            let number = value
                .and_then(whole_number)
                .ok_or_else(|| wrong(format!("a whole number from {} to {}", range.min, range.max)))?;
            let nearest = number.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64;
            range.check(nearest).map_err(InputError::from)
        };
        let check = || match value {
            Some(text) if text.eq_ignore_ascii_case("true") => Ok(true),
            Some(text) if text.eq_ignore_ascii_case("false") => Ok(false),
            _ => Err(wrong("true or false".to_owned())),
        };
        Ok(match option {
            Name::DebugLogFile => Change::LogFile(path(value)),
            Name::Threads => Change::Threads(spin(THREADS)?),
            Name::NumaPolicy => {
                let policy = string(value).unwrap_or_default().parse();
                Change::NumaPolicy(policy.map_err(InputError::NumaPolicy)?)
            }
            Name::Hash => Change::Hash(spin(HASH)?),
            Name::ClearHash => Change::ClearHash,
            Name::NeverClearHash => Change::NeverClearHash(check()?),
            Name::HashFile => Change::HashFile(path(value)),
            Name::SaveHash => Change::SaveHash,
            Name::LoadHash => Change::LoadHash,
            Name::Ponder => Change::Ponder(check()?),
            Name::MultiPv => Change::MultiPv(spin(MULTI_PV)?),
            Name::MoveOverhead => Change::MoveOverhead(Duration::from_millis(spin(MOVE_OVERHEAD)? as u64)),
            Name::NodesTime => Change::NodesTime(spin(NODES_TIME)? as u64),
            Name::Deterministic => Change::Deterministic(check()?),
            Name::Chess960 => Change::Chess960(check()?),
            Name::ShowWdl => Change::ShowWdl(check()?),
            Name::LimitStrength => Change::LimitStrength(check()?),
            Name::Elo => Change::Elo(spin(UCI_ELO)? as u32),
            Name::AnalyseMode => Change::AnalyseMode(check()?),
            Name::EvalFile => Change::EvalFile(path(value)),
            Name::SyzygyPath => Change::SyzygyPath(string(value).unwrap_or_default().to_owned()),
            Name::SyzygyProbeDepth => Change::SyzygyProbeDepth(spin(SYZYGY_PROBE_DEPTH)? as i32),
            Name::SyzygyFiftyMoveRule => Change::SyzygyFiftyMoveRule(check()?),
            Name::SyzygyProbeLimit => Change::SyzygyProbeLimit(spin(SYZYGY_PROBE_LIMIT)?),
            Name::Quiescence => Change::Quiescence(
                value
                    .and_then(|text| Kind::from_str(text).ok())
                    .ok_or_else(|| wrong(format!("one of {}", kind_names().join(", "))))?,
            ),
            Name::Statistics => Change::Statistics(check()?),
        })
    }
}

/// The file that a string option names, if any.
fn path(value: Option<&str>) -> Option<PathBuf> {
    string(value).map(PathBuf::from)
}

/// The text of a string option, if there is any.
fn string(value: Option<&str>) -> Option<&str> {
    value.filter(|text| !text.is_empty() && *text != EMPTY)
}

fn kind_names() -> Vec<&'static str> {
    Kind::ALL.iter().map(|kind| kind.name()).collect()
}

/// The `option` lines that introduce the engine; the defaults are what it was started with.
pub fn declarations(setup: &Setup) -> Vec<String> {
    let settings = &setup.settings;
    let spin =
        |default: usize, range: Spin| format!("spin default {default} min {} max {}", range.min, range.max);
    let check = |default: bool| format!("check default {default}");
    let file = |path: &Option<PathBuf>| {
        let path = path.as_ref().map(|path| path.display().to_string());
        format!("string default {}", path.as_deref().unwrap_or(EMPTY))
    };
    NAMES
        .into_iter()
        .map(|(option, name)| {
            let kind = match option {
                Name::DebugLogFile => file(&setup.log_file),
                Name::Threads => spin(settings.threads, THREADS),
                Name::NumaPolicy => format!("string default {}", settings.numa),
                Name::Hash => spin(settings.hash, HASH),
                Name::ClearHash | Name::SaveHash | Name::LoadHash => "button".to_owned(),
                Name::NeverClearHash => check(settings.keep_hash),
                Name::HashFile => format!("string default {EMPTY}"),
                Name::Ponder => check(setup.ponder),
                Name::MultiPv => spin(settings.multi_pv, MULTI_PV),
                Name::MoveOverhead => spin(settings.move_overhead.as_millis() as usize, MOVE_OVERHEAD),
                Name::NodesTime => spin(settings.node_rate as usize, NODES_TIME),
                Name::Deterministic => check(settings.deterministic),
                Name::Chess960 => check(setup.chess960),
                Name::ShowWdl => check(setup.show_wdl),
                Name::LimitStrength => check(settings.strength.limited),
                Name::Elo => spin(settings.strength.elo as usize, UCI_ELO),
                Name::AnalyseMode => check(settings.strength.analysis),
                Name::EvalFile => file(&setup.eval_file),
                Name::SyzygyPath => {
                    let path = settings.tablebases.path();
                    format!("string default {}", if path.is_empty() { EMPTY } else { path })
                }
                Name::SyzygyProbeDepth => spin(settings.probing.depth as usize, SYZYGY_PROBE_DEPTH),
                Name::SyzygyFiftyMoveRule => check(settings.probing.fifty_moves),
                Name::SyzygyProbeLimit => spin(settings.probing.limit, SYZYGY_PROBE_LIMIT),
                Name::Quiescence => {
                    let vars: String = kind_names().iter().map(|name| format!(" var {name}")).collect();
                    format!("combo default {}{vars}", settings.quiescence.name())
                }
                Name::Statistics => check(settings.statistics),
            };
            format!("option name {name} type {kind}")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_matched_whatever_their_case() {
        assert_eq!(Change::parse("hash", Some("64")), Ok(Change::Hash(64)));
        assert_eq!(Change::parse("CLEAR HASH", None), Ok(Change::ClearHash));
        assert_eq!(Change::parse("uci_chess960", Some("TRUE")), Ok(Change::Chess960(true)));
        assert_eq!(
            Change::parse("Quiescence", Some("Bootstrap-Full")),
            Ok(Change::Quiescence(Kind::BootstrapFull))
        );
        assert!(Change::parse("Skill Level", Some("3")).is_err());
    }

    #[test]
    fn a_button_needs_no_value_and_ignores_one() {
        assert_eq!(Change::parse("Clear Hash", Some("true")), Ok(Change::ClearHash));
    }

    #[test]
    fn values_outside_their_range_are_refused_with_it() {
        let too_many = "9".repeat(60);
        for (name, value, message) in [
            (
                "Hash",
                "33554433",
                "setoption: Hash must lie between 1 and 33554432, not 33554433; the old value stays",
            ),
            ("Threads", "0", "setoption: Threads must lie between 1 and 1024, not 0; the old value stays"),
            ("MultiPV", "-1", "setoption: MultiPV must lie between 1 and 256, not -1; the old value stays"),
            (
                "Threads",
                too_many.as_str(),
                "setoption: Threads must lie between 1 and 1024, not 9223372036854775807; the old value stays",
            ),
        ] {
            assert_eq!(Change::parse(name, Some(value)).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn malformed_values_are_refused() {
        for (name, value) in [
            ("Hash", Some("big")),
            ("Hash", Some("16 MB")),
            ("Hash", Some("")),
            ("Hash", None),
            ("Threads", Some("2.5")),
            ("Ponder", Some("maybe")),
            ("UCI_ShowWDL", None),
            ("Deterministic", Some("1")),
            ("Quiescence", Some("none")),
        ] {
            assert!(
                matches!(Change::parse(name, value), Err(InputError::OptionValue { .. })),
                "{name} {value:?}"
            );
        }
    }

    #[test]
    fn the_log_file_may_be_none() {
        assert_eq!(
            Change::parse("Debug Log File", Some("a b.txt")),
            Ok(Change::LogFile(Some("a b.txt".into())))
        );
        for value in [None, Some(""), Some("<empty>")] {
            assert_eq!(Change::parse("Debug Log File", value), Ok(Change::LogFile(None)));
        }
    }

    #[test]
    fn tablebases_may_be_none() {
        assert_eq!(
            Change::parse("syzygypath", Some("/a b:/c")),
            Ok(Change::SyzygyPath("/a b:/c".to_owned()))
        );
        for value in [None, Some(""), Some("<empty>")] {
            assert_eq!(Change::parse("SyzygyPath", value), Ok(Change::SyzygyPath(String::new())));
        }
    }

    #[test]
    fn a_preset_s_files_are_declared() {
        let setup =
            Setup { eval_file: Some("a.nnue".into()), log_file: Some("b c.log".into()), ..Setup::default() };
        let lines = declarations(&setup);
        for line in ["EvalFile type string default a.nnue", "Debug Log File type string default b c.log"] {
            assert!(lines.contains(&format!("option name {line}")), "{lines:#?}");
        }
    }

    #[test]
    fn every_spin_declares_a_default_within_its_bounds() {
        let lines = declarations(&Setup::default());
        assert_eq!(lines.len(), NAMES.len());
        for line in lines {
            let words: Vec<&str> = line.split(' ').collect();
            let after = |key: &str| {
                let at = words.iter().position(|word| *word == key).unwrap();
                words[at + 1].parse::<i64>().unwrap()
            };
            if words.contains(&"spin") {
                assert!(after("min") <= after("default") && after("default") <= after("max"), "{line}");
            }
        }
    }
}
