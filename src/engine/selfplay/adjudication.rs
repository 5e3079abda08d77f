//! When a game ends without the rules of chess: as soon as its result is nearly certain.
//!
//! A game is a win when two searches in a row, one for each side, have proven a mate of the same side, or when both
//! sides have seen a decisive lead of one side for several plies. It is a draw when both sides have long seen it as
//! even ([`DrawRule`]). All this follows from the scores alone. So the end of a stored game can be checked.

use crate::chess::board::{Board, Color};
use crate::chess::types::Score;

use super::record::GameResult;

/// The greatest absolute score of an opening, in centipawns. Openings with a greater score are half decided and teach
/// little.
pub const MAX_START: i32 = 300;

/// A lead in centipawns that counts as a win if both sides see it for [`DECIDED_PLIES`] plies. According to the model
/// of winning chances it is a win in more than 99% of games at any material. Later positions teach little.
pub const DECIDED: i32 = 800;
/// The number of plies for which such a lead must last.
pub const DECIDED_PLIES: u32 = 6;

/// When a game is adjudicated as a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawRule {
    /// The first move of the game at which the rule applies.
    pub first_move: u32,
    /// With this number of pieces or fewer, kings and pawns counted, the rule applies at any move.
    pub few_pieces: usize,
    /// The greatest absolute score, in centipawns.
    pub limit: i32,
    /// The number of plies in a row with such scores.
    pub plies: u32,
}

/// The rules of adjudication.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Adjudication {
    /// The greatest absolute score that the first search may find, in centipawns. Openings with a greater score are not
    /// played.
    pub max_start: i32,
    /// When games are adjudicated as draws; `None` if only the rules of chess decide.
    pub draw: Option<DrawRule>,
}

impl Adjudication {
    /// The rules for training games. Stormphrax also ends them as draws after ten even plies from ply 70 on.
    pub const TRAINING: Adjudication = Adjudication {
        max_start: MAX_START,
        draw: Some(DrawRule { first_move: 36, few_pieces: 8, limit: 10, plies: 10 }),
    };
    /// The rules for games that compare two players. A draw that the rules of chess do not demand would hide a
    /// difference.
    pub const COMPARISON: Adjudication = Adjudication { max_start: MAX_START, draw: None };
}

/// Follows the scores of a game.
pub struct Referee {
    draw: Option<DrawRule>,
    /// The winner of the mate that the last search has proven.
    last_winner: Option<Color>,
    /// The number of plies in a row in which White was far ahead. The number is negative for Black.
    decided: i32,
    /// The number of plies in a row that count for a draw.
    even: u32,
}

impl Referee {
    /// A referee at the beginning of a game.
    pub fn new(adjudication: Adjudication) -> Referee {
        Referee { draw: adjudication.draw, last_winner: None, decided: 0, even: 0 }
    }

    /// Hears the score of a search of `board` for the side to move. Returns the result if the game ends here.
    pub fn hear(&mut self, board: &Board, score: Score) -> Option<GameResult> {
        let turn = board.turn();
        let for_white = turn.fold_wb(score.value(), -score.value());
        let winner = proven_winner(score, turn);
        if let Some(winner) = winner.filter(|_| winner == self.last_winner) {
            return Some(GameResult::win_of(winner));
        }
        self.last_winner = winner;
        self.decided = if for_white.abs() < DECIDED {
            0
        } else if for_white > 0 {
            self.decided.max(0) + 1
        } else {
            self.decided.min(0) - 1
        };
        if self.decided.unsigned_abs() >= DECIDED_PLIES {
            return Some(GameResult::win_of(Color::from_white(self.decided > 0)));
        }
        let rule = self.draw?;
        let is_late = board.fullmove() >= rule.first_move || board.occupied().count() <= rule.few_pieces;
        self.even = if is_late && for_white.abs() <= rule.limit { self.even + 1 } else { 0 };
        (self.even >= rule.plies).then_some(GameResult::Draw)
    }
}

fn proven_winner(score: Score, turn: Color) -> Option<Color> {
    if score.is_win() {
        Some(turn)
    } else if score.is_loss() {
        Some(turn.other())
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::types::WinModel;

    #[test]
    fn a_decisive_lead_wins_at_any_material() {
        for material in 10..=78 {
            assert!(WinModel::FITTED.win(f64::from(DECIDED), material) > 0.99, "{material}");
        }
    }

    #[test]
    fn a_draw_needs_a_late_move_or_few_pieces() {
        let rule = DrawRule { first_move: 36, few_pieces: 8, limit: 10, plies: 2 };
        let end = |fen: &str, scores: &[i32]| {
            let board = Board::from_fen(fen).unwrap().0;
            let mut referee = Referee::new(Adjudication { max_start: 0, draw: Some(rule) });
            scores.iter().position(|&score| referee.hear(&board, Score::new(score)).is_some())
        };
        let many = "4k3/pppp4/8/8/8/8/PPPP4/4K3 w - - 0";
        let few = "4k3/ppp5/8/8/8/8/PPP5/4K3 w - - 0 9";
        assert_eq!(end(&format!("{many} 35"), &[0, 0, 0, 0]), None);
        assert_eq!(end(&format!("{many} 36"), &[0, 11, -10, 10, 0]), Some(3));
        assert_eq!(end(few, &[0, 0, 0]), Some(1));
    }
}
