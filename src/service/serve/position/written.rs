//! Moves as the page shows them.

use serde::Serialize;

use super::openings;
use crate::chess::board::{Board, Move};
use crate::chess::pgn::writer::MoveNumber;

/// A move of a line.
#[derive(Serialize, Debug)]
pub(super) struct SpelledMove {
    pub uci: String,
    pub san: String,
    /// The origin, and the square on which the man arrives.
    pub squares: [String; 2],
}

impl SpelledMove {
    pub fn new(board: &Board, mv: Move, chess960: bool) -> SpelledMove {
        SpelledMove {
            uci: mv.to_uci(chess960).to_string(),
            san: board.to_san(mv),
            squares: [mv.from(), mv.king_target()].map(|square| square.to_string()),
        }
    }
}

/// A move of a game.
#[derive(Serialize, Debug)]
pub(super) struct PlayedMove {
    #[serde(flatten)]
    pub spelled: SpelledMove,
    /// The number of the move, such as `12.` or `12...`.
    pub number: String,
    /// The position after the move.
    pub fen: String,
    /// The code and the name of the opening, if the position after the move has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opening: Option<&'static str>,
}

impl PlayedMove {
    /// The move `mv` of `board`, which leads to `after`.
    pub fn new(board: &Board, mv: Move, after: &Board, chess960: bool) -> PlayedMove {
        PlayedMove {
            spelled: SpelledMove::new(board, mv, chess960),
            number: MoveNumber::of(board).to_string(),
            fen: after.fen(chess960),
            opening: openings::name(after),
        }
    }

    /// A null move of `board`, as authors use it in variations.
    pub fn null(board: &Board, after: &Board, chess960: bool) -> PlayedMove {
        let king = board.king(board.turn()).to_string();
        let spelled =
            SpelledMove { uci: "0000".to_owned(), san: "--".to_owned(), squares: [king.clone(), king] };
        let number = MoveNumber::of(board).to_string();
        PlayedMove { spelled, number, fen: after.fen(chess960), opening: None }
    }
}
