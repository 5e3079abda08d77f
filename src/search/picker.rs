//! The staged move picker: moves come one by one, the likeliest cut-offs first, and later
//! stages are neither generated nor scored before they are needed.
//!
//! Table move; captures that do not lose material, by victim and history; quiet
//! moves by history; losing captures. Every move it yields is legal. Killers have no stage of their own: what cut off at this
//! ply before is reduced less, but where it stands among the quiets the histories know better.
//!
//! What each part is worth, as in `alpha_beta`: without capture history -17 +- 30,
//! continuation history one ply back -1 +- 28, two +10 +- 28, four +21 +- 29, pawn history -1 +- 30,
//! danger -26 +- 31, checks -34 +- 30.

use arrayvec::ArrayVec;

use super::worker::Worker;
use crate::board::{Bitboard, Board, CheckSquares, Move, MoveList, Role};
use crate::history::{Continuations, Threats};
use crate::params::Params;

/// A check counts as safe if it loses no more than this, in centipawns.
const SAFE_CHECK_LOSS: i32 = 75;
/// How many times the greatest history underpromotions are put back: they are legal but hardly ever good.
const UNDERPROMOTION: i32 = 4;

/// What the picker does next.
#[derive(Clone, Copy)]
enum Stage {
    TableMove,
    GenerateNoisy,
    GoodNoisy,
    GenerateQuiets,
    Quiets,
    BadNoisy,
    Done,
}

#[derive(Clone, Copy)]
struct Scored {
    mv: Move,
    score: i32,
    /// The part of a quiet move's score that its history is.
    history: i32,
}

/// What the picker needs to know of its node, besides the board.
pub struct Context<'a> {
    /// The table's move, already known to be legal here.
    pub tt_move: Option<Move>,
    /// The moves that led here.
    pub continuations: Continuations,
    /// What the opponent attacks.
    pub threats: Threats,
    /// From where checks would be given; needed for quiet moves only.
    pub checks: Option<&'a CheckSquares>,
}

/// Yields the moves of one node in order.
pub struct MovePicker<'a> {
    stage: Stage,
    context: Context<'a>,
    moves: ArrayVec<Scored, 256>,
    next: usize,
    bad: ArrayVec<Move, 64>,
    skip_quiets: bool,
    quiet_history: Option<i32>,
    /// ProbCut and the like: only captures that win at least this much, and no quiets.
    noisy_threshold: Option<i32>,
}

impl<'a> MovePicker<'a> {
    /// All moves of a node.
    pub fn new(context: Context<'a>) -> MovePicker<'a> {
        MovePicker {
            stage: Stage::TableMove,
            context,
            moves: ArrayVec::new(),
            next: 0,
            bad: ArrayVec::new(),
            skip_quiets: false,
            quiet_history: None,
            noisy_threshold: None,
        }
    }

    /// Only captures and queen promotions whose exchange gains at least `threshold`.
    pub fn noisy_only(tt_move: Option<Move>, threshold: i32) -> MovePicker<'a> {
        let context =
            Context { tt_move, continuations: [None; 3], threats: Threats(Bitboard::EMPTY), checks: None };
        MovePicker { noisy_threshold: Some(threshold), skip_quiets: true, ..MovePicker::new(context) }
    }

    /// From now on no quiet moves, but for the table's.
    pub fn skip_quiets(&mut self) {
        self.skip_quiets = true;
    }

    /// What history says of the quiet move that was yielded last, if it had to be looked up: it was looked up before
    /// the moves ahead of it were searched, which is as good and, with smaller root moves, saves 2% of the instructions.
    #[inline]
    pub fn quiet_history(&self) -> Option<i32> {
        self.quiet_history
    }

    /// The next move.
    pub fn next(&mut self, worker: &Worker, board: &Board) -> Option<Move> {
        loop {
            match self.stage {
                Stage::TableMove => {
                    self.stage = Stage::GenerateNoisy;
                    if self.context.tt_move.is_some() {
                        return self.context.tt_move;
                    }
                }
                Stage::GenerateNoisy => {
                    let mut list = MoveList::new();
                    board.noisy_moves(&mut list);
                    for &mv in &list {
                        let score = noisy_value(board, mv) + worker.history.noisy(board, mv);
                        self.moves.push(Scored { mv, score, history: 0 });
                    }
                    self.stage = Stage::GoodNoisy;
                }
                Stage::GoodNoisy => {
                    while let Some(Scored { mv, score, .. }) = self.select() {
                        if self.is_table_move(mv) || !board.is_legal(mv) {
                            continue;
                        }
                        let threshold = self
                            .noisy_threshold
                            .unwrap_or_else(|| -score / worker.params().noisy_see_divisor);
                        if board.see_ge(mv, threshold) {
                            return Some(mv);
                        }
                        // More than 64 losing captures do not occur in legal chess; were they to, the
                        // surplus is tried early rather than never.
                        if self.noisy_threshold.is_none() && self.bad.try_push(mv).is_err() {
                            return Some(mv);
                        }
                    }
                    self.stage =
                        if self.noisy_threshold.is_some() { Stage::Done } else { Stage::GenerateQuiets };
                    self.next = 0;
                }
                Stage::GenerateQuiets => {
                    self.moves.clear();
                    self.next = 0;
                    if let Some(checks) = self.context.checks
                        && !self.skip_quiets
                    {
                        let mut list = MoveList::new();
                        board.quiet_moves(&mut list);
                        let danger = board.threats_by_worth(!board.turn());
                        let Context { threats, continuations, .. } = &self.context;
                        let quiets = worker.history.quiets(board, *threats, continuations);
                        for &mv in &list {
                            let (params, history) = (worker.params(), quiets.of(mv));
                            self.moves.push(scored_quiet(params, board, history, &danger, checks, mv));
                        }
                    }
                    self.stage = Stage::Quiets;
                }
                Stage::Quiets => {
                    while !self.skip_quiets {
                        let Some(Scored { mv, history, .. }) = self.select() else { break };
                        if !self.is_table_move(mv) && board.is_legal(mv) {
                            self.quiet_history = Some(history);
                            return Some(mv);
                        }
                    }
                    self.stage = Stage::BadNoisy;
                    self.next = 0;
                }
                Stage::BadNoisy => {
                    if let Some(&mv) = self.bad.get(self.next) {
                        self.next += 1;
                        return Some(mv);
                    }
                    self.stage = Stage::Done;
                }
                Stage::Done => return None,
            }
        }
    }

    #[inline]
    fn is_table_move(&self, mv: Move) -> bool {
        self.context.tt_move == Some(mv)
    }

    /// The best of the moves that are left, by selection: most nodes end after a few.
    fn select(&mut self) -> Option<Scored> {
        let rest = &mut self.moves[self.next..];
        let mut best = 0;
        let mut highest = rest.first()?.score;
        for (index, candidate) in rest.iter().enumerate().skip(1) {
            // Of equals the first one.
            if candidate.score > highest {
                (best, highest) = (index, candidate.score);
            }
        }
        rest.swap(0, best);
        let chosen = rest[0];
        self.next += 1;
        Some(chosen)
    }
}

/// A quiet move by its history and what can be seen: pieces that leave or enter the reach of lesser ones, and checks.
#[inline]
fn scored_quiet(
    params: &Params,
    board: &Board,
    history: i32,
    danger: &[Bitboard; 3],
    checks: &CheckSquares,
    mv: Move,
) -> Scored {
    let mut score = history;
    if mv.is_promotion() {
        score -= UNDERPROMOTION * crate::history::LIMIT;
    }
    let role = board.moved_role(mv);
    let risk = match role {
        Role::Knight | Role::Bishop => Some((danger[0], params.danger_minor)),
        Role::Rook => Some((danger[1], params.danger_rook)),
        Role::Queen => Some((danger[2], params.danger_queen)),
        Role::Pawn | Role::King => None,
    };
    if let Some((danger, weight)) = risk
        && !mv.is_castle()
    {
        score += weight * (i32::from(danger.contains(mv.from())) - i32::from(danger.contains(mv.to())));
    }
    if checks.squares(role).contains(mv.to()) && board.see_ge(mv, -SAFE_CHECK_LOSS) {
        score += params.check_order;
    }
    Scored { mv, score, history }
}

/// The material that a capture or promotion brings, before any reply, scaled so that a piece
/// outweighs its history.
#[inline]
fn noisy_value(board: &Board, mv: Move) -> i32 {
    let victim = board.captured(mv).map_or(0, material);
    let promotion = mv.promotion().map_or(0, |role| material(role) - material(Role::Pawn));
    16 * (victim + promotion)
}

fn material(role: Role) -> i32 {
    crate::board::see::VALUES[usize::from(role) - 1]
}
