//! A game: its position, and the keys by which repetition is judged.

use shakmaty::san::SanPlus;
use thiserror::Error;

use super::letters::ENGLISH;
use super::notation::{Misspelling, read_move};
use super::{Board, CastlingRules, FIFTY_MOVES, FenError, FenRepair, Move, Role, Square};

/// Why the text of a move was not played.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum MoveError {
    /// The text is not a move in the expected notation.
    #[error("{0:?} is not a move")]
    Syntax(String),
    /// The move is not legal in the current position, or the text fits several moves.
    #[error("move {mv} is not legal in {fen}")]
    Illegal {
        /// The move as given.
        mv: String,
        /// The position in which it was to be played.
        fen: String,
    },
}

/// The position to which legal moves have led. Only the keys of the positions before it are kept, because every search
/// begins with a copy of the game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Game {
    board: Board,
    keys: Vec<u64>,
}

impl Default for Game {
    fn default() -> Game {
        Game::startpos()
    }
}

impl Game {
    /// A game from a position, with no moves yet.
    pub fn new(board: Board) -> Game {
        Game { board, keys: Vec::new() }
    }

    /// A game from the starting position of standard chess.
    pub fn startpos() -> Game {
        Game::new(Board::startpos())
    }

    /// A game from a FEN; see [`Board::from_fen`].
    ///
    /// # Errors
    ///
    /// [`FenError`] if the text is not a playable position.
    pub fn from_fen(text: &str) -> Result<(Game, Vec<FenRepair>), FenError> {
        let (board, repairs) = Board::from_fen(text)?;
        Ok((Game::new(board), repairs))
    }

    /// A game from a FEN under the rules of castling; see [`Board::from_fen_under`].
    ///
    /// # Errors
    ///
    /// [`FenError`] if the text is not a playable position.
    pub fn from_fen_under(text: &str, rules: CastlingRules) -> Result<(Game, Vec<FenRepair>), FenError> {
        let (board, repairs) = Board::from_fen_under(text, rules)?;
        Ok((Game::new(board), repairs))
    }

    /// Plays a legal move.
    pub fn play(&mut self, mv: Move) {
        debug_assert!(self.board.can_play(mv));
        self.keys.push(self.board.key());
        self.board = self.board.after(mv);
        if self.board.halfmove_clock() == 0 {
            self.keys.clear();
        }
    }

    /// Plays a move given as UCI text, and returns the move.
    ///
    /// # Errors
    ///
    /// [`MoveError`] if the text is not a legal move; the game is then unchanged.
    pub fn play_uci(&mut self, text: &str) -> Result<Move, MoveError> {
        let mv = self.parse_uci(text)?;
        self.play(mv);
        Ok(mv)
    }

    /// The current position.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Keys of the positions before the current one, oldest first, back to the last capture or pawn move.
    pub fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// Whether the game is drawn: by stalemate, insufficient material, the fifty-move rule, or a position that has
    /// occurred five times. The fifty-move rule counts even if no player claims the draw. A position that has occurred
    /// three times does not end the game without a claim.
    pub fn is_drawn(&self) -> bool {
        let board = &self.board;
        let repetitions = self.keys.iter().filter(|key| **key == board.key()).count();
        board.is_insufficient_material()
            || repetitions >= 4
            || (board.legal_moves().is_empty() && !board.in_check())
            || (board.halfmove_clock() >= FIFTY_MOVES && !board.legal_moves().is_empty())
    }

    /// See [`Board::parse_uci`].
    ///
    /// # Errors
    ///
    /// The same errors as [`Board::parse_uci`].
    pub fn parse_uci(&self, text: &str) -> Result<Move, MoveError> {
        self.board.parse_uci(text)
    }

    /// See [`Board::parse_san`].
    ///
    /// # Errors
    ///
    /// The same errors as [`Board::parse_san`].
    pub fn parse_san(&self, text: &str) -> Result<Move, MoveError> {
        self.board.parse_san(text)
    }

    /// See [`Board::to_san`].
    pub fn to_san(&self, mv: Move) -> String {
        self.board.to_san(mv)
    }
}

impl Board {
    fn illegal(&self, text: &str) -> MoveError {
        MoveError::Illegal { mv: text.to_owned(), fen: self.fen(self.has_chess960_castling()) }
    }

    /// The legal move with this UCI text. Castling may be spelled as the king taking its rook or as the king going to
    /// the c- or g-file. If the latter is also a plain king move, the text stands for the plain move.
    ///
    /// # Errors
    ///
    /// [`MoveError::Syntax`] for text of another form, [`MoveError::Illegal`] for moves that cannot be played.
    pub fn parse_uci(&self, text: &str) -> Result<Move, MoveError> {
        let syntax = || MoveError::Syntax(text.to_owned());
        let square = |range| {
            let name = text.as_bytes().get(range).ok_or_else(syntax)?;
            Square::from_ascii(name).map_err(|_| syntax())
        };
        let (from, to) = (square(0..2)?, square(2..4)?);
        let promotion = match &text.as_bytes()[4..] {
            [] => None,
            [letter] => match Role::from_char(char::from(*letter)) {
                Some(role @ (Role::Knight | Role::Bishop | Role::Rook | Role::Queen)) => Some(role),
                _ => return Err(syntax()),
            },
            _ => return Err(syntax()),
        };
        let moves = self.legal_moves();
        let spelled = |to_of: fn(Move) -> Square| {
            moves
                .iter()
                .copied()
                .find(|mv| mv.from() == from && to_of(*mv) == to && mv.promotion() == promotion)
        };
        spelled(Move::to).or_else(|| spelled(Move::king_target)).ok_or_else(|| self.illegal(text))
    }

    /// The legal move with this text in algebraic notation or UCI's; signs of check, mate, en passant and judgment do
    /// not matter. [`super::notation`] says what is read.
    ///
    /// # Errors
    ///
    /// [`MoveError::Syntax`] for text of another form, [`MoveError::Illegal`] for moves that cannot be played or are
    /// ambiguous.
    pub fn parse_san(&self, text: &str) -> Result<Move, MoveError> {
        let syntax = || MoveError::Syntax(text.to_owned());
        match read_move(self, text, ENGLISH) {
            Ok((mv, rest)) if is_sign(rest) => Ok(mv),
            Ok(_) | Err(Misspelling::Form) => Err(syntax()),
            Err(Misspelling::Illegal | Misspelling::Ambiguous) => Err(self.illegal(text)),
        }
    }

    /// A legal move in standard algebraic notation, with its check or mate sign.
    pub fn to_san(&self, mv: Move) -> String {
        SanPlus::from_move(self.to_chess(), self.move_to_shakmaty(mv)).to_string()
    }

    /// Converts a pseudo-legal move of this position to shakmaty's type.
    pub fn move_to_shakmaty(&self, mv: Move) -> shakmaty::Move {
        let (from, to) = (mv.from(), mv.to());
        if mv.is_castle() {
            return shakmaty::Move::Castle { king: from, rook: to };
        }
        if mv.is_en_passant() {
            return shakmaty::Move::EnPassant { from, to };
        }
        shakmaty::Move::Normal {
            role: self.moved_role(mv),
            from,
            capture: self.captured(mv),
            to,
            promotion: mv.promotion(),
        }
    }

    /// Converts a move of shakmaty's type; `None` for drops, which chess does not have.
    pub fn move_from_shakmaty(mv: shakmaty::Move) -> Option<Move> {
        Some(match mv {
            shakmaty::Move::Normal { from, to, promotion: Some(role), .. } => Move::promote(from, to, role),
            shakmaty::Move::Normal { from, to, promotion: None, .. } => Move::normal(from, to),
            shakmaty::Move::EnPassant { from, to } => Move::en_passant(from, to),
            shakmaty::Move::Castle { king, rook } => Move::castle(king, rook),
            shakmaty::Move::Put { .. } => return None,
        })
    }
}

/// Whether the rest of a move consists of signs that change nothing.
fn is_sign(rest: &str) -> bool {
    let rest = rest.trim_end_matches(['!', '?']);
    let rest = rest.strip_suffix("e.p.").or_else(|| rest.strip_suffix("ep")).unwrap_or(rest);
    matches!(rest, "" | "+" | "#" | "++" | "\u{2020}" | "\u{2021}")
}
