//! One finding and its remedy.

use std::fmt;

use serde::Serialize;

/// What a finding means for the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Grade {
    /// All is well.
    Good,
    /// The engine could get more.
    Advice,
    /// The engine gets much less than it should.
    Bad,
    /// The system does not say.
    Unknown,
}

/// What was found about one subject, in one line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The subject, in a word or two.
    pub subject: &'static str,
    /// What it means.
    pub grade: Grade,
    /// What was found.
    pub text: String,
    /// What to do about it; `None` if all is well.
    pub remedy: Option<String>,
}

impl Finding {
    /// All is well.
    pub fn good(subject: &'static str, text: impl Into<String>) -> Finding {
        Finding { subject, grade: Grade::Good, text: text.into(), remedy: None }
    }

    /// The engine could get more.
    pub fn advice(subject: &'static str, text: impl Into<String>, remedy: impl Into<String>) -> Finding {
        Finding { subject, grade: Grade::Advice, text: text.into(), remedy: Some(remedy.into()) }
    }

    /// The engine gets much less than it should.
    pub fn bad(subject: &'static str, text: impl Into<String>, remedy: impl Into<String>) -> Finding {
        Finding { grade: Grade::Bad, ..Finding::advice(subject, text, remedy) }
    }

    /// The system does not say. The remedy says how to find out.
    pub fn unknown(subject: &'static str, text: impl Into<String>, remedy: impl Into<String>) -> Finding {
        Finding { grade: Grade::Unknown, ..Finding::advice(subject, text, remedy) }
    }
}

impl fmt::Display for Grade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Grade::Good => "good",
            Grade::Advice => "advice",
            Grade::Bad => "bad",
            Grade::Unknown => "unknown",
        })
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding { subject, grade, text, remedy } = self;
        write!(f, "{grade:<9} {subject}: {text}.")?;
        remedy.as_ref().map_or(Ok(()), |remedy| write!(f, " {remedy}."))
    }
}
