//! Which histories the threads of a group share.
//!
//! What one thread learns about a pawn structure holds for all threads. With many threads, each of which searches few
//! nodes, that adds up. The same holds for what it learns about moves. Stockfish, PlentyChess and Reckless share
//! histories, too: `docs/journal/threads.md` says what they found and what was measured here.

use super::correction::{LINES, POSITIONS};
use super::move_tables::{ENTRIES, MoveTables};
use super::table::HistoryTable;

/// What threads share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sharing {
    /// Nothing.
    None,
    /// The corrections of the static evaluation.
    Corrections,
    /// All histories.
    #[default]
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
    /// The corrections by pawns and pieces.
    pub(super) positions: Option<HistoryTable>,
    /// The corrections by the last two moves.
    pub(super) lines: Option<HistoryTable>,
    pub(super) moves: MoveTables<Option<HistoryTable>>,
}

impl SharedHistories {
    /// Empty tables for what is shared.
    pub fn new(sharing: Sharing) -> SharedHistories {
        let table = |is_shared: bool, entries| is_shared.then(|| HistoryTable::new(entries));
        let has_corrections = sharing != Sharing::None;
        SharedHistories {
            positions: table(has_corrections, POSITIONS),
            lines: table(has_corrections, LINES),
            moves: ENTRIES.map(|entries| table(sharing == Sharing::All, entries)),
        }
    }
}

/// A clone is for another group of threads: it has empty tables of the same kinds.
impl Clone for SharedHistories {
    fn clone(&self) -> SharedHistories {
        let fresh = |table: &Option<HistoryTable>| table.as_ref().map(HistoryTable::fresh);
        SharedHistories {
            positions: fresh(&self.positions),
            lines: fresh(&self.lines),
            moves: self.moves.each_ref().map(fresh),
        }
    }
}
