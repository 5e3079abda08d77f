//! What a page says about a move and about a position.

use super::super::super::assessment::Assessment;
use super::super::super::judgment::Judgment;
use super::parts::{judgment, numbered, shown};

/// A move with its number, its judgment, and the evaluations before and after it.
pub(super) fn label(report: &Assessment, index: usize) -> String {
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
pub(super) fn info(report: &Assessment, index: usize) -> String {
    let board = &report.boards[index];
    let mut parts =
        vec![index.checked_sub(1).map_or_else(|| "Start".to_owned(), |before| label(report, before))];
    if let Some(position) = &report.positions[index] {
        let [win, draw, loss] = position.evaluation.wdl.map(|part| f64::from(part) / 10.0);
        // The label of a judged move ends with this evaluation.
        if index
            .checked_sub(1)
            .is_none_or(|before| judgment(report, before).is_none() || report.positions[before].is_none())
        {
            parts.push(shown(&position.evaluation));
        }
        parts.push(format!("White wins {win:.1}%, draw {draw:.1}%, Black wins {loss:.1}%"));
        let best = &position.lines[0];
        if let Some(mv) = best.moves.first() {
            parts.push(format!("best is {} (depth {})", numbered(board, *mv), best.depth));
        }
    }
    parts.join(" · ")
}
