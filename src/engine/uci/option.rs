//! `setoption` and the `option` lines. They translate between UCI and the table of options ([`options`]).

use std::path::Path;

use super::error::{Excerpt, InputError};
use super::go::whole_number;
use crate::engine::config::Setup;
use crate::engine::config::entry::{Change, OptionEntry, OptionKind, index_of};
use crate::engine::config::options::{self, OPTIONS};

/// How UCI writes an empty string.
const EMPTY: &str = "<empty>";

/// The option with this name. Upper and lower case are equal.
///
/// # Errors
/// If no option has this name.
pub fn find(name: &str) -> Result<&'static OptionEntry, InputError> {
    options::named(name).ok_or_else(|| InputError::UnknownOption(Excerpt::of(name)))
}

/// The change of `entry` that `setoption name NAME [value VALUE]` asks for. For values of combo and check options,
/// upper and lower case are equal.
///
/// # Errors
/// If the option does not accept the value.
pub fn parse(entry: &'static OptionEntry, value: Option<&str>) -> Result<Change, InputError> {
    let name = entry.title();
    let wrong = |expected: String| InputError::OptionValue { name, expected, found: Excerpt::of_next(value) };
    let unfit = |reason: String| InputError::OptionText { name, reason };
    Ok(match entry.kind {
        OptionKind::Check { set, .. } => {
            let on = check(value).ok_or_else(|| wrong("true or false".to_owned()))?;
            Change::new(entry, move |setup| set(setup, on))
        }
        OptionKind::Spin { min, max, set, .. } => {
            let number = value
                .and_then(whole_number)
                .ok_or_else(|| wrong(format!("a whole number from {min} to {max}")))?;
            let nearest = number.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
            let number = entry.range(min, max).check(nearest)?;
            Change::new(entry, move |setup| set(setup, number))
        }
        OptionKind::Combo { names, set, .. } => {
            let names = names();
            let index = value
                .and_then(|name| index_of(name, &names))
                .ok_or_else(|| wrong(format!("one of {}", names.join(", "))))?;
            Change::new(entry, move |setup| set(setup, index))
        }
        OptionKind::Text { read, .. } => {
            Change::new(entry, read(string(value).unwrap_or_default()).map_err(unfit)?)
        }
        OptionKind::File { read, .. } => {
            Change::new(entry, read(string(value).map(Path::new)).map_err(unfit)?)
        }
        OptionKind::Button => Change::new(entry, |_| ()),
        OptionKind::Table(_) => return Err(InputError::UnknownOption(Excerpt::of(name))),
    })
}

/// The value of a check option.
fn check(value: Option<&str>) -> Option<bool> {
    let value = value?;
    [true, false].into_iter().find(|on| value.eq_ignore_ascii_case(&on.to_string()))
}

/// The text of a string option; `None` if it is empty.
fn string(value: Option<&str>) -> Option<&str> {
    value.filter(|text| !text.is_empty() && *text != EMPTY)
}

/// The `option` lines in the answer to `uci`. The defaults are the values of `setup`.
pub fn declarations(setup: &Setup) -> Vec<String> {
    OPTIONS.iter().filter_map(|entry| line(entry, setup)).collect()
}

/// The `option` line of an option; `None` for a setting that only presets have.
pub fn line(entry: &OptionEntry, setup: &Setup) -> Option<String> {
    Some(format!("option name {} type {}", entry.name?, declaration(entry, setup)))
}

/// The type of an option, its default, and its range.
fn declaration(entry: &OptionEntry, setup: &Setup) -> String {
    let string = |text: String| if text.is_empty() { EMPTY.to_owned() } else { text };
    match entry.kind {
        OptionKind::Check { get, .. } => format!("check default {}", get(setup)),
        OptionKind::Spin { min, max, get, .. } => format!("spin default {} min {min} max {max}", get(setup)),
        OptionKind::Combo { names, get, .. } => {
            let vars: String = names().iter().map(|name| format!(" var {name}")).collect();
            format!("combo default {}{vars}", get(setup))
        }
        OptionKind::Text { get, .. } => format!("string default {}", string(get(setup))),
        OptionKind::File { get, .. } => {
            let path = get(setup).map(|path| path.display().to_string()).unwrap_or_default();
            format!("string default {}", string(path))
        }
        OptionKind::Button => "button".to_owned(),
        OptionKind::Table(_) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::run::leaf::Kind;

    /// The default setup after `setoption name NAME [value VALUE]`.
    fn changed(name: &str, value: Option<&str>) -> Result<Setup, InputError> {
        let mut setup = Setup::default();
        parse(find(name)?, value)?.apply(&mut setup);
        Ok(setup)
    }

    /// The default setup after `change`.
    fn with(change: impl FnOnce(&mut Setup)) -> Result<Setup, InputError> {
        let mut setup = Setup::default();
        change(&mut setup);
        Ok(setup)
    }

    #[test]
    fn option_names_ignore_case() {
        assert_eq!(changed("hash", Some("65")), with(|setup| setup.settings.hash = 65));
        assert_eq!(find("CLEAR HASH").unwrap().name, Some("Clear Hash"));
        assert_eq!(changed("uci_chess960", Some("TRUE")), with(|setup| setup.chess960 = true));
        assert_eq!(
            changed("Quiescence", Some("Bootstrap-Full")),
            with(|setup| setup.settings.quiescence = Kind::BootstrapFull)
        );
        assert!(find("Skill Level").is_err());
    }

    /// The table of options also holds settings that are not UCI options.
    #[test]
    fn settings_of_presets_only_are_unknown_options() {
        for key in OPTIONS.iter().filter(|entry| entry.name.is_none()).filter_map(|entry| entry.key) {
            assert!(matches!(find(key), Err(InputError::UnknownOption(_))), "{key}");
        }
    }

    #[test]
    fn a_button_needs_no_value_and_ignores_one() {
        for value in [None, Some("true")] {
            assert_eq!(changed("Clear Hash", value), Ok(Setup::default()));
        }
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
                "setoption: Threads must lie between 1 and 1024, not a larger number; the old value stays",
            ),
        ] {
            assert_eq!(changed(name, Some(value)).unwrap_err().to_string(), message);
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
            assert!(matches!(changed(name, value), Err(InputError::OptionValue { .. })), "{name} {value:?}");
        }
    }

    #[test]
    fn the_log_file_may_be_none() {
        assert_eq!(
            changed("Debug Log File", Some("a b.txt")),
            with(|setup| setup.log_file = Some("a b.txt".into()))
        );
        for value in [None, Some(""), Some("<empty>")] {
            let mut setup = with(|setup| setup.log_file = Some("a b.txt".into())).unwrap();
            parse(find("Debug Log File").unwrap(), value).unwrap().apply(&mut setup);
            assert_eq!(setup.log_file, None);
        }
    }

    #[test]
    fn tablebases_may_be_none() {
        let path = |value| changed("syzygypath", value).unwrap().settings.tablebases.path().to_owned();
        assert_eq!(path(Some("/a b:/c")), "/a b:/c");
        for value in [None, Some(""), Some("<empty>")] {
            assert_eq!(path(value), "");
        }
    }

    #[test]
    fn the_files_of_a_preset_are_declared_as_defaults() {
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
        assert_eq!(lines.len(), OPTIONS.iter().filter(|entry| entry.name.is_some()).count());
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
