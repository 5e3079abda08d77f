//! Moves as people and programs write them: algebraic notation, short or long, in the letters of a language or with
//! figurines, and UCI's notation.
//!
//! The longest beginning of a text that has the form of a move is compared with the legal moves. What is read:
//!
//! - `Nf3`, `Nbd7`, `R1e2`, `Qh4e1`, `exd5`, `e8=Q`, `O-O` as in the PGN standard;
//! - captures with `x`, `X`, `×` or `:`, before or after the square, or without a sign; `ed` for a pawn's capture;
//! - long notation with any dash, `Ng1-f3`, and UCI's, `g1f3`, also in capitals, `G1F3`;
//! - promotions as `e8Q`, `e8/Q`, `e8(Q)`, `e8=q`;
//! - castling with the letter O in Latin or Cyrillic, or with zeros, and as a move of the king by two squares.
//!
//! Not read is what leaves a doubt: a pawn on the last rank without its new piece, and descriptive notation.

use shakmaty::{CastlingSide, File, Rank, Role, Square};

use super::letters::{PieceLetters, without_pawn};
use super::{Board, Move};

/// A text of the form of a move. It may fit no legal move, or several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Castling(CastlingSide),
    /// A piece or pawn, its file and rank if they are given, and its goal. Only the capture of a pawn may lack the
    /// rank.
    Plain {
        role: Option<Role>,
        from: (Option<File>, Option<Rank>),
        to: (File, Option<Rank>),
        promotion: Option<Role>,
        is_capture: bool,
    },
}

/// The dashes of all kinds that stand between squares and letters.
pub fn is_dash(c: char) -> bool {
    matches!(c, '-' | '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}' | '\u{ad}')
}

fn is_capture_sign(c: char) -> bool {
    matches!(c, 'x' | 'X' | '×' | ':' | '∶' | 'х' | '✕')
}

/// Why the beginning of a text is no move of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misspelling {
    /// It does not have the form of a move.
    Form,
    /// No legal move fits.
    Illegal,
    /// Several legal moves fit.
    Ambiguous,
}

/// Reads the move of `board` at the beginning of `text`. Returns it with the rest of the text, such as signs of check.
///
/// # Errors
///
/// [`Misspelling`] if the text has no such beginning.
pub fn read_move<'a>(
    board: &Board,
    text: &'a str,
    letters: &PieceLetters,
) -> Result<(Move, &'a str), Misspelling> {
    // Only the letter b in lower case can be both a file and a piece. The file comes first, as in the standard.
    let forms = [castling(text), of_pawn(text, letters), of_piece(text, letters)];
    let mut fault = Misspelling::Form;
    for (form, rest) in forms.into_iter().flatten() {
        match form.find(board) {
            Ok(mv) => return Ok((mv, rest)),
            Err(error) => fault = error,
        }
    }
    Err(fault)
}

fn of_piece<'a>(text: &'a str, letters: &PieceLetters) -> Option<(Form, &'a str)> {
    let (piece, after) = letters.piece(text)?;
    let (mut form, rest) = squares(after)?;
    let Form::Plain { role, to: (_, Some(_)), .. } = &mut form else { return None };
    *role = Some(piece);
    Some((form, rest))
}

/// The move of a pawn, or of any piece if both squares are given.
fn of_pawn<'a>(text: &'a str, letters: &PieceLetters) -> Option<(Form, &'a str)> {
    let text = without_pawn(text);
    // What may be missing before a sign is not known.
    if text.starts_with(|c| is_dash(c) || is_capture_sign(c)) {
        return None;
    }
    let (mut form, mut rest) = squares(text).or_else(|| capitals(text))?;
    let Form::Plain { from, to, promotion, .. } = &mut form else { return None };
    if from.0.is_none() && from.1.is_some() {
        return None;
    }
    if matches!(to.1, Some(Rank::First | Rank::Eighth))
        && let Some((role, after)) = promoted(rest, letters)
    {
        *promotion = Some(role);
        rest = after;
    }
    Some((form, rest))
}

impl Form {
    /// The legal move of `board` that is meant.
    fn find(&self, board: &Board) -> Result<Move, Misspelling> {
        let moves = board.legal_moves();
        let mut fitting = moves.iter().copied().filter(|mv| self.fits(board, *mv));
        let Some(mv) = fitting.next() else { return self.castling_by_the_king(board) };
        if fitting.next().is_some() { Err(Misspelling::Ambiguous) } else { Ok(mv) }
    }

    fn fits(&self, board: &Board, mv: Move) -> bool {
        let (role, from, to, promotion, is_capture) = match *self {
            Form::Castling(side) => {
                return mv.is_castle() && (mv.to() > mv.from()) == side.is_king_side();
            }
            Form::Plain { role, from, to, promotion, is_capture } => (role, from, to, promotion, is_capture),
        };
        let is_here = |square: Square, file: Option<File>, rank: Option<Rank>| {
            file.is_none_or(|file| square.file() == file) && rank.is_none_or(|rank| square.rank() == rank)
        };
        let moved = board.moved_role(mv);
        let role_fits = match (role, from) {
            (Some(role), _) => moved == role,
            // UCI and some programs name no piece, but then both squares.
            (None, (Some(_), Some(_))) => true,
            (None, (None, None)) if !is_capture => moved == Role::Pawn && mv.from().file() == to.0,
            (None, _) => moved == Role::Pawn,
        };
        !mv.is_castle()
            && role_fits
            && is_here(mv.from(), from.0, from.1)
            && is_here(mv.to(), Some(to.0), to.1)
            && mv.promotion() == promotion
            && (to.1.is_some() || board.is_capture(mv))
    }

    /// Castling as UCI writes it: the king goes two squares or takes its own rook.
    fn castling_by_the_king(&self, board: &Board) -> Result<Move, Misspelling> {
        let Form::Plain { role, from: (Some(file), Some(rank)), to: (to_file, Some(to_rank)), .. } = *self
        else {
            return Err(Misspelling::Illegal);
        };
        let (from, to) = (Square::from_coords(file, rank), Square::from_coords(to_file, to_rank));
        let is_meant =
            |mv: &Move| mv.is_castle() && mv.from() == from && (mv.king_target() == to || mv.to() == to);
        let mv = board.legal_moves().iter().copied().find(is_meant);
        mv.filter(|_| role.is_none_or(|role| role == Role::King)).ok_or(Misspelling::Illegal)
    }
}

fn castling(text: &str) -> Option<(Form, &str)> {
    let is_letter = |c: char| matches!(c, 'O' | '0' | 'o' | 'О' | 'о' | 'Ο');
    let mut rest = text.strip_prefix(is_letter)?;
    let mut parts = 1;
    while parts < 3 {
        let Some(after) = rest.strip_prefix(is_dash).and_then(|rest| rest.strip_prefix(is_letter)) else {
            break;
        };
        rest = after;
        parts += 1;
    }
    match parts {
        2 => Some((Form::Castling(CastlingSide::KingSide), rest)),
        3 => Some((Form::Castling(CastlingSide::QueenSide), rest)),
        _ => None,
    }
}

fn file(text: &str) -> Option<(File, &str)> {
    let first = text.chars().next()?;
    // Some keyboards give Cyrillic letters that look like files.
    let latin = match first {
        'а' => 'a',
        'с' => 'c',
        'е' => 'e',
        first => first,
    };
    Some((File::from_char(latin).filter(|_| !first.is_ascii_uppercase())?, &text[first.len_utf8()..]))
}

fn rank(text: &str) -> Option<(Rank, &str)> {
    let first = text.chars().next()?;
    Some((Rank::from_char(first)?, &text[first.len_utf8()..]))
}

/// The rest after a sign between two squares, and whether it is that of a capture.
fn separator(text: &str) -> (bool, &str) {
    if let Some(rest) = text.strip_prefix(is_capture_sign) {
        return (true, rest);
    }
    (false, text.strip_prefix(is_dash).unwrap_or(text))
}

/// Reads the squares of a move: as much of the origin as is given, a sign, and the goal.
fn squares(text: &str) -> Option<(Form, &str)> {
    let origin = file(text).map_or((None, text), |(file, rest)| (Some(file), rest));
    let (from_file, after_file) = origin;
    let (from_rank, after_rank) =
        rank(after_file).map_or((None, after_file), |(rank, rest)| (Some(rank), rest));
    // The longest form comes first: what looks like a goal may be the origin.
    let longest = goal((from_file, from_rank), after_rank);
    let by_file = || goal((from_file, None), after_file).filter(|_| from_file.is_some());
    let alone = || goal((None, None), text);
    let short = || {
        let (is_capture, rest) = separator(after_file);
        let (to, rest) = file(rest)?;
        let rest = rest.strip_prefix(':').unwrap_or(rest);
        let from = from_file?;
        let is_beside = u32::from(from).abs_diff(u32::from(to)) == 1;
        let form =
            Form::Plain { role: None, from: (from_file, None), to: (to, None), promotion: None, is_capture };
        is_beside.then_some((form, rest))
    };
    longest.or_else(by_file).or_else(alone).or_else(short)
}

fn goal(from: (Option<File>, Option<Rank>), text: &str) -> Option<(Form, &str)> {
    let (is_capture, rest) = separator(text);
    let (to_file, rest) = file(rest)?;
    let (to_rank, mut rest) = rank(rest)?;
    let mut is_capture = is_capture;
    // Old German books write the sign of a capture after the square.
    if let Some(after) = rest.strip_prefix(':') {
        rest = after;
        is_capture = true;
    }
    let to = (to_file, Some(to_rank));
    Some((Form::Plain { role: None, from, to, promotion: None, is_capture }, rest))
}

/// Reads both squares in capitals. A single square in capitals could begin with the letter of a bishop.
fn capitals(text: &str) -> Option<(Form, &str)> {
    let length = text.char_indices().nth(5).map_or(text.len(), |(end, _)| end);
    let lower = text.get(..length)?.to_ascii_lowercase();
    let (form, rest) = squares(&lower)?;
    let is_full = matches!(form, Form::Plain { from: (Some(_), Some(_)), to: (_, Some(_)), .. });
    is_full.then(|| (form, &text[length - rest.len()..]))
}

fn promoted<'a>(text: &'a str, letters: &PieceLetters) -> Option<(Role, &'a str)> {
    let rest = text.strip_prefix(['=', '/', '(']).or_else(|| text.strip_prefix(is_dash)).unwrap_or(text);
    let (role, rest) = letters.piece(rest).or_else(|| {
        let first = rest.chars().next()?;
        Some((Role::from_char(first)?, &rest[first.len_utf8()..]))
    })?;
    let can_be = matches!(role, Role::Queen | Role::Rook | Role::Bishop | Role::Knight);
    let rest = if text.starts_with('(') { rest.strip_prefix(')')? } else { rest };
    can_be.then_some((role, rest))
}

#[cfg(test)]
mod tests {
    use super::super::letters::{ENGLISH, OTHER_LANGUAGES};
    use super::*;

    fn read(fen: &str, text: &str, letters: &PieceLetters) -> Result<String, String> {
        let board = Board::from_fen(fen).unwrap().0;
        let (mv, rest) = read_move(&board, text, letters).map_err(|error| format!("{error:?}"))?;
        Ok(format!("{}{rest}", mv.to_uci(false)))
    }

    const MIDDLE: &str = "r3k2r/1P3n2/2p5/3pP3/6b1/2N2N2/PP4P1/R3K2R w KQkq d6 0 20";

    #[test]
    fn many_spellings_mean_the_same_move() {
        for (mv, spellings) in [
            (
                "f3d4",
                &[
                    "Nd4", "Nfd4", "N3d4", "Nf3d4", "Nf3-d4", "Nf3–d4", "♘d4", "♞f3d4", "f3d4", "F3D4",
                    "f3-d4",
                ][..],
            ),
            ("e5d6", &["exd6", "e5xd6", "ed6", "ed", "exd", "e:d6", "ed6:", "ed:", "e×d6", "e5d6", "♙exd6"]),
            ("e1g1", &["O-O", "0-0", "o-o", "О-О", "O–O", "e1g1", "Ke1-g1", "Ke1g1", "e1h1"]),
            ("e1c1", &["O-O-O", "0-0-0", "e1c1", "O‑O‑O"]),
            (
                "b7a8q",
                &["bxa8=Q", "bxa8Q", "ba8Q", "bxa8(Q)", "bxa8/Q", "b7xa8=q", "b7a8q", "B7A8Q", "bxa8=♕"],
            ),
            ("b7b8n", &["b8=N", "b8N", "b7b8n", "b7-b8=N"]),
            ("g2g3", &["g3", "g2-g3", "g2g3", "♙g3"]),
        ] {
            for text in spellings {
                assert_eq!(read(MIDDLE, text, ENGLISH).as_deref(), Ok(mv), "{text}");
            }
        }
        assert_eq!(read(MIDDLE, "Nd4+!?", ENGLISH).as_deref(), Ok("f3d4+!?"));
    }

    #[test]
    fn what_is_doubtful_is_no_move() {
        for (text, answer) in [
            ("b8", "Illegal"),
            ("d6", "Illegal"),
            ("Nd6", "Illegal"),
            ("nd4", "Form"),
            ("Sd4", "Form"),
            ("Kg1", "Illegal"),
            ("P-K4", "Form"),
            ("E6", "Form"),
            ("-d4", "Form"),
            ("ex", "Form"),
            ("", "Form"),
        ] {
            assert_eq!(read(MIDDLE, text, ENGLISH), Err(answer.to_owned()), "{text}");
        }
        let two = "4k3/8/8/8/8/2N3N1/8/4K3 w - - 0 1";
        assert_eq!(read(two, "Ne4", ENGLISH), Err("Ambiguous".to_owned()));
        assert_eq!(read(two, "Nce4", ENGLISH).as_deref(), Ok("c3e4"));
    }

    #[test]
    fn other_languages_have_other_letters() {
        let of =
            |language: &str| OTHER_LANGUAGES.iter().find(|letters| letters.language == language).unwrap();
        for (language, text) in [
            ("German and Scandinavian", "Sd4"),
            ("French", "Cd4"),
            ("Dutch", "Pd4"),
            ("Russian", "Кd4"),
            ("English in lower case", "nd4"),
        ] {
            assert_eq!(read(MIDDLE, text, of(language)).as_deref(), Ok("f3d4"), "{language}");
        }
        assert_eq!(read(MIDDLE, "Крe2", of("Russian")).as_deref(), Ok("e1e2"));
        assert_eq!(read(MIDDLE, "bxa8=D", of("French")).as_deref(), Ok("b7a8q"));
        assert_eq!(read(MIDDLE, "b3", of("English in lower case")).as_deref(), Ok("b2b3"));
    }

    #[test]
    fn lower_case_bishops_are_only_read_where_no_pawn_fits() {
        let letters = &OTHER_LANGUAGES[0];
        let fen = "4k3/8/8/8/8/2b5/1P2B3/6K1 w - - 0 1";
        assert_eq!(read(fen, "bc4", letters).as_deref(), Ok("e2c4"));
        assert_eq!(read(fen, "bxc3", letters).as_deref(), Ok("b2c3"));
    }
}
