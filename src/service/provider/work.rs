//! A work of the broker, checked: a position, a limit, and what the engine may spend.

use std::time::Duration;

use serde::Deserialize;
use thiserror::Error;

use super::registration::EngineDescription;
use crate::chess::board::{FenError, Game, MoveError};
use crate::engine::run::Limits;
use crate::engine::run::limits::MAX_DEPTH;

/// The protocol's largest number of lines. The broker refuses a line with a higher number.
const MAX_LINES: usize = 5;
/// The names of standard chess. The documents of the protocol have the first; lichess uses the others elsewhere.
const CHESS: [&str; 4] = ["chess", "standard", "chess960", "fromPosition"];

/// A work cannot be done.
#[derive(Debug, Error)]
pub(super) enum WorkError {
    #[error("the work is not understood: {0}")]
    Form(#[from] serde_json::Error),
    #[error("the variant {0:?} is not supported")]
    Variant(String),
    #[error("the work has no limit: movetime, depth or nodes")]
    NoLimit,
    #[error(transparent)]
    Fen(#[from] FenError),
    #[error(transparent)]
    Move(#[from] MoveError),
}

/// A work as sent.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WorkText {
    session_id: String,
    threads: usize,
    hash: usize,
    multi_pv: usize,
    variant: String,
    initial_fen: String,
    moves: Vec<String>,
    movetime: Option<u32>,
    depth: Option<u32>,
    nodes: Option<u64>,
}

/// A work that the engine can do.
#[derive(Clone, Debug)]
pub(super) struct AnalysisRequest {
    /// Names the analysis that the work is part of.
    pub session: String,
    pub threads: usize,
    /// Size of the table in MiB.
    pub hash: usize,
    /// The number of lines to report.
    pub lines: usize,
    pub game: Game,
    pub limits: Limits,
}

impl AnalysisRequest {
    /// Reads a work. Its wishes are reduced to what the engine may spend.
    pub fn read(json: serde_json::Value, engine: &EngineDescription) -> Result<AnalysisRequest, WorkError> {
        let text: WorkText = serde_json::from_value(json)?;
        if !CHESS.contains(&text.variant.as_str()) {
            return Err(WorkError::Variant(text.variant));
        }
        let limits = Limits {
            move_time: text.movetime.map(|milliseconds| Duration::from_millis(milliseconds.into())),
            depth: text.depth.map(|depth| i32::try_from(depth).map_or(MAX_DEPTH, |d| d.clamp(1, MAX_DEPTH))),
            nodes: text.nodes,
            ..Limits::default()
        };
        if limits == Limits::default() {
            return Err(WorkError::NoLimit);
        }
        let (mut game, _) = Game::from_fen(&text.initial_fen)?;
        for mv in &text.moves {
            game.play_uci(mv)?;
        }
        Ok(AnalysisRequest {
            session: text.session_id,
            threads: text.threads.clamp(1, engine.max_threads),
            hash: text.hash.clamp(1, engine.max_hash),
            lines: text.multi_pv.clamp(1, MAX_LINES),
            game,
            limits,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// The example in the documents of the protocol, with a legal second move.
    fn example() -> Value {
        json!({
            "sessionId": "1", "threads": 1, "hash": 2048, "depth": 1, "multiPv": 1, "variant": "chess",
            "initialFen": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "moves": ["e2e4", "g8f6"],
        })
    }

    fn read(json: Value) -> Result<AnalysisRequest, WorkError> {
        let engine = EngineDescription { name: "Enfilade".to_owned(), max_threads: 4, max_hash: 512 };
        AnalysisRequest::read(json, &engine)
    }

    fn changed(key: &str, value: Value) -> Result<AnalysisRequest, WorkError> {
        let mut json = example();
        json[key] = value;
        read(json)
    }

    #[test]
    fn the_wishes_of_a_work_are_limited() {
        let work = read(example()).unwrap();
        assert_eq!((work.threads, work.hash, work.lines), (1, 512, 1));
        assert_eq!(work.limits, Limits::depth(1));
        assert_eq!(changed("threads", json!(64)).unwrap().threads, 4);
        assert_eq!(changed("threads", json!(0)).unwrap().threads, 1);
        assert_eq!(changed("hash", json!(0)).unwrap().hash, 1);
        assert_eq!(changed("multiPv", json!(9)).unwrap().lines, 5);
        assert_eq!(changed("depth", json!(4_000_000_000u32)).unwrap().limits.depth, Some(MAX_DEPTH));
    }

    #[test]
    fn castling_may_be_spelled_as_the_king_taking_its_rook() {
        let moves = json!(["e2e4", "e7e5", "g1f3", "g8f6", "f1c4", "f8c5", "e1h1", "e8h8"]);
        let fen = changed("moves", moves).unwrap().game.board().fen(false);
        assert_eq!(fen, "rnbq1rk1/pppp1ppp/5n2/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQ1RK1 w - - 6 5");
    }

    #[test]
    fn works_that_cannot_be_done_are_refused() {
        for (key, value, reason) in [
            ("variant", json!("atomic"), "the variant \"atomic\" is not supported"),
            ("moves", json!(["e2e5"]), "move e2e5 is not legal"),
            ("moves", json!(["e2"]), "is not a move"),
            ("moves", json!("e2e4"), "the work is not understood"),
            ("initialFen", json!("8/8/8/8/8/8/8/8 w - - 0 1"), ""),
            ("threads", json!(-1), "the work is not understood"),
            ("depth", Value::Null, "the work has no limit"),
        ] {
            let error = changed(key, value).unwrap_err().to_string();
            assert!(error.contains(reason), "{key}: {error}");
        }
        assert!(read(json!({})).is_err());
        assert!(read(json!(null)).is_err());
        for variant in CHESS {
            assert!(changed("variant", json!(variant)).is_ok(), "{variant}");
        }
    }
}
