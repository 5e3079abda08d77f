//! The move order of all leaf searches: the table's move, then captures and queen promotions, then quiet moves by
//! history. Among captures, those that cost a level come first. Otherwise the most valuable victim comes first, and
//! among equal victims the least valuable attacker.

use std::cmp::Reverse;

use arrayvec::ArrayVec;

use super::gain::{Threshold, gain};
use crate::chess::board::{Board, MAX_MOVES, Move, MoveList};
use crate::engine::history::Threats;
use crate::engine::search::worker::Worker;

/// Bonus of the table's move, which comes first. It is far above all other scores.
const TABLE_MOVE: i32 = 100_000;
/// Bonus of captures that cost a level. They come before all other captures.
const COSTS_A_LEVEL: i32 = 20_000;
/// Bonus of captures that would cost a level if their target were not protected. They come next.
const PROTECTED: i32 = 10_000;
/// Histories of quiet moves are divided by this.
const HISTORY_DIVISOR: i32 = 64;
/// Penalty of quiet moves. It puts the best history behind the least capture.
const QUIET: i32 = -2_000;

/// Which moves a node tries.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Choice {
    /// Captures and queen promotions.
    Noisy,
    /// All moves.
    All,
}

/// A move of a leaf search.
pub(super) struct LeafMove {
    pub mv: Move,
    order: i32,
    /// Whether the move gains no more than the opponent's last move did.
    pub is_extended: bool,
}

/// The moves of one node, in order.
pub(super) type LeafMoves = ArrayVec<LeafMove, MAX_MOVES>;

impl Worker {
    /// Fills an empty list with the legal moves of the node at `ply`, in the order in which they are tried. `threshold`
    /// is what the opponent's last move has left. A list that is returned would be copied whole, with all its room.
    pub(super) fn candidates(
        &self,
        board: &Board,
        ply: usize,
        choice: Choice,
        threshold: Threshold,
        tt_move: Option<Move>,
        candidates: &mut LeafMoves,
    ) {
        let mut moves = MoveList::new();
        board.noisy_moves(&mut moves);
        let noisy = moves.len();
        let quiets = (choice == Choice::All).then(|| {
            board.quiet_moves(&mut moves);
            self.history.quiets(board, Threats::of(board), &self.continuations(ply))
        });
        for (index, &mv) in moves.iter().enumerate() {
            if !board.is_legal(mv) {
                continue;
            }
            let mut is_extended = true;
            let mut order = if index < noisy {
                let victim = board.material_gain(mv);
                let mut order = victim - usize::from(board.moved_role(mv)) as i32;
                if victim > threshold.value() {
                    is_extended = gain(board, mv) <= threshold.value();
                    order += if is_extended { PROTECTED } else { COSTS_A_LEVEL };
                }
                order
            } else {
                quiets.as_ref().map_or(0, |quiets| quiets.of(mv)) / HISTORY_DIVISOR + QUIET
            };
            if Some(mv) == tt_move {
                order += TABLE_MOVE;
            }
            candidates.push(LeafMove { mv, order, is_extended });
        }
        candidates.sort_unstable_by_key(|candidate| Reverse(candidate.order));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::board::{Game, Role, see};
    use crate::engine::run::job::Job;
    use crate::engine::run::limits::Limits;

    const POSITIONS: [&str; 4] = [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
        "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
        "4k3/8/8/K2pP2r/8/8/8/8 w - d6 0 1",
    ];

    fn worker() -> Worker {
        Worker::ready(Job::plain(Game::startpos(), Limits::default()))
    }

    fn bits(moves: impl IntoIterator<Item = Move>) -> Vec<u16> {
        let mut bits: Vec<u16> = moves.into_iter().map(Move::bits).collect();
        bits.sort_unstable();
        bits
    }

    #[test]
    fn every_legal_move_of_the_choice_comes_once_and_the_tt_move_first() {
        let worker = worker();
        for fen in POSITIONS {
            let board = Board::from_fen(fen).unwrap().0;
            let legal = board.legal_moves();
            for (choice, tt_move) in [(Choice::All, legal.last()), (Choice::Noisy, None)] {
                let wanted = legal.iter().copied().filter(|&mv| choice == Choice::All || board.is_noisy(mv));
                let tt_move = tt_move.copied();
                let mut found = LeafMoves::new();
                worker.candidates(&board, 0, choice, Threshold::Unlimited, tt_move, &mut found);
                assert!(tt_move.is_none() || found.first().map(|first| first.mv) == tt_move);
                assert!(found.iter().all(|found| found.is_extended), "nothing is beyond what is unlimited");
                assert_eq!(bits(found.iter().map(|found| found.mv)), bits(wanted), "{fen}");
            }
        }
    }

    #[test]
    fn captures_are_sorted_by_level_cost_then_victim_then_attacker() {
        let worker = worker();
        // A pawn protects both victims.
        let board = Board::from_fen("4k3/8/2p5/1r1q4/2P5/8/8/1R2K3 w - - 0 1").unwrap().0;
        let order = |threshold| -> Vec<String> {
            let mut found = LeafMoves::new();
            worker.candidates(&board, 0, Choice::Noisy, threshold, None, &mut found);
            let text = |found: &LeafMove| {
                let cost = if found.is_extended { "" } else { " costs" };
                format!("{}{cost}", found.mv.to_uci(false))
            };
            found.iter().map(text).collect()
        };
        assert_eq!(order(Threshold::Unlimited), ["c4d5", "c4b5", "b1b5"]);
        assert_eq!(order(Threshold::Rook), ["c4d5 costs", "c4b5", "b1b5"]);
        assert_eq!(order(Threshold::Pawn), ["c4d5 costs", "c4b5 costs", "b1b5"]);
    }

    #[test]
    fn thresholds_have_the_piece_values_of_exchanges() {
        for (threshold, role) in [
            (Threshold::Queen, Role::Queen),
            (Threshold::Rook, Role::Rook),
            (Threshold::Minor, Role::Bishop),
            (Threshold::Pawn, Role::Pawn),
        ] {
            assert_eq!(threshold.value(), see::value(role));
        }
    }
}
