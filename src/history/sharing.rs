//! Which histories the threads of a node have in common.
//!
//! What one thread learns of a pawn structure holds for all threads. With many threads, each of which sees few nodes,
//! that adds up. Stockfish, PlentyChess and Reckless share their correction histories too; `docs/journal/threads.md`
//! tells what they found and what was measured here.

use std::str::FromStr;

use super::correction::ENTRIES as CORRECTIONS;
use super::placement::PLACEMENTS;
use super::table::HistoryTable;

/// What threads share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sharing {
    /// Nothing.
    None,
    /// The corrections of the static evaluation.
    #[default]
    Corrections,
    /// These and the continuation histories.
    All,
}

/// No way of sharing has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown way to share histories \"{0}\", expected one of none, corrections, all")]
pub struct UnknownSharing(String);

impl Sharing {
    /// All of them.
    pub const ALL: [Sharing; 3] = [Sharing::None, Sharing::Corrections, Sharing::All];

    /// The name in a preset.
    pub const fn name(self) -> &'static str {
        match self {
            Sharing::None => "none",
            Sharing::Corrections => "corrections",
            Sharing::All => "all",
        }
    }
}

impl FromStr for Sharing {
    type Err = UnknownSharing;

    fn from_str(name: &str) -> Result<Sharing, UnknownSharing> {
        let found = Sharing::ALL.into_iter().find(|sharing| sharing.name().eq_ignore_ascii_case(name));
        found.ok_or_else(|| UnknownSharing(name.to_owned()))
    }
}

/// The tables that threads have in common.
#[derive(Debug)]
pub struct SharedHistories {
    pub(super) corrections: Option<HistoryTable>,
    pub(super) continuation: Option<HistoryTable>,
}

impl SharedHistories {
    /// Empty tables for what is shared.
    pub fn new(sharing: Sharing) -> SharedHistories {
        let corrections = (sharing != Sharing::None).then(|| HistoryTable::new(CORRECTIONS));
        let continuation = (sharing == Sharing::All).then(|| HistoryTable::new(PLACEMENTS * PLACEMENTS));
        SharedHistories { corrections, continuation }
    }
}

/// For another node: empty tables of the same kinds.
impl Clone for SharedHistories {
    fn clone(&self) -> SharedHistories {
        SharedHistories {
            corrections: self.corrections.as_ref().map(HistoryTable::fresh),
            continuation: self.continuation.as_ref().map(HistoryTable::fresh),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_parsed_back() {
        for sharing in Sharing::ALL {
            assert_eq!(sharing.name().to_uppercase().parse(), Ok(sharing));
        }
        assert!("some".parse::<Sharing>().is_err());
    }
}
