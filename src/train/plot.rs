//! The losses as a picture: a drawing in SVG, which every browser shows.

use std::fmt::Write;

use super::history::Epoch;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 440.0;
const LEFT: f64 = 86.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 52.0;
const BOTTOM: f64 = 56.0;

const TRAINING: &str = "#2563a8";
const VALIDATION: &str = "#c8611a";

/// Lines of the grid that an axis has at most.
const TICKS: f64 = 7.0;

/// An axis: the values at its ends, and where they lie in the picture.
struct Axis {
    values: [f64; 2],
    places: [f64; 2],
    /// From one tick to the next.
    step: f64,
}

impl Axis {
    /// An axis that holds all of `low` to `high` and ends on ticks.
    fn around(low: f64, high: f64, places: [f64; 2], least_step: f64) -> Axis {
        let span = (high - low).max(low.abs() * 1e-3).max(1e-9);
        let step = round_step(span / TICKS).max(least_step);
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

    /// Decimals that tell one tick from the next.
    fn decimals(&self) -> usize {
        (-self.step.log10()).ceil().max(0.0) as usize
    }
}

/// The least of 1, 2 and 5 times a power of ten that is not below `step`.
fn round_step(step: f64) -> f64 {
    let power = 10f64.powf(step.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power >= step * (1.0 - 1e-9));
    factor.unwrap_or(10.0) * power
}

/// The picture of at least one epoch. The first tenth only shows how bad random numbers were: the axis is
/// made for the rest, and the curves come in from above.
pub fn svg(title: &str, epochs: &[Epoch]) -> String {
    let first = if epochs.len() < 4 { 0 } else { epochs.len().div_ceil(10) };
    let losses = epochs[first..].iter().flat_map(|epoch| [Some(epoch.training), epoch.validation]).flatten();
    let low = losses.clone().fold(f64::INFINITY, f64::min);
    let high = losses.fold(f64::NEG_INFINITY, f64::max);
    let last = f64::from(epochs.last().map_or(1, |epoch| epoch.number).max(2));
    let x = Axis { values: [1.0, last], ..Axis::around(0.0, last, [LEFT, WIDTH - RIGHT], 1.0) };
    let y = Axis::around(low, high, [HEIGHT - BOTTOM, TOP], 0.0);
    let mut text = String::new();
    draw(&mut text, title, epochs, &x, &y).expect("writing to a string does not fail");
    text
}

fn draw(text: &mut String, title: &str, epochs: &[Epoch], x: &Axis, y: &Axis) -> std::fmt::Result {
    writeln!(
        text,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" \
         height=\"{HEIGHT}\" font-family=\"sans-serif\" font-size=\"13\" fill=\"#333\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
         <text x=\"{LEFT}\" y=\"30\" font-size=\"16\">{}</text>",
        escaped(title)
    )?;
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
        let place = x.place(value);
        writeln!(
            text,
            "<path d=\"M{place:.1} {bottom}v5\" stroke=\"#333\"/>\
             <text x=\"{place:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{value}</text>",
            bottom + 20.0
        )?;
    }
    writeln!(text, "<path d=\"M{left} {top}V{bottom}H{right}\" fill=\"none\" stroke=\"#333\"/>")?;
    // What leaves the frame is not drawn; a little room is left for the points on it.
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
        "<text x=\"{middle}\" y=\"{:.1}\" text-anchor=\"middle\">epoch</text>\n\
         <text transform=\"translate(20 {center}) rotate(-90)\" text-anchor=\"middle\">mean squared error</text>",
        HEIGHT - 14.0
    )?;
    let training = epochs.iter().map(|epoch| Some((epoch.number, epoch.training)));
    curve(text, "training", TRAINING, training, x, y, 0)?;
    let validation = epochs.iter().map(|epoch| Some((epoch.number, epoch.validation?)));
    curve(text, "validation", VALIDATION, validation, x, y, 1)?;
    writeln!(text, "</svg>")
}

/// One curve with its entry in the legend, whose entries are counted from 0. Without points it is left out.
fn curve(
    text: &mut String,
    name: &str,
    color: &str,
    points: impl Iterator<Item = Option<(u32, f64)>>,
    x: &Axis,
    y: &Axis,
    entry: u32,
) -> std::fmt::Result {
    let points: Vec<(f64, f64)> =
        points.flatten().map(|(number, loss)| (x.place(f64::from(number)), y.place(loss))).collect();
    if points.is_empty() {
        return Ok(());
    }
    let path: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    writeln!(
        text,
        "<g clip-path=\"url(#frame)\"><polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\" \
         stroke-linejoin=\"round\"/>",
        path.join(" ")
    )?;
    for (x, y) in &points {
        write!(text, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.6\" fill=\"{color}\"/>")?;
    }
    // Above the frame, where no curve is in the way.
    let (left, line) = (x.places[1] - 230.0 + 120.0 * f64::from(entry), TOP - 26.0);
    writeln!(
        text,
        "</g>\n<path d=\"M{left} {line}h26\" stroke=\"{color}\" stroke-width=\"2\"/>\
         <text x=\"{:.1}\" y=\"{:.1}\">{name}</text>",
        left + 34.0,
        line + 4.5
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn epochs(count: u32, validation: bool) -> Vec<Epoch> {
        let epoch = |number: u32| Epoch {
            number,
            steps: 10 * u64::from(number),
            rate: 0.001,
            training: 0.03 / f64::from(number).sqrt(),
            validation: validation.then_some(0.031 / f64::from(number).sqrt()),
            speed: 1e6,
        };
        (1..=count).map(epoch).collect()
    }

    #[test]
    fn steps_are_round_numbers() {
        for (step, round) in [(0.9, 1.0), (1.0, 1.0), (1.2, 2.0), (3.0, 5.0), (6.0, 10.0), (0.00031, 0.0005)]
        {
            assert!((round_step(step) - round).abs() < 1e-12, "{step}: {}", round_step(step));
        }
    }

    #[test]
    fn both_curves_lie_within_the_axes() {
        for count in [1, 2, 7, 40, 400] {
            let text = svg("128 hidden <units> & more", &epochs(count, true));
            assert!(text.matches("</text>").count() > 10, "labels of both axes");
            assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"));
            assert!(text.contains("128 hidden &lt;units&gt; &amp; more"));
            assert_eq!(text.matches("<polyline").count(), 2);
            assert_eq!(text.matches("<circle").count() as u32, 2 * count);
            assert!(text.contains(">training</text>") && text.contains(">validation</text>"));
            // Upward the frame cuts them off.
            for (name, low, high) in [("cx", LEFT, WIDTH - RIGHT), ("cy", f64::NEG_INFINITY, HEIGHT - BOTTOM)]
            {
                let attribute = format!("{name}=\"");
                let places = text.split(&attribute).skip(1);
                for place in places.map(|rest| rest[..rest.find('"').unwrap()].parse::<f64>().unwrap()) {
                    assert!((low - 0.1..=high + 0.1).contains(&place), "{name} {place}");
                }
            }
        }
    }

    #[test]
    fn without_a_validation_set_there_is_one_curve() {
        let text = svg("title", &epochs(3, false));
        assert_eq!(text.matches("<polyline").count(), 1);
        assert!(!text.contains("validation"));
    }
}
