//! Charts of curves and points as SVG, which every browser shows.

use std::fmt::{self, Write};

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 440.0;
const LEFT: f64 = 86.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 52.0;
const BOTTOM: f64 = 56.0;

const COLORS: [&str; 6] = ["#2563a8", "#c8611a", "#2f8a4c", "#8a4ca8", "#a83232", "#555555"];

/// The most lines of the grid that an axis has.
const TICKS: f64 = 7.0;

/// Widths of an entry in the legend: from its line to its text, of a letter, and of the gap before the next entry.
const ENTRY: [f64; 3] = [34.0, 7.5, 20.0];
/// The least width of an entry.
const NARROW: f64 = 120.0;

/// How the points of a series are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SeriesStyle {
    /// The points are joined by a line.
    Line,
    /// Each point stands by itself.
    Points,
    /// The points are joined by a line, and each is marked.
    LineAndPoints,
}

/// Points that belong together.
#[derive(Clone, PartialEq, Debug)]
pub struct Series {
    /// The name in the legend; empty for a series that shares the entry of the previous one.
    pub name: String,
    /// The points in the order of the line. Those outside of the frame are cut off.
    pub points: Vec<(f64, f64)>,
    /// Whether to show a line, points or both.
    pub style: SeriesStyle,
    /// The number of the color. Series with the same number have the same color.
    pub color: usize,
}

/// A chart with two axes.
#[derive(Clone, PartialEq, Debug)]
pub struct Chart {
    /// What the chart shows.
    pub title: String,
    /// Names of the horizontal and the vertical axis.
    pub labels: [String; 2],
    /// First and last value of the horizontal axis, which are used as they are.
    pub x: [f64; 2],
    /// The least and greatest value that the vertical axis must hold.
    pub y: [f64; 2],
    /// The series, drawn in this order.
    pub series: Vec<Series>,
}

/// An axis: the values at its ends, and where they lie in the picture.
struct Axis {
    values: [f64; 2],
    places: [f64; 2],
    /// The distance from one tick to the next.
    step: f64,
}

impl Axis {
    /// An axis that holds all of `low` to `high` and ends on ticks.
    fn around(low: f64, high: f64, places: [f64; 2]) -> Axis {
        let span = (high - low).max(low.abs() * 1e-3).max(1e-9);
        let step = round_step(span / TICKS);
        Axis { values: [(low / step).floor() * step, (high / step).ceil() * step], places, step }
    }

    fn place(&self, value: f64) -> f64 {
        let share = (value - self.values[0]) / (self.values[1] - self.values[0]).max(1e-12);
        self.places[0] + share * (self.places[1] - self.places[0])
    }

    /// The multiples of the step from one end to the other.
    fn ticks(&self) -> impl Iterator<Item = f64> + '_ {
        let [first, last] = [0, 1].map(|end| self.values[end] / self.step);
        let (first, last) = ((first - 1e-6).ceil() as i64, (last + 1e-6).floor() as i64);
        (first..=last).map(|tick| tick as f64 * self.step)
    }

    /// Number of decimals that tell one tick from the next.
    fn decimals(&self) -> usize {
        (-self.step.log10()).ceil().max(0.0) as usize
    }
}

/// The least number that is 1, 2 or 5 times a power of ten and not below `step`.
fn round_step(step: f64) -> f64 {
    let power = 10f64.powf(step.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power >= step * (1.0 - 1e-9));
    factor.unwrap_or(10.0) * power
}

impl Chart {
    /// The chart as an SVG picture.
    pub fn svg(&self) -> String {
        let mut text = String::new();
        self.draw(&mut text).expect("writing to a string does not fail");
        text
    }

    fn draw(&self, text: &mut String) -> fmt::Result {
        let x = Axis { values: self.x, ..Axis::around(self.x[0], self.x[1], [LEFT, WIDTH - RIGHT]) };
        let y = Axis::around(self.y[0], self.y[1], [HEIGHT - BOTTOM, TOP]);
        writeln!(
            text,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" \
             height=\"{HEIGHT}\" font-family=\"sans-serif\" font-size=\"13\" fill=\"#333\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
             <text x=\"{LEFT}\" y=\"22\" font-size=\"16\">{}</text>",
            escaped(&self.title)
        )?;
        self.draw_axes(text, &x, &y)?;
        let mut entry = LEFT;
        for series in &self.series {
            series.draw(text, &x, &y)?;
            if !series.name.is_empty() && !series.points.is_empty() {
                series.draw_entry(text, entry)?;
                let [line, letter, room] = ENTRY;
                entry += (line + letter * series.name.chars().count() as f64 + room).max(NARROW);
            }
        }
        writeln!(text, "</svg>")
    }

    fn draw_axes(&self, text: &mut String, x: &Axis, y: &Axis) -> fmt::Result {
        let ([left, right], [bottom, top]) = (x.places, y.places);
        for value in y.ticks() {
            let (place, decimals) = (y.place(value), y.decimals());
            writeln!(
                text,
                "<path d=\"M{left} {place:.1}H{right}\" stroke=\"#e3e3e3\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{value:.decimals$}</text>",
                left - 8.0,
                place + 4.5
            )?;
        }
        for value in x.ticks() {
            let (place, decimals) = (x.place(value), x.decimals());
            writeln!(
                text,
                "<path d=\"M{place:.1} {bottom}v5\" stroke=\"#333\"/>\
                 <text x=\"{place:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{value:.decimals$}</text>",
                bottom + 20.0
            )?;
        }
        writeln!(text, "<path d=\"M{left} {top}V{bottom}H{right}\" fill=\"none\" stroke=\"#333\"/>")?;
        // What leaves the frame is not drawn. A little room is left for the points on it.
        writeln!(
            text,
            "<clipPath id=\"frame\"><rect x=\"{:.1}\" y=\"{top}\" width=\"{:.1}\" height=\"{:.1}\"/></clipPath>",
            left - 3.0,
            right - left + 6.0,
            bottom - top + 3.0
        )?;
        let (middle, center) = ((left + right) / 2.0, (bottom + top) / 2.0);
        writeln!(
            text,
            "<text x=\"{middle}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n\
             <text transform=\"translate(20 {center}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            HEIGHT - 14.0,
            escaped(&self.labels[0]),
            escaped(&self.labels[1])
        )
    }
}

impl Series {
    fn color(&self) -> &'static str {
        COLORS[self.color % COLORS.len()]
    }

    fn draw(&self, text: &mut String, x: &Axis, y: &Axis) -> fmt::Result {
        if self.points.is_empty() {
            return Ok(());
        }
        let color = self.color();
        let places = self.points.iter().map(|&(a, b)| (x.place(a), y.place(b)));
        write!(text, "<g clip-path=\"url(#frame)\">")?;
        if self.style != SeriesStyle::Points {
            let path: Vec<String> = places.clone().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
            write!(
                text,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\" stroke-linejoin=\"round\"/>",
                path.join(" ")
            )?;
        }
        if self.style != SeriesStyle::Line {
            for (x, y) in places {
                write!(text, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.6\" fill=\"{color}\"/>")?;
            }
        }
        writeln!(text, "</g>")
    }

    /// Draws the entry in the legend above the frame, where no curve is in the way.
    fn draw_entry(&self, text: &mut String, left: f64) -> fmt::Result {
        let line = TOP - 14.0;
        writeln!(
            text,
            "<path d=\"M{left} {line}h26\" stroke=\"{}\" stroke-width=\"2\"/><text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            self.color(),
            left + ENTRY[0],
            line + 4.5,
            escaped(&self.name)
        )
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(points: Vec<(f64, f64)>, style: SeriesStyle) -> Chart {
        let series = Series { name: "a < b".to_owned(), points, style, color: 7 };
        Chart {
            title: "128 hidden <units> & more".to_owned(),
            labels: ["epoch".to_owned(), "loss".to_owned()],
            x: [1.0, 40.0],
            y: [0.002, 0.031],
            series: vec![series],
        }
    }

    #[test]
    fn steps_are_round_numbers() {
        for (step, round) in [(0.9, 1.0), (1.0, 1.0), (1.2, 2.0), (3.0, 5.0), (6.0, 10.0), (0.00031, 0.0005)]
        {
            assert!((round_step(step) - round).abs() < 1e-12, "{step}: {}", round_step(step));
        }
    }

    #[test]
    fn points_lie_within_the_axes() {
        let points: Vec<_> = (1..=40).map(|x| (f64::from(x), 0.031 / f64::from(x).sqrt())).collect();
        let text = chart(points, SeriesStyle::LineAndPoints).svg();
        assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"));
        assert!(text.matches("</text>").count() > 10, "labels of both axes");
        assert!(text.contains("128 hidden &lt;units&gt; &amp; more") && text.contains(">a &lt; b</text>"));
        assert_eq!((text.matches("<polyline").count(), text.matches("<circle").count()), (1, 40));
        for (name, low, high) in [("cx", LEFT, WIDTH - RIGHT), ("cy", TOP, HEIGHT - BOTTOM)] {
            let attribute = format!("{name}=\"");
            let places = text.split(&attribute).skip(1);
            for place in places.map(|rest| rest[..rest.find('"').unwrap()].parse::<f64>().unwrap()) {
                assert!((low - 0.1..=high + 0.1).contains(&place), "{name} {place}");
            }
        }
    }

    #[test]
    fn styles_are_lines_and_points() {
        let count = |style| {
            let text = chart(vec![(1.0, 0.003), (2.0, 0.004)], style).svg();
            (text.matches("<polyline").count(), text.matches("<circle").count())
        };
        assert_eq!(count(SeriesStyle::Line), (1, 0));
        assert_eq!(count(SeriesStyle::Points), (0, 2));
        assert!(!chart(Vec::new(), SeriesStyle::Line).svg().contains("a &lt; b"));
    }
}
