//! Static evaluation: Enfilade's own network, and adjustments that make its score usable by a search.
//!
//! [`Evaluator`] is all that a search sees. Its invariant: after any sequence of pushes and pops it evaluates exactly
//! as [`evaluate`] does from the board alone. The network says who stands better. `faded` brings that to the
//! [unit](mod@unit) of the search, and adds what the network is not told: a lead is worth less the longer nothing
//! happens, and some material cannot win. Both are *fades*. The searches of training games go without fades: otherwise
//! the network would learn them, and each generation would fade its scores once more.
//! docs/journal/screening.md has what each fade is still worth.

pub mod network;
mod scale;
pub mod unit;

use std::sync::Arc;

use crate::chess::board::{AttackedSquares, Board, Role, Square};
use crate::chess::types::Score;
use network::kernels::Kernels;
use network::{Accumulators, Network};
use scale::{FULL_SHARE, winning_share};
use unit::Unit;

/// Plies without progress after which a lead would be worth nothing. Games are drawn after about half of them, so a
/// lead fades but never turns around.
const CLOCK_SPAN: i32 = 200;

/// Plies without progress that cost nothing yet. The table knows no clocks: within these plies a position has one
/// evaluation, however it was reached.
const CLOCK_GRACE: i32 = 10;

/// One thread's evaluation state, which follows the search's moves.
#[derive(Clone, Debug)]
pub struct Evaluator {
    accumulators: Accumulators,
    fades: bool,
}

impl Evaluator {
    /// A state for the starting position.
    pub fn new(network: Arc<Network>) -> Evaluator {
        let accumulators = Accumulators::new(network, Kernels::best(), &Board::startpos());
        Evaluator { accumulators, fades: true }
    }

    /// Forgets all moves and begins at `board`.
    pub fn reset(&mut self, board: &Board) {
        self.accumulators.reset(board);
    }

    /// Evaluates by `network` from now on. If it is another one, all pushed moves are forgotten.
    pub fn set_network(&mut self, network: &Arc<Network>) {
        if !Arc::ptr_eq(network, self.accumulators.network()) {
            *self = Evaluator { fades: self.fades, ..Evaluator::new(Arc::clone(network)) };
        }
    }

    /// Sets whether leads fade from now on.
    pub fn set_fades(&mut self, fades: bool) {
        self.fades = fades;
    }

    /// Follows a move or a null move, which has led to `board`.
    #[inline]
    pub fn push(&mut self, board: &Board) {
        self.accumulators.push(board);
    }

    /// Takes back the last move or null move.
    #[inline]
    pub fn pop(&mut self) {
        self.accumulators.pop();
    }

    /// The squares that the opponent of the side to move attacks on `board`, which must be the position to which the
    /// pushed moves have led. The evaluation needs the attacks of both sides, so they are found once for both uses.
    #[inline]
    pub fn opponent_attacks(&mut self, board: &Board) -> AttackedSquares {
        let attacked = self.accumulators.attacks().by(!board.turn());
        debug_assert_eq!(attacked, board.men().attacked_by(!board.turn()), "another position");
        attacked
    }

    /// The evaluation of `board` in centipawns for the side to move, within +-[`Score::MAX_EVAL`]. `board` must be the
    /// position to which the pushed moves have led.
    #[inline]
    pub fn evaluate(&mut self, board: &Board) -> Score {
        let output = self.accumulators.evaluate(board);
        let unit = self.accumulators.network().unit();
        if self.fades { faded(output, unit, board) } else { Score::new(in_unit(output, unit, board)) }
    }
}

/// The evaluation of `board` by the embedded network, from the board alone.
pub fn evaluate(board: &Board) -> Score {
    evaluate_with(&Network::embedded(), board)
}

/// The evaluation of `board` by `network`, from the board alone. It equals [`Evaluator::evaluate`].
pub fn evaluate_with(network: &Network, board: &Board) -> Score {
    faded(network.evaluate(board), network.unit(), board)
}

/// The value of the piece on each square to its side, in centipawns: what the evaluation by `network` would lose
/// without the piece. Kings have no value, because there is no game without them. The unit is that of the search.
pub fn worths(network: &Network, board: &Board) -> [Option<i32>; 64] {
    let whole = network.evaluate(board);
    Square::ALL.map(|square| {
        let piece = board.piece_at(square).filter(|piece| piece.role != Role::King)?;
        let lost = whole - network.evaluate_part(board, board.occupied() ^ square);
        let lost = network.unit().to_search(lost, board.material());
        Some(if piece.color == board.turn() { lost } else { -lost })
    })
}

/// The network's `output` from its `unit` to that of the search, bounded.
#[inline]
fn in_unit(output: i32, unit: Unit, board: &Board) -> i32 {
    let output = output.clamp(-Score::MAX_EVAL.value(), Score::MAX_EVAL.value());
    let score = unit.to_search(output, board.material());
    score.clamp(-Score::MAX_EVAL.value(), Score::MAX_EVAL.value())
}

/// The network's `output` for the side to move, in the unit of the search and with both fades: it counts less with
/// every ply without progress, and little if the leading side's material cannot win.
#[inline]
fn faded(output: i32, unit: Unit, board: &Board) -> Score {
    let turn = board.turn();
    let ahead = if output >= 0 { turn } else { turn.other() };
    let score = in_unit(output, unit, board) * winning_share(board, ahead) / FULL_SHARE;
    Score::new(score * lead_left(board.halfmove_clock()) / CLOCK_SPAN)
}

/// What is left of a lead after `halfmove_clock` plies without progress, in 1/[`CLOCK_SPAN`].
#[inline]
fn lead_left(halfmove_clock: u32) -> i32 {
    (CLOCK_SPAN + CLOCK_GRACE - halfmove_clock as i32).clamp(0, CLOCK_SPAN)
}

#[cfg(test)]
mod tests {
    use super::network::Shape;
    use super::*;

    #[test]
    fn the_evaluation_favors_the_side_with_more_material() {
        let ahead = Board::from_fen("4k3/pppp4/8/8/8/8/PPPP4/3QK3 w - - 0 1").unwrap().0;
        let behind = Board::from_fen("3qk3/pppp4/8/8/8/8/PPPP4/4K3 w - - 0 1").unwrap().0;
        assert!(evaluate(&ahead) > Score::new(300));
        assert!(evaluate(&behind) < Score::new(-300));
        assert!(evaluate(&Board::startpos()).value().abs() < 100);
    }

    #[test]
    fn evaluations_stay_in_range_with_any_material() {
        let board = Board::from_fen("kr6/pp6/8/8/8/8/QQQQQ3/KQQQQ3 w - - 0 1").unwrap().0;
        for unit in [Unit::SEARCH, Unit::new(40, 118).unwrap(), Unit::new(10_000, 1).unwrap()] {
            for output in [i32::MAX, 2_000_000, -2_000_000, i32::MIN] {
                let score = faded(output, unit, &board);
                assert_eq!(score.value().abs(), Score::MAX_EVAL.value());
                assert_eq!(score.value() > 0, output > 0);
            }
        }
    }

    #[test]
    fn the_evaluation_shrinks_with_the_halfmove_clock() {
        let unit = Unit::new(40, 118).unwrap();
        let at = |clock: u32| {
            let fen = format!("4k3/pppp4/8/8/8/8/PPPP4/3QK3 w - - {clock} 80");
            faded(600, unit, &Board::from_fen(&fen).unwrap().0).value()
        };
        let whole = unit.to_search(600, 17);
        assert_eq!([0, 10, 50].map(at), [whole, whole, whole * 4 / 5]);
        assert!((at(99) - whole * 111 / 200).abs() <= 1);
    }

    /// Training games are searched without fades.
    #[test]
    fn an_evaluator_may_go_without_fades() {
        let network = Network::embedded();
        let mut evaluator = Evaluator::new(Arc::clone(&network));
        for fen in ["4k3/pppp4/8/8/8/8/PPPP4/3QK3 w - - 60 80", "4kb2/8/8/8/8/8/PP6/4KB2 w - - 0 1"] {
            let board = Board::from_fen(fen).unwrap().0;
            evaluator.reset(&board);
            evaluator.set_fades(false);
            evaluator.set_network(&Arc::new((*network).clone()));
            evaluator.reset(&board);
            let whole = evaluator.evaluate(&board).value();
            assert_eq!(whole, network.unit().to_search(network.evaluate(&board), board.material()), "{fen}");
            evaluator.set_fades(true);
            assert_eq!(evaluator.evaluate(&board), evaluate(&board), "{fen}");
            assert!(evaluate(&board).value().abs() < whole.abs(), "{fen}");
        }
    }

    #[test]
    fn the_worth_of_a_queen_exceeds_two_pawns() {
        let board = Board::from_fen("4k3/8/8/3q4/8/8/P7/3QK3 b - - 0 1").unwrap().0;
        let worths = worths(&Network::embedded(), &board);
        let at = |square: Square| worths[square as usize];
        assert_eq!((at(Square::E1), at(Square::E8), at(Square::H1)), (None, None, None));
        for queen in [Square::D1, Square::D5] {
            assert!(at(queen) > at(Square::A2).map(|pawn| 2 * pawn), "{worths:?}");
        }
    }

    #[test]
    fn an_evaluator_may_change_its_network() {
        let network = |hidden, buckets, products, seed| {
            Arc::new(Network::random(Shape { hidden, zones: 1, hanging: false, buckets, products }, seed))
        };
        let (first, second) = (network(32, 1, false, 1), network(64, 8, true, 2));
        let start = Board::startpos();
        let mut evaluator = Evaluator::new(Arc::clone(&first));
        for network in [&first, &second, &second, &first] {
            evaluator.set_network(network);
            evaluator.reset(&start);
            assert_eq!(evaluator.evaluate(&start), evaluate_with(network, &start));
            let mv = start.parse_uci("e2e4").unwrap();
            evaluator.push(&start.after(mv));
            assert_eq!(evaluator.evaluate(&start.after(mv)), evaluate_with(network, &start.after(mv)));
        }
    }
}
