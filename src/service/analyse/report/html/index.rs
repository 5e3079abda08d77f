//! The index of the games, and the paths of the pages.

use std::fmt::Write;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::super::super::assessment::Assessment;
use super::super::setting::Setting;
use super::parts::{INDEX_SCRIPT, INDEX_SCRIPT_HASH, escaped, head, percent, player, whole};
use super::totals::Totals;
use crate::chess::board::Color;

/// The title of the index.
const TITLE: &str = "Analyzed games";

/// The path of the index in a directory.
pub fn index_path(directory: &Path) -> PathBuf {
    directory.join("index.html")
}

/// Fails if there is another file than the index of a report.
pub fn check_own_index(path: &Path) -> io::Result<()> {
    // The title stands before the style.
    let mut beginning = Vec::new();
    match File::open(path) {
        Ok(file) => file.take(4096).read_to_end(&mut beginning)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    let text = String::from_utf8_lossy(&beginning);
    // The second spelling is that of version 1.0.0.
    let is_own =
        [TITLE, "Analysed games"].iter().any(|title| text.contains(&format!("<title>{title}</title>")));
    if is_own { Ok(()) } else { Err(io::Error::other("it is no report of Enfilade, choose another folder")) }
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
        "{}<body>\n<header><h1>Analyzed games</h1>\n<p class=\"dim\">{}</p></header>\n<main><div class=\"wide\">\n<table class=\"sortable games\">\n\
         <thead><tr><th>Game</th><th class=\"text\">Players</th><th>Result</th><th>Accuracy</th><th class=\"extra\">Loss</th><th>?!</th><th>?</th><th>??</th>\
         <th class=\"extra\">Moves</th><th class=\"extra text\">Event</th></tr></thead>\n<tbody>\n",
        head(TITLE, INDEX_SCRIPT_HASH),
        escaped(&setting.annotator())
    )
}

/// A game's row in the index. A cell has one line for each player, White's first.
pub fn row(report: &Assessment) -> String {
    let [white, black] = &report.players;
    let mut text = format!("<tr><td><a href=\"{}\">{}</a></td>", game_name(report.number), report.number);
    let names = [Color::White, Color::Black].map(|side| escaped(player(report, side)));
    let _ = write!(
        text,
        "<td class=\"text\"><a href=\"{}\"><bdi>{}</bdi><br><bdi>{}</bdi></a></td>",
        game_name(report.number),
        names[0],
        names[1]
    );
    let _ = write!(text, "<td>{}</td>", report.game.result.text());
    let mut pair = |class: &str, white: String, black: String| {
        let _ = write!(text, "<td{class}>{white}<br>{black}</td>");
    };
    pair("", percent(white.accuracy), percent(black.accuracy));
    pair(" class=\"extra\"", whole(white.average_loss), whole(black.average_loss));
    for kind in 0..3 {
        pair("", white.judgments[kind].to_string(), black.judgments[kind].to_string());
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

/// The end of the index: the tables of all games, and the script that sorts tables.
pub fn index_foot(totals: &Totals) -> String {
    format!(
        "</tbody></table>\n</div>\n{}</main>\n<script type=\"module\">{INDEX_SCRIPT}</script>\n</body>\n</html>\n",
        totals.tables()
    )
}
