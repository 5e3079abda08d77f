//! What the engine's table knows about a position without a search.

use serde::Serialize;

use super::written::SpelledMove;
use crate::chess::board::{Color, Game};
use crate::chess::types::Bound;
use crate::engine::facade::Knowledge;
use crate::engine::uci::Outlook;

/// The result of an earlier search.
#[derive(Serialize, Debug)]
pub(super) struct KnownScore {
    /// In plies.
    depth: i32,
    /// From White's side.
    score: SignedScore,
    /// What the score says from White's side: `exact`, `at least` or `at most`.
    bound: &'static str,
    best: Option<SpelledMove>,
}

/// A score as the page has those of searches.
#[derive(Serialize, Debug)]
struct SignedScore {
    /// `cp`: centipawns, or `mate`: moves to the mate.
    kind: &'static str,
    value: i32,
}

/// What `table` knows about the last position of `game`; `None` also if the game is over.
pub(super) fn known(table: &Knowledge, game: &Game, chess960: bool) -> Option<KnownScore> {
    let board = game.board();
    if game.is_drawn() || board.legal_moves().is_empty() {
        return None;
    }
    let found = table.of(board)?;
    let (turn, score) = (board.turn(), Outlook::of(game).normalized(found.score));
    let (kind, value) = match score.mate_moves() {
        Some(moves) => ("mate", moves),
        None => ("cp", score.value()),
    };
    let bound = match (found.bound, turn) {
        (Bound::Exact, _) => "exact",
        (Bound::Lower, Color::White) | (Bound::Upper, Color::Black) => "at least",
        (Bound::Upper, Color::White) | (Bound::Lower, Color::Black) => "at most",
    };
    Some(KnownScore {
        depth: found.depth,
        score: SignedScore { kind, value: turn.fold_wb(1, -1) * value },
        bound,
        best: found.best_move.map(|mv| SpelledMove::new(board, mv, chess960)),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::{Sources, answer};
    use super::*;
    use crate::engine::facade::{Engine, Settings};
    use crate::engine::run::Limits;

    fn ask(sources: &Sources, question: &Value) -> Value {
        let (status, text) = answer("position", &question.to_string(), sources).unwrap();
        assert_eq!(status, 200, "{text}");
        serde_json::from_str::<Value>(&text).unwrap()["known"].clone()
    }

    #[test]
    fn what_was_searched_is_known_from_whites_side() {
        // Black has a rook, and the move.
        let fen = "r3k3/8/8/8/8/8/4P3/4K3 b - - 0 1";
        let mut engine = Engine::new(Settings { hash: 1, threads: 1, ..Settings::default() }).unwrap();
        let sources = Sources { table: Some(engine.knowledge()), ..Sources::default() };
        let question = json!({ "fen": fen, "known": true });
        assert_eq!(ask(&sources, &question), Value::Null);
        engine.set_game(Game::from_fen(fen).unwrap().0);
        let outcome = engine.search(Limits::depth(6));
        let found = ask(&sources, &question);
        assert!(found["depth"].as_i64().unwrap() >= 6, "{found}");
        assert_eq!((&found["score"]["kind"], &found["bound"]), (&json!("cp"), &json!("exact")));
        assert!(found["score"]["value"].as_i64().unwrap() < -100, "Black is better: {found}");
        assert_eq!(found["best"]["uci"], outcome.best_move.unwrap().to_uci(false).to_string());
        assert_eq!(ask(&sources, &json!({ "fen": fen })), Value::Null, "nobody has asked");
        assert_eq!(ask(&Sources::default(), &question), Value::Null, "not everybody may know");

        let mate = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1";
        engine.set_game(Game::from_fen(mate).unwrap().0);
        engine.search(Limits::depth(6));
        let found = ask(&sources, &json!({ "fen": mate, "known": true }));
        assert_eq!(found["score"], json!({ "kind": "mate", "value": 1 }));
        let over = json!({ "fen": mate, "moves": ["a1a8"], "known": true });
        assert_eq!(ask(&sources, &over), Value::Null);
    }
}
