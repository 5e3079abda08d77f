//! Configuration files in TOML: reading them, and saying where one is wrong.

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::file::{FileError, Limit, read_text};

/// A thousand times what one has.
const LIMIT: Limit = Limit { mebibytes: 1, of: "a configuration file" };

/// Why a configuration file was not accepted.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// The file could not be read.
    #[error(transparent)]
    Read(#[from] FileError),
    /// The file was read but not understood.
    #[error("{}, line {line}: {key}{message}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// The line of the offending key, from 1.
        line: usize,
        /// The key with a colon, or nothing where the message itself names it.
        key: String,
        /// What was wrong.
        message: String,
    },
}

/// Reads a file. The error names the file, the line and the key.
pub fn load<T: DeserializeOwned>(path: &Path) -> Result<T, ConfigError> {
    parse(&read_text(path, LIMIT)?, path)
}

/// Reads a text; `path` is only for the errors.
pub fn parse<T: DeserializeOwned>(text: &str, path: &Path) -> Result<T, ConfigError> {
    toml::from_str(text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start).min(text.len());
        let before = &text.as_bytes()[..start];
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        let message = error.message().trim().replace('\n', ", ");
        let key = text.lines().nth(line - 1).map_or("", key_of);
        let key = if message.contains(&format!("`{key}`")) || key.is_empty() {
            String::new()
        } else {
            format!("{key}: ")
        };
        ConfigError::Content { path: path.to_owned(), line, key, message }
    })
}

/// The key on a line of TOML: what stands before the equals sign.
fn key_of(line: &str) -> &str {
    line.split_once('=').map_or("", |(key, _)| key.trim())
}
