//! The chart of a tuning.

use crate::base::plot::{Chart, Series, SeriesStyle};
use crate::engine::params::Declaration;

/// The number of parameters with a name in the chart: those that have moved farthest.
const NAMED: usize = 3;
/// The color of the others, a gray.
const OTHERS: usize = 5;

/// Draws how far each parameter has moved from its start, in units of its step, over the pairs of games. `history`
/// holds the pairs and the values of each line of the log.
pub fn svg(declarations: &[&Declaration], start: &[f64], history: &[(u64, Vec<f64>)]) -> String {
    let path = |index: usize| -> Vec<(f64, f64)> {
        let step = f64::from(declarations[index].step);
        let steps = |values: &Vec<f64>| (values[index] - start[index]) / step;
        let points = history.iter().map(|(pairs, values)| (*pairs as f64, steps(values)));
        [(0.0, 0.0)].into_iter().chain(points).collect()
    };
    let distance = |index: &usize| path(*index).last().map_or(0.0, |end| end.1.abs());
    let mut order: Vec<usize> = (0..declarations.len()).collect();
    order.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
    let others = order.len().saturating_sub(NAMED);
    let series = order.iter().enumerate().map(|(rank, &index)| {
        let (name, color) = match rank.checked_sub(others) {
            Some(place) => (declarations[index].name, place),
            None if rank == 0 => ("others", OTHERS),
            None => ("", OTHERS),
        };
        Series { name: name.to_owned(), points: path(index), style: SeriesStyle::Line, color }
    });
    let series: Vec<Series> = series.collect();
    let heights = series.iter().flat_map(|series| series.points.iter().map(|point| point.1));
    let (low, high) = heights.fold((0.0, 0.0), |(low, high), y| (f64::min(low, y), f64::max(high, y)));
    Chart {
        title: format!("{} parameters", declarations.len()),
        labels: ["pairs of games".to_owned(), "steps from the start".to_owned()],
        x: [0.0, history.last().map_or(1.0, |(pairs, _)| *pairs as f64)],
        y: [low, high],
        series,
    }
    .svg()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::params::Params;

    #[test]
    fn every_parameter_has_a_line_and_those_that_moved_most_a_name() {
        let declarations: Vec<&Declaration> = Params::ALL.iter().take(6).collect();
        let start = [0.0; 6];
        let history: Vec<(u64, Vec<f64>)> = (1..=4)
            .map(|line| (line * 250, (0..6).map(|i| f64::from(i * 10) * line as f64).collect()))
            .collect();
        let text = svg(&declarations, &start, &history);
        assert_eq!(text.matches("<polyline").count(), 6);
        assert!(text.contains(">others</text>") && text.contains(">1000</text>"), "{text}");
        let named = declarations.iter().filter(|d| text.contains(&format!(">{}</text>", d.name))).count();
        assert_eq!(named, NAMED);
    }
}
