//! Which histories the threads of a NUMA node share.
//!
//! What one thread learns about a pawn structure holds for all threads. With many threads, each of which searches few
//! nodes, that adds up. Stockfish, PlentyChess and Reckless share their correction histories too.
//! `docs/journal/threads.md` says what they found and what was measured here.

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
    /// The corrections and the continuation histories.
    All,
}

impl Sharing {
    /// All kinds of sharing.
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

/// The tables that threads share.
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

/// A clone is for another node: it has empty tables of the same kinds.
impl Clone for SharedHistories {
    fn clone(&self) -> SharedHistories {
        SharedHistories {
            corrections: self.corrections.as_ref().map(HistoryTable::fresh),
            continuation: self.continuation.as_ref().map(HistoryTable::fresh),
        }
    }
}
