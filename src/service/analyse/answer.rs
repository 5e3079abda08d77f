//! The answer to a job: what was found in its positions. An answer may come from outside (a journal, another machine),
//! so it is checked before it is used: its numbers must be possible, and every move is replayed.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::job::{AnalysisJob, JobError};
use crate::chess::board::{Board, Move, MoveError};
use crate::chess::types::Score;
use crate::engine::run::MAX_DEPTH;

/// The answer to a job: the results of its positions in the order of the game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// One result for each position.
    pub positions: Vec<PositionAnswer>,
}

/// The result of one position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PositionAnswer {
    /// The number of searched nodes.
    pub nodes: u64,
    /// The best lines, at least one.
    pub lines: Vec<LineAnswer>,
}

/// A principal variation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LineAnswer {
    /// The search's internal score for the side to move, see [`Score`].
    pub score: i32,
    /// The depth in plies.
    pub depth: i32,
    /// The deepest ply that the search reached.
    pub seldepth: usize,
    /// The moves; empty if the game is over.
    pub moves: String,
}

/// The checked result of one position.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The number of searched nodes.
    pub nodes: u64,
    /// The best lines, at least one.
    pub lines: Vec<FoundLine>,
}

/// A checked principal variation.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundLine {
    /// The score for the side to move.
    pub score: Score,
    /// The depth in plies.
    pub depth: i32,
    /// The deepest ply that the search reached.
    pub seldepth: usize,
    /// Legal moves; none if the game is over.
    pub moves: Vec<Move>,
}

/// An answer cannot belong to its job.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AnswerError {
    /// The job itself is wrong.
    #[error(transparent)]
    Job(#[from] JobError),
    /// The number of results differs from the number of positions.
    #[error("the answer has {0} positions, and the job has {1}")]
    Positions(usize, usize),
    /// The lines, scores or depths are impossible for a search.
    #[error("the numbers of the answer are not those of a search")]
    Numbers,
    /// A move of a line is wrong.
    #[error(transparent)]
    Move(#[from] MoveError),
}

impl Answer {
    /// The checked results, if this can be the answer to `job`.
    ///
    /// # Errors
    ///
    /// [`AnswerError`] if it cannot be the answer.
    pub fn check(&self, job: &AnalysisJob) -> Result<Vec<Found>, AnswerError> {
        let games = job.positions()?;
        if games.len() != self.positions.len() {
            return Err(AnswerError::Positions(self.positions.len(), games.len()));
        }
        let lines = job.basis.effort.lines;
        games.iter().zip(&self.positions).map(|(game, answer)| answer.check(game.board(), lines)).collect()
    }
}

impl PositionAnswer {
    fn check(&self, board: &Board, lines: usize) -> Result<Found, AnswerError> {
        let choices = board.legal_moves().len();
        if self.lines.is_empty() || self.lines.len() > lines.min(choices).max(1) {
            return Err(AnswerError::Numbers);
        }
        let lines = self.lines.iter().map(|line| line.check(board, choices > 0)).collect::<Result<_, _>>()?;
        Ok(Found { nodes: self.nodes, lines })
    }
}

impl LineAnswer {
    fn check(&self, board: &Board, has_moves: bool) -> Result<FoundLine, AnswerError> {
        let is_score = (-Score::MATE.value()..=Score::MATE.value()).contains(&self.score);
        let is_depth = (0..=MAX_DEPTH).contains(&self.depth) && self.seldepth <= MAX_DEPTH as usize + 1;
        let is_line = self.moves.is_empty() != has_moves && self.moves.len() <= 6 * MAX_DEPTH as usize;
        if !is_score || !is_depth || !is_line {
            return Err(AnswerError::Numbers);
        }
        let mut board = board.clone();
        let mut moves = Vec::new();
        for text in self.moves.split_whitespace() {
            let mv = board.parse_uci(text)?;
            board = board.after(mv);
            moves.push(mv);
        }
        Ok(FoundLine { score: Score::new(self.score), depth: self.depth, seldepth: self.seldepth, moves })
    }
}

#[cfg(test)]
mod tests {
    use super::super::job::tests::{all, game};
    use super::*;

    #[test]
    fn forged_answers_are_refused() {
        let game = game("1. e4 *");
        let (_, job) = all(&game, 0..=1).remove(0);
        let line = |moves: &str| LineAnswer { score: 20, depth: 5, seldepth: 9, moves: moves.to_owned() };
        let position = |lines: Vec<LineAnswer>| PositionAnswer { nodes: 10, lines };
        let answer = |first: LineAnswer, second: LineAnswer| Answer {
            positions: vec![position(vec![first]), position(vec![second])],
        };
        let good = answer(line("e2e4 e7e5"), line("e7e5"));
        let found = good.check(&job).unwrap();
        assert_eq!(
            (found.len(), found[0].lines[0].moves.len(), found[0].lines[0].score),
            (2, 2, Score::new(20))
        );
        assert!(matches!(answer(line("e2e5"), line("e7e5")).check(&job), Err(AnswerError::Move(_))));
        let one = Answer { positions: good.positions[..1].to_vec() };
        assert_eq!(one.check(&job), Err(AnswerError::Positions(1, 2)));
        for wrong in [
            LineAnswer { score: 40_000, ..line("e2e4") },
            LineAnswer { depth: -1, ..line("e2e4") },
            LineAnswer { seldepth: 9999, ..line("e2e4") },
            line(""),
        ] {
            assert_eq!(answer(wrong, line("e7e5")).check(&job), Err(AnswerError::Numbers));
        }
        let two = Answer {
            positions: vec![position(vec![line("e2e4"), line("d2d4")]), position(vec![line("e7e5")])],
        };
        assert_eq!(two.check(&job), Err(AnswerError::Numbers), "more lines than asked for");
    }
}
