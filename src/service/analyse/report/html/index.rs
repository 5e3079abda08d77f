//! The index of the games, and the paths of the pages.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::super::super::assessment::Assessment;
use super::super::setting::Setting;
use super::parts::{escaped, head, percent, player, whole};
use crate::chess::board::Color;

/// The path of the index in a directory.
pub fn index_path(directory: &Path) -> PathBuf {
    directory.join("index.html")
}

/// The path of a game's page. `number` is the game's number in the input.
pub fn game_path(directory: &Path, number: u64) -> PathBuf {
    directory.join(game_name(number))
}

fn game_name(number: u64) -> String {
    format!("game-{number:06}.html")
}

/// The beginning of the index, up to its rows.
pub fn index_head(setting: &Setting) -> String {
    format!(
        "{}<body>\n<header><h1>Analyzed games</h1>\n<p class=\"dim\">{}</p></header>\n<main><div class=\"wide\">\n<table>\n\
         <tr><th>Game</th><th class=\"text\">Players</th><th>Result</th><th>Accuracy</th><th>Loss</th><th>?!</th><th>?</th><th>??</th>\
         <th class=\"extra\">Moves</th><th class=\"extra text\">Event</th></tr>\n",
        head("Analyzed games"),
        escaped(&setting.annotator())
    )
}

/// A game's row in the index. A cell has one line for each player, White's first.
pub fn row(report: &Assessment) -> String {
    let [white, black] = &report.players;
    let mut text = format!("<tr><td><a href=\"{}\">{}</a></td>", game_name(report.number), report.number);
    let names = [Color::White, Color::Black].map(|side| escaped(player(report, side)));
    let _ = write!(text, "<td class=\"text\"><bdi>{}</bdi><br><bdi>{}</bdi></td>", names[0], names[1]);
    let _ = write!(text, "<td>{}</td>", report.game.result.text());
    let mut pair = |white: String, black: String| {
        let _ = write!(text, "<td>{white}<br>{black}</td>");
    };
    pair(percent(white.accuracy), percent(black.accuracy));
    pair(whole(white.average_loss), whole(black.average_loss));
    for kind in 0..3 {
        pair(white.judgments[kind].to_string(), black.judgments[kind].to_string());
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
