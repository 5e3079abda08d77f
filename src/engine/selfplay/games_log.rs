//! Logs of jobs that play games for hours. A job adds lines to such a file, and the next run continues it.
//!
//! The file begins with the settings on which its lines depend, each on a line `# name = value`, and with the names of
//! the columns. A run with other settings is refused, because its lines would mean something else.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::allowance::Allowance;
use crate::base::file::{FileError, Limit, Log, LogError, check_place};
use crate::engine::facade as engine;
use crate::engine::params::Params;

/// The largest log. A line of a screening has about 50 bytes, a line of a duel about 3,000.
const LIMIT: Limit = Limit { mebibytes: 256, of: "a log" };

/// A log cannot be used.
#[derive(Debug, Error)]
pub enum GamesLogError {
    /// It cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// Another process works on it.
    #[error("{}: another process is working on this file", .0.display())]
    Locked(PathBuf),
    /// The file is not a log, or it has more or fewer columns.
    #[error("{}: this is not a log of this command with these parameters", .0.display())]
    Foreign(PathBuf),
    /// The log has other parameters or changes.
    #[error("{}: the file was begun with other columns: {old} (now {new})", path.display())]
    Column {
        /// The log.
        path: PathBuf,
        /// The first column that differs.
        old: String,
        /// The column that is expected there.
        new: String,
    },
    /// The lines of the log depend on other settings.
    #[error("{}: the file was begun with other settings: {differences}", path.display())]
    Settings {
        /// The log.
        path: PathBuf,
        /// Each setting that differs, with its old and its new value.
        differences: String,
    },
    /// A line of the log has the wrong form or impossible values.
    #[error("{}, line {number}: this is not a line of such a log", path.display())]
    Line {
        /// The log.
        path: PathBuf,
        /// The number of the line, from 1.
        number: usize,
    },
}

impl From<LogError> for GamesLogError {
    fn from(error: LogError) -> GamesLogError {
        match error {
            LogError::File(error) => GamesLogError::File(error),
            LogError::Irregular(path) => GamesLogError::Foreign(path),
            LogError::Locked(path) => GamesLogError::Locked(path),
        }
    }
}

/// A setting on which the lines of a log depend, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedSetting {
    name: String,
    value: String,
    /// The value that a log means if it does not mention the setting.
    default: Option<String>,
}

impl RecordedSetting {
    /// A setting that every log mentions.
    pub fn new(name: &str, value: impl ToString) -> RecordedSetting {
        RecordedSetting { name: name.to_owned(), value: value.to_string(), default: None }
    }

    /// A setting that a log mentions only if it differs from `default`.
    fn with_default(name: &str, value: impl ToString, default: impl ToString) -> RecordedSetting {
        RecordedSetting { default: Some(default.to_string()), ..RecordedSetting::new(name, value) }
    }

    /// The same setting of one of several players.
    pub fn of_player(self, player: &str) -> RecordedSetting {
        RecordedSetting { name: format!("{player}.{}", self.name), ..self }
    }

    /// How much the players may search.
    pub fn of_allowance(allowance: Allowance) -> RecordedSetting {
        match allowance {
            Allowance::Move(nodes) => RecordedSetting::new("nodes", nodes),
            Allowance::Clock(control) => RecordedSetting::new("clock", control),
        }
    }

    /// The settings on which all games depend: the network, the threads of a search and what they share, the leaf
    /// search, the tablebases and the search's parameters.
    pub fn of_games(settings: &engine::Settings) -> Vec<RecordedSetting> {
        let default = engine::Settings::default();
        let mut all = vec![
            RecordedSetting::new("network", format_args!("{:016x}", settings.network.checksum())),
            RecordedSetting::with_default("search-threads", settings.threads, default.threads),
            RecordedSetting::with_default(
                "shared-histories",
                settings.histories.name(),
                default.histories.name(),
            ),
            RecordedSetting::with_default("deterministic", settings.deterministic, default.deterministic),
            RecordedSetting::with_default(
                "stagger",
                format_args!("{:?}", settings.stagger),
                format_args!("{:?}", default.stagger),
            ),
            RecordedSetting::with_default(
                "quiescence",
                settings.quiescence.name(),
                default.quiescence.name(),
            ),
            RecordedSetting::with_default("syzygy-path", settings.tablebases.path(), ""),
        ];
        all.extend(Params::ALL.iter().map(|declaration| {
            RecordedSetting::with_default(
                declaration.name,
                settings.params.get(declaration.name),
                declaration.default,
            )
        }));
        all
    }

    /// The setting with its old value in a log and its new value; `None` if both are equal.
    fn difference(&self, recorded: &BTreeMap<&str, &str>) -> Option<String> {
        let old = recorded.get(self.name.as_str()).copied().or(self.default.as_deref()).unwrap_or("unknown");
        let shown = |value: &str| if value.is_empty() { "none".to_owned() } else { value.to_owned() };
        (old != self.value).then(|| format!("{} {} (now {})", self.name, shown(old), shown(&self.value)))
    }
}

/// Opens the file at `path` for further lines, and returns its lines as parsed by `parse`. Makes the file if it does
/// not exist. Removes an incomplete last line, which a killed run may have left: it may look like a complete one.
///
/// # Errors
/// If the file cannot be read or written, if it was begun with other `settings` or `columns`, or if `parse` refuses a
/// line. The file then stays as it is. A file without lines may be begun again with any settings.
pub fn open<T>(
    path: &Path,
    settings: &[RecordedSetting],
    columns: &str,
    parse: impl FnMut(&str) -> Option<T>,
) -> Result<(Log, Vec<T>), GamesLogError> {
    check_place(path)?;
    let mut log = Log::open(path)?;
    let text = log.text(LIMIT)?;
    let mut header = String::new();
    for RecordedSetting { name, value, default } in settings {
        if default.as_ref() != Some(value) {
            header.push_str(&format!("# {name} = {value}\n"));
        }
    }
    header.push_str(&format!("{columns}\n"));
    let lines = match LogText::in_text(&text) {
        // A killed run left an incomplete header.
        None if header.starts_with(&text) => None,
        None => return Err(GamesLogError::Foreign(path.to_owned())),
        Some(found) if found.lines.is_empty() && found.columns == columns => None,
        Some(found) => {
            found.check(path, settings, columns)?;
            Some(found.parsed(path, parse)?)
        }
    };
    match lines {
        Some(_) => log.cut()?,
        None => log.begin(&header)?,
    }
    Ok((log, lines.unwrap_or_default()))
}

/// The parts of a log.
struct LogText<'a> {
    settings: BTreeMap<&'a str, &'a str>,
    columns: &'a str,
    /// The complete lines after the header, each with its number in the file.
    lines: Vec<(usize, &'a str)>,
}

impl LogText<'_> {
    /// The parts of `text`; `None` if its header is incomplete, or if it is not a log.
    fn in_text(text: &str) -> Option<LogText<'_>> {
        let whole = &text[..text.rfind('\n')?];
        let mut lines = (1..).zip(whole.lines());
        let mut settings = BTreeMap::new();
        let columns = loop {
            match lines.next()?.1 {
                line if line.starts_with('#') => {
                    let (name, value) = line.strip_prefix("# ")?.split_once(" = ")?;
                    settings.insert(name, value);
                }
                columns => break columns,
            }
        };
        columns.contains(',').then(|| LogText { settings, columns, lines: lines.collect() })
    }

    /// Refuses other settings and columns.
    fn check(&self, path: &Path, settings: &[RecordedSetting], columns: &str) -> Result<(), GamesLogError> {
        let mut pairs = self.columns.split(',').zip(columns.split(','));
        if let Some((old, new)) = pairs.find(|(old, new)| old != new) {
            let (path, old, new) = (path.to_owned(), old.to_owned(), new.to_owned());
            return Err(GamesLogError::Column { path, old, new });
        }
        if self.columns != columns {
            return Err(GamesLogError::Foreign(path.to_owned()));
        }
        let differences: Vec<String> =
            settings.iter().filter_map(|setting| setting.difference(&self.settings)).collect();
        if differences.is_empty() {
            return Ok(());
        }
        Err(GamesLogError::Settings { path: path.to_owned(), differences: differences.join(", ") })
    }

    fn parsed<T>(
        &self,
        path: &Path,
        mut parse: impl FnMut(&str) -> Option<T>,
    ) -> Result<Vec<T>, GamesLogError> {
        let parsed = self.lines.iter().map(|&(number, line)| {
            parse(line).ok_or_else(|| GamesLogError::Line { path: path.to_owned(), number })
        });
        parsed.collect()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const COLUMNS: &str = "number,value";
    const HEADER: &str = "# nodes = 30\n# seed = 1\nnumber,value\n";

    fn settings(nodes: u64) -> Vec<RecordedSetting> {
        let unchanged = RecordedSetting::with_default("razor_base", 267, 267);
        vec![RecordedSetting::new("nodes", nodes), RecordedSetting::new("seed", 1), unchanged]
    }

    fn open_with(
        path: &Path,
        settings: &[RecordedSetting],
        columns: &str,
    ) -> Result<(Log, Vec<String>), GamesLogError> {
        open(path, settings, columns, |line| line.ends_with("00").then(|| line.to_owned()))
    }

    #[test]
    fn a_line_that_was_cut_off_is_gone_and_the_next_begins_a_line() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.csv");
        for (left, lines) in [
            ("", ""),
            ("# nod", ""),
            ("# nodes = 30\n# seed = 1\nnumber,va", ""),
            (HEADER, ""),
            ("# nodes = 30\n# seed = 1\nnumber,value\n1,15.2", ""),
            ("# nodes = 30\n# seed = 1\nnumber,value\n1,15.200\n2,1", "1,15.200\n"),
            ("# nodes = 30\n# seed = 1\nnumber,value\n1,15.200\n2,16.500\n", "1,15.200\n2,16.500\n"),
        ] {
            fs::write(&path, left).unwrap();
            let (mut log, found) = open_with(&path, &settings(30), COLUMNS).unwrap();
            assert_eq!(found, lines.lines().collect::<Vec<_>>(), "{left:?}");
            log.append("3,400\n").unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), format!("{HEADER}{lines}3,400\n"), "{left:?}");
        }
    }

    #[test]
    fn a_file_of_others_is_refused_and_left_alone() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.csv");
        for text in [
            "a letter",
            "a letter\n",
            "number,value",
            "# nodes\nnumber,value\n1,100\n",
            "number,value,more\n1,100\n",
        ] {
            fs::write(&path, text).unwrap();
            let opened = open_with(&path, &settings(30), "number,value");
            assert!(matches!(opened, Err(GamesLogError::Foreign(_))), "{text}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        let missing = directory.path().join("missing/a.csv");
        assert!(matches!(open_with(&missing, &settings(30), COLUMNS), Err(GamesLogError::File(_))));
    }

    #[test]
    fn the_setting_that_differs_is_named_with_both_values() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.csv");
        let text = format!("{HEADER}1,100\n");
        fs::write(&path, &text).unwrap();
        let refused = |settings: &[RecordedSetting], columns| {
            open_with(&path, settings, columns).unwrap_err().to_string()
        };
        let others =
            [RecordedSetting::new("nodes", 3_000), RecordedSetting::with_default("razor_base", 300, 267)];
        let error = refused(&others, COLUMNS);
        assert!(error.ends_with("other settings: nodes 30 (now 3000), razor_base 267 (now 300)"), "{error}");
        let error = refused(&[RecordedSetting::new("rate", 0.5)], COLUMNS);
        assert!(error.ends_with("other settings: rate unknown (now 0.5)"), "{error}");
        let error = refused(&settings(30), "number,price");
        assert!(error.ends_with("other columns: value (now price)"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        // No game has been played with the old settings.
        fs::write(&path, HEADER).unwrap();
        open_with(&path, &settings(3_000), COLUMNS).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "# nodes = 3000\n# seed = 1\nnumber,value\n");
    }

    /// Such lines were once skipped, and `NaN` was accepted.
    #[test]
    fn a_line_that_makes_no_sense_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.csv");
        let text = format!("{HEADER}1,100\nnonsense\n3,300\n");
        fs::write(&path, &text).unwrap();
        let error = open_with(&path, &settings(30), COLUMNS).unwrap_err().to_string();
        assert!(error.ends_with("a.csv, line 5: this is not a line of such a log"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
}
