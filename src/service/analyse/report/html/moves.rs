//! The move list of a game's page: moves with evaluations and clocks, better lines, and what the author wrote.

use std::fmt::Write;

use super::super::super::assessment::Assessment;
use super::super::super::judgment::Judgment;
use super::super::pgn;
use super::annotations::{glyphs, notes};
use super::clock::{clocks, shown_time};
use super::graph;
use super::parts::{escaped, judgment, numbered, shown, squares};
use super::words::info;
use crate::chess::board::Move;

/// The list: a row for each pair of moves, and rows between them for better lines and for the author's words.
pub(super) fn list(report: &Assessment) -> String {
    let clocks = clocks(&report.game);
    let mut text = String::from("<h2>Moves</h2>\n<div class=\"moves\" id=\"moves\">\n");
    let _ = writeln!(text, "<div class=\"row\"><span></span>{}</div>", position(report, 0, "Start", None));
    text.extend(notes(&report.game.before, &report.boards[0], 0));
    let mut is_open = false;
    for (index, played) in report.game.moves.iter().enumerate() {
        let board = &report.boards[index];
        let is_white = board.turn().is_white();
        if !is_open {
            let _ = write!(text, "<div class=\"row\"><span class=\"number\">{}.</span>", board.fullmove());
            if !is_white {
                text.push_str("<span class=\"m\">…</span>");
            }
        }
        let is_judged = !pgn::has_opinion(&played.after);
        let ours = judgment(report, index).filter(|_| is_judged).map_or("", Judgment::sign);
        let name = format!("{}{ours}{}", board.to_san(played.mv), glyphs(&played.after));
        text.push_str(&position(report, index + 1, &name, clocks[index]));
        let (better, notes) = (report.better_line(index), notes(&played.after, board, index + 1));
        let is_followed = better.is_none() && notes.is_none() && index + 1 < report.game.moves.len();
        is_open = is_white && is_followed;
        if !is_open {
            text.push_str("</div>\n");
        }
        if let Some(line) = better {
            text.push_str(&better_line(report, index, line));
        }
        text.extend(notes);
    }
    let _ = writeln!(
        text,
        "<div class=\"row\"><span></span><span class=\"m\">{}</span></div>\n</div>",
        report.game.result.text()
    );
    text
}

/// The entry of the list for the position after `index` moves, with all data that the script needs to show it.
fn position(report: &Assessment, index: usize, name: &str, clock: Option<f64>) -> String {
    let mut text = format!(
        "<a class=\"m\" id=\"p{index}\" href=\"#p{index}\" data-ply=\"{index}\" data-fen=\"{}\" data-info=\"{}\"",
        report.boards[index].fen(report.game.is_chess960),
        escaped(&info(report, index))
    );
    let before = index.checked_sub(1);
    if let Some(before) = before {
        let _ = write!(text, " data-move=\"{}\"", squares(report.game.moves[before].mv));
        if let Some(judgment) = judgment(report, before) {
            let _ = write!(
                text,
                " data-fault=\"{} was {} {}\"",
                numbered(&report.boards[before], report.game.moves[before].mv),
                if judgment == Judgment::Inaccuracy { "an" } else { "a" },
                judgment.name()
            );
        }
    }
    if let Some(x) = graph::place(report, index) {
        let _ = write!(text, " data-x=\"{x:.1}\"");
    }
    let found = report.positions[index].as_ref();
    if let Some(position) = found {
        let [win, draw, loss] = position.evaluation.wdl;
        let _ = write!(text, " data-wdl=\"{win} {draw} {loss}\"");
        if let Some(best) = position.lines[0].moves.first() {
            let _ = write!(text, " data-best=\"{}\"", squares(*best));
        }
    }
    let class = before.and_then(|before| judgment(report, before)).map_or("", Judgment::name);
    let shown = found.map(|position| shown(&position.evaluation)).unwrap_or_default();
    let _ = write!(text, "><b class=\"{class}\">{}</b>", escaped(name));
    if let Some(clock) = clock {
        let _ = write!(text, "<span class=\"clock\">{}</span>", shown_time(clock));
    }
    let _ = write!(text, "<span class=\"eval\">{shown}</span></a>");
    text
}

/// The line that would have been better than a move, with its evaluation. The script can show each of its moves on the
/// board.
fn better_line(report: &Assessment, index: usize, line: &[Move]) -> String {
    let score =
        report.positions[index].as_ref().map(|position| shown(&position.evaluation)).unwrap_or_default();
    let mut text = format!(
        "<div class=\"better line\" data-after=\"p{index}\"><span class=\"dim\">Better ({score}):</span>"
    );
    let mut board = report.boards[index].clone();
    let words = pgn::better(&board, line);
    let mut moves = line.iter();
    let mut space = " ";
    for word in words {
        if word.ends_with('.') {
            let _ = write!(text, " <span class=\"dim\">{word}</span>");
            space = "&nbsp;";
            continue;
        }
        let mv = *moves.next().expect("a word for each move");
        board = board.after(mv);
        let _ = write!(
            text,
            "{space}<a class=\"m\" href=\"#p{index}\" data-fen=\"{}\" data-move=\"{}\" data-info=\"{}\">{word}</a>",
            board.fen(report.game.is_chess960),
            squares(mv),
            escaped(&format!(
                "Better than {}: {word}",
                numbered(&report.boards[index], report.game.moves[index].mv)
            ))
        );
        space = " ";
    }
    text.push_str("</div>\n");
    text
}
