//! The further lines of `--multipv`, as a table in a fold. The script shows those of the chosen position at the board.

use std::fmt::Write;

use super::super::super::assessment::Assessment;
use super::super::pgn;
use super::parts::{numbered, shown};

/// The table; nothing if no position has several lines.
pub(super) fn table(report: &Assessment) -> String {
    let mut rows = String::new();
    for (index, position) in report.positions.iter().enumerate() {
        let Some(position) = position.as_ref().filter(|position| position.lines.len() > 1) else { continue };
        let name = match index.checked_sub(1) {
            Some(before) => numbered(&report.boards[before], report.game.moves[before].mv),
            None => "Start".to_owned(),
        };
        let _ =
            write!(rows, "<tr><th><a href=\"#p{index}\">{name}</a></th><td class=\"text\" id=\"l{index}\">");
        for line in &position.lines {
            let words = pgn::better(&report.boards[index], &line.moves).join(" ");
            let _ = write!(
                rows,
                "<div><b>{}</b> {words} <span class=\"dim\">depth {}</span></div>",
                shown(&line.evaluation),
                line.depth
            );
        }
        rows.push_str("</td></tr>\n");
    }
    if rows.is_empty() {
        return rows;
    }
    format!(
        "<details class=\"all-lines\"><summary>All lines</summary>\n<table>\n\
         <tr><th>After</th><th class=\"text\">Lines</th></tr>\n{rows}</table></details>\n"
    )
}
