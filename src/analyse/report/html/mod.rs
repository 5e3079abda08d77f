//! The games as HTML: an index, and a page for each game that needs nothing but itself.
//!
//! Whatever comes from the games is hostile: names and events are text of strangers. It is escaped wherever it stands, it
//! stands nowhere but in text and in quoted attributes, and should that fail, the page's policy runs no script and applies
//! no style but the two that are part of this program, known by their hashes, and loads nothing at all.

mod board;
mod graph;
mod page;

use std::borrow::Cow;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::super::assessment::Assessment;
use super::super::judgement::{Evaluation, Value};
use super::Setting;
use crate::board::Color;
pub use page::game;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// SHA-256 of style and script, which the policy names. A test makes them anew.
const STYLE_HASH: &str = "v4eXc3hRWS4tAXw1PVHlv4NvRHe2J2oBofX5xMwmpFk=";
const SCRIPT_HASH: &str = "l4hzqI5t4HMH69KiBSkzeYBDmxPdSWzjF5Qw1/Or9Do=";

/// The index of a directory.
pub fn index_path(directory: &Path) -> PathBuf {
    directory.join("index.html")
}

/// The page of a game, by its place in the input.
pub fn game_path(directory: &Path, number: u64) -> PathBuf {
    directory.join(game_name(number))
}

fn game_name(number: u64) -> String {
    format!("game-{number:06}.html")
}

/// Text for anywhere in a page. Characters that are not to be seen, or that turn the direction of writing, become spaces.
fn escaped(text: &str) -> Cow<'_, str> {
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

/// The beginning of a page, up to its body.
fn head(title: &str) -> String {
    let mut policy = format!("default-src 'none'; style-src 'sha256-{STYLE_HASH}'; ");
    let _ = write!(
        policy,
        "script-src 'sha256-{SCRIPT_HASH}'; img-src data:; base-uri 'none'; form-action 'none'"
    );
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n\
         <title>{}</title>\n<style>{STYLE}</style>\n</head>\n",
        escaped(title)
    )
}

/// The beginning of the index, up to its rows.
pub fn index_head(setting: &Setting) -> String {
    format!(
        "{}<body>\n<header><h1>Analysed games</h1>\n<p class=\"dim\">{}</p></header>\n<main><div class=\"wide\">\n<table>\n\
         <tr><th>Game</th><th class=\"text\">Players</th><th>Result</th><th>Accuracy</th><th>Loss</th><th>?!</th><th>?</th><th>??</th>\
         <th class=\"extra\">Moves</th><th class=\"extra text\">Event</th></tr>\n",
        head("Analysed games"),
        escaped(&setting.annotator())
    )
}

/// A game's row in the index. What concerns a player stands in his line, White's first.
pub fn row(report: &Assessment) -> String {
    let [white, black] = &report.players;
    let mut text = format!("<tr><td><a href=\"{}\">{}</a></td>", game_name(report.number), report.number);
    let names = [Color::White, Color::Black].map(|side| escaped(player(report, side)));
    let _ = write!(text, "<td class=\"text\"><bdi>{}</bdi><br><bdi>{}</bdi></td>", names[0], names[1]);
    let _ = write!(text, "<td>{}</td>", report.game.result);
    let mut pair = |white: String, black: String| {
        let _ = write!(text, "<td>{white}<br>{black}</td>");
    };
    pair(percent(white.accuracy), percent(black.accuracy));
    pair(whole(white.average_loss), whole(black.average_loss));
    for kind in 0..3 {
        pair(white.judgements[kind].to_string(), black.judgements[kind].to_string());
    }
    let tag = |name: &str| escaped(report.game.tag(name).unwrap_or(""));
    let _ = writeln!(
        text,
        "<td class=\"extra\">{}</td><td class=\"extra text\"><bdi>{}</bdi><br>{}</td></tr>",
        report.game.moves.len().div_ceil(2),
        tag("Event"),
        tag("Date")
    );
    text
}

/// The end of the index.
pub fn index_foot() -> &'static str {
    "</table>\n</div></main>\n</body>\n</html>\n"
}

/// A player's name.
fn player(report: &Assessment, side: Color) -> &str {
    report.game.tag(side.fold_wb("White", "Black")).unwrap_or(side.fold_wb("White", "Black"))
}

/// A part of a hundred with a decimal.
fn percent(number: Option<f64>) -> String {
    number.map_or_else(|| "–".to_owned(), |number| format!("{number:.1}%"))
}

fn whole(number: Option<f64>) -> String {
    number.map_or_else(|| "–".to_owned(), |number| format!("{number:.0}"))
}

/// An evaluation as people write it, with a sign.
fn shown(evaluation: &Evaluation) -> String {
    match evaluation.value {
        Value::Mate { moves: 0, .. } => "mate".to_owned(),
        Value::Mate { winner, moves } => format!("{}#{moves}", winner.fold_wb("+", "−")),
        Value::Centipawns(centipawns) => {
            let sign = if centipawns < 0 { "−" } else { "+" };
            format!("{sign}{}.{:02}", centipawns.unsigned_abs() / 100, centipawns.unsigned_abs() % 100)
        }
    }
}

#[cfg(test)]
mod tests {
    use base64::prelude::{BASE64_STANDARD, Engine as _};
    use sha2::{Digest, Sha256};

    use super::super::super::assessment::tests::assessment;
    use super::super::tests::setting;
    use super::*;

    #[test]
    fn the_policy_knows_style_and_script() {
        let hash = |text: &str| BASE64_STANDARD.encode(Sha256::digest(text.as_bytes()));
        assert_eq!([STYLE_HASH, SCRIPT_HASH], [hash(STYLE), hash(SCRIPT)].each_ref().map(String::as_str));
    }

    const HOSTILE: &str = "<script>alert(1)</script>\\\"><img src=x onerror='alert(2)'>&\u{202e}";

    #[test]
    fn what_comes_from_the_game_is_escaped() {
        let tags = ["Event", "Site", "Date", "Round", "White", "Black", "WhiteElo", "Opening"];
        let tags: String = tags.iter().map(|name| format!("[{name} \"{HOSTILE}\"]\n")).collect();
        let text = format!("{tags}\n1. e4 {{{HOSTILE}}} e5 *");
        let report = assessment(&text, &[Some((0, "e4")), Some((900, "e5")), Some((0, "Nf3"))]);
        for page in [game(&report, &setting()), row(&report)] {
            assert!(
                !page.contains("<script>alert") && !page.contains("<img") && !page.contains('\u{202e}'),
                "{page}"
            );
            assert!(
                page.contains("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&gt;&lt;img src=x onerror=&#39;"),
                "{page}"
            );
        }
    }

    #[test]
    fn a_page_needs_nothing_but_itself() {
        let report = assessment("1. e4 e5 *", &[Some((0, "e4")), Some((900, "e5")), Some((0, "Nf3"))]);
        let page = game(&report, &setting());
        for outside in ["http:", "https:", " src=", "url(", "@import", "fetch(", " style=", " onclick="] {
            assert!(!page.contains(outside), "{outside}");
        }
        assert_eq!(page.matches("data-ply=").count(), 3);
        assert_eq!(page.matches(" data-square=").count(), 64 * page.matches("<svg class=\"board\"").count());
        assert!(page.contains("<b class=\"blunder\">e4??</b>"), "{page}");
        let index = format!("{}{}{}", index_head(&setting()), row(&report), index_foot());
        assert!(index.contains("<a href=\"game-000001.html\">1</a>"));
        assert!(!index.contains("<script") && index.ends_with("</html>\n"));
    }

    #[test]
    fn games_without_evaluations_have_a_page_too() {
        for text in ["1. e4 e5 *", "*"] {
            let found = vec![None; if text == "*" { 1 } else { 3 }];
            let page = game(&assessment(text, &found), &setting());
            assert!(!page.contains("id=\"graph\"") && page.contains("<td>–</td>"));
        }
    }
}
