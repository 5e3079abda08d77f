//! Draws White's winning chances over the game as SVG: lichess's Win%, with the judged moves.

use std::fmt::Write;

use super::super::super::assessment::Assessment;
use super::parts::escaped;

/// The width of the drawing. A page scales it to the room that it has.
const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 240.0;

/// The horizontal place of a position, 0 to 1000; `None` if it is not in the graph.
pub(super) fn place(report: &Assessment, index: usize) -> Option<f64> {
    let first = report.positions.iter().position(Option::is_some)?;
    let last = report.positions.iter().rposition(Option::is_some)?;
    let is_within = (first..=last).contains(&index) && last > first;
    is_within.then(|| WIDTH * (index - first) as f64 / (last - first) as f64)
}

/// The graph; `None` if there is no line to draw. `label` gives the text about a judged move.
pub(super) fn svg(report: &Assessment, label: impl Fn(usize) -> String) -> Option<String> {
    let points: Vec<(usize, f64, f64)> = report
        .positions
        .iter()
        .enumerate()
        .filter_map(|(index, position)| {
            let y = HEIGHT * (1.0 - position.as_ref()?.evaluation.win() / 100.0);
            Some((index, place(report, index)?, y))
        })
        .collect();
    if points.len() < 2 {
        return None;
    }
    let path: Vec<String> = points.iter().map(|(_, x, y)| format!("{x:.1} {y:.1}")).collect();
    let path = path.join("L");
    let mut text = format!(
        "<svg class=\"graph\" id=\"graph\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"Winning chances of White\">\
         <path class=\"area\" d=\"M0 {HEIGHT}L{path}L{WIDTH} {HEIGHT}z\"/>\
         <path class=\"half\" d=\"M0 {half}H{WIDTH}\"/><path class=\"curve\" d=\"M{path}\"/>\
         <line class=\"cursor\" id=\"cursor\" x1=\"0\" y1=\"0\" x2=\"0\" y2=\"{HEIGHT}\"/>",
        half = HEIGHT / 2.0
    );
    for (index, x, y) in points {
        let verdict = index.checked_sub(1).and_then(|before| report.moves[before]);
        if let Some(judgment) = verdict.and_then(|verdict| verdict.judgment) {
            // The circle must be completely visible at the edges too.
            let (x, y) = (x.clamp(9.0, WIDTH - 9.0), y.clamp(9.0, HEIGHT - 9.0));
            let _ = write!(
                text,
                "<a href=\"#p{index}\"><circle class=\"{}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"8\"><title>{}</title></circle></a>",
                judgment.name(),
                escaped(&label(index - 1))
            );
        }
    }
    text.push_str("</svg>");
    Some(text)
}
