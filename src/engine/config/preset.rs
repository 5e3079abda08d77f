//! The preset file. Its keys are those of the table of options.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::de::{DeserializeSeed, Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::entry::{Change, OptionEntry, OptionKind, TableOption, index_of};
use super::file::{self, ConfigError, Fault};
use super::options::{self, OPTIONS};
use super::overrides::Overrides;
use super::stagger::StaggerTable;
use super::{BuiltInPreset, Setup};

/// A configuration file as typed. A key that is absent leaves its setting as it was.
#[derive(Debug, Default)]
pub struct Preset {
    changes: Vec<Change>,
    /// Keys that contradict each other, if there are any.
    fault: Option<Fault>,
}

impl Preset {
    /// Reads a file, or the built-in preset of this name if there is no such file. The error names the file, the line
    /// and the key.
    pub fn load(path: &Path) -> Result<Preset, ConfigError> {
        let name = path.to_str().filter(|_| !path.exists());
        match name.map(|name| (name, BuiltInPreset::find(name))) {
            Some((_, Some(preset))) => Preset::parse(preset.text, path),
            Some((name, None)) if !name.contains(['/', '\\', '.']) => {
                Err(ConfigError::NoPreset(name.to_owned()))
            }
            _ => file::load_checked(path, Preset::check),
        }
    }

    /// Reads a text. Errors name `path`.
    pub fn parse(text: &str, path: &Path) -> Result<Preset, ConfigError> {
        file::parse(text, path, Preset::check)
    }

    fn check(&self) -> Result<(), Fault> {
        self.fault.clone().map_or(Ok(()), Err)
    }

    /// The keys in the file.
    pub fn keys(&self) -> BTreeSet<&'static str> {
        self.changes.iter().filter_map(|change| change.entry.key).collect()
    }

    /// Stores the values of the file in `setup`.
    pub fn apply(self, setup: &mut Setup) {
        for change in self.changes {
            change.apply(setup);
        }
    }
}

impl<'de> Deserialize<'de> for Preset {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Preset, D::Error> {
        let mut preset = Preset::default();
        deserializer.deserialize_map(PresetTable { prefix: "", preset: &mut preset })?;
        Ok(preset)
    }
}

/// Reads the keys of the file or of a table in it.
struct PresetTable<'a> {
    /// The prefix of these keys: empty, or the table's name and a dot.
    prefix: &'a str,
    preset: &'a mut Preset,
}

impl<'de> Visitor<'de> for PresetTable<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key_seed(Name { prefix: self.prefix })? {
            match key {
                Key::Option(entry) => map.next_value_seed(OptionValue { entry, preset: self.preset })?,
                Key::Table(prefix) => {
                    map.next_value_seed(PresetTable { prefix: &prefix, preset: self.preset })?
                }
            }
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for PresetTable<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

/// A known key.
enum Key {
    Option(&'static OptionEntry),
    /// A table. The text is the prefix of its keys.
    Table(String),
}

/// Reads a key after `prefix`. It refuses an unknown key here and not after the key's value, so that the error names
/// the line of the key.
struct Name<'a> {
    prefix: &'a str,
}

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = Key;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Key, D::Error> {
        let name = String::deserialize(deserializer)?;
        let names = names_behind(self.prefix);
        if !names.contains(&name.as_str()) {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            return Err(D::Error::custom(format!(
                "unknown field `{name}`, expected one of {}",
                names.join(", ")
            )));
        }
        let key = format!("{}{name}", self.prefix);
        Ok(options::keyed(&key).map_or_else(|| Key::Table(key + "."), Key::Option))
    }
}

/// The names of options and tables that may follow `prefix`.
fn names_behind(prefix: &str) -> Vec<&'static str> {
    let keys = OPTIONS.iter().filter_map(|entry| entry.key?.strip_prefix(prefix));
    let mut names = Vec::new();
    for name in keys.map(|rest| rest.split('.').next().unwrap_or(rest)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Reads the value of an option. It checks the value here and not after the whole file, so that an error names the line
/// of the value.
struct OptionValue<'a> {
    entry: &'static OptionEntry,
    preset: &'a mut Preset,
}

impl<'de> DeserializeSeed<'de> for OptionValue<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let OptionValue { entry, preset } = self;
        let change = match entry.kind {
            OptionKind::Check { set, .. } => {
                let on = bool::deserialize(deserializer)?;
                Change::new(entry, move |setup| set(setup, on))
            }
            OptionKind::Spin { min, max, set, .. } => {
                let number = i64::deserialize(deserializer)?;
                let number = entry.range(min, max).check(number).map_err(D::Error::custom)?;
                Change::new(entry, move |setup| set(setup, number))
            }
            OptionKind::Combo { of, names, set, .. } => {
                let name = String::deserialize(deserializer)?;
                let names = names();
                let index = index_of(&name, &names).ok_or_else(|| {
                    let names = names.join(", ");
                    D::Error::custom(format!("unknown {of} \"{name}\", expected one of {names}"))
                })?;
                Change::new(entry, move |setup| set(setup, index))
            }
            OptionKind::Text { read, .. } => {
                let text = String::deserialize(deserializer)?;
                Change::new(entry, read(&text).map_err(D::Error::custom)?)
            }
            OptionKind::File { read, .. } => {
                let path = PathBuf::deserialize(deserializer)?;
                Change::new(entry, read(Some(&path)).map_err(D::Error::custom)?)
            }
            OptionKind::Button => return Err(D::Error::custom("a button has no value")),
            OptionKind::Table(TableOption::Stagger) => {
                match StaggerTable::deserialize(deserializer)?.policy() {
                    Ok(policy) => Change::new(entry, |setup| setup.settings.stagger = policy),
                    Err(fault) => {
                        preset.fault.get_or_insert(fault);
                        return Ok(());
                    }
                }
            }
            OptionKind::Table(TableOption::Params) => {
                let params = Overrides::deserialize(deserializer)?;
                Change::new(entry, move |setup| params.apply(&mut setup.settings.params))
            }
        };
        preset.changes.push(change);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::engine::eval::network::Network;
    use crate::engine::history::Sharing;
    use crate::engine::pool::Stagger;
    use crate::engine::run::leaf::Kind;
    use crate::engine::tablebase::Probing;

    fn parse(text: &str) -> Result<Preset, String> {
        Preset::parse(text, Path::new("test.toml")).map_err(|error| error.to_string())
    }

    #[test]
    fn an_empty_file_changes_nothing() {
        let mut setup = Setup::default();
        parse("").unwrap().apply(&mut setup);
        assert_eq!(setup, Setup::default());
    }

    #[test]
    fn given_keys_override_the_defaults() {
        let text = "threads = 3\nhash = 17\nmove-overhead = 250\nnodestime = 300\ndeterministic = true\nquiescence = \"Captures\"\n\
                    shared-histories = \"all\"\n\
                    [stagger]\npolicy = \"none\"\n[uci]\nshow-wdl = true\nlog-file = \"a b.log\"\n";
        let mut setup = Setup::default();
        parse(text).unwrap().apply(&mut setup);
        assert_eq!(setup.settings.threads, 3);
        assert_eq!(setup.settings.hash, 17);
        assert_eq!(setup.settings.move_overhead, Duration::from_millis(250));
        assert_eq!(setup.settings.node_rate, 300);
        assert!(setup.settings.deterministic);
        assert_eq!(setup.settings.quiescence, Kind::Captures);
        assert_eq!(setup.settings.histories, Sharing::All);
        assert_eq!(setup.settings.stagger, Stagger::None);
        assert_eq!(setup.log_file.as_deref(), Some(Path::new("a b.log")));
        assert!(setup.show_wdl && !setup.chess960);
        assert_eq!(setup.settings.multi_pv, Setup::default().settings.multi_pv);
    }

    #[test]
    fn unknown_keys_are_named_with_their_line() {
        let error = parse("# a comment\n\nthread = 3\n").unwrap_err();
        assert!(error.starts_with("test.toml, line 3: unknown field `thread`"), "{error}");
        let error = parse("threads = 3\n[uci]\nwdl = true\n").unwrap_err();
        assert_eq!(
            error,
            "test.toml, line 3: unknown field `wdl`, expected one of `log-file`, `ponder`, `chess960`, `show-wdl`"
        );
        for (text, expected) in [
            (
                "hash = 1\n[uzi]\nponder = true\n",
                "test.toml, line 2: unknown field `uzi`, expected one of `uci`, ",
            ),
            ("uci = 3\n", "test.toml, line 1: uci: invalid type: integer `3`, expected a table"),
            ("ponder = true\n", "test.toml, line 1: unknown field `ponder`"),
            ("\"uci.ponder\" = true\n", "test.toml, line 1: \"uci.ponder\": unknown field `uci.ponder`"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
        assert!(!error.contains('\n'));
    }

    #[test]
    fn every_key_of_the_table_is_read() {
        let value = |entry: &OptionEntry| match entry.kind {
            OptionKind::Check { .. } => Some("true".to_owned()),
            OptionKind::Spin { max, .. } => Some(max.to_string()),
            OptionKind::Combo { names, .. } => Some(format!("{:?}", names()[1])),
            OptionKind::Text { get, .. } => Some(format!("{:?}", get(&Setup::default()))),
            // The file of the network must exist. Other files need not exist.
            OptionKind::File { .. } => (entry.name != Some("EvalFile")).then(|| "\"a.log\"".to_owned()),
            OptionKind::Table(TableOption::Stagger) => Some("{ policy = \"none\" }".to_owned()),
            OptionKind::Table(TableOption::Params) => Some("{ iir_depth = 5 }".to_owned()),
            OptionKind::Button => None,
        };
        let given = OPTIONS.iter().filter_map(|entry| Some((entry.key?, value(entry)?)));
        let (keys, lines): (BTreeSet<&str>, Vec<String>) =
            given.map(|(key, value)| (key, format!("{key} = {value}\n"))).unzip();
        assert_eq!(keys.len(), 21);
        assert_eq!(parse(&lines.concat()).unwrap().keys(), keys);
    }

    #[test]
    fn values_out_of_range_are_named_with_key_and_line() {
        let error = parse("hash = 16\nthreads = 0\n").unwrap_err();
        assert_eq!(error, "test.toml, line 2: threads: Threads must lie between 1 and 1024, not 0");
        let error = parse("quiescence = \"best\"\n").unwrap_err();
        assert!(
            error.starts_with("test.toml, line 1: quiescence: unknown quiescence search \"best\""),
            "{error}"
        );
        let error = parse("\nhash = \"16\"\n").unwrap_err();
        assert!(error.starts_with("test.toml, line 2: hash: invalid type"), "{error}");
    }

    #[test]
    fn names_ignore_case() {
        for sharing in Sharing::ALL {
            let mut setup = Setup::default();
            parse(&format!("shared-histories = {:?}\n", sharing.name().to_uppercase()))
                .unwrap()
                .apply(&mut setup);
            assert_eq!(setup.settings.histories, sharing);
        }
        let error = parse("shared-histories = \"some\"\n").unwrap_err();
        assert_eq!(
            error,
            "test.toml, line 1: shared-histories: unknown way to share histories \"some\", expected one of none, \
             corrections, all"
        );
    }

    /// Keys that do not belong to the policy, empty lists and lists of unequal length were accepted. Errors named line
    /// 1 and no key.
    #[test]
    fn a_wrong_stagger_table_is_refused_with_key_and_line() {
        for (table, expected) in [
            ("policy = \"none\"\nsizes = [1]", "3: `sizes` is not a key of the policy `none`"),
            ("policy = \"none\"\nsize = 1", "3: unknown field `size`, expected one of `policy`, `sizes`"),
            (
                "policy = \"offset\"\nplies = [1]\nphases = [1]",
                "4: `phases` is not a key of the policy `offset`",
            ),
            ("policy = \"offset\"\nplies = [1]\nwidth = [1]", "4: unknown field `width`"),
            ("policy = \"blocks\"\nsizes = []\nphases = [0]", "3: sizes: a list without a number"),
            ("policy = \"blocks\"\nphases = [0]\nsizes = [0]", "4: sizes: 0 is not within 1 to 245"),
            (
                "sizes = [1, 2]\nphases = [0]\npolicy = \"blocks\"",
                "3: `phases` is a list of 1, and `sizes` of 2",
            ),
            ("policy = \"blocks\"\nphases = [0]", "2: policy: `blocks` needs `sizes`"),
            ("policy = \"offset\"", "2: policy: `offset` needs `plies`"),
            ("policy = \"offset\"\nplies = [1, 31]", "3: plies: 31 is not within 0 to 30"),
            ("policy = \"offset\"\nplies = 5", "3: plies: invalid type: integer `5`"),
            (
                "policy = \"aspiration\"\nwidths = [1]",
                "2: policy: unknown policy `aspiration`, expected one of none, blocks, offset",
            ),
            ("plies = [1]", "1: missing field `policy`"),
        ] {
            let error = parse(&format!("[stagger]\n{table}\n[uci]\nponder = true\n")).unwrap_err();
            assert!(error.starts_with(&format!("test.toml, line {expected}")), "{table}: {error}");
        }
        let error = parse("hash = 1\nstagger = { policy = \"none\", plies = [3] }\n").unwrap_err();
        assert_eq!(error, "test.toml, line 2: stagger: `plies` is not a key of the policy `none`");
    }

    #[test]
    fn threads_are_bound_as_the_file_says() {
        let mut setup = Setup::default();
        parse("numa-policy = \"0-1:2\"\n").unwrap().apply(&mut setup);
        assert_eq!(setup.settings.numa, "0-1:2".parse().unwrap());
        let error = parse("threads = 2\nnuma-policy = \"0:\"\n").unwrap_err();
        assert_eq!(error, "test.toml, line 2: numa-policy: node 2 of the list has no processors");
    }

    #[test]
    fn the_error_locates_a_toml_syntax_error() {
        let error = parse("threads = 4\nhash 16\n").unwrap_err();
        assert!(error.starts_with("test.toml, line 2: "), "{error}");
    }

    #[test]
    fn a_built_in_preset_needs_no_file() {
        let threads = |name: &str| {
            let mut setup = Setup::default();
            Preset::load(Path::new(name)).map(|preset| preset.apply(&mut setup))?;
            Ok::<usize, ConfigError>(setup.settings.threads)
        };
        assert_eq!(threads("tournament-64").unwrap(), 64);
        let error = threads("tournament-65").unwrap_err().to_string();
        assert!(error.starts_with("there is no file tournament-65, and no preset has this name"), "{error}");
    }

    #[test]
    fn the_error_names_a_missing_file() {
        let error = Preset::load(Path::new("does-not-exist.toml")).unwrap_err().to_string();
        assert!(error.starts_with("cannot read does-not-exist.toml: "), "{error}");
    }

    #[test]
    fn unknown_parameters_and_values_out_of_range_are_refused() {
        let mut setup = Setup::default();
        parse("[params]\niir_depth = 5\nrazor_depth = 0 # was 4\n").unwrap().apply(&mut setup);
        assert_eq!((setup.settings.params.iir_depth, setup.settings.params.razor_depth), (5, 0));
        for (text, expected) in [
            (
                "[params]\niir_depth = 5\niir_debth = 5\n",
                "test.toml, line 3: no parameter of the search is called `iir_debth`",
            ),
            ("[params]\niir_depth = 99\n", "test.toml, line 2: iir_depth: 99 is not within 2 to 8"),
            (
                "[params]\niir_depth = 99999999999\n",
                "test.toml, line 2: iir_depth: 99999999999 is not within 2 to 8",
            ),
            (
                "[params]\niir_depth = \"a\"\n",
                "test.toml, line 2: iir_depth: invalid type: string \"a\", expected a whole number",
            ),
        ] {
            assert_eq!(parse(text).unwrap_err(), expected);
        }
    }

    #[test]
    fn faulty_tablebases_are_no_error() {
        let text = "syzygy-path = \"does-not-exist\"\nsyzygy-probe-depth = 3\nsyzygy-probe-limit = 5\n\
                    syzygy-50-move-rule = false\n";
        let mut setup = Setup::default();
        parse(text).unwrap().apply(&mut setup);
        let settings = setup.settings;
        assert_eq!(settings.tablebases.path(), "does-not-exist");
        assert!(
            settings.tablebases.notes()[1].contains("does-not-exist: "),
            "{:?}",
            settings.tablebases.notes()
        );
        assert_eq!(settings.probing, Probing { depth: 3, limit: 5, fifty_moves: false });
        let error = parse("hash = 1\nsyzygy-probe-limit = 8\n").unwrap_err();
        assert_eq!(
            error,
            "test.toml, line 2: syzygy-probe-limit: SyzygyProbeLimit must lie between 0 and 7, not 8"
        );
    }

    #[test]
    fn a_network_is_loaded_or_the_error_names_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("other.bin");
        std::fs::write(&path, Network::embedded().to_bytes()).unwrap();
        let text = format!("eval-file = {path:?}\n");
        let mut setup = Setup::default();
        parse(&text).unwrap().apply(&mut setup);
        assert_eq!((setup.settings.network, setup.eval_file), (Network::embedded(), Some(path.clone())));
        std::fs::write(&path, b"something else").unwrap();
        let error = parse(&text).unwrap_err();
        assert!(
            error.starts_with("test.toml, line 1: eval-file: ") && error.contains("other.bin"),
            "{error}"
        );
    }
}
