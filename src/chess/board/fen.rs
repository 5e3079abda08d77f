//! FEN: the edge where positions from outside become boards.
//!
//! Shakmaty reads and judges the text. A fault is either repaired, and reported so that the user can be told, or
//! refused with a line that names it. Castling rights may be in standard, X-FEN or Shredder letters.

use std::fmt::{self, Write};

use shakmaty::fen::{Fen, ParseFenError};
use shakmaty::{CastlingMode, Chess, FromSetup, PositionError, PositionErrorKinds};

use super::playable::{FenError, playable};
use super::{Bitboard, Board, CastlingSide, Color, File, Rank, Square};

/// What was wrong in a FEN and has been repaired.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FenRepair {
    /// Castling rights without king and rook in place were dropped.
    CastlingRights,
    /// An en passant square that no double push can have left was dropped.
    EnPassantSquare,
    /// No legal move can have given the check or checks. They were kept, because every rule still applies.
    ImpossibleCheck,
    /// Fields after the side to move were missing. No castling, no en passant, and clocks 0 and 1 were assumed.
    MissingFields,
}

impl fmt::Display for FenRepair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FenRepair::CastlingRights => "castling rights without king and rook in place were dropped",
            FenRepair::EnPassantSquare => "an impossible en passant square was dropped",
            FenRepair::ImpossibleCheck => "no legal move can have given the check; playing on",
            FenRepair::MissingFields => "missing fields were taken as - - 0 1",
        })
    }
}

/// Which castling rights a FEN can give.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CastlingRules {
    /// Those of standard chess: the king stands on e1 or e8, and the rook in the corner.
    Standard,
    /// Those of Chess960, which contain those of standard chess.
    Chess960,
    /// Those of Chess960 if the FEN names the files of the rooks (`HAha`), and those of standard chess otherwise.
    AsWritten,
}

impl Board {
    /// Reads a FEN as [`Board::from_fen`] does, but drops castling rights that the rules do not have. `KQkq` left in a
    /// FEN is the commonest fault of positions that were set up by hand. In standard chess it would allow illegal
    /// moves.
    ///
    /// # Errors
    ///
    /// As [`Board::from_fen`].
    pub fn from_fen_under(text: &str, rules: CastlingRules) -> Result<(Board, Vec<FenRepair>), FenError> {
        let (board, mut repairs) = Board::from_fen(text)?;
        let is_chess960 = match rules {
            CastlingRules::Standard => false,
            CastlingRules::Chess960 => true,
            CastlingRules::AsWritten => {
                let castling = text.split_whitespace().nth(2).unwrap_or_default();
                castling.contains(|c: char| matches!(c.to_ascii_uppercase(), 'A'..='H'))
            }
        };
        if is_chess960 || !board.has_chess960_castling() {
            return Ok((board, repairs));
        }
        if !repairs.contains(&FenRepair::CastlingRights) {
            repairs.push(FenRepair::CastlingRights);
        }
        Ok((board.with_standard_castling(), repairs))
    }

    /// The position without the castling rights that only Chess960 has.
    pub fn with_standard_castling(&self) -> Board {
        let fen = self.fen(true);
        let mut fields: Vec<&str> = fen.split(' ').collect();
        let mut rights = String::new();
        for color in [Color::White, Color::Black] {
            for (side, letter, file) in
                [(CastlingSide::KingSide, 'k', File::H), (CastlingSide::QueenSide, 'q', File::A)]
            {
                let rook = self.castling_rook(color, side);
                if self.king(color).file() == File::E && rook.is_some_and(|rook| rook.file() == file) {
                    rights.push(color.fold_wb(letter.to_ascii_uppercase(), letter));
                }
            }
        }
        fields[2] = if rights.is_empty() { "-" } else { &rights };
        Board::from_fen(&fields.join(" ")).expect("the FEN of a board with fewer rights").0
    }

    /// Reads a FEN of two to six fields; white space around fields does not matter.
    ///
    /// The repairs say what was changed or assumed.
    ///
    /// # Errors
    ///
    /// [`FenError`] if the text is not a FEN, or the position cannot be played.
    pub fn from_fen(text: &str) -> Result<(Board, Vec<FenRepair>), FenError> {
        let fields: Vec<&str> = text.split_whitespace().collect();
        let field = |i: usize| fields.get(i).copied().unwrap_or("").to_owned();
        if fields.is_empty() {
            return Err(FenError::Empty);
        }
        // Shakmaty's reader also accepts pockets, check counts and underscores, none of which chess has.
        if fields[0].contains(['[', '~', '_']) || fields[0].matches('/').count() != 7 {
            return Err(FenError::Placement(field(0)));
        }
        match field(1).as_str() {
            "w" | "b" => {}
            "" => return Err(FenError::NoTurn),
            other => return Err(FenError::Turn(other.to_owned())),
        }
        if let Some(&surplus) = fields.get(6).or(fields.iter().find(|field| field.contains(['+', '_']))) {
            return Err(FenError::Surplus(surplus.to_owned()));
        }
        let setup = Fen::from_ascii(fields.join(" ").as_bytes())
            .map_err(|error| match error {
                ParseFenError::InvalidTurn => FenError::Turn(field(1)),
                ParseFenError::InvalidCastling => FenError::Castling(field(2)),
                ParseFenError::InvalidEpSquare => FenError::EnPassant(field(3)),
                ParseFenError::InvalidHalfmoveClock | ParseFenError::InvalidFullmoves => {
                    FenError::Clocks(format!("{} {}", field(4), field(5)).trim_end().to_owned())
                }
                ParseFenError::InvalidFen
                | ParseFenError::InvalidRemainingChecks
                | ParseFenError::InvalidPocket
                | ParseFenError::InvalidBoard => FenError::Placement(field(0)),
            })?
            .into_setup();

        let mut repairs = Vec::new();
        if fields.len() < 4 {
            repairs.push(FenRepair::MissingFields);
        }
        let chess = Chess::from_setup(setup, CastlingMode::Chess960)
            .inspect_err(|error| repairs.extend(repairs_of(error.kinds())))
            .or_else(PositionError::ignore_invalid_castling_rights)
            .or_else(PositionError::ignore_invalid_ep_square)
            .or_else(playable)?;
        Ok((Board::from_chess(&chess), repairs))
    }

    /// The position as a FEN of six fields. Castling rights are in Shredder letters (`HAha`) for Chess960. Otherwise
    /// they are `KQkq`, with a file letter if the castling rook is not the outermost one (X-FEN).
    ///
    /// The en passant square is given only if a capture is legal.
    pub fn fen(&self, chess960: bool) -> String {
        let mut fen = String::with_capacity(80);
        self.write_placement(&mut fen);
        let _ = write!(fen, " {} ", self.turn().char());
        self.write_castling(&mut fen, chess960);
        match self.ep_square() {
            Some(square) => {
                let _ = write!(fen, " {square}");
            }
            None => fen.push_str(" -"),
        }
        let _ = write!(fen, " {} {}", self.halfmove_clock(), self.fullmove());
        fen
    }

    fn write_placement(&self, fen: &mut String) {
        for rank in Rank::ALL.into_iter().rev() {
            let mut empty = 0;
            for square in Bitboard::from_rank(rank) {
                match self.piece_at(square) {
                    None => empty += 1,
                    Some(piece) => {
                        if empty > 0 {
                            let _ = write!(fen, "{empty}");
                            empty = 0;
                        }
                        fen.push(piece.char());
                    }
                }
            }
            if empty > 0 {
                let _ = write!(fen, "{empty}");
            }
            if rank != Rank::First {
                fen.push('/');
            }
        }
    }

    fn write_castling(&self, fen: &mut String, chess960: bool) {
        if self.castling_rooks().is_empty() {
            fen.push('-');
            return;
        }
        for color in [Color::White, Color::Black] {
            for side in [CastlingSide::KingSide, CastlingSide::QueenSide] {
                if let Some(rook) = self.castling_rook(color, side) {
                    let letter = if chess960 || !self.is_outermost(color, side, rook) {
                        rook.file().char()
                    } else {
                        if side.is_king_side() { 'k' } else { 'q' }
                    };
                    fen.push(if color.is_white() { letter.to_ascii_uppercase() } else { letter });
                }
            }
        }
    }

    fn is_outermost(&self, color: Color, side: CastlingSide, rook: Square) -> bool {
        let rooks = self.pieces(color, super::Role::Rook) & color.backrank();
        let outermost = match side {
            CastlingSide::KingSide => rooks.last(),
            CastlingSide::QueenSide => rooks.first(),
        };
        outermost == Some(rook)
    }
}

/// The repairs of the faults that can be repaired.
fn repairs_of(kinds: PositionErrorKinds) -> impl Iterator<Item = FenRepair> {
    [
        (PositionErrorKinds::INVALID_CASTLING_RIGHTS, FenRepair::CastlingRights),
        (PositionErrorKinds::INVALID_EP_SQUARE, FenRepair::EnPassantSquare),
        (PositionErrorKinds::IMPOSSIBLE_CHECK, FenRepair::ImpossibleCheck),
    ]
    .into_iter()
    .filter_map(move |(kind, repair)| kinds.contains(kind).then_some(repair))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fen(text: &str, rules: CastlingRules) -> (String, Vec<FenRepair>) {
        let (board, repairs) = Board::from_fen_under(text, rules).unwrap();
        (board.fen(false), repairs)
    }

    #[test]
    fn standard_chess_has_no_rights_of_chess960() {
        use CastlingRules::{AsWritten, Chess960, Standard};
        let dropped = vec![FenRepair::CastlingRights];
        for (given, rules, castling) in [
            ("r5k1/8/8/8/8/8/8/R5K1 w KQkq - 0 1", Standard, "-"),
            ("r5k1/8/8/8/8/8/8/R5K1 w KQkq - 0 1", AsWritten, "-"),
            ("4k3/8/8/8/8/8/8/1R2K3 w Q - 0 1", Standard, "-"),
            ("4k2r/8/8/8/8/8/8/1R2K2R w KQk - 0 1", Standard, "Kk"),
            ("r5k1/8/8/8/8/8/8/R5K1 w Aa - 0 1", Standard, "-"),
        ] {
            let (found, repairs) = fen(given, rules);
            assert_eq!(found.split(' ').nth(2), Some(castling), "{given}");
            assert_eq!(repairs, dropped, "{given}");
        }
        for (given, rules, castling) in [
            ("r5k1/8/8/8/8/8/8/R5K1 w Qq - 0 1", Chess960, "Qq"),
            ("r5k1/8/8/8/8/8/8/R5K1 w Aa - 0 1", AsWritten, "Qq"),
            ("r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1", Standard, "KQkq"),
        ] {
            let (found, repairs) = fen(given, rules);
            assert_eq!((found.split(' ').nth(2), repairs), (Some(castling), vec![]), "{given}");
        }
    }
}
