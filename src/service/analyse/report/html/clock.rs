//! The clocks in the comments of a game, and the time that each move took.

use std::fmt::Write;

use super::super::super::assessment::Assessment;
use super::graph::{self, WIDTH};
use super::parts::numbered;
use crate::chess::pgn::{Annotation, GameTree};

/// The height of the drawing. White's bars rise from the middle, Black's fall from it.
const HEIGHT: f64 = 100.0;

/// The time of a command such as `[%clk 1:02:03.5]` in the comments at a move, in seconds.
fn seconds(annotations: &[Annotation], command: &str) -> Option<f64> {
    let comments = annotations.iter().filter_map(|part| match part {
        Annotation::Comment(text) => Some(text),
        _ => None,
    });
    let start = format!("[%{command} ");
    let text = comments.filter_map(|text| text.split_once(&start)).map(|(_, rest)| rest).next()?;
    let parts = text.split(']').next()?.trim().split(':');
    let parts: Vec<f64> = parts.map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let total = parts.iter().fold(0.0, |total, part| 60.0 * total + part);
    ((1..=3).contains(&parts.len()) && total.is_finite() && total >= 0.0).then_some(total)
}

/// The mover's clock after each move, in seconds.
pub(super) fn clocks(game: &GameTree) -> Vec<Option<f64>> {
    game.moves.iter().map(|played| seconds(&played.after, "clk")).collect()
}

/// The seconds that each move took: by `[%emt]`, or by the mover's clock before and after the move.
fn times(game: &GameTree) -> Vec<Option<f64>> {
    let control = game.tag("TimeControl").and_then(time_control);
    let clocks = clocks(game);
    let time = |index: usize| {
        let played = &game.moves[index].after;
        seconds(played, "emt").or_else(|| {
            let (start, increment) = control.unzip();
            let before = if index < 2 { start? } else { clocks[index - 2]? };
            Some((before - clocks[index]? + increment.unwrap_or(0.0)).max(0.0))
        })
    };
    (0..game.moves.len()).map(time).collect()
}

/// The first time and the increment of a tag such as `180+2`. Stages are not known.
fn time_control(text: &str) -> Option<(f64, f64)> {
    let (first, increment) = text.split_once('+').unwrap_or((text, "0"));
    Some((first.parse().ok()?, increment.parse().ok()?))
}

/// A time as `1:02:03` or `2:03`; below ten seconds with a tenth.
pub(super) fn shown_time(seconds: f64) -> String {
    let whole = seconds as u64;
    match (whole / 3_600, whole / 60 % 60, whole % 60) {
        (0, 0, 0..10) => format!("0:0{seconds:.1}"),
        (0, minutes, seconds) => format!("{minutes}:{seconds:02}"),
        (hours, minutes, seconds) => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

/// A chart of the time of each move; `None` if fewer than two are known.
pub(super) fn chart(report: &Assessment) -> Option<String> {
    let times = times(&report.game);
    let longest = times.iter().flatten().copied().fold(0.0, f64::max);
    if times.iter().flatten().count() < 2 || longest <= 0.0 {
        return None;
    }
    let half = HEIGHT / 2.0;
    let mut text = format!(
        "<svg class=\"graph times\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"Time of each move, the longest {}\">",
        shown_time(longest)
    );
    let width = (WIDTH / times.len() as f64 * 0.7).clamp(2.0, 20.0);
    for (index, time) in times.iter().enumerate() {
        let (Some(time), Some(x)) = (time, graph::place(report, index + 1)) else { continue };
        let height = (half - 2.0) * time / longest;
        let is_white = report.boards[index].turn().is_white();
        let (class, y) = if is_white { ("tw", half - height) } else { ("tb", half) };
        let x = (x - width / 2.0).clamp(0.0, WIDTH - width);
        let name = numbered(&report.boards[index], report.game.moves[index].mv);
        let _ = write!(
            text,
            "<a href=\"#p{}\"><rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\">\
             <title>{name}: {}</title></rect></a>",
            index + 1,
            shown_time(*time)
        );
    }
    let _ = write!(text, "<path class=\"half\" d=\"M0 {half}H{WIDTH}\"/></svg>");
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::super::super::super::job::tests::game;
    use super::*;

    #[test]
    fn times_follow_from_the_clocks() {
        let text = "[TimeControl \"180+2\"]\n\n1. e4 {[%clk 0:03:00]} e5 {good [%clk 0:02:57.5]} \
                    2. Nf3 {[%clk 0:02:52]} Nc6 {[%emt 0:00:11]} 3. Bb5 {[%clk x]} *";
        let game = game(text);
        assert_eq!(clocks(&game), [Some(180.0), Some(177.5), Some(172.0), None, None]);
        assert_eq!(times(&game), [Some(2.0), Some(4.5), Some(10.0), Some(11.0), None]);
        assert_eq!([3.25, 75.0, 3_725.0].map(shown_time), ["0:03.2", "1:15", "1:02:05"]);
        for (text, control) in [("300", Some((300.0, 0.0))), ("40/7200:3600", None), ("-", None), ("?", None)]
        {
            assert_eq!(time_control(text), control);
        }
    }
}
