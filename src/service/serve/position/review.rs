//! Judges the moves of a line by scores of its positions, with the formulas of `analyse`.

use serde::{Deserialize, Serialize};

use super::place::{MAX_GAME_MOVES, read_fen};
use crate::chess::board::{Board, Color};
use crate::chess::types::{Score, WinModel};
use crate::service::analyse::assessment::{Verdict, figures, verdict};
use crate::service::analyse::judgment::{CEILING, Evaluation, Value, game_accuracy};

/// A question: the positions of a line in their order, with `null` for those without a score.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct ReviewQuestion {
    positions: Vec<Option<ScoredPosition>>,
}

/// A position with a score from White's point of view, as the engine prints it.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct ScoredPosition {
    fen: String,
    /// Centipawns.
    #[serde(default)]
    cp: i32,
    /// The number of moves to a mate, negative if Black mates.
    mate: Option<i32>,
    /// Whether White has given mate; only if a mate is on the board.
    is_won: Option<bool>,
}

/// The answer to a question.
#[derive(Serialize, Debug)]
pub(super) struct ReviewAnswer {
    /// The moves between the positions; `null` if one of the two has no score.
    moves: Vec<Option<JudgedMove>>,
    /// White and Black.
    players: [PlayerReview; 2],
}

#[derive(Serialize, Debug)]
struct JudgedMove {
    /// The loss of the mover's Win%.
    loss: f64,
    accuracy: f64,
    /// The glyph of the fault: 6, 2 or 4.
    nag: Option<u8>,
}

#[derive(Serialize, Debug)]
struct PlayerReview {
    /// 0 to 100. `null` if a position between two others has no score.
    accuracy: Option<f64>,
    /// The average loss of a move in lichess's centipawns.
    average_loss: Option<f64>,
    inaccuracies: usize,
    mistakes: usize,
    blunders: usize,
}

pub(super) fn answer(question: ReviewQuestion) -> Result<ReviewAnswer, String> {
    if question.positions.len() > MAX_GAME_MOVES + 1 {
        return Err(format!("the game has more than {MAX_GAME_MOVES} moves"));
    }
    let positions = question
        .positions
        .iter()
        .map(|position| position.as_ref().map(evaluated).transpose())
        .collect::<Result<Vec<Option<(Color, Evaluation)>>, String>>()?;
    let verdicts: Vec<Option<Verdict>> = positions
        .windows(2)
        .map(|pair| {
            let [Some((turn, before)), Some((_, after))] = pair else { return None };
            Some(verdict(before, after, *turn))
        })
        .collect();
    let accuracies = accuracies(&positions);
    let players = [Color::White, Color::Black].map(|side| {
        let own: Vec<&Verdict> = verdicts.iter().flatten().filter(|verdict| verdict.mover == side).collect();
        let figures = figures(&own, accuracies[side.fold_wb(0, 1)]);
        let [inaccuracies, mistakes, blunders] = figures.judgments;
        PlayerReview {
            accuracy: figures.accuracy,
            average_loss: figures.average_loss,
            inaccuracies,
            mistakes,
            blunders,
        }
    });
    let judged = |verdict: Verdict| JudgedMove {
        loss: verdict.win_loss,
        accuracy: verdict.accuracy,
        nag: verdict.judgment.map(crate::service::analyse::judgment::Judgment::nag),
    };
    Ok(ReviewAnswer { moves: verdicts.into_iter().map(|verdict| verdict.map(judged)).collect(), players })
}

/// The accuracies of White and Black, if the positions with a score follow each other without a gap.
fn accuracies(positions: &[Option<(Color, Evaluation)>]) -> [Option<f64>; 2] {
    let known = |position: &Option<(Color, Evaluation)>| position.is_some();
    let (Some(first), Some(last)) = (positions.iter().position(known), positions.iter().rposition(known))
    else {
        return [None, None];
    };
    let span: Vec<_> = positions[first..=last].iter().flatten().collect();
    if span.len() != last - first + 1 {
        return [None, None];
    }
    let wins: Vec<f64> = span.iter().map(|(_, evaluation)| evaluation.win()).collect();
    game_accuracy(&wins, span[0].0)
}

/// The side to move and the evaluation of a position.
fn evaluated(position: &ScoredPosition) -> Result<(Color, Evaluation), String> {
    let (board, _) = read_fen(&position.fen)?;
    let turn = board.turn();
    let winner = match (position.is_won, position.mate) {
        (Some(is_won), _) => Some(if is_won { Color::White } else { Color::Black }),
        (None, Some(moves)) if moves != 0 => Some(if moves > 0 { Color::White } else { Color::Black }),
        _ => None,
    };
    let evaluation = match winner {
        Some(winner) => Evaluation {
            value: Value::Mate { winner, moves: position.mate.unwrap_or(0).unsigned_abs() },
            wdl: winner.fold_wb([1000, 0, 0], [0, 0, 1000]),
            lichess: winner.fold_wb(CEILING, -CEILING),
        },
        None => Evaluation::new(raw_score(position.cp, &board), turn, board.material()),
    };
    Ok((turn, evaluation))
}

/// The engine's own score for the side to move. Decisive scores are printed as they are; see [`WinModel::normalized`].
fn raw_score(centipawns: i32, board: &Board) -> Score {
    let value = board.turn().fold_wb(1, -1) * centipawns.clamp(-(1 << 20), 1 << 20);
    let printed = Score::new(value);
    if printed.is_tablebase() {
        return printed;
    }
    let center = WinModel::FITTED.center(board.material());
    Score::new((f64::from(value) * center / 100.0).round() as i32).clamp_eval()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::tests::{bad, good};
    use super::*;

    /// The engine prints the score of a position; read back, it gives the same judgment as the score itself.
    #[test]
    fn printed_scores_are_read_back() {
        for fen in
            ["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]
        {
            let (board, _) = Board::from_fen(fen).unwrap();
            for value in [-700, -120, -3, 0, 15, 90, 333] {
                let exact = Evaluation::new(Score::new(value), board.turn(), board.material());
                let Value::Centipawns(printed) = exact.value else { panic!() };
                let read = raw_score(printed, &board);
                assert!((read.value() - value).abs() <= 4, "{value}: {read:?}");
            }
        }
        let won = raw_score(Score::TABLEBASE_WIN.value() - 3, &Board::startpos());
        assert_eq!(won, Score::new(Score::TABLEBASE_WIN.value() - 3));
    }

    /// 1. f3 e5 2. g4 Qh4#, with the scores of White's blunder.
    #[test]
    fn moves_are_judged_and_players_have_figures() {
        let fens = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "rnbqkbnr/pppppppp/8/8/8/5P2/PPPPP1PP/RNBQKBNR b KQkq - 0 1",
            "rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR w KQkq - 0 2",
            "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2",
            "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
        ];
        let scores = [json!({ "cp": 20 }), json!({ "cp": 10 }), json!({ "cp": 10 }), json!({ "mate": -1 })];
        let mut positions: Vec<serde_json::Value> = scores
            .into_iter()
            .zip(fens)
            .map(|(mut score, fen)| {
                score["fen"] = json!(fen);
                score
            })
            .collect();
        positions.push(json!({ "fen": fens[4], "mate": 0, "is_won": false }));
        let answer = good("review", &json!({ "positions": positions }));
        let nags: Vec<_> = answer["moves"].as_array().unwrap().iter().map(|mv| mv["nag"].as_u64()).collect();
        assert_eq!(nags, [None, None, Some(4), None]);
        let [white, black] = [0, 1].map(|side| &answer["players"][side]);
        assert_eq!((&white["blunders"], &black["blunders"]), (&json!(1), &json!(0)));
        assert_eq!(black["accuracy"], 100.0);
        assert!(white["accuracy"].as_f64().unwrap() < 80.0);
        // With a gap there is no accuracy, but what is known is judged.
        positions[1] = json!(null);
        let answer = good("review", &json!({ "positions": positions }));
        assert_eq!((&answer["moves"][0], &answer["players"][0]["accuracy"]), (&json!(null), &json!(null)));
        assert_eq!(answer["moves"][2]["nag"], 4);
        assert_eq!(good("review", &json!({ "positions": [] }))["moves"], json!([]));
    }

    #[test]
    fn questions_have_limits() {
        let many = vec![json!(null); MAX_GAME_MOVES + 2];
        assert!(bad("review", &json!({ "positions": many }).to_string()).contains("more than 1500 moves"));
    }
}
