//! Asking the tables about one position.

use std::panic::{AssertUnwindSafe, catch_unwind};

use shakmaty::Chess;
use shakmaty_syzygy::{Metric, SyzygyError, Tablebase, Wdl};

use super::Tablebases;
use crate::board::Board;

impl Tablebases {
    /// Whether the side to move wins, as if the position had come about by a capture or a pawn move. `None` where the
    /// tables do not say; `complain` hears why, if it is news.
    pub fn wdl(&self, board: &Board, complain: &dyn Fn(&str)) -> Option<Wdl> {
        if board.is_insufficient_material() {
            return Some(Wdl::Draw);
        }
        self.ask(Metric::Wdl, board, complain, |tables, chess| tables.probe_wdl_after_zeroing(chess))
    }

    /// Plies until the winner captures or moves a pawn with the win in hand, or gives mate: positive where the side to
    /// move wins, negative where it loses, 0 for a draw; beyond 100 where the fifty-move rule makes it one. It may be
    /// one too small, because most tables store whole moves. `None` as in [`Tablebases::wdl`].
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
        // The reader checks what it reads, but not everything: an index out of a damaged header may lead astray.
        let error = match catch_unwind(AssertUnwindSafe(|| question(&self.tables.0, &chess))) {
            Ok(Ok(answer)) => return Some(answer),
            Ok(Err(error)) => Some(error),
            Err(_panic) => None,
        };
        self.faults.note(metric, board, error, complain);
        None
    }
}
