//! What the author of a game wrote at a move: comments, glyphs and variations, as parts of the move list.

use std::fmt::Write;

use super::parts::{escaped, squares};
use crate::chess::board::Board;
use crate::chess::pgn::writer::MoveNumber;
use crate::chess::pgn::{Annotation, GameVariation};

/// The glyphs at a move as signs, such as `!?`.
pub(super) fn glyphs(annotations: &[Annotation]) -> String {
    let numbers = annotations.iter().filter_map(|part| match part {
        Annotation::Glyph(number) => Some(*number),
        _ => None,
    });
    numbers.map(sign).collect()
}

/// The sign of a numeric annotation glyph. Those after `?!` stand apart from the move. Glyphs without a common sign
/// keep their number.
fn sign(number: u8) -> String {
    let sign = match number {
        0 => return String::new(),
        1 => "!",
        2 => "?",
        3 => "!!",
        4 => "??",
        5 => "!?",
        6 => "?!",
        7 => " □",
        10..=12 => " =",
        13 => " ∞",
        // Many fonts lack the signs ⩲ and ⩱.
        14 => " +/=",
        15 => " =/+",
        16 => " ±",
        17 => " ∓",
        18 | 20 => " +−",
        19 | 21 => " −+",
        22 | 23 => " ⨀",
        32 | 33 => " ⟳",
        36 | 37 => " ↑",
        40 | 41 => " →",
        132 | 133 => " ⇆",
        138 | 139 => " ⊕",
        146 => " N",
        _ => return format!(" ${number}"),
    };
    sign.to_owned()
}

/// The comments and variations among `annotations`; `None` if there are none. `board` is the position before the move
/// at which they stand, and `place` the number of moves up to it.
pub(super) fn notes(annotations: &[Annotation], board: &Board, place: usize) -> Option<String> {
    let mut text = String::new();
    for part in annotations {
        match part {
            Annotation::Glyph(_) => {}
            Annotation::Comment(comment) => {
                let comment = without_commands(comment);
                if !comment.is_empty() {
                    let _ = write!(text, "<p dir=\"auto\">{}</p>", escaped(&comment));
                }
            }
            Annotation::Word(word) => {
                let _ = write!(text, "<p dir=\"auto\">{}</p>", escaped(word));
            }
            Annotation::Variation(variation) => {
                text.push_str("<p>");
                put_variation(&mut text, variation, board, place);
                text.push_str("</p>");
            }
        }
    }
    (!text.is_empty()).then(|| format!("<div class=\"note\">{text}</div>\n"))
}

/// Writes a variation in brackets. The script can show each of its moves on the board.
fn put_variation(text: &mut String, variation: &GameVariation, board: &Board, place: usize) {
    let _ = write!(text, "<span class=\"line\" data-after=\"p{place}\">(");
    let mut board = board.clone();
    let mut is_interrupted = true;
    put_inline(text, &variation.before, &board, place);
    for (index, played) in variation.moves.iter().enumerate() {
        if index > 0 || !variation.before.is_empty() {
            text.push(' ');
        }
        if let Some(number) = MoveNumber::of(&board).due(is_interrupted) {
            // A number never stands alone at the end of a line.
            let _ = write!(text, "<span class=\"dim\">{number}</span>&nbsp;");
        }
        let next = played.position_after(&board);
        let (name, move_squares) = match played.mv {
            Some(mv) => (board.to_san(mv), squares(mv)),
            None => ("--".to_owned(), String::new()),
        };
        let name = name + &glyphs(&played.after);
        let fen = next.fen(next.has_chess960_castling());
        let number = MoveNumber::of(&board);
        let _ = write!(
            text,
            "<a class=\"m\" href=\"#p{place}\" data-fen=\"{fen}\" data-move=\"{move_squares}\" \
             data-info=\"{number} {name}, a variation of the author\">{name}</a>"
        );
        put_inline(text, &played.after, &board, place);
        is_interrupted = played.after.iter().any(|part| !matches!(part, Annotation::Glyph(_)));
        board = next;
    }
    text.push_str(")</span>");
}

/// Writes comments and variations within a variation.
fn put_inline(text: &mut String, annotations: &[Annotation], board: &Board, place: usize) {
    for part in annotations {
        match part {
            Annotation::Glyph(_) => {}
            Annotation::Comment(words) | Annotation::Word(words) => {
                let words = without_commands(words);
                if !words.is_empty() {
                    let _ = write!(text, " <bdi class=\"dim\">{}</bdi>", escaped(&words));
                }
            }
            Annotation::Variation(variation) => {
                text.push(' ');
                put_variation(text, variation, board, place);
            }
        }
    }
}

/// A comment without its commands for programs, such as `[%clk 0:03:00]`.
pub(super) fn without_commands(comment: &str) -> String {
    let mut text = comment.to_owned();
    while let Some(start) = text.find("[%") {
        let end = text[start..].find(']').map_or(text.len(), |end| start + end + 1);
        text.replace_range(start..end, "");
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::super::super::job::tests::game;
    use super::*;

    #[test]
    fn comments_glyphs_and_variations_are_kept() {
        let game = game(
            "1. e4 $1 $14 {Best <by> test. [%clk 0:03:00]} (1. d4 {slow} d5 $2 (1... Nf6 2. --) 2. c4) e5 *",
        );
        let after = &game.moves[0].after;
        assert_eq!(glyphs(after), "! +/=");
        let text = notes(after, &game.start, 1).unwrap();
        let words: String =
            text.split('<').filter_map(|part| part.split_once('>')).map(|(_, word)| word).collect();
        let words = words.replace("&nbsp;", " ");
        assert_eq!(words.trim(), "Best &lt;by&gt; test.(1. d4 slow 1... d5? (1... Nf6 2. --) 2. c4)");
        assert_eq!(text.matches("class=\"line\" data-after=\"p1\"").count(), 2);
        assert!(
            text.contains("data-move=\"d2d4\"") && text.contains("data-fen=\"rnbqkb1r/pppppppp/5n2"),
            "{text}"
        );
        assert_eq!(notes(&game.moves[1].after, &game.start, 2), None);
    }
}
