//! Settings typed in one word, such as `threads=8,shared-histories=none,params.iir_depth=5`. The keys are those of a
//! preset.
//!
//! They are turned into the text of a preset and read as one. So all keys and ranges are defined in one place.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use thiserror::Error;

use super::{ConfigError, Preset};
use crate::engine::pool::Stagger;

/// The keys and values as typed, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assignments(Vec<(String, String)>);

/// The typed settings cannot be used.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum AssignmentError {
    /// A setting has no key or no value.
    #[error("{0:?} is not of the form key=value")]
    Form(String),
    /// No preset has the key, or the key does not accept the value.
    #[error("{assignment}: {message}")]
    Value {
        /// The setting, as `key=value`.
        assignment: String,
        /// The reason.
        message: String,
    },
}

impl FromStr for Assignments {
    type Err = AssignmentError;

    fn from_str(text: &str) -> Result<Assignments, AssignmentError> {
        let pair = |part: &str| {
            let (key, value) = part.split_once('=').unwrap_or_default();
            let [key, value] = [key, value].map(|text| text.trim().to_owned());
            let is_whole = !key.is_empty() && !value.is_empty();
            if is_whole { Ok((key, value)) } else { Err(AssignmentError::Form(part.to_owned())) }
        };
        parts(text).into_iter().map(pair).collect::<Result<_, _>>().map(Assignments)
    }
}

impl fmt::Display for Assignments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (key, value)) in self.0.iter().enumerate() {
            write!(f, "{}{key}={value}", if index > 0 { "," } else { "" })?;
        }
        Ok(())
    }
}

impl Assignments {
    /// Removes a key that presets do not have, and returns its value. If the key was given several times, this is the
    /// first one.
    pub fn take(&mut self, key: &str) -> Option<String> {
        let index = self.0.iter().position(|(known, _)| known == key)?;
        Some(self.0.remove(index).1)
    }

    /// The remaining settings as a preset.
    ///
    /// # Errors
    /// If a preset does not accept one of the settings.
    pub fn preset(&self) -> Result<Preset, AssignmentError> {
        let lines: Vec<String> = self.0.iter().map(|(key, value)| line(key, value)).collect();
        let nowhere = Path::new("");
        // Keys with dots belong to a table and need not follow each other. Each setting has a line of its own, so the
        // line of an error tells the setting.
        Preset::parse(&lines.concat(), nowhere).map_err(|error| match error {
            ConfigError::Content { line, message, .. } => {
                let (key, value) = &self.0[(line - 1).min(self.0.len() - 1)];
                AssignmentError::Value { assignment: format!("{key}={value}"), message }
            }
            error => AssignmentError::Form(error.to_string()),
        })
    }
}

/// Makes a line of a preset. Adds quotes to a text that was typed without them.
fn line(key: &str, value: &str) -> String {
    let is_toml = |value: &str| toml::from_str::<toml::Table>(&format!("value = {value}")).is_ok();
    if is_toml(value) {
        return format!("{key} = {value}\n");
    }
    // The name of a policy alone means the policy with its standard numbers, those of `Stagger::all`.
    let policy = Stagger::all().into_iter().find(|policy| key == "stagger" && policy.name() == value);
    let value = match policy {
        Some(policy) => toml::Value::try_from(policy).expect("a policy is a table"),
        None => toml::Value::String(value.to_owned()),
    };
    format!("{key} = {value}\n")
}

/// Splits at commas, except at those within brackets or quotes.
fn parts(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth, mut is_quoted) = (Vec::new(), 0, 0, false);
    for (index, character) in text.char_indices() {
        match character {
            '"' => is_quoted = !is_quoted,
            '[' | '{' if !is_quoted => depth += 1,
            ']' | '}' if !is_quoted => depth -= 1,
            ',' if !is_quoted && depth == 0 => {
                parts.push(&text[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::config::Setup;
    use crate::engine::history::Sharing;
    use crate::engine::run::leaf::Kind;

    fn setup(text: &str) -> Result<Setup, String> {
        let assignments: Assignments = text.parse().map_err(|error: AssignmentError| error.to_string())?;
        assert_eq!(assignments.to_string(), text);
        let mut setup = Setup::default();
        assignments.preset().map_err(|error| error.to_string())?.apply(&mut setup);
        Ok(setup)
    }

    #[test]
    fn every_kind_of_value_is_set_without_quotes() {
        let text = "threads=8,deterministic=true,quiescence=captures,shared-histories=all,numa-policy=0-1:2,\
                    params.iir_depth=5,uci.chess960=true,stagger.policy=offset,params.razor_depth=0,stagger.plies=[1, 2]";
        let setup = setup(text).unwrap();
        let settings = &setup.settings;
        assert_eq!((settings.threads, settings.deterministic), (8, true));
        assert_eq!((settings.quiescence, settings.histories), (Kind::Captures, Sharing::All));
        assert_eq!(settings.numa, "0-1:2".parse().unwrap());
        assert_eq!((settings.params.iir_depth, settings.params.razor_depth), (5, 0));
        assert_eq!(settings.stagger, Stagger::Offset { plies: vec![1, 2] });
        assert!(setup.chess960);
    }

    #[test]
    fn a_policy_may_be_named_alone() {
        for policy in Stagger::all() {
            assert_eq!(setup(&format!("stagger={}", policy.name())).unwrap().settings.stagger, policy);
        }
    }

    #[test]
    fn errors_name_the_wrong_key_or_value() {
        for (text, expected) in [
            ("", "\"\" is not of the form key=value"),
            ("threads", "\"threads\" is not of the form key=value"),
            ("threads=2,=3", "\"=3\" is not of the form key=value"),
            ("hash=1,threads=0", "threads=0: Threads must lie between 1 and 1024, not 0"),
            ("stagger=random", "stagger=random: "),
            ("hash=1,thread=2", "thread=2: unknown field `thread`"),
            ("hash=1,params.no_such=2", "params.no_such=2: no parameter of the search is called `no_such`"),
            ("hash=1,hash=2", "hash=2: duplicate key"),
            ("multipv=\"a,b\"", "multipv=\"a,b\": invalid type: string"),
        ] {
            let error = setup(text).unwrap_err();
            assert!(error.starts_with(expected), "{text}: {error}");
        }
    }

    #[test]
    fn other_keys_can_be_removed_before_the_settings() {
        let mut assignments: Assignments = "threads=2,nodes=500,hash=3".parse().unwrap();
        assert_eq!(assignments.take("nodes").as_deref(), Some("500"));
        assert_eq!(assignments.take("nodes"), None);
        assert_eq!(assignments.to_string(), "threads=2,hash=3");
        assert!(assignments.preset().is_ok());
    }
}
