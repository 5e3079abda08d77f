//! An analyzed game with all results that the reports show.

use std::ops::RangeInclusive;

use super::answer::{Found, FoundLine};
use super::judgment::{self, Evaluation, Judgment, game_accuracy, judge, move_accuracy};
use crate::chess::board::{Board, Color, Move};
use crate::chess::pgn::GameTree;

/// An analyzed game.
pub struct Assessment {
    /// The game's number in the input, from 1.
    pub number: u64,
    /// The game as its author wrote it.
    pub game: GameTree,
    /// The start position and the positions after each move.
    pub boards: Vec<Board>,
    /// The search results of these positions; `None` for positions that were not analyzed.
    pub positions: Vec<Option<Position>>,
    /// The verdicts on the moves; `None` if the position before or after the move was not analyzed.
    pub moves: Vec<Option<Verdict>>,
    /// The statistics of White and Black.
    pub players: [Figures; 2],
}

/// The search result of a position.
pub struct Position {
    /// The evaluation of the best line.
    pub evaluation: Evaluation,
    /// The number of searched nodes.
    pub nodes: u64,
    /// The best lines, at least one.
    pub lines: Vec<AssessedLine>,
}

/// A principal variation.
pub struct AssessedLine {
    /// The evaluation of the line.
    pub evaluation: Evaluation,
    /// The depth in plies.
    pub depth: i32,
    /// The deepest ply that the search reached.
    pub seldepth: usize,
    /// The moves; none if the game is over.
    pub moves: Vec<Move>,
}

/// The verdict on a move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// The side that made the move.
    pub mover: Color,
    /// The loss of the mover's Win%; negative for a gain.
    pub win_loss: f64,
    /// The loss in lichess's centipawns.
    pub loss: f64,
    /// The accuracy of the move, 0 to 100.
    pub accuracy: f64,
    /// The judgment, if the move was a fault.
    pub judgment: Option<Judgment>,
}

/// The statistics of a player.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Figures {
    /// The number of judged moves.
    pub moves: usize,
    /// The numbers of inaccuracies, mistakes and blunders.
    pub judgments: [usize; 3],
    /// The average loss of a move in centipawns.
    pub average_loss: Option<f64>,
    /// The accuracy in the game, 0 to 100.
    pub accuracy: Option<f64>,
}

/// The positions of a game to analyze: those before and after the moves whose numbers lie between `from` and `to`. A
/// position is named by the number of moves before it. `None` if there are no such moves.
pub fn span(
    game: &GameTree,
    boards: &[Board],
    from: Option<u32>,
    to: Option<u32>,
) -> Option<RangeInclusive<usize>> {
    let is_chosen = |board: &Board| {
        from.is_none_or(|from| board.fullmove() >= from) && to.is_none_or(|to| board.fullmove() <= to)
    };
    if game.moves.is_empty() {
        return is_chosen(&boards[0]).then_some(0..=0);
    }
    let movers = &boards[..game.moves.len()];
    let first = movers.iter().position(is_chosen)?;
    let last = movers.iter().rposition(is_chosen)?;
    Some(first..=last + 1)
}

impl Assessment {
    /// The assessment of a game. `found` holds the results of its positions.
    pub fn new(number: u64, game: GameTree, boards: Vec<Board>, found: Vec<Option<Found>>) -> Assessment {
        debug_assert_eq!(boards.len(), found.len());
        let positions: Vec<Option<Position>> =
            found.into_iter().zip(&boards).map(|(found, board)| Some(position(found?, board))).collect();
        let evaluation = |index: usize| positions[index].as_ref().map(|position| &position.evaluation);
        let moves: Vec<Option<Verdict>> = (0..game.moves.len())
            .map(|index| {
                let (before, after) = (evaluation(index)?, evaluation(index + 1)?);
                Some(verdict(before, after, boards[index].turn()))
            })
            .collect();
        // The analyzed positions follow each other without a gap.
        let wins: Vec<f64> = positions.iter().flatten().map(|position| position.evaluation.win()).collect();
        let first =
            positions.iter().position(Option::is_some).map_or(Color::White, |index| boards[index].turn());
        let accuracies = game_accuracy(&wins, first);
        let players = [Color::White, Color::Black].map(|side| {
            let verdicts: Vec<&Verdict> =
                moves.iter().flatten().filter(|verdict| verdict.mover == side).collect();
            figures(&verdicts, accuracies[side.fold_wb(0, 1)])
        });
        Assessment { number, game, boards, positions, moves, players }
    }

    /// The line that would have been better than a faulty move; `None` if the move was no fault or is the best move
    /// itself.
    pub fn better_line(&self, index: usize) -> Option<&[Move]> {
        self.moves[index]?.judgment?;
        let best = &self.positions[index].as_ref()?.lines[0].moves;
        (*best.first()? != self.game.moves[index].mv).then_some(best.as_slice())
    }
}

fn position(found: Found, board: &Board) -> Position {
    let lines: Vec<AssessedLine> = found.lines.into_iter().map(|line| assessed(line, board)).collect();
    Position { evaluation: lines[0].evaluation, nodes: found.nodes, lines }
}

fn assessed(line: FoundLine, board: &Board) -> AssessedLine {
    let evaluation = Evaluation::new(line.score, board.turn(), board.material());
    AssessedLine { evaluation, depth: line.depth, seldepth: line.seldepth, moves: line.moves }
}

/// The verdict on a move of `mover` by the evaluations before and after it.
pub fn verdict(before: &Evaluation, after: &Evaluation, mover: Color) -> Verdict {
    let (was, is) = (before.win_of(mover), after.win_of(mover));
    Verdict {
        mover,
        win_loss: was - is,
        loss: judgment::loss(before, after, mover),
        accuracy: move_accuracy(was, is),
        judgment: judge(before, after, mover),
    }
}

/// The statistics of a player by the verdicts on the moves.
pub fn figures(verdicts: &[&Verdict], accuracy: Option<f64>) -> Figures {
    let count = |wanted| verdicts.iter().filter(|verdict| verdict.judgment == Some(wanted)).count();
    let average = verdicts.iter().map(|verdict| verdict.loss).sum::<f64>() / verdicts.len() as f64;
    Figures {
        moves: verdicts.len(),
        judgments: [Judgment::Inaccuracy, Judgment::Mistake, Judgment::Blunder].map(count),
        average_loss: (!verdicts.is_empty()).then_some(average),
        accuracy,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::job::tests::game;
    use super::*;
    use crate::chess::types::Score;

    /// An assessment of the first game of a text. `found` holds a score for the side to move and a line in SAN for each
    /// position.
    pub fn assessment(text: &str, found: &[Option<(i32, &str)>]) -> Assessment {
        let game = game(text);
        let boards = game.boards();
        let positions = boards.iter().zip(found).map(|(board, found)| {
            let (score, line) = (*found)?;
            let mut board = board.clone();
            let mut moves = Vec::new();
            for san in line.split_whitespace() {
                moves.push(board.parse_san(san).unwrap());
                board = board.after(moves[moves.len() - 1]);
            }
            Some(Found {
                nodes: 100,
                lines: vec![FoundLine { score: Score::new(score), depth: 7, seldepth: 9, moves }],
            })
        });
        let positions: Vec<Option<Found>> = positions.collect();
        Assessment::new(1, game, boards, positions)
    }

    #[test]
    fn moves_are_judged_by_the_positions_beside_them() {
        let found = [
            Some((30, "e4 e5")),
            Some((-25, "e5")),
            Some((30, "Nf3")),
            Some((400, "Nc6 Nf3")),
            Some((-500, "Ke2")),
        ];
        let game = assessment("1. e4 e5 2. Qh5 Nc6 *", &found);
        let judgments: Vec<Option<Judgment>> =
            game.moves.iter().map(|verdict| verdict.unwrap().judgment).collect();
        assert_eq!(judgments, [None, None, Some(Judgment::Blunder), None]);
        assert_eq!(game.boards[2].to_san(game.better_line(2).unwrap()[0]), "Nf3");
        assert_eq!(game.better_line(0), None);
        let [white, black] = game.players;
        assert_eq!((white.moves, white.judgments, black.judgments), (2, [0, 0, 1], [0; 3]));
        assert!(white.accuracy.unwrap() < 60.0 && black.accuracy.unwrap() > 95.0);
        assert!(white.average_loss.unwrap() > 100.0);
    }

    #[test]
    fn moves_that_were_not_analysed_are_not_judged() {
        let found = [None, Some((-25, "e5")), Some((30, "Nf3")), None, None];
        let game = assessment("1. e4 e5 2. Qh5 Nc6 *", &found);
        assert_eq!(game.moves.iter().map(Option::is_some).collect::<Vec<_>>(), [false, true, false, false]);
        assert_eq!((game.players[0].accuracy, game.players[0].average_loss), (None, None));
        assert!(game.players[1].accuracy.is_some());
    }

    #[test]
    fn spans_are_around_the_moves_of_their_numbers() {
        let span_of = |text: &str, from, to| {
            let game = game(text);
            let boards = game.boards();
            span(&game, &boards, from, to)
        };
        let text = "1. e4 e5 2. Nf3 Nc6 3. Bb5 *";
        assert_eq!(span_of(text, None, None), Some(0..=5));
        assert_eq!(span_of(text, Some(2), None), Some(2..=5));
        assert_eq!(span_of(text, Some(2), Some(2)), Some(2..=4));
        assert_eq!(span_of(text, None, Some(1)), Some(0..=2));
        assert_eq!(span_of(text, Some(4), None), None);
        assert_eq!(span_of("*", None, None), Some(0..=0));
        assert_eq!(span_of("*", Some(2), None), None);
        let late = "[FEN \"4k3/8/8/8/8/8/8/4K2R b K - 0 30\"]\n\n30... Kd7 31. Kd2 *";
        assert_eq!(span_of(late, Some(31), None), Some(1..=2));
    }
}
