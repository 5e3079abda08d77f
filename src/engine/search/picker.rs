//! The staged move picker yields moves one by one, those that most likely cause a cut-off first. A later stage is
//! neither generated nor scored before it is needed.
//!
//! The order is: the table move; captures that do not lose material, by victim and history; quiet moves, by history,
//! pieces in danger and checks; losing captures. Every yielded move is legal. Killers have no stage of their own: they
//! are reduced less, but the histories know better where to place them among the quiet moves.
//!
//! Safe checks are among the first quiet moves.

use arrayvec::ArrayVec;

use super::ranking::{MoveRanking, Ranked};
use crate::chess::board::{AttackedSquares, Bitboard, Board, CheckSquares, Move, Role};
use crate::engine::history::{Continuations, History, Threats};
use crate::engine::params::Params;

/// What the picker does next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    TableMove,
    GenerateNoisy,
    GoodNoisy,
    Quiets,
    BadNoisy,
}

/// Which moves the picker yields.
#[derive(Clone, Copy)]
enum Scope<'a> {
    All(&'a QuietContext),
    /// Only captures and queen promotions that win at least this much, in centipawns.
    Winning(i32),
}

/// What the quiet moves of a position are scored by.
pub struct QuietContext {
    /// The moves that led to the position.
    pub continuations: Continuations,
    /// The squares that the opponent attacks.
    attacked: AttackedSquares,
    /// The same, as the histories ask for them.
    pub threats: Threats,
    /// The squares from which pieces would give check.
    pub checks: CheckSquares,
}

impl QuietContext {
    /// The context of `board`, to which these moves have led, and where the opponent has `attacked` these squares.
    #[inline]
    pub fn new(board: &Board, continuations: Continuations, attacked: AttackedSquares) -> QuietContext {
        let threats = Threats::new(&attacked);
        QuietContext { continuations, attacked, threats, checks: board.check_squares() }
    }
}

/// Yields the moves of one node in order.
pub struct MovePicker<'a> {
    board: &'a Board,
    tt_move: Option<Move>,
    scope: Scope<'a>,
    stage: Stage,
    ranking: MoveRanking,
    bad: ArrayVec<Move, 64>,
    next_bad: usize,
    skip_quiets: bool,
    quiet_history: Option<i32>,
    known_gain: i32,
}

impl<'a> MovePicker<'a> {
    /// Yields all moves of a node. The table's move must be legal here.
    #[inline]
    pub fn new(board: &'a Board, tt_move: Option<Move>, context: &'a QuietContext) -> MovePicker<'a> {
        MovePicker::of(board, tt_move, Scope::All(context))
    }

    /// Yields the table's move, whatever it gains, and then only captures and queen promotions whose exchange gains at
    /// least `threshold` centipawns.
    #[inline]
    pub fn winning(board: &'a Board, tt_move: Option<Move>, threshold: i32) -> MovePicker<'a> {
        MovePicker::of(board, tt_move, Scope::Winning(threshold))
    }

    #[inline]
    fn of(board: &'a Board, tt_move: Option<Move>, scope: Scope<'a>) -> MovePicker<'a> {
        MovePicker {
            board,
            tt_move,
            scope,
            stage: Stage::TableMove,
            ranking: MoveRanking::default(),
            bad: ArrayVec::new(),
            next_bad: 0,
            skip_quiets: false,
            quiet_history: None,
            known_gain: i32::MIN,
        }
    }

    /// Makes the picker yield no more quiet moves, except the table's.
    pub fn skip_quiets(&mut self) {
        self.skip_quiets = true;
    }

    /// The history score of the quiet move that was yielded last, if the picker looked it up. The score was looked up
    /// before the moves ahead of this one were searched. It is as good as the present score, and using it saves a
    /// second look-up.
    #[inline]
    pub fn quiet_history(&self) -> Option<i32> {
        self.quiet_history
    }

    /// What the exchange of the capture that was yielded last gains at least, in centipawns, if the picker has asked;
    /// otherwise `i32::MIN`.
    #[inline]
    pub fn known_gain(&self) -> i32 {
        self.known_gain
    }

    /// The next move.
    pub fn next(&mut self, history: &History, params: &Params) -> Option<Move> {
        // These questions are easier to predict than a jump by the stage.
        if self.stage == Stage::TableMove {
            self.stage = Stage::GenerateNoisy;
            if self.tt_move.is_some() {
                return self.tt_move;
            }
        }
        if self.stage == Stage::GenerateNoisy {
            self.generate_noisy(history, params);
            self.stage = Stage::GoodNoisy;
        }
        if self.stage == Stage::GoodNoisy {
            let found = self.next_good_noisy(params);
            if found.is_some() {
                return found;
            }
            self.known_gain = i32::MIN;
            self.stage = self.after_good_noisy(history, params);
        }
        if self.stage == Stage::Quiets {
            let found = self.next_quiet();
            if found.is_some() {
                return found;
            }
            self.stage = Stage::BadNoisy;
        }
        self.next_bad_noisy()
    }

    #[inline(never)]
    fn generate_noisy(&mut self, history: &History, params: &Params) {
        let board = self.board;
        let rank = |mv| (0, noisy_value(params, board, mv) + history.noisy(board, mv));
        self.ranking.refill(|list| board.noisy_moves(list), rank);
    }

    #[inline]
    fn next_good_noisy(&mut self, params: &Params) -> Option<Move> {
        while let Some((Ranked { mv, .. }, score)) = self.ranking.take_best() {
            if self.tt_move == Some(mv) || !self.board.is_legal(mv) {
                continue;
            }
            let threshold = match self.scope {
                Scope::All(_) => -score / params.noisy_see_divisor,
                Scope::Winning(threshold) => threshold,
            };
            if self.board.see_ge(mv, threshold) {
                self.known_gain = threshold;
                return Some(mv);
            }
            // Games have no more than 64 losing captures in one position. Where there are more, the surplus is tried
            // early rather than never.
            if matches!(self.scope, Scope::All(_)) && self.bad.try_push(mv).is_err() {
                self.known_gain = i32::MIN;
                return Some(mv);
            }
        }
        None
    }

    /// Generates the quiet moves if they are wanted. Returns what comes next.
    #[inline]
    fn after_good_noisy(&mut self, history: &History, params: &Params) -> Stage {
        match self.scope {
            Scope::All(context) if !self.skip_quiets => {
                self.generate_quiets(context, history, params);
                Stage::Quiets
            }
            _ => Stage::BadNoisy,
        }
    }

    #[inline(never)]
    fn generate_quiets(&mut self, context: &QuietContext, history: &History, params: &Params) {
        let board = self.board;
        let dangers = dangers(params, &context.attacked);
        let quiets = history.quiets(board, context.threats, &context.continuations);
        let rank = |mv| {
            let history = quiets.of(mv);
            (history, quiet_score(params, board, history, &dangers, &context.checks, mv))
        };
        self.ranking.refill(|list| board.quiet_moves(list), rank);
    }

    #[inline]
    fn next_quiet(&mut self) -> Option<Move> {
        while !self.skip_quiets {
            let (Ranked { mv, history }, _) = self.ranking.take_best()?;
            if self.tt_move != Some(mv) && self.board.is_legal(mv) {
                self.quiet_history = Some(history);
                return Some(mv);
            }
        }
        None
    }

    #[inline]
    fn next_bad_noisy(&mut self) -> Option<Move> {
        let mv = self.bad.get(self.next_bad).copied();
        self.next_bad += 1;
        mv
    }
}

/// For each role, the squares that less valuable pieces of the other side reach, and the weight of leaving or entering
/// them.
type Dangers = [(Bitboard, i32); 6];

/// The dangers of a side whose opponent attacks these squares.
fn dangers(params: &Params, attacked: &AttackedSquares) -> Dangers {
    let &AttackedSquares { pawns, minors, rooks, .. } = attacked;
    Role::ALL.map(|role| match role {
        Role::Pawn | Role::King => (Bitboard::EMPTY, 0),
        Role::Knight | Role::Bishop => (pawns, params.danger_minor),
        Role::Rook => (minors, params.danger_rook),
        Role::Queen => (rooks, params.danger_queen),
    })
}

/// Scores a quiet move by its history, by whether its piece leaves or enters the reach of less valuable pieces, and by
/// whether it gives check.
#[inline]
fn quiet_score(
    params: &Params,
    board: &Board,
    history: i32,
    dangers: &Dangers,
    checks: &CheckSquares,
    mv: Move,
) -> i32 {
    let mut score = history;
    if mv.is_promotion() {
        score -= params.underpromotion_order;
    }
    let role = board.moved_role(mv);
    let (danger, weight) = dangers[role as usize - 1];
    score += weight * (i32::from(danger.contains(mv.from())) - i32::from(danger.contains(mv.to())));
    if checks.squares(role).contains(mv.to()) && board.see_ge(mv, -params.check_order_loss) {
        score += params.check_order;
    }
    score
}

/// The material that a capture or promotion gains before any reply, scaled so that a piece outweighs most histories.
#[inline]
fn noisy_value(params: &Params, board: &Board, mv: Move) -> i32 {
    params.noisy_value_scale * board.material_gain(mv)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;
    use crate::engine::history::Placement;

    /// Positions with castling on both sides, en passant, promotions and underpromotions that capture, pins, checks,
    /// double checks, and one whose captures all lose.
    const POSITIONS: [&str; 10] = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
        "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
        "1rk3r1/pppppppp/8/8/8/8/PPPPPPPP/1RK3R1 w KQkq - 0 1",
        "4k3/8/8/K2pP2r/8/8/8/8 w - d6 0 1",
        "4r1k1/8/8/8/1b6/8/3N4/R3K2R w KQ - 0 1",
        "6k1/5p1p/p2p2pP/P1pP2P1/2P1q3/5Q2/5P1K/8 w - - 0 1",
    ];

    /// Calls `check` with positions of random games, and with histories full of random numbers.
    fn for_positions(mut check: impl FnMut(&Board, &History, &Continuations)) {
        let mut random = Random::stream(24, 0);
        let mut history = History::default();
        for fen in POSITIONS {
            let mut board = Board::from_fen(fen).unwrap().0;
            let mut continuations = [None; 3];
            for _ in 0..40 {
                let moves = board.legal_moves();
                for &mv in &moves {
                    let bonus = random.below(4_000) as i32 - 2_000;
                    if board.is_noisy(mv) {
                        history.update_noisy(&board, mv, bonus);
                    } else {
                        history.update_quiet(&board, Threats::of(&board), &continuations, mv, bonus);
                    }
                }
                check(&board, &history, &continuations);
                if moves.is_empty() {
                    break;
                }
                let mv = moves[random.below(moves.len())];
                let placement = Placement::new(board.moved_piece(mv), mv.king_target());
                continuations = [Some(placement), continuations[0], continuations[1]];
                board = board.after(mv);
            }
        }
    }

    fn context_of(board: &Board, continuations: Continuations) -> QuietContext {
        QuietContext::new(board, continuations, board.men().attacked_by(!board.turn()))
    }

    fn all(mut picker: MovePicker<'_>, history: &History) -> Vec<Move> {
        std::iter::from_fn(|| picker.next(history, &Params::default())).collect()
    }

    fn sorted(moves: impl IntoIterator<Item = Move>) -> Vec<u16> {
        let mut bits: Vec<u16> = moves.into_iter().map(Move::bits).collect();
        bits.sort_unstable();
        bits
    }

    #[test]
    fn every_legal_move_comes_once_whatever_the_table_has() {
        for_positions(|board, history, &continuations| {
            let context = context_of(board, continuations);
            let legal = board.legal_moves();
            for tt_move in legal.iter().map(|&mv| Some(mv)).chain([None]) {
                let found = all(MovePicker::new(board, tt_move, &context), history);
                assert!(tt_move.is_none() || found.first().copied() == tt_move);
                assert_eq!(sorted(found), sorted(legal.clone()), "{board:?} {tt_move:?}");
            }
        });
    }

    #[test]
    fn after_skip_quiets_only_the_tt_move_and_noisy_moves_come() {
        for_positions(|board, history, &continuations| {
            let context = context_of(board, continuations);
            let legal = board.legal_moves();
            let tt_move = legal.iter().copied().find(|&mv| !board.is_noisy(mv));
            for skipped_after in 0..legal.len() {
                let mut picker = MovePicker::new(board, tt_move, &context);
                let mut found: Vec<Move> =
                    (0..skipped_after).map_while(|_| picker.next(history, &Params::default())).collect();
                picker.skip_quiets();
                let rest = all(picker, history);
                let is_kept = |&mv: &Move| board.is_noisy(mv) || (Some(mv) == tt_move && skipped_after == 0);
                assert!(rest.iter().all(is_kept), "{board:?}");
                found.extend(rest);
                let expected = |mv: &Move| board.is_noisy(*mv) || Some(*mv) == tt_move;
                let (found, expected) =
                    (sorted(found.into_iter().filter(expected)), legal.iter().copied().filter(expected));
                assert_eq!(found, sorted(expected), "{board:?}");
            }
        });
    }

    #[test]
    fn winning_captures_are_the_noisy_moves_that_gain_enough() {
        for_positions(|board, history, _| {
            let legal = board.legal_moves();
            for threshold in [-500, 0, 1, 250] {
                let wins = |mv: &Move| board.is_noisy(*mv) && board.see_ge(*mv, threshold);
                let expected = legal.iter().copied().filter(wins);
                let found = all(MovePicker::winning(board, None, threshold), history);
                assert_eq!(sorted(found), sorted(expected), "{board:?} {threshold}");
                let loser = legal.iter().copied().find(|mv| board.is_noisy(*mv) && !wins(mv));
                let found = all(MovePicker::winning(board, loser, threshold), history);
                assert!(loser.is_none() || found.first().copied() == loser, "{board:?} {threshold}");
            }
        });
    }

    #[test]
    fn moves_come_in_the_order_winning_captures_quiets_losing_captures() {
        let board = Board::from_fen("4k3/2p5/1p1p4/4r3/3P4/8/4R3/4K1N1 w - - 0 1").unwrap().0;
        let mv = |text: &str| board.parse_uci(text).unwrap();
        let mut history = History::default();
        let context = context_of(&board, [None; 3]);
        history.update_quiet(&board, context.threats, &context.continuations, mv("g1f3"), 2_000);
        let found = all(MovePicker::new(&board, None, &context), &history);
        assert_eq!(found[0], mv("d4e5"));
        assert_eq!(found[1], mv("e2e5"), "a rook for a rook");
        assert_eq!(found[2], mv("g1f3"));

        let losing = Board::from_fen("4k3/8/1p6/2p5/8/2R5/8/4K3 w - - 0 1").unwrap().0;
        let context = context_of(&losing, [None; 3]);
        let found = all(MovePicker::new(&losing, None, &context), &history);
        assert_eq!(found.last().copied(), Some(losing.parse_uci("c3c5").unwrap()));
    }
}
