//! The tokens between blanks: numbers, words and signs, by their form alone.

use super::result::GameEnd;
use super::token::{GameToken, is_blank, is_invisible};
use crate::chess::board::letters::is_figurine;
use crate::chess::board::notation::is_dash;

/// The dots at the beginning of a text, and their length in bytes.
pub(super) fn dots(text: &str) -> (u32, usize) {
    let mut count = 0;
    let mut length = 0;
    for c in text.chars() {
        match c {
            '.' => count += 1,
            '…' => count += 3,
            '‥' => count += 2,
            _ => break,
        }
        length += c.len_utf8();
    }
    (count, length)
}

/// A text in brackets that is no tag, or its first bracket alone if there is no second one.
pub(super) fn bracketed(text: &str, end: char) -> (GameToken, usize) {
    let length = text.find(end).map_or(1, |end| end + 1);
    (GameToken::Word(text[..length].to_owned()), length)
}

/// The beginning of a variation, or a sign in parentheses: `(e.p.)` is a part of its move, `(=)` offers a draw.
pub(super) fn parenthesis(text: &str) -> (GameToken, usize) {
    const SIGNS: [&str; 6] = ["(e.p.)", "(ep)", "(=)", "(ch)", "(mate)", "(+)"];
    match SIGNS.into_iter().find(|sign| text.starts_with(sign)) {
        Some("(=)") => (GameToken::Word("(=)".to_owned()), 3),
        Some(sign) => (GameToken::Word(sign.trim_matches(['(', ')']).to_owned()), sign.len()),
        None => (GameToken::Open, 1),
    }
}

pub(super) fn nag(text: &str) -> (GameToken, usize) {
    let length = 1 + text[1..].bytes().take_while(u8::is_ascii_digit).count();
    match text[1..length].parse() {
        Ok(number) => (GameToken::Nag(number), length),
        Err(_) => (GameToken::Word(text[..length].to_owned()), length),
    }
}

/// A move number or a word.
pub(super) fn word(text: &str) -> (GameToken, usize) {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let after = &text[digits..];
    let is_castling = text.starts_with('0') && digits == 1 && after.starts_with(is_dash);
    let is_null_move = digits == 4 && text.starts_with("0000");
    if digits > 0 && !is_castling && !is_null_move {
        let (dots, length) = dots(after);
        // A longer number is none, and would not fit.
        if let Ok(number) = text[..digits].parse() {
            return (GameToken::Number { number, dots }, digits + length);
        }
    }
    let length = word_length(text);
    let word: String = text[..length].chars().filter(|c| !is_invisible(*c)).collect();
    (GameToken::Word(word), length)
}

/// The length of the word at the beginning of a text in bytes.
fn word_length(text: &str) -> usize {
    let mut end = 0;
    while let Some(c) = text[end..].chars().next() {
        let rest = &text[end..];
        if end > 0 && GameEnd::is_star(rest) {
            break;
        }
        if let Some(length) = promotion(&text[..end], rest).or_else(|| en_passant(rest)) {
            end += length;
            continue;
        }
        if is_blank(c) || "{}()[]<>;$,.…‥".contains(c) {
            break;
        }
        end += c.len_utf8();
    }
    // A text that begins with a delimiter has been taken by the caller.
    end.max(text.chars().next().map_or(0, char::len_utf8))
}

/// The length of a new piece in parentheses behind a pawn's goal, as in `e8(Q)`.
fn promotion(before: &str, rest: &str) -> Option<usize> {
    if !before.ends_with(['1', '8']) {
        return None;
    }
    let mut letters = rest.strip_prefix('(')?.chars();
    let piece = letters.next().filter(|c| c.is_alphabetic() || is_figurine(*c))?;
    (letters.next() == Some(')')).then_some(2 + piece.len_utf8())
}

/// The length of `e.p.` or `e.p`, whose dots do not end a word.
fn en_passant(rest: &str) -> Option<usize> {
    ["e.p.", "e.p"].into_iter().find(|sign| rest.starts_with(sign)).map(str::len)
}
