//! The page of a game.

use std::fmt::Write;

use super::super::super::assessment::Assessment;
use super::super::super::judgment::Judgment;
use super::super::pgn;
use super::super::setting::Setting;
use super::graph;
use super::parts::{SCRIPT, escaped, head, percent, player, shown, whole};
use crate::chess::board::{Board, Color, Move};
use crate::chess::drawing;
use crate::chess::pgn::writer::line;

/// The greatest number of moments that are shown with a board.
const MOMENTS: usize = 6;

/// The number of plies that are shown of each line after the best one.
const ALTERNATIVE_PLIES: usize = 6;

/// The whole page of a game.
pub fn game(report: &Assessment, setting: &Setting) -> String {
    let names = [Color::White, Color::Black].map(|side| player(report, side));
    let mut text = head(&format!("{} – {}", names[0], names[1]));
    let _ = write!(text, "<body>\n<svg class=\"defs\" aria-hidden=\"true\">{}</svg>\n", drawing::PIECES);
    text.push_str(&header(report, names));
    text.push_str("<main>\n<div class=\"game\">\n<section>\n");
    text.push_str(&drawing::svg(&report.boards[0], None, Some("board")));
    text.push_str(
        "\n<div class=\"controls\"><button id=\"first\" title=\"First position (Home)\">|◀</button>\
         <button id=\"back\" title=\"Back (left arrow)\">◀</button><button id=\"forward\" title=\"Forward (right arrow)\">▶</button>\
         <button id=\"last\" title=\"Last position (End)\">▶|</button><button id=\"flip\" title=\"Turn the board (f)\">⇅</button></div>\n",
    );
    let _ = writeln!(
        text,
        "<p class=\"info\" id=\"info\" aria-live=\"polite\">{}</p>",
        escaped(&info(report, 0))
    );
    text.push_str(&drawing::chances(report.positions[0].as_ref().map(|position| position.evaluation.wdl)));
    text.push('\n');
    if let Some(graph) = graph::svg(report, |index| label(report, index)) {
        let _ = write!(
            text,
            "{graph}\n<p class=\"dim\">Winning chances of White by lichess’s formula; dots are judged moves.</p>\n"
        );
    }
    text.push_str("</section>\n<section>\n");
    text.push_str(&figures(report, names));
    text.push_str(&moves(report));
    text.push_str("</section>\n</div>\n");
    text.push_str(&moments(report));
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

fn header(report: &Assessment, names: [&str; 2]) -> String {
    let elo = |side: &str| match report.game.tag(&format!("{side}Elo")) {
        Some(elo) if elo != "?" => format!(" <span class=\"dim\">({})</span>", escaped(elo)),
        _ => String::new(),
    };
    let facts =
        ["Event", "Site", "Date", "Round", "Opening"].into_iter().filter_map(|name| report.game.tag(name));
    let facts: Vec<String> = facts
        .filter(|value| value.contains(|c: char| !"?-. ".contains(c)))
        .map(|value| format!("<bdi>{}</bdi>", escaped(value)))
        .collect();
    format!(
        "<header>\n<p><a href=\"index.html\">All games</a></p>\n<h1><bdi>{}</bdi>{} – <bdi>{}</bdi>{} {}</h1>\n\
         <p class=\"dim\">{}</p>\n</header>\n",
        escaped(names[0]),
        elo("White"),
        escaped(names[1]),
        elo("Black"),
        report.game.result.text(),
        facts.join(" · ")
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

/// The move list: a row for each pair of moves, and a line for each better line.
fn moves(report: &Assessment) -> String {
    let mut text = String::from("<h2>Moves</h2>\n<div class=\"moves\" id=\"moves\">\n");
    let _ = writeln!(text, "<div class=\"row\"><span></span>{}</div>", position(report, 0, "Start"));
    let mut is_open = false;
    for index in 0..report.game.moves.len() {
        let board = &report.boards[index];
        let is_white = board.turn().is_white();
        if !is_open {
            let _ = write!(text, "<div class=\"row\"><span class=\"number\">{}.</span>", board.fullmove());
            if !is_white {
                text.push_str("<span class=\"m\">…</span>");
            }
        }
        let sign = judgment(report, index).map_or("", Judgment::sign);
        text.push_str(&position(
            report,
            index + 1,
            &format!("{}{sign}", board.to_san(report.game.moves[index].mv)),
        ));
        let better = report.better_line(index);
        is_open = is_white && better.is_none() && index + 1 < report.game.moves.len();
        if !is_open {
            text.push_str("</div>\n");
        }
        if let Some(line) = better {
            text.push_str(&better_line(report, index, line));
        }
    }
    let _ = writeln!(
        text,
        "<div class=\"row\"><span></span><span class=\"m\">{}</span></div>\n</div>",
        report.game.result.text()
    );
    text
}

/// The entry of the move list for the position after `index` moves, with all data that the script needs to show it.
fn position(report: &Assessment, index: usize, name: &str) -> String {
    let mut text = format!(
        "<a class=\"m\" id=\"p{index}\" href=\"#p{index}\" data-ply=\"{index}\" data-fen=\"{}\" data-info=\"{}\"",
        report.boards[index].fen(report.game.is_chess960),
        escaped(&info(report, index))
    );
    if let Some(before) = index.checked_sub(1) {
        let _ = write!(text, " data-move=\"{}\"", squares(report.game.moves[before].mv));
    }
    if let Some(x) = graph::place(report, index) {
        let _ = write!(text, " data-x=\"{x:.1}\"");
    }
    let evaluation = report.positions[index].as_ref().map(|position| &position.evaluation);
    if let Some(evaluation) = evaluation {
        let [win, draw, loss] = evaluation.wdl;
        let _ = write!(text, " data-wdl=\"{win} {draw} {loss}\"");
    }
    let class = index.checked_sub(1).and_then(|before| judgment(report, before)).map_or("", Judgment::name);
    let shown = evaluation.map(shown).unwrap_or_default();
    let _ =
        write!(text, "><b class=\"{class}\">{}</b><span class=\"eval\">{shown}</span></a>", escaped(name));
    text
}

/// The line that would have been better than a move. The script can show each of its moves on the board.
fn better_line(report: &Assessment, index: usize, line: &[Move]) -> String {
    let mut text =
        format!("<div class=\"better\" data-after=\"p{index}\"><span class=\"dim\">Better:</span>");
    let mut board = report.boards[index].clone();
    let words = pgn::better(&board, line);
    let mut moves = line.iter();
    for word in words {
        if word.ends_with('.') {
            let _ = write!(text, " <span class=\"dim\">{word}</span>");
            continue;
        }
        let mv = *moves.next().expect("a word for each move");
        board = board.after(mv);
        let _ = write!(
            text,
            " <a class=\"m\" href=\"#p{index}\" data-fen=\"{}\" data-move=\"{}\" data-info=\"{}\">{word}</a>",
            board.fen(report.game.is_chess960),
            squares(mv),
            escaped(&format!(
                "Better than {}: {word}",
                numbered(&report.boards[index], report.game.moves[index].mv)
            ))
        );
    }
    text.push_str("</div>\n");
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

fn judgment(report: &Assessment, index: usize) -> Option<Judgment> {
    report.moves[index].and_then(|verdict| verdict.judgment)
}

/// A move with its number, its judgment, and the evaluations before and after it.
fn label(report: &Assessment, index: usize) -> String {
    let evaluation =
        |index: usize| report.positions[index].as_ref().map(|position| shown(&position.evaluation));
    let sign = judgment(report, index).map_or("", Judgment::sign);
    let name = numbered(&report.boards[index], report.game.moves[index].mv);
    match (judgment(report, index), evaluation(index), evaluation(index + 1)) {
        (Some(judgment), Some(before), Some(after)) => {
            format!("{name}{sign} {}, {before} → {after}", judgment.name())
        }
        _ => format!("{name}{sign}"),
    }
}

/// The text below the board about the position after `index` moves.
fn info(report: &Assessment, index: usize) -> String {
    let board = &report.boards[index];
    let mut parts =
        vec![index.checked_sub(1).map_or_else(|| "Start".to_owned(), |before| label(report, before))];
    if let Some(position) = &report.positions[index] {
        let [win, draw, loss] = position.evaluation.wdl.map(|part| f64::from(part) / 10.0);
        parts.push(shown(&position.evaluation));
        parts.push(format!("White wins {win:.1}%, draw {draw:.1}%, Black wins {loss:.1}%"));
        let best = &position.lines[0];
        if let Some(mv) = best.moves.first() {
            parts.push(format!("best is {} (depth {})", numbered(board, *mv), best.depth));
        }
        for other in &position.lines[1..] {
            let moves = &other.moves[..other.moves.len().min(ALTERNATIVE_PLIES)];
            parts.push(format!("or {} ({})", line(board, moves).join(" "), shown(&other.evaluation)));
        }
    }
    parts.join(" · ")
}

/// A move with its number.
fn numbered(board: &Board, mv: Move) -> String {
    line(board, &[mv]).join(" ")
}

/// The origin and the target of a move; for castling, those of the king.
fn squares(mv: Move) -> String {
    format!("{}{}", mv.from(), mv.king_target())
}
