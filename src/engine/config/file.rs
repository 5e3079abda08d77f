//! Reads configuration files in TOML. Errors say where a file is wrong.

use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::base::file::{FileError, Limit, read_text};

/// The largest file: about a thousand times the size of a usual one.
const LIMIT: Limit = Limit { mebibytes: 1, of: "a configuration file" };

/// A configuration file was not accepted.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// The file could not be read.
    #[error(transparent)]
    Read(#[from] FileError),
    /// There is neither a file nor a built-in preset of this name.
    #[error("there is no file {0}, and no preset has this name; \"enfilade presets\" lists them")]
    NoPreset(String),
    /// The file was read but not understood.
    #[error("{}, line {line}: {key}{message}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// The line of the wrong key, from 1.
        line: usize,
        /// The key with a colon, or nothing if the message names the key itself.
        key: String,
        /// The reason.
        message: String,
    },
}

/// Keys contradict each other, although each of them is right by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The place of the wrong value in the text, in bytes.
    pub span: Range<usize>,
    /// The reason.
    pub message: String,
}

/// A check for keys that contradict each other.
pub type Check<T> = fn(&T) -> Result<(), Fault>;

/// Reads a file. The error names the file, the line and the key.
pub fn load<T: DeserializeOwned>(path: &Path) -> Result<T, ConfigError> {
    load_checked(path, |_| Ok(()))
}

/// Reads a file whose keys depend on each other, and runs `check` over it. The error names the file, the line and the
/// key.
pub fn load_checked<T: DeserializeOwned>(path: &Path, check: Check<T>) -> Result<T, ConfigError> {
    parse(&read_text(path, LIMIT)?, path, check)
}

/// Reads a text. Errors name `path`.
pub fn parse<T: DeserializeOwned>(text: &str, path: &Path, check: Check<T>) -> Result<T, ConfigError> {
    let located = |start: usize, message: &str| {
        let before = &text.as_bytes()[..start.min(text.len())];
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        let message = message.trim().replace('\n', ", ");
        let key = text.lines().nth(line - 1).map_or("", key_of);
        let key = if message.contains(&format!("`{key}`")) || key.is_empty() {
            String::new()
        } else {
            format!("{key}: ")
        };
        ConfigError::Content { path: path.to_owned(), line, key, message }
    };
    let content: T = toml::from_str(text)
        .map_err(|error| located(error.span().map_or(0, |span| span.start), &plain(error.message())))?;
    check(&content).map_err(|fault| located(fault.span.start, &fault.message))?;
    Ok(content)
}

/// A message of the library in words that need no knowledge of Rust's types.
fn plain(message: &str) -> String {
    let Some((before, expected)) = message.rsplit_once("expected ") else { return message.to_owned() };
    let words = match expected {
        "i8" | "i16" | "i32" | "i64" => "a whole number",
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number from 0",
        "f32" | "f64" => "a number",
        "a boolean" => "true or false",
        other => other,
    };
    format!("{before}expected {words}")
}

/// The key on a line of TOML: the text before the equals sign.
fn key_of(line: &str) -> &str {
    line.split_once('=').map_or("", |(key, _)| key.trim())
}
