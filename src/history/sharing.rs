//! Which histories the threads of a NUMA node share.
//!
//! What one thread learns about a pawn structure holds for all threads. With many threads, each of which searches few
//! nodes, that adds up. Stockfish, PlentyChess and Reckless share their correction histories too.
//! `docs/journal/threads.md` says what they found and what was measured here.

use super::correction::ENTRIES as CORRECTIONS;
use super::move_tables::{ENTRIES, MoveTables};
use super::table::HistoryTable;

/// What threads share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sharing {
    /// Nothing.
    None,
    /// The corrections of the static evaluation.
    #[default]
    Corrections,
    /// The corrections and the pawn history.
    Pawns,
    /// The corrections and the continuation histories.
    Continuations,
    /// All histories.
    All,
}

impl Sharing {
    /// All kinds of sharing.
    pub const ALL: [Sharing; 5] =
        [Sharing::None, Sharing::Corrections, Sharing::Pawns, Sharing::Continuations, Sharing::All];

    /// The name in a preset.
    pub const fn name(self) -> &'static str {
        match self {
            Sharing::None => "none",
            Sharing::Corrections => "corrections",
            Sharing::Pawns => "pawns",
            Sharing::Continuations => "continuations",
            Sharing::All => "all",
        }
    }
}

/// The tables that threads share.
#[derive(Debug)]
pub struct SharedHistories {
    pub(super) corrections: Option<HistoryTable>,
    pub(super) moves: MoveTables<Option<HistoryTable>>,
}

impl SharedHistories {
    /// Empty tables for what is shared.
    pub fn new(sharing: Sharing) -> SharedHistories {
        let table = |is_shared: bool, entries| is_shared.then(|| HistoryTable::new(entries));
        let is_all = sharing == Sharing::All;
        SharedHistories {
            corrections: table(sharing != Sharing::None, CORRECTIONS),
            moves: MoveTables {
                butterfly: table(is_all, ENTRIES.butterfly),
                capture: table(is_all, ENTRIES.capture),
                continuation: table(is_all || sharing == Sharing::Continuations, ENTRIES.continuation),
                pawn: table(is_all || sharing == Sharing::Pawns, ENTRIES.pawn),
            },
        }
    }
}

/// A clone is for another node: it has empty tables of the same kinds.
impl Clone for SharedHistories {
    fn clone(&self) -> SharedHistories {
        let fresh = |table: &Option<HistoryTable>| table.as_ref().map(HistoryTable::fresh);
        SharedHistories { corrections: fresh(&self.corrections), moves: self.moves.each_ref().map(fresh) }
    }
}
