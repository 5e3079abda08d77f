//! What the endgame tables say about the moves of a position.

use std::cmp::Reverse;

use serde::Serialize;

use super::written::SpelledMove;
use crate::chess::board::{Game, Move};
use crate::engine::tablebase::{Rank, Tablebases};

/// The greatest number of men of any table.
const MAX_MEN: usize = 7;

/// A move with its result.
#[derive(Serialize, Debug)]
pub(super) struct TableMove {
    #[serde(flatten)]
    spelled: SpelledMove,
    /// For the side to move: `win`, `cursed win` (the fifty-move rule may prevent it), `draw`, `blessed loss`, `loss`.
    result: &'static str,
    /// Half-moves until the winner's next capture or pawn move; 0 for draws, and where there is no table of distances.
    distance: u32,
}

/// All moves, the best one first. `None` if a table is missing.
pub(super) fn moves(tablebases: &Tablebases, game: &Game, chess960: bool) -> Option<Vec<TableMove>> {
    let board = game.board();
    let moves: Vec<Move> = board.legal_moves().iter().copied().collect();
    if moves.is_empty() || !tablebases.cover(board, MAX_MEN) {
        return None;
    }
    let ranking = tablebases.rank(game, &moves, true, &|_| {})?;
    let mut found: Vec<_> = moves.into_iter().zip(ranking.ranks).collect();
    // Wins with the shortest way come first, and losses with the longest one.
    found.sort_by_key(|(_, (rank, distance))| Reverse((class(*rank), -distance)));
    let written = |(mv, (rank, distance)): (Move, (Rank, i32))| TableMove {
        spelled: SpelledMove::new(board, mv, chess960),
        result: ["loss", "blessed loss", "draw", "cursed win", "win"][class(rank)],
        distance: distance.unsigned_abs(),
    };
    Some(found.into_iter().map(written).collect())
}

/// The result from the worst, 0, to the best, 4.
fn class(rank: Rank) -> usize {
    const FIFTY_MOVES: i32 = 100;
    match rank {
        Rank::Lost => 0,
        Rank::Resisting(plies) => usize::from(plies > FIFTY_MOVES),
        Rank::Drawn => 2,
        Rank::Pressing(Reverse(plies)) => {
            if plies > FIFTY_MOVES {
                3
            } else {
                4
            }
        }
        Rank::Won => 4,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{Value, json};

    use super::super::{Sources, answer};
    use super::*;

    fn ask(fen: &str) -> Value {
        let tablebases = Tablebases::load(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/syzygy"));
        let sources = Sources { tablebases: Arc::new(tablebases), table: None };
        let question = json!({ "fen": fen, "tables": true }).to_string();
        let (status, text) = answer("position", &question, &sources).unwrap();
        assert_eq!(status, 200, "{text}");
        serde_json::from_str::<Value>(&text).unwrap()["tables"].clone()
    }

    #[test]
    fn each_move_has_its_result() {
        // White promotes or lets the pawn go.
        let moves = ask("8/4P3/8/1k6/8/8/8/4K3 w - - 0 1");
        let moves = moves.as_array().unwrap();
        assert_eq!((&moves[0]["san"], &moves[0]["result"]), (&json!("e8=Q+"), &json!("win")));
        let results: Vec<&str> = moves.iter().map(|mv| mv["result"].as_str().unwrap()).collect();
        assert!(results.contains(&"draw"), "a bishop or a knight cannot win: {results:?}");
        let lost = ask("8/8/8/8/8/2k5/1q6/K7 w - - 0 1");
        assert_eq!(lost, json!(null), "a mate has no moves");
        let lost = ask("8/8/8/8/8/3k4/1q6/3K4 w - - 0 1");
        assert!(lost.is_null() || lost[0]["result"] == "loss", "{lost}");
    }

    #[test]
    fn other_positions_have_no_answer() {
        assert_eq!(ask("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"), json!(null));
        assert_eq!(ask("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"), json!(null), "castling is in no table");
    }
}
