//! The signs that stand behind moves: glyphs with their numbers, check, mate and en passant.
//!
//! Sources: the PGN standard, section 10, and the signs of the Chess Informant with the numbers that ChessBase and
//! Scid give them.

use crate::chess::board::notation::is_dash;

/// Signs with the numbers of their glyphs. In each group a longer sign stands before its own beginning.
const GLYPHS: &[(&str, u8)] = &[
    ("!!", 3),
    ("!?", 5),
    ("!", 1),
    ("??", 4),
    ("?!", 6),
    ("?", 2),
    ("‼", 3),
    ("⁇", 4),
    ("⁉", 5),
    ("⁈", 6),
    ("□", 7),
    ("+--", 20),
    ("--+", 21),
    ("+-", 18),
    ("-+", 19),
    ("+/-", 16),
    ("-/+", 17),
    ("+/=", 14),
    ("=/+", 15),
    ("+=", 14),
    ("=+", 15),
    ("=/∞", 44),
    ("=∞", 44),
    ("==", 11),
    ("=", 10),
    ("±", 16),
    ("∓", 17),
    ("⩲", 14),
    ("⩱", 15),
    ("∞", 13),
    ("~", 13),
    ("⨀", 22),
    ("⊙", 22),
    ("○", 26),
    ("⟳", 32),
    ("↑", 36),
    ("→", 40),
    ("⇆", 132),
    ("⇄", 132),
    ("⊕", 138),
    ("∆", 140),
    ("△", 140),
    ("Δ", 140),
    ("∇", 141),
    ("⌓", 142),
    ("RR", 145),
    ("TN", 146),
    ("N", 146),
    ("D", 220),
];

/// Signs that are a part of the move, and say nothing that the move does not say.
const OF_THE_MOVE: &[&str] =
    &["++", "+", "#", "‡", "†", "e.p.", "e.p", "ep", "mate", "disch", "dis", "dbl", "ch"];

/// Reads a text that consists of signs. Returns the numbers of the glyphs; `None` if any part of the text is no sign.
///
/// `e5+-` is e5 with the glyph of White's advantage, although a check would be `+`: the longest sign counts, unless the
/// rest would then have no meaning.
pub fn signs(text: &str) -> Option<Vec<u8>> {
    let text: String = text.chars().map(|c| if is_dash(c) { '-' } else { c }).collect();
    // No move has more signs. The limit keeps the search for a division small.
    let mut glyphs = Vec::new();
    (text.chars().count() <= 16 && divide(&text, true, &mut glyphs)).then_some(glyphs)
}

/// Divides a text into signs. Letters stand apart from an equals sign: `=N` could be a promotion.
fn divide(text: &str, may_be_letter: bool, glyphs: &mut Vec<u8>) -> bool {
    if text.is_empty() {
        return true;
    }
    let is_fitting = |sign: &str| may_be_letter || !sign.starts_with(|c: char| c.is_ascii_uppercase());
    for (sign, number) in GLYPHS {
        if let Some(rest) = text.strip_prefix(sign)
            && is_fitting(sign)
        {
            glyphs.push(*number);
            if divide(rest, !sign.ends_with('='), glyphs) {
                return true;
            }
            glyphs.pop();
        }
    }
    OF_THE_MOVE.iter().any(|sign| text.strip_prefix(sign).is_some_and(|rest| divide(rest, true, glyphs)))
}

/// Whether a word is a null move: the side to move does nothing.
pub fn is_null_move(word: &str) -> bool {
    matches!(word, "Z0" | "@@@@" | "0000" | "<>" | "null" | "Null" | "NULL" | "pass")
        || (word.chars().count() == 2 && word.chars().all(is_dash))
}

/// Whether a word is a sign that is kept as it stands: an offer of a draw, or zugzwang, whose glyph depends on the
/// side.
pub fn is_known_word(word: &str) -> bool {
    matches!(word, "(=)" | "zz")
}

/// Whether a word could also be the letter of a piece that stands apart from its square.
pub fn is_letter(word: &str) -> bool {
    matches!(word, "N" | "D")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_are_divided_so_that_all_of_them_have_a_meaning() {
        for (text, glyphs) in [
            ("", &[][..]),
            ("+", &[]),
            ("++", &[]),
            ("#!!", &[3]),
            ("+-", &[18]),
            ("+–", &[18]),
            ("++-", &[18]),
            ("+=", &[14]),
            ("=", &[10]),
            ("=+", &[15]),
            ("±", &[16]),
            ("+!?", &[5]),
            ("!!!", &[3, 1]),
            ("!±N", &[1, 16, 146]),
            ("e.p.+", &[]),
            ("N", &[146]),
            ("+/-", &[16]),
            ("-+", &[19]),
            ("dblch", &[]),
        ] {
            assert_eq!(signs(text).as_deref(), Some(glyphs), "{text}");
        }
        for text in ["=N", "=Q", "x", "-", "e5", "!e5", "Nf3", &"!".repeat(17)] {
            assert_eq!(signs(text), None, "{text}");
        }
    }

    #[test]
    fn null_moves_have_many_names() {
        for word in ["--", "––", "Z0", "@@@@", "null", "<>", "0000"] {
            assert!(is_null_move(word), "{word}");
        }
        assert!(!is_null_move("-") && !is_null_move("---") && !is_null_move("e4"));
    }
}
