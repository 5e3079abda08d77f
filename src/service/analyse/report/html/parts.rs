//! Common parts of the pages: the head with the content security policy, escaped text, names and numbers.

use std::borrow::Cow;
use std::fmt::Write;

use super::super::super::assessment::Assessment;
use super::super::super::judgment::{Evaluation, Judgment, Value};
use crate::chess::board::{Board, Color, Move};
use crate::chess::drawing;
use crate::chess::pgn::writer::line;
use crate::chess::types::Score;

/// The pages' own style. It follows the style of the drawings.
pub(super) const STYLE: &str = include_str!("page.css");
/// The pages' own script. It follows the script of the drawings, so that both are one module.
pub(super) const SCRIPT: &str = include_str!("page.js");

/// The script of the index.
pub(super) const INDEX_SCRIPT: &str = include_str!("index.js");

/// The SHA-256 hashes of the whole style and the whole scripts, which the policy names. A test computes them again.
pub(super) const STYLE_HASH: &str = "zlGYI8sYGGhewOwjwfWHNz7hoDwL+gfsXpcVL/rgodg=";
pub(super) const SCRIPT_HASH: &str = "LyHLUZn2toWUkXJ1RlFfOsJMt/TgcyAz+PCXKOEK7CA=";
pub(super) const INDEX_SCRIPT_HASH: &str = "hYei5+lZzSBPdi1nkeipusqYQyQo+wRWy2zYqDJAPuo=";

/// Escapes text for any place in a page. Invisible characters, and characters that change the direction of writing,
/// become spaces.
pub(super) fn escaped(text: &str) -> Cow<'_, str> {
    let is_odd = |c: char| {
        matches!(c, '&' | '<' | '>' | '"' | '\'' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
            || c.is_control()
    };
    if !text.contains(is_odd) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            letter if is_odd(letter) => safe.push(' '),
            letter => safe.push(letter),
        }
    }
    Cow::Owned(safe)
}

/// Escapes a text of several lines.
pub(super) fn escaped_lines(text: &str) -> String {
    text.lines().map(escaped).collect::<Vec<_>>().join("\n")
}

/// The beginning of a page, before its body. `script` is the hash of its script.
pub(super) fn head(title: &str, script: &str) -> String {
    let mut policy = format!("default-src 'none'; style-src 'sha256-{STYLE_HASH}'; ");
    let _ =
        write!(policy, "script-src 'sha256-{script}'; img-src data:; base-uri 'none'; form-action 'none'");
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n\
         <title>{}</title>\n<style>{}{STYLE}</style>\n</head>\n",
        escaped(title),
        drawing::STYLE
    )
}

/// A player's name.
pub(super) fn player(report: &Assessment, side: Color) -> &str {
    report.game.tag(side.fold_wb("White", "Black")).unwrap_or(side.fold_wb("White", "Black"))
}

/// A percentage with one decimal.
pub(super) fn percent(number: Option<f64>) -> String {
    number.map_or_else(|| "–".to_owned(), |number| format!("{number:.1}%"))
}

pub(super) fn whole(number: Option<f64>) -> String {
    number.map_or_else(|| "–".to_owned(), |number| format!("{number:.0}"))
}

/// The judgment of the move after `index` moves.
pub(super) fn judgment(report: &Assessment, index: usize) -> Option<Judgment> {
    report.moves[index].and_then(|verdict| verdict.judgment)
}

/// A move with its number.
pub(super) fn numbered(board: &Board, mv: Move) -> String {
    line(board, &[mv]).join(" ")
}

/// The origin and the target of a move; for castling, those of the king.
pub(super) fn squares(mv: Move) -> String {
    format!("{}{}", mv.from(), mv.king_target())
}

/// An evaluation with a sign, as people write it: `+0.31`, `#5`, `#-5` if Black mates, and `+TB` for a tablebase win.
pub(super) fn shown(evaluation: &Evaluation) -> String {
    match evaluation.value {
        Value::Mate { moves: 0, .. } => "mate".to_owned(),
        Value::Mate { winner, moves } => format!("#{}{moves}", winner.fold_wb("", "-")),
        Value::Centipawns(centipawns) => {
            let sign = if centipawns < 0 { "−" } else { "+" };
            if Score::new(centipawns).is_tablebase() {
                return format!("{sign}TB");
            }
            format!("{sign}{}.{:02}", centipawns.unsigned_abs() / 100, centipawns.unsigned_abs() % 100)
        }
    }
}
