//! Which histories the threads of a group share.
//!
//! What one thread learns about a pawn structure holds for all threads. With many threads, each of which searches few
//! nodes, that adds up. The same holds for what it learns about moves. Stockfish, PlentyChess and Reckless share
//! histories, too. Two engines lost speed by sharing the corrections by the last moves, so these are apart from the
//! others.
//! `docs/journal/threads.md` says what they found and what was measured here.

use super::correction::{LINES, POSITIONS};
use super::move_tables::{ENTRIES, MoveTables};
use super::table::HistoryTable;

/// What threads share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sharing {
    /// Nothing.
    None,
    /// The corrections of the static evaluation by pawns and pieces.
    Positions,
    /// All corrections of the static evaluation.
    Corrections,
    /// The corrections and the pawn history.
    Pawns,
    /// The corrections and the continuation histories.
    Continuations,
    /// All histories but the corrections by the last two moves.
    AllButLines,
    /// All histories. With 16 virtual threads this gained 60 +- 19 Elo over the corrections alone, and less with fewer
    /// threads.
    #[default]
    All,
}

impl Sharing {
    /// All kinds of sharing.
    pub const ALL: [Sharing; 7] = [
        Sharing::None,
        Sharing::Positions,
        Sharing::Corrections,
        Sharing::Pawns,
        Sharing::Continuations,
        Sharing::AllButLines,
        Sharing::All,
    ];

    /// The name in a preset.
    pub const fn name(self) -> &'static str {
        match self {
            Sharing::None => "none",
            Sharing::Positions => "positions",
            Sharing::Corrections => "corrections",
            Sharing::Pawns => "pawns",
            Sharing::Continuations => "continuations",
            Sharing::AllButLines => "all-but-lines",
            Sharing::All => "all",
        }
    }

    /// Whether the corrections by pawns and pieces are shared.
    fn has_positions(self) -> bool {
        self != Sharing::None
    }

    /// Whether the corrections by the last two moves are shared.
    fn has_lines(self) -> bool {
        !matches!(self, Sharing::None | Sharing::Positions | Sharing::AllButLines)
    }

    /// Which move histories are shared.
    fn moves(self) -> MoveTables<bool> {
        let is_all = matches!(self, Sharing::AllButLines | Sharing::All);
        MoveTables {
            butterfly: is_all,
            capture: is_all,
            continuation: is_all || self == Sharing::Continuations,
            pawn: is_all || self == Sharing::Pawns,
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
        SharedHistories {
            positions: table(sharing.has_positions(), POSITIONS),
            lines: table(sharing.has_lines(), LINES),
            moves: sharing.moves().zip(ENTRIES).map(|(is_shared, entries)| table(is_shared, entries)),
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
