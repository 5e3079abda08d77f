//! Draws White's winning chances over the game as SVG: lichess's Win%, with the judged moves.

use std::fmt::Write;

use super::super::super::assessment::Assessment;
use super::parts::escaped;
use super::phases::phases;
use crate::service::analyse::judgment::Judgment;

/// The width of the drawing. A page scales it to the room that it has.
pub(super) const WIDTH: f64 = 1000.0;
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
    for (name, index) in phases(&report.boards) {
        if let Some(x) = place(report, index) {
            // A name that begins near the right edge would be cut off.
            let place = if x > WIDTH - 150.0 {
                format!("x=\"{:.1}\" text-anchor=\"end\"", x - 6.0)
            } else {
                format!("x=\"{:.1}\"", x + 6.0)
            };
            let _ = write!(
                text,
                "<path class=\"phase\" d=\"M{x:.1} 0V{HEIGHT}\"/><text class=\"phase\" {place} y=\"20\">{name}</text>"
            );
        }
    }
    for (index, x, y) in points {
        let verdict = index.checked_sub(1).and_then(|before| report.moves[before]);
        if let Some(judgment) = verdict.and_then(|verdict| verdict.judgment) {
            // The mark must be completely visible at the edges too.
            let (x, y) = (x.clamp(10.0, WIDTH - 10.0), y.clamp(10.0, HEIGHT - 10.0));
            // Each judgment has a form of its own, for those who do not see the colors.
            let form = match judgment {
                Judgment::Inaccuracy => "M-8 0a8 8 0 1 0 16 0a8 8 0 1 0 -16 0z",
                Judgment::Mistake => "M0 -10L10 0L0 10L-10 0z",
                Judgment::Blunder => "M-8 -8H8V8H-8z",
            };
            let _ = write!(
                text,
                "<a href=\"#p{index}\"><path class=\"mark {}\" transform=\"translate({x:.1} {y:.1})\" d=\"{form}\">\
                 <title>{}</title></path></a>",
                judgment.name(),
                escaped(&label(index - 1))
            );
        }
    }
    text.push_str("</svg>");
    Some(text)
}
