//! The page of a game.

use std::fmt::Write;

use super::super::super::assessment::Assessment;
use super::super::pgn;
use super::super::setting::Setting;
use super::parts::{SCRIPT, SCRIPT_HASH, escaped, escaped_lines, head, judgment, percent, player, whole};
use super::words::{info, label};
use super::{clock, graph, lines, moves};
use crate::chess::board::{Board, Color};
use crate::chess::drawing;

/// The greatest number of moments that are shown with a board.
const MOMENTS: usize = 6;

/// The buttons below the board. The script shows them.
const CONTROLS: &str = concat!(
    "\n<div class=\"controls\"><button id=\"first\" title=\"First position (Home)\">|◀</button>",
    "<button id=\"back\" title=\"Back (left arrow)\">◀</button>",
    "<button id=\"forward\" title=\"Forward (right arrow)\">▶</button>",
    "<button id=\"last\" title=\"Last position (End)\">▶|</button>",
    "<button id=\"flip\" title=\"Turn the board (f)\">⇅</button>",
    "<button id=\"learn\" title=\"Find a better move than the next mistake (n)\">Next mistake</button></div>\n",
);

/// The whole page of a game.
pub fn game(report: &Assessment, setting: &Setting) -> String {
    let names = [Color::White, Color::Black].map(|side| player(report, side));
    let mut text = head(&format!("{} – {}", names[0], names[1]), SCRIPT_HASH);
    let _ = write!(text, "<body>\n<svg class=\"defs\" aria-hidden=\"true\">{}</svg>\n", drawing::PIECES);
    text.push_str(&header(report, setting, names));
    text.push_str("<main>\n<div class=\"game\">\n<section class=\"view\">\n");
    text.push_str(&drawing::svg(&report.boards[0], None, Some("board")));
    text.push_str(CONTROLS);
    let _ = writeln!(
        text,
        "<p class=\"info\" id=\"info\" aria-live=\"polite\">{}</p>",
        escaped(&info(report, 0))
    );
    text.push_str(&drawing::chances(report.positions[0].as_ref().map(|position| position.evaluation.wdl)));
    text.push_str("\n<div class=\"lines\" id=\"lines\"></div>\n</section>\n<section>\n");
    if let Some(graph) = graph::svg(report, |index| label(report, index)) {
        let _ = write!(
            text,
            "{graph}\n<p class=\"dim\">Winning chances of White by lichess’s formula. Marks are judged moves: ● inaccuracy, \
             ◆ mistake, ■ blunder.</p>\n"
        );
    }
    if let Some(chart) = clock::chart(report) {
        let _ = write!(
            text,
            "{chart}\n<p class=\"dim\">Time of each move, White’s upward and Black’s downward.</p>\n"
        );
    }
    text.push_str(&moves::list(report));
    text.push_str(&figures(report, names));
    text.push_str("</section>\n</div>\n");
    text.push_str(&moments(report));
    text.push_str(&lines::table(report));
    text.push_str(&export(report, setting));
    let _ = write!(
        text,
        "</main>\n<footer><p>{}; network {}. Accuracy, loss and judgments follow lichess’s formulas; chances of win, draw and loss \
         are the engine’s own.</p></footer>\n<script type=\"module\">{}{SCRIPT}</script>\n</body>\n</html>\n",
        escaped(&setting.annotator()),
        escaped(&setting.basis.fingerprint.network),
        drawing::SCRIPT
    );
    text
}

/// The position and the game as text, to copy.
fn export(report: &Assessment, setting: &Setting) -> String {
    let mut game = Vec::new();
    pgn::write(&mut game, report, setting).expect("memory can be written");
    format!(
        "<details class=\"export\" id=\"export\"><summary>FEN and PGN</summary>\n\
         <p><label>FEN <input id=\"fen\" readonly value=\"{}\"></label></p>\n\
         <p><label>PGN <textarea id=\"pgn\" readonly rows=\"10\">{}</textarea></label></p>\n\
         <p class=\"controls\"><button id=\"save\">Save the PGN</button></p></details>\n",
        report.boards[0].fen(report.game.is_chess960),
        escaped_lines(&String::from_utf8_lossy(&game))
    )
}

fn header(report: &Assessment, setting: &Setting, names: [&str; 2]) -> String {
    let elo = |side: &str| match report.game.tag(&format!("{side}Elo")) {
        Some(elo) if elo != "?" => format!(" <span class=\"dim\">({})</span>", escaped(elo)),
        _ => String::new(),
    };
    let facts = ["Event", "Round", "Site", "Date", "Opening"];
    let facts = facts.into_iter().filter_map(|name| Some((name, report.game.tag(name)?)));
    let facts: Vec<String> = facts
        .filter(|(_, value)| value.contains(|c: char| !"?-. ".contains(c)))
        .map(|(name, value)| match value.strip_prefix("https://").or(value.strip_prefix("http://")) {
            Some(place) => {
                format!("<a href=\"{}\" rel=\"noreferrer\"><bdi>{}</bdi></a>", escaped(value), escaped(place))
            }
            None if name == "Round" => format!("round <bdi>{}</bdi>", escaped(value)),
            None => format!("<bdi>{}</bdi>", escaped(value)),
        })
        .collect();
    format!(
        "<header>\n<p><a href=\"index.html\">All games</a>{}</p>\n<h1><bdi>{}</bdi>{} – <bdi>{}</bdi>{} {}</h1>\n\
         <p class=\"dim\">{}</p>\n</header>\n",
        board_link(report, setting),
        escaped(names[0]),
        elo("White"),
        escaped(names[1]),
        elo("Black"),
        report.game.result.text(),
        facts.join(" · ")
    )
}

/// A link that opens the game on an analysis board; nothing without a board. The script makes it a link to the whole
/// annotated game, at the position that is shown. Without the script it has the moves.
fn board_link(report: &Assessment, setting: &Setting) -> String {
    let Some(board) = &setting.board else { return String::new() };
    let game = &report.game;
    let fen = game.start.fen(game.is_chess960);
    let fen = if fen == Board::startpos().fen(false) {
        String::new()
    } else {
        format!("fen={}&", fen.replace(' ', "+"))
    };
    let chess960 = if game.is_chess960 { "chess960=1&" } else { "" };
    let moves: Vec<String> =
        game.moves.iter().map(|played| played.mv.to_uci(game.is_chess960).to_string()).collect();
    let address = format!("{board}#{fen}{chess960}moves={}", moves.join(","));
    format!(
        " · <a id=\"to-board\" href=\"{}\" data-board=\"{}\">Open on the board</a>",
        escaped(&address),
        escaped(board)
    )
}

/// The table of both players' statistics.
fn figures(report: &Assessment, names: [&str; 2]) -> String {
    let [white, black] = &report.players;
    let mut text = String::from("<table class=\"figures\">\n<tr><th></th>");
    for name in names {
        let _ = write!(text, "<th><bdi>{}</bdi></th>", escaped(name));
    }
    text.push_str("</tr>\n");
    let mut row = |name: &str, white: String, black: String| {
        let _ = writeln!(text, "<tr><th>{name}</th><td>{white}</td><td>{black}</td></tr>");
    };
    row("Accuracy", percent(white.accuracy), percent(black.accuracy));
    row("Average loss in centipawns", whole(white.average_loss), whole(black.average_loss));
    for (kind, name) in ["Inaccuracies ?!", "Mistakes ?", "Blunders ??"].into_iter().enumerate() {
        row(name, white.judgments[kind].to_string(), black.judgments[kind].to_string());
    }
    text.push_str("</table>\n");
    text
}

/// The moves that lost most, each with a board. They are visible without the script too.
fn moments(report: &Assessment) -> String {
    let mut moments: Vec<usize> =
        (0..report.moves.len()).filter(|index| judgment(report, *index).is_some()).collect();
    let loss = |index: &usize| report.moves[*index].map_or(0.0, |verdict| verdict.win_loss);
    moments.sort_by(|a, b| loss(b).total_cmp(&loss(a)));
    moments.truncate(MOMENTS);
    moments.sort_unstable();
    if moments.is_empty() {
        return String::new();
    }
    let mut text = String::from("<h2>Critical moments</h2>\n<div class=\"moments\">\n");
    for index in moments {
        let (before, mv) = (&report.boards[index], report.game.moves[index].mv);
        let _ = write!(
            text,
            "<article>\n{}\n<p><a href=\"#p{}\">{}</a></p>\n",
            drawing::svg(&before.after(mv), Some(mv), None),
            index + 1,
            escaped(&label(report, index))
        );
        if let Some(line) = report.better_line(index) {
            let _ = writeln!(text, "<p>Better: {}</p>", pgn::better(before, line).join(" "));
        }
        text.push_str("</article>\n");
    }
    text.push_str("</div>\n");
    text
}
