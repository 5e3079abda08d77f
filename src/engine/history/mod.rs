//! What earlier searches of this thread say about moves (butterfly, capture, continuation and pawn history), and how
//! wrong static evaluations were (correction history).
//!
//! Every entry is pulled toward its bonus, with a weight that shrinks as the entry fills up (the "gravity" formula of
//! Stockfish and Ethereal). So no entry leaves +-[`LIMIT`].

mod correction;
mod move_tables;
mod placement;
mod sharing;
mod table;

use std::sync::Arc;
use std::sync::atomic::AtomicI16;

pub use correction::{Correction, CorrectionKeys, CorrectionWeights};
pub use placement::{Continuations, Placement};
pub use sharing::{SharedHistories, Sharing};

use crate::chess::board::{AttackedSquares, Bitboard, Board, Move};
use move_tables::{BUTTERFLIES, ENTRIES, MoveTables, PAWN_STRUCTURES};
use placement::PLACEMENTS;
use table::{HistoryRow, HistoryTable};

/// The greatest absolute value of a move history entry.
pub const LIMIT: i32 = 16_384;

/// The continuation history of a move that does not exist. Nothing writes to it. With it, scoring a move needs no test
/// of which earlier moves exist.
static ZEROS: [AtomicI16; PLACEMENTS] = [const { AtomicI16::new(0) }; PLACEMENTS];

/// Gives the entry at `index` a bonus, positive or negative.
#[inline]
fn apply_bonus(table: &HistoryTable, index: usize, bonus: i32) {
    table.update(index, |value| value + bonus - value * bonus.abs() / LIMIT);
}

/// The squares that the opponent attacks. Butterfly history distinguishes whether a quiet move starts or ends on them.
#[derive(Clone, Copy)]
pub struct Threats(Bitboard);

impl Threats {
    /// The squares that the opponent of the side to move attacks on `board`.
    #[inline]
    pub fn of(board: &Board) -> Threats {
        Threats::new(&board.men().attacked_by(!board.turn()))
    }

    /// The same from the `attacked` squares of all kinds.
    #[inline]
    pub fn new(attacked: &AttackedSquares) -> Threats {
        Threats(attacked.all)
    }

    /// Whether no exchange can follow a quiet move: the opponent attacks neither of its squares. A slider that would
    /// attack the target once the piece has left attacks the piece.
    #[inline]
    pub fn spare(self, mv: Move) -> bool {
        !self.0.contains(mv.from()) && !self.0.contains(mv.to())
    }

    #[inline]
    fn index(self, mv: Move) -> usize {
        let class = usize::from(self.0.contains(mv.from())) * 2 + usize::from(self.0.contains(mv.to()));
        (class * 64 + usize::from(mv.from())) * 64 + usize::from(mv.to())
    }
}

/// The table that takes the place of a thread's `own` one, when the shared tables in its place change from the first
/// to the second. A table of its own that was never shared stays.
fn exchanged(own: &HistoryTable, change: [Option<HistoryTable>; 2]) -> HistoryTable {
    match change {
        [None, None] => own.clone(),
        [Some(_), None] => own.fresh(),
        [_, Some(shared)] => shared,
    }
}

/// Where the butterfly history keeps a quiet move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QuietSlot(u16);

/// The histories of the quiet moves of one position. What its moves have in common is looked up once.
pub struct QuietHistory<'a> {
    board: &'a Board,
    threats: Threats,
    butterfly: HistoryRow<'a, BUTTERFLIES>,
    pawns: HistoryRow<'a, PLACEMENTS>,
    continuations: [HistoryRow<'a, PLACEMENTS>; 3],
}

impl QuietHistory<'_> {
    /// The sum of the butterfly, continuation and pawn histories of a quiet move, within +-5 times [`LIMIT`].
    // The move picker asks about every quiet move. Called instead of inlined, this repeats much of what it does itself.
    #[inline(always)]
    pub fn of(&self, mv: Move) -> i32 {
        let placement = Placement::new(self.board.moved_piece(mv), mv.king_target()).index();
        let continuations = self.continuations.iter().map(|row| row.get(placement));
        self.butterfly.get(self.threats.index(mv)) + self.pawns.get(placement) + continuations.sum::<i32>()
    }
}

/// All histories of one thread: about 2 MB. Several threads may share some of them.
pub struct History {
    moves: MoveTables<HistoryTable>,
    /// Corrections of the static evaluation.
    pub correction: Correction,
    /// Holds the tables that this thread shares with others.
    shared: Option<Arc<SharedHistories>>,
}

impl Default for History {
    fn default() -> History {
        History { moves: ENTRIES.map(HistoryTable::new), correction: Correction::default(), shared: None }
    }
}

impl History {
    /// Forgets everything, as at the start of a game, except what is shared. Shared tables are exchanged for empty ones
    /// by [`History::share`].
    pub fn clear(&mut self) {
        let shared = self.shared.as_deref();
        let shared_moves = shared.map(|shared| shared.moves.clone()).unwrap_or_default();
        let moves = self.moves.each_ref().zip(shared_moves).into_array();
        let corrections = [
            (&self.correction.positions, shared.and_then(|shared| shared.positions.clone())),
            (&self.correction.lines, shared.and_then(|shared| shared.lines.clone())),
        ];
        for (table, shared) in moves.into_iter().chain(corrections) {
            if shared.is_none() {
                table.clear();
            }
        }
    }

    /// Shares these tables with other threads from now on, or none. Own tables that take the place of shared ones are
    /// empty.
    pub fn share(&mut self, shared: Option<&Arc<SharedHistories>>) {
        if shared.map(Arc::as_ptr) == self.shared.as_ref().map(Arc::as_ptr) {
            return;
        }
        let old = self.shared.as_deref();
        let new = shared.map(Arc::as_ref);
        self.correction = Correction {
            positions: exchanged(&self.correction.positions, [old, new].map(|of| of?.positions.clone())),
            lines: exchanged(&self.correction.lines, [old, new].map(|of| of?.lines.clone())),
        };
        let [old, new] = [old, new].map(|of| of.map(|of| of.moves.clone()).unwrap_or_default());
        let changes = old.zip(new).map(|(old, new)| [old, new]);
        self.moves = self.moves.each_ref().zip(changes).map(|(own, change)| exchanged(own, change));
        self.shared = shared.cloned();
    }

    #[inline]
    fn butterfly_index(board: &Board, threats: Threats, mv: Move) -> usize {
        usize::from(board.turn().is_black()) * BUTTERFLIES + threats.index(mv)
    }

    #[inline]
    fn capture_index(board: &Board, mv: Move) -> usize {
        let victim = board.captured(mv).map_or(0, usize::from);
        Placement::new(board.moved_piece(mv), mv.to()).index() * 7 + victim
    }

    #[inline]
    fn pawn_row(board: &Board) -> usize {
        board.pawn_key() as usize % PAWN_STRUCTURES
    }

    #[inline]
    fn pawn_index(board: &Board, placement: Placement) -> usize {
        Self::pawn_row(board) * PLACEMENTS + placement.index()
    }

    /// The score of a capture or queen promotion, within +-[`LIMIT`].
    #[inline]
    pub fn noisy(&self, board: &Board, mv: Move) -> i32 {
        self.moves.capture.get(Self::capture_index(board, mv))
    }

    /// The histories of the quiet moves of one position.
    #[inline]
    pub fn quiets<'a>(
        &'a self,
        board: &'a Board,
        threats: Threats,
        continuations: &Continuations,
    ) -> QuietHistory<'a> {
        QuietHistory {
            board,
            threats,
            butterfly: self.moves.butterfly.row(usize::from(board.turn().is_black())),
            pawns: self.moves.pawn.row(Self::pawn_row(board)),
            continuations: continuations.map(|last| {
                last.map_or(HistoryRow::new(&ZEROS), |last| self.moves.continuation.row(last.index()))
            }),
        }
    }

    /// Where butterfly history keeps a quiet move.
    #[inline]
    pub fn quiet_slot(board: &Board, threats: Threats, mv: Move) -> QuietSlot {
        QuietSlot(Self::butterfly_index(board, threats, mv) as u16)
    }

    /// Gives a quiet move a bonus, positive or negative, in butterfly history only.
    #[inline]
    pub fn update_slot(&mut self, slot: QuietSlot, bonus: i32) {
        apply_bonus(&self.moves.butterfly, usize::from(slot.0), bonus);
    }

    /// Gives a move a bonus, positive or negative, as a continuation of others.
    pub fn update_continuations(&mut self, continuations: &Continuations, placement: Placement, bonus: i32) {
        for previous in continuations.iter().flatten() {
            apply_bonus(&self.moves.continuation, previous.index() * PLACEMENTS + placement.index(), bonus);
        }
    }

    /// Gives a capture or queen promotion a bonus, positive or negative.
    pub fn update_noisy(&mut self, board: &Board, mv: Move, bonus: i32) {
        apply_bonus(&self.moves.capture, Self::capture_index(board, mv), bonus);
    }

    /// Gives a quiet move a bonus, positive or negative, in all its tables.
    pub fn update_quiet(
        &mut self,
        board: &Board,
        threats: Threats,
        continuations: &Continuations,
        mv: Move,
        bonus: i32,
    ) {
        let placement = Placement::new(board.moved_piece(mv), mv.king_target());
        apply_bonus(&self.moves.butterfly, Self::butterfly_index(board, threats, mv), bonus);
        apply_bonus(&self.moves.pawn, Self::pawn_index(board, placement), bonus);
        self.update_continuations(continuations, placement, bonus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::board::{Color, Role, Square};

    #[test]
    fn history_entries_stay_within_the_limit() {
        let table = HistoryTable::new(1);
        for _ in 0..10_000 {
            apply_bonus(&table, 0, 2_000);
        }
        assert!(table.get(0) <= LIMIT && table.get(0) > LIMIT * 9 / 10);
        for _ in 0..10_000 {
            apply_bonus(&table, 0, -2_000);
        }
        assert!(table.get(0) >= -LIMIT && table.get(0) < -LIMIT * 9 / 10);
    }

    #[test]
    fn a_bonus_raises_a_move_and_a_malus_lowers_it() {
        let board = Board::startpos();
        let mut history = History::default();
        let moves = board.legal_moves();
        let threats = Threats::of(&board);
        history.update_quiet(&board, threats, &[None; 3], moves[0], 500);
        history.update_quiet(&board, threats, &[None; 3], moves[1], -500);
        let score = |mv| history.quiets(&board, threats, &[None; 3]).of(mv);
        assert!(score(moves[0]) > score(moves[2]) && score(moves[2]) > score(moves[1]));
    }

    #[test]
    fn shared_histories_reach_all_threads_and_survive_a_clear() {
        let keys = CorrectionKeys::of(&Board::startpos(), &[None; 3]);
        let none = CorrectionWeights { pawns: 0, minors: 0, pieces: 0, moves: 0 };
        let [by_pawns, by_moves] =
            [CorrectionWeights { pawns: 128, ..none }, CorrectionWeights { moves: 128, ..none }];
        let correction = |history: &History| history.correction.get(keys, &by_pawns, 1_000);
        let line_correction = |history: &History| history.correction.get(keys, &by_moves, 1_000);
        let placement = Placement::new(Role::Knight.of(Color::White), Square::F3);
        let line = [Some(placement), None, None];
        let board = Board::startpos();
        let [quiet, noisy] = ["g1f3", "e2e4"].map(|mv| board.parse_uci(mv).unwrap());
        let pawn = |history: &History| history.moves.pawn.get(History::pawn_index(&board, placement));
        let capture = |history: &History| history.noisy(&board, noisy);
        let threats = Threats::of(&board);
        let butterfly =
            |history: &History| history.moves.butterfly.get(History::butterfly_index(&board, threats, quiet));
        let continuation =
            |history: &History| history.moves.continuation.get(placement.index() * (PLACEMENTS + 1));
        for sharing in Sharing::ALL {
            let shared = Arc::new(SharedHistories::new(sharing));
            let [mut one, mut other] = [(); 2].map(|()| History::default());
            for history in [&mut one, &mut other] {
                history.share(Some(&shared));
            }
            one.correction.update(keys, 16, 400);
            one.update_quiet(&board, threats, &line, quiet, 1_000);
            one.update_noisy(&board, noisy, 1_000);
            let known = |history: &History| {
                let tables: [&dyn Fn(&History) -> i32; 6] =
                    [&correction, &line_correction, &continuation, &pawn, &butterfly, &capture];
                tables.map(|table| table(history) > 0)
            };
            assert_eq!(known(&one), [true; 6]);
            let [has_corrections, is_all] = [sharing != Sharing::None, sharing == Sharing::All];
            let common = [has_corrections, has_corrections, is_all, is_all, is_all, is_all];
            assert_eq!(known(&other), common, "{sharing:?}");
            one.clear();
            one.share(Some(&shared));
            assert_eq!(known(&one), common, "{sharing:?}");
            one.share(Some(&Arc::new(SharedHistories::clone(&shared))));
            assert_eq!(known(&one), [false; 6]);
            other.share(None);
            assert_eq!(known(&other), [false; 6]);
        }
    }
}
