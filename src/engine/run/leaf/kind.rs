//! The kinds of leaf search and their names.

use std::fmt;

/// The kind of leaf search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum Kind {
    /// Level 0 at every leaf, with the SEE skip, and with safe quiet checks at the first ply.
    #[default]
    Bootstrap,
    /// All five levels, bootstrapped, without any skip, as Muller wrote it.
    BootstrapFull,
    /// Stand pat and captures, most valuable victim first, until no capture is left.
    Captures,
    /// Captures that do not lose material, and all evasions of checks, as in most engines.
    CapturesSee,
    /// All moves to quiescence depth 2 with free checks and the static cut-off, then captures.
    Static,
    /// As `Static`, with a null-move search in place of the static cut-off.
    Selective,
}

impl Kind {
    /// All kinds, the default first.
    pub const ALL: [Kind; 6] = [
        Kind::Bootstrap,
        Kind::BootstrapFull,
        Kind::Captures,
        Kind::CapturesSee,
        Kind::Static,
        Kind::Selective,
    ];

    /// The name as options and tables show it.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Bootstrap => "bootstrap",
            Kind::BootstrapFull => "bootstrap-full",
            Kind::Captures => "captures",
            Kind::CapturesSee => "captures-see",
            Kind::Static => "static",
            Kind::Selective => "selective",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
