//! Which positions can be played, and why others cannot.

use shakmaty::{Chess, Color, Position, PositionError, PositionErrorKinds};
use thiserror::Error;

/// The most pieces and pawns of a side, of any kinds. A position must be playable, but no game need lead to it. Lists
/// of moves, files of games and the network have room for this many.
pub const MAX_MEN: usize = 16;

/// Why a FEN is not a playable position.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum FenError {
    /// The text is empty.
    #[error("empty FEN")]
    Empty,
    /// The piece placement is malformed.
    #[error("FEN: piece placement {0:?} is not eight ranks of eight squares")]
    Placement(String),
    /// There are only pieces.
    #[error("FEN: behind the pieces, the side to move is missing (w or b)")]
    NoTurn,
    /// The side to move is malformed.
    #[error("FEN: side to move {0:?} is not w or b")]
    Turn(String),
    /// The castling field is malformed.
    #[error("FEN: castling field {0:?} is not - or letters of KQkq or rook files")]
    Castling(String),
    /// The en passant field is malformed.
    #[error("FEN: en passant field {0:?} is not - or a square")]
    EnPassant(String),
    /// A clock is not a number.
    #[error("FEN: clocks {0:?} are not numbers")]
    Clocks(String),
    /// There is something after the sixth field, or a field of a chess variant.
    #[error("FEN: {0:?} is not part of a position in chess")]
    Surplus(String),
    /// A side has no king.
    #[error("illegal position: each side needs a king")]
    MissingKing,
    /// A side has more than one king.
    #[error("illegal position: a side has more than one king")]
    TooManyKings,
    /// Pawns stand on the first or the last rank.
    #[error("illegal position: pawn on the first or last rank")]
    PawnsOnBackRank,
    /// The side that has just moved is in check.
    #[error("illegal position: the side not to move is in check")]
    OpponentInCheck,
    /// A side has more than [`MAX_MEN`] pieces and pawns.
    #[error("illegal position: a side has more than sixteen pieces")]
    TooMuchMaterial,
}

/// Accepts a position that shakmaty doubts, if it can be played. The check may be one that no move can have given, and
/// there may be more pieces than promotions can have made.
///
/// # Errors
/// The gravest reason why the position cannot be played.
pub fn playable(doubts: PositionError<Chess>) -> Result<Chess, FenError> {
    let chess = doubts
        .ignore_impossible_check()
        .or_else(PositionError::ignore_too_much_material)
        .map_err(|error| refusal(error.kinds()))?;
    let men = |color| chess.board().by_color(color).count();
    if Color::ALL.into_iter().any(|color| men(color) > MAX_MEN) {
        return Err(FenError::TooMuchMaterial);
    }
    Ok(chess)
}

/// The gravest of the faults that cannot be repaired.
fn refusal(kinds: PositionErrorKinds) -> FenError {
    if kinds.intersects(PositionErrorKinds::EMPTY_BOARD | PositionErrorKinds::MISSING_KING) {
        FenError::MissingKing
    } else if kinds.contains(PositionErrorKinds::TOO_MANY_KINGS) {
        FenError::TooManyKings
    } else if kinds.contains(PositionErrorKinds::PAWNS_ON_BACKRANK) {
        FenError::PawnsOnBackRank
    } else if kinds.contains(PositionErrorKinds::OPPOSITE_CHECK) {
        FenError::OpponentInCheck
    } else {
        FenError::TooMuchMaterial
    }
}
