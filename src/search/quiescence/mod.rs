//! STAND-IN: the names only.

use std::str::FromStr;

/// Stand-in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Kind {
    /// Stand-in.
    #[default]
    Bootstrap,
    /// Stand-in.
    BootstrapFull,
    /// Stand-in.
    Captures,
    /// Stand-in.
    Static,
    /// Stand-in.
    Selective,
}

impl Kind {
    /// Stand-in.
    pub const ALL: [Kind; 5] =
        [Kind::Bootstrap, Kind::BootstrapFull, Kind::Captures, Kind::Static, Kind::Selective];

    /// Stand-in.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Bootstrap => "bootstrap",
            Kind::BootstrapFull => "bootstrap-full",
            Kind::Captures => "captures",
            Kind::Static => "static",
            Kind::Selective => "selective",
        }
    }
}

/// Stand-in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown;

impl FromStr for Kind {
    type Err = Unknown;
    fn from_str(text: &str) -> Result<Kind, Unknown> {
        Kind::ALL.into_iter().find(|kind| kind.name().eq_ignore_ascii_case(text)).ok_or(Unknown)
    }
}
