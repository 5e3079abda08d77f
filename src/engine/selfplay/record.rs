//! A whole game with its scores. Data generation makes such records, and the training reads them.

use crate::chess::board::{Board, Color, Move};

/// The result of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GameResult {
    /// White won.
    White,
    /// The game was drawn.
    Draw,
    /// Black won.
    Black,
}

impl GameResult {
    /// The win of this side.
    pub fn win_of(winner: Color) -> GameResult {
        winner.fold_wb(GameResult::White, GameResult::Black)
    }

    /// White's points: 1, one half or 0.
    pub fn white_share(self) -> f64 {
        match self {
            GameResult::White => 1.0,
            GameResult::Draw => 0.5,
            GameResult::Black => 0.0,
        }
    }

    /// The result as in PGN.
    pub fn text(self) -> &'static str {
        match self {
            GameResult::White => "1-0",
            GameResult::Draw => "1/2-1/2",
            GameResult::Black => "0-1",
        }
    }

    /// The index of the result in a list of White's wins, draws and Black's wins.
    pub fn index(self) -> usize {
        match self {
            GameResult::White => 0,
            GameResult::Draw => 1,
            GameResult::Black => 2,
        }
    }
}

/// A played move and the score of its search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ply {
    /// The move that was played. It is the best move, or a random one ([`super::variety`]).
    pub mv: Move,
    /// The search's score in centipawns from White's point of view, in the unit of the search. Mates are encoded as in
    /// [`crate::chess::types::Score`].
    pub score: i16,
    /// Whether the training learns the score. If not, the score is not stored.
    pub is_label: bool,
}

impl Ply {
    /// A ply whose score is a label.
    pub fn new(mv: Move, score: i16) -> Ply {
        Ply { mv, score, is_label: true }
    }
}

/// A game from its first searched position to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameRecord {
    /// The position of the first search, after the random plies.
    pub start: Board,
    /// The moves, all legal.
    pub plies: Vec<Ply>,
    /// The result under the rules or by adjudication.
    pub result: GameResult,
    /// The number of the first ply, from 0, about which the result tells something: the one after the last random move.
    pub result_from: usize,
    /// Whether the scores contain the fades of the evaluation. Only games of older versions have such scores.
    pub is_faded: bool,
}

impl GameRecord {
    /// A game of best moves.
    pub fn new(start: Board, plies: Vec<Ply>, result: GameResult) -> GameRecord {
        GameRecord { start, plies, result, result_from: 0, is_faded: false }
    }

    /// The number of plies whose scores are labels.
    pub fn labels(&self) -> usize {
        self.plies.iter().filter(|ply| ply.is_label).count()
    }

    /// The result if it tells something about ply `number`, from 0.
    pub fn result_at(&self, number: usize) -> Option<GameResult> {
        (number >= self.result_from).then_some(self.result)
    }

    /// The game without the plies from the first position with at most `pieces` pieces on. The result stays.
    pub fn before_endgame(mut self, pieces: usize) -> GameRecord {
        let mut length = 0;
        self.for_each(|board, _| length += usize::from(board.occupied().count() > pieces));
        self.plies.truncate(length);
        self.result_from = self.result_from.min(length);
        self
    }

    /// Calls `visit` with each position in which a move was played and with the ply played there.
    pub fn for_each(&self, mut visit: impl FnMut(&Board, &Ply)) {
        let mut board = self.start.clone();
        for ply in &self.plies {
            visit(&board, ply);
            board = board.after(ply.mv);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_endgame_is_cut_off() {
        let start = Board::from_fen("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1").unwrap().0;
        let mut board = start.clone();
        let mut ply = |text: &str, score| {
            let mv = *board.legal_moves().iter().find(|mv| mv.to_uci(false).to_string() == text).unwrap();
            board = board.after(mv);
            Ply::new(mv, score)
        };
        let plies = vec![ply("e1e2", 1), ply("d5e4", 2), ply("e2e3", 3), ply("e8e7", 4)];
        let game = GameRecord { result_from: 3, ..GameRecord::new(start, plies, GameResult::Draw) };
        let kept = |pieces| -> Vec<i16> {
            let kept = game.clone().before_endgame(pieces);
            assert_eq!((&kept.start, kept.result), (&game.start, game.result));
            assert_eq!(kept.result_from, kept.plies.len().min(3));
            kept.plies.iter().map(|ply| ply.score).collect()
        };
        assert_eq!(kept(2), [1, 2, 3, 4]);
        assert_eq!(kept(3), [1, 2], "the position before the capture still has four pieces");
        assert!(kept(4).is_empty());
    }
}
