//! Probes the tables for one position.

use std::panic::{AssertUnwindSafe, catch_unwind};

use shakmaty::Chess;
use shakmaty_syzygy::{Metric, SyzygyError, Tablebase, Wdl};

use super::Tablebases;
use crate::chess::board::Board;

impl Tablebases {
    /// The result for the side to move, as if a capture or a pawn move had led to the position. `None` if the tables
    /// have no answer. Then `complain` receives the reason, if it is new.
    pub fn wdl(&self, board: &Board, complain: &dyn Fn(&str)) -> Option<Wdl> {
        if board.is_insufficient_material() {
            return Some(Wdl::Draw);
        }
        self.ask(Metric::Wdl, board, complain, |tables, chess| tables.probe_wdl_after_zeroing(chess))
    }

    /// The number of plies until the winner makes a capture or a pawn move that keeps the win, or gives mate. It is
    /// positive if the side to move wins, negative if it loses, and 0 for a draw. It is beyond 100 if the fifty-move
    /// rule makes the position a draw. It may be too small by one, because most tables store whole moves. `None` as in
    /// [`Tablebases::wdl`].
    pub fn dtz(&self, board: &Board, complain: &dyn Fn(&str)) -> Option<i32> {
        if board.is_insufficient_material() {
            return Some(0);
        }
        self.ask(Metric::Dtz, board, complain, |tables, chess| {
            tables.probe_dtz(chess).map(|dtz| dtz.ignore_rounding().0)
        })
    }

    fn ask<T>(
        &self,
        metric: Metric,
        board: &Board,
        complain: &dyn Fn(&str),
        question: impl FnOnce(&Tablebase<Chess>, &Chess) -> Result<T, SyzygyError>,
    ) -> Option<T> {
        if self.faults.hide(metric, board) {
            return None;
        }
        let chess = board.to_chess();
        // The reader does not check everything that it reads. An index in a damaged header may make it panic.
        let error = match catch_unwind(AssertUnwindSafe(|| question(&self.tables.0, &chess))) {
            Ok(Ok(answer)) => return Some(answer),
            Ok(Err(error)) => Some(error),
            Err(_panic) => None,
        };
        self.faults.note(metric, board, error, complain);
        None
    }
}
