//! Who may use the server, and how much of it: tokens from a file, each with its limits.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde::Deserialize;
use subtle::ConstantTimeEq;

use crate::engine::config::ConfigError;
use crate::engine::config::file::{self, Fault};
use crate::engine::config::range::HASH;

/// The shortest secret, in bytes. A random one of this length cannot be guessed.
const LEAST_SECRET: usize = 16;

/// What a client may use. All sessions with the same token have it in common.
#[derive(Debug)]
pub(super) struct Grant {
    /// The name of the token in metrics and in shares; empty without tokens.
    pub name: String,
    /// Whether all searches come after those of other clients.
    pub is_batch: bool,
    /// The most threads that one search gets.
    pub threads: usize,
    /// The most lines (`MultiPV`).
    pub lines: usize,
    /// The size of a table that only searches with this token use, in MiB; `None` for the common table.
    pub table: Option<usize>,
    /// How long a search may run, without the time in which it waits; `None` for any time.
    pub longest: Option<Duration>,
    /// The most sessions at the same time.
    sessions: usize,
    // Relaxed: a counter that guards no other data.
    open: AtomicUsize,
}

/// A place for one session. It is free again when this is dropped.
#[derive(Debug)]
pub(super) struct Admission(pub Arc<Grant>);

impl Drop for Admission {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The clients that are let in.
#[derive(Debug)]
pub(super) enum Access {
    /// Everybody who reaches the server.
    Open(Arc<Grant>),
    /// Whoever knows one of the secrets.
    Tokens(Vec<(String, Arc<Grant>)>),
}

/// The file of tokens as typed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TokenFile {
    #[serde(default)]
    token: Vec<toml::Spanned<Token>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Token {
    name: String,
    secret: String,
    #[serde(default)]
    priority: Priority,
    threads: Option<usize>,
    lines: Option<usize>,
    table: Option<i64>,
    sessions: Option<usize>,
    seconds: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Priority {
    #[default]
    Interactive,
    Batch,
}

impl Access {
    /// Lets everybody in. A search may have `threads` threads.
    pub fn open(threads: usize, sessions: usize) -> Access {
        Access::Open(Arc::new(Grant {
            name: String::new(),
            is_batch: false,
            threads,
            lines: usize::MAX,
            table: None,
            longest: None,
            sessions,
            open: AtomicUsize::new(0),
        }))
    }

    /// Lets in whoever has a token of the file at `path`. `threads` and `sessions` are the server's own limits.
    pub fn load(path: &Path, threads: usize, sessions: usize) -> Result<Access, ConfigError> {
        let TokenFile { token: tokens } = file::load_checked(path, check)?;
        let grant = |token: Token| {
            let Token { name, secret, priority, .. } = token;
            let grant = Grant {
                name,
                is_batch: priority == Priority::Batch,
                threads: token.threads.unwrap_or(threads).min(threads),
                lines: token.lines.unwrap_or(usize::MAX),
                table: token.table.and_then(|size| HASH.check(size).ok()),
                longest: token.seconds.map(Duration::from_secs),
                sessions: token.sessions.unwrap_or(sessions),
                open: AtomicUsize::new(0),
            };
            (secret, Arc::new(grant))
        };
        Ok(Access::Tokens(tokens.into_iter().map(|token| grant(token.into_inner())).collect()))
    }

    /// The names of the tokens with tables of their own, and the sizes of these tables in MiB.
    pub fn tables(&self) -> impl Iterator<Item = (&str, usize)> {
        let tokens = match self {
            Access::Open(_) => &[],
            Access::Tokens(tokens) => tokens.as_slice(),
        };
        tokens.iter().filter_map(|(_, grant)| Some((grant.name.as_str(), grant.table?)))
    }

    /// Whether a client needs a token.
    pub fn needs_token(&self) -> bool {
        matches!(self, Access::Tokens(_))
    }

    /// What the owner of `token` may use; `None` if the token is wrong or missing. The time that this takes tells
    /// nothing about the secrets but their lengths.
    pub fn grant(&self, token: Option<&str>) -> Option<Arc<Grant>> {
        match self {
            Access::Open(grant) => Some(Arc::clone(grant)),
            Access::Tokens(tokens) => {
                let given = token?.as_bytes();
                let mut found = None;
                for (secret, grant) in tokens {
                    if bool::from(secret.as_bytes().ct_eq(given)) {
                        found = Some(Arc::clone(grant));
                    }
                }
                found
            }
        }
    }
}

impl Grant {
    /// Takes a place for a session; `None` if all are taken.
    pub fn admit(self: &Arc<Grant>) -> Option<Admission> {
        let admission = Admission(Arc::clone(self));
        let before = self.open.fetch_add(1, Ordering::Relaxed);
        (before < self.sessions).then_some(admission)
    }
}

/// Finds names and secrets that are no good.
fn check(file: &TokenFile) -> Result<(), Fault> {
    for (i, token) in file.token.iter().enumerate() {
        let Token { name, secret, table, threads, lines, sessions, seconds, .. } = token.get_ref();
        let limits = [("threads", *threads), ("lines", *lines), ("sessions", *sessions)];
        let mut zeros = limits.into_iter().filter(|(_, limit)| *limit == Some(0)).map(|(key, _)| key);
        let earlier = || file.token[..i].iter().map(toml::Spanned::get_ref);
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let message = if name.is_empty() || !name.chars().all(is_plain) {
            "the name of a token has letters, digits and -_. only".to_owned()
        } else if secret.len() < LEAST_SECRET || secret.contains(char::is_whitespace) {
            format!("the secret of {name} needs {LEAST_SECRET} characters or more, without spaces")
        } else if earlier().any(|other| other.name == *name || other.secret == *secret) {
            format!("the name or the secret of {name} is that of another token")
        } else if let Some(error) = table.and_then(|size| HASH.check(size).err()) {
            format!("the table of {name}: {error}")
        } else if let Some(key) = zeros.next().or_else(|| (*seconds == Some(0)).then_some("seconds")) {
            format!("{key} of {name}: a whole number from 1 is needed")
        } else {
            continue;
        };
        return Err(Fault { span: token.span(), message });
    }
    if file.token.is_empty() {
        return Err(Fault { span: 0..0, message: "there is no token".to_owned() });
    }
    Ok(())
}

/// The secret in a line `token SECRET`.
pub(super) fn token_of(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace();
    let secret = words.by_ref().nth(1).filter(|_| line.trim_start().starts_with("token "));
    secret.filter(|_| words.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(text: &str) -> Result<Access, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens.toml");
        std::fs::write(&path, text).unwrap();
        Access::load(&path, 4, 10).map_err(|error| error.to_string())
    }

    #[test]
    fn only_the_right_token_is_let_in() {
        let access = load(
            "[[token]]\nname = \"anna\"\nsecret = \"0123456789abcdef\"\nthreads = 99\n\
             [[token]]\nname = \"nightly\"\nsecret = \"fedcba9876543210\"\npriority = \"batch\"\nsessions = 1\n",
        )
        .unwrap();
        let name =
            |token| access.grant(token).map(|grant| (grant.name.clone(), grant.is_batch, grant.threads));
        assert_eq!(name(Some("0123456789abcdef")), Some(("anna".to_owned(), false, 4)));
        assert_eq!(name(Some("fedcba9876543210")), Some(("nightly".to_owned(), true, 4)));
        for wrong in [None, Some(""), Some("0123456789abcde"), Some("0123456789abcdef0"), Some("anna")] {
            assert_eq!(name(wrong), None, "{wrong:?}");
        }
    }

    /// As editors of Windows leave a file.
    #[test]
    fn a_byte_order_mark_line_ends_and_empty_lines_change_no_token() {
        let text =
            "\u{feff}\r\n\r\n[[token]]\r\n\r\nname = \"anna\"\r\nsecret = \"0123456789abcdef\"\r\n\r\n";
        let access = load(text).unwrap();
        assert_eq!(access.grant(Some("0123456789abcdef")).unwrap().name, "anna");
        assert!(access.grant(Some("0123456789abcdef\r")).is_none());
    }

    #[test]
    fn a_token_has_so_many_sessions_and_no_more() {
        let access = load("[[token]]\nname = \"a\"\nsecret = \"0123456789abcdef\"\nsessions = 2\n").unwrap();
        let grant = access.grant(Some("0123456789abcdef")).unwrap();
        let first = grant.admit().unwrap();
        let second = grant.admit().unwrap();
        assert!(grant.admit().is_none());
        drop(first);
        let third = grant.admit();
        assert!(third.is_some() && grant.admit().is_none());
        drop((second, third));
        assert_eq!(grant.open.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn a_weak_or_doubtful_token_is_refused_with_its_line() {
        for (text, reason) in [
            ("[[token]]\nname = \"a\"\nsecret = \"short\"\n", "16 characters"),
            ("[[token]]\nname = \"a b\"\nsecret = \"0123456789abcdef\"\n", "letters, digits"),
            ("token = []\n", "there is no token"),
            ("", "there is no token"),
            ("[[token]]\nname = \"a\"\nsecret = \"0123456789abcdef\"\nthread = 1\n", "thread"),
            (
                "[[token]]\nname = \"a\"\nsecret = \"0123456789abcdef\"\n\
                 [[token]]\nname = \"b\"\nsecret = \"0123456789abcdef\"\n",
                "that of another",
            ),
            ("[[token]]\nname = \"a\"\nsecret = \"0123456789abcdef\"\ntable = 0\n", "between 1 and"),
            ("[[token]]\nname = \"a\"\nsecret = \"0123456789abcdef\"\nsessions = 0\n", "sessions of a: "),
            ("[[token]]\nname = \"a\"\nsecret = \"0123456789abcdef\"\nseconds = 0\n", "seconds of a: "),
            (
                "[[token]]\nname = \"a\"\nsecret = \"0123456789abcdef\"\nlines = -1\n",
                "expected a whole number",
            ),
        ] {
            let error = load(text).unwrap_err();
            assert!(error.contains(reason) && error.contains("line "), "{error}");
        }
    }

    #[test]
    fn a_token_line_has_two_words() {
        assert_eq!(token_of("token 0123456789abcdef\r"), Some("0123456789abcdef"));
        for wrong in ["token", "token ", "tokens abc", "token a b", "uci", ""] {
            assert_eq!(token_of(wrong), None, "{wrong}");
        }
    }
}
