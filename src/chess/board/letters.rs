//! The letters that stand for the pieces in the languages of chess books and programs.

use super::Role;

/// The letters of the pieces in one language.
#[derive(Debug, PartialEq, Eq)]
pub struct PieceLetters {
    /// The language, or the languages that share these letters.
    pub language: &'static str,
    /// King, queen, rook, bishop and knight. The king comes first, because its letters may begin with the knight's.
    pieces: [&'static str; 5],
}

const ROLES: [Role; 5] = [Role::King, Role::Queen, Role::Rook, Role::Bishop, Role::Knight];

/// The figurines in the order of [`ROLES`], and the pawn's at the end.
const WHITE_FIGURINES: [char; 6] = ['♔', '♕', '♖', '♗', '♘', '♙'];
const BLACK_FIGURINES: [char; 6] = ['♚', '♛', '♜', '♝', '♞', '♟'];

/// The letters of the standard.
pub const ENGLISH: &PieceLetters = &PieceLetters { language: "English", pieces: ["K", "Q", "R", "B", "N"] };

/// Other languages, and English in lower case.
///
/// Sources: FIDE's handbook names the letters of the most common languages; the others are those of their federations.
pub const OTHER_LANGUAGES: &[PieceLetters] = &[
    PieceLetters { language: "English in lower case", pieces: ["k", "q", "r", "b", "n"] },
    PieceLetters { language: "German and Scandinavian", pieces: ["K", "D", "T", "L", "S"] },
    PieceLetters { language: "French", pieces: ["R", "D", "T", "F", "C"] },
    PieceLetters { language: "Spanish and Italian", pieces: ["R", "D", "T", "A", "C"] },
    PieceLetters { language: "Portuguese", pieces: ["R", "D", "T", "B", "C"] },
    PieceLetters { language: "Dutch", pieces: ["K", "D", "T", "L", "P"] },
    PieceLetters { language: "Polish", pieces: ["K", "H", "W", "G", "S"] },
    PieceLetters { language: "Czech and Slovak", pieces: ["K", "D", "V", "S", "J"] },
    PieceLetters { language: "Hungarian", pieces: ["K", "V", "B", "F", "H"] },
    PieceLetters { language: "Finnish", pieces: ["K", "D", "T", "L", "R"] },
    PieceLetters { language: "Estonian", pieces: ["K", "L", "V", "O", "R"] },
    PieceLetters { language: "Icelandic", pieces: ["K", "D", "H", "B", "R"] },
    PieceLetters { language: "Romanian", pieces: ["R", "D", "T", "N", "C"] },
    PieceLetters { language: "Turkish", pieces: ["Ş", "V", "K", "F", "A"] },
    PieceLetters { language: "Russian", pieces: ["Кр", "Ф", "Л", "С", "К"] },
    PieceLetters { language: "Ukrainian", pieces: ["Кр", "Ф", "Т", "С", "К"] },
    PieceLetters { language: "Bulgarian", pieces: ["Ц", "Д", "Т", "О", "К"] },
    PieceLetters { language: "Greek", pieces: ["Ρ", "Β", "Π", "Α", "Ι"] },
];

impl PieceLetters {
    /// The piece whose letter or figurine begins `text`, and the rest of the text.
    pub(super) fn piece<'a>(&self, text: &'a str) -> Option<(Role, &'a str)> {
        let first = text.chars().next()?;
        let figurine = |figures: [char; 6]| {
            figures.iter().position(|figure| *figure == first).filter(|index| *index < 5)
        };
        if let Some(index) = figurine(WHITE_FIGURINES).or_else(|| figurine(BLACK_FIGURINES)) {
            return Some((ROLES[index], after_figurine(&text[first.len_utf8()..])));
        }
        let letters = self.pieces.iter().zip(ROLES);
        letters.into_iter().find_map(|(letter, role)| Some((role, text.strip_prefix(letter)?)))
    }
}

/// The text after a figurine. Some programs write the sign that asks for a figure as plain text.
fn after_figurine(text: &str) -> &str {
    text.trim_start_matches(['\u{fe0e}', '\u{fe0f}'])
}

/// The text without the figurine of a pawn at its beginning.
pub(super) fn without_pawn(text: &str) -> &str {
    text.strip_prefix([WHITE_FIGURINES[5], BLACK_FIGURINES[5]]).map_or(text, after_figurine)
}

/// Whether a character is a figurine.
pub fn is_figurine(c: char) -> bool {
    WHITE_FIGURINES.contains(&c) || BLACK_FIGURINES.contains(&c)
}
