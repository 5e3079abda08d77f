//! The position from which a game begins, as its tags say.

use super::tag::TagPair;
use super::tree::value;
use crate::chess::board::{Board, CastlingRules, FenError, FenRepair};

/// Values of the tag `Variant`, without everything but letters and digits, that mean standard chess, from the usual
/// start position or another one.
const CHESS: [&str; 9] = [
    "",
    "standard",
    "standardchess",
    "chess",
    "classical",
    "normal",
    "orthodox",
    "orthochess",
    "fromposition",
];
/// Values of the tag `Variant` that mean Chess960: the names of lichess, chess.com, FICS, Winboard and others.
const CHESS960: [&str; 12] = [
    "chess960",
    "960",
    "fischerandom",
    "fischerrandom",
    "fischerandomchess",
    "fischerrandomchess",
    "freestyle",
    "freestylechess",
    "frc",
    "dfrc",
    "wildfr",
    "fullchess960",
];

/// The start of a game.
#[derive(Clone)]
pub(super) struct GameStart {
    pub board: Board,
    pub is_chess960: bool,
    pub repairs: Vec<FenRepair>,
    /// Whether the tag `Variant` names Chess960.
    is_960_by_tag: bool,
}

/// The tags give no start.
pub(super) enum StartFault {
    Variant(String),
    Fen(FenError),
    TwoFens,
}

impl GameStart {
    pub fn of(tags: &[TagPair]) -> Result<GameStart, StartFault> {
        let given = value(tags, "Variant").unwrap_or_default();
        let variant: String =
            given.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
        let is_960 = CHESS960.contains(&variant.as_str());
        if !is_960 && !CHESS.contains(&variant.as_str()) {
            return Err(StartFault::Variant(given.chars().take(40).collect()));
        }
        let mut fens = tags.iter().filter(|pair| pair.is("FEN")).map(|pair| pair.value.trim());
        let fen = fens.next().unwrap_or_default();
        if fens.any(|other| other != fen) {
            return Err(StartFault::TwoFens);
        }
        let (board, repairs) = match fen {
            "" | "?" => (Board::startpos(), Vec::new()),
            fen => Board::from_fen(fen).map_err(StartFault::Fen)?,
        };
        let is_chess960 = is_960 || board.has_chess960_castling();
        Ok(GameStart { board, is_chess960, repairs, is_960_by_tag: is_960 })
    }

    /// The start under the rules of standard chess, if the tags could mean that: the variant is not named, and the FEN
    /// does not name the files of the castling rooks. Rights that only Chess960 has are dropped then.
    pub fn standard(&self, tags: &[TagPair]) -> Option<GameStart> {
        let fen = value(tags, "FEN").filter(|_| self.is_chess960 && !self.is_960_by_tag)?;
        let (board, repairs) = Board::from_fen_under(fen, CastlingRules::AsWritten).ok()?;
        let is_chess960 = board.has_chess960_castling();
        (!is_chess960).then_some(GameStart { board, is_chess960, repairs, is_960_by_tag: false })
    }
}
