//! The chart of the losses.

use super::history::Epoch;
use crate::base::plot::{Chart, Series, SeriesStyle};

/// Draws the losses of at least one epoch. The first tenth of the epochs only shows how bad the random weights were. So
/// the axis fits the remaining epochs, and the curves begin above it.
pub fn svg(title: &str, epochs: &[Epoch]) -> String {
    let first = if epochs.len() < 4 { 0 } else { epochs.len().div_ceil(10) };
    let losses = epochs[first..].iter().flat_map(|epoch| [Some(epoch.training), epoch.validation]).flatten();
    let low = losses.clone().fold(f64::INFINITY, f64::min);
    let high = losses.fold(f64::NEG_INFINITY, f64::max);
    let last = f64::from(epochs.last().map_or(1, |epoch| epoch.number).max(2));
    let series = |name: &str, color, loss: fn(&Epoch) -> Option<f64>| {
        let points = epochs.iter().filter_map(|epoch| Some((f64::from(epoch.number), loss(epoch)?)));
        Series { name: name.to_owned(), points: points.collect(), style: SeriesStyle::LineAndPoints, color }
    };
    Chart {
        title: title.to_owned(),
        labels: ["epoch".to_owned(), "mean squared error".to_owned()],
        x: [1.0, last],
        y: [low, high],
        series: vec![
            series("training", 0, |epoch| Some(epoch.training)),
            series("validation", 1, |epoch| epoch.validation),
        ],
    }
    .svg()
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
            samples: 1_000 * u64::from(number),
            scale: 150.0,
        };
        (1..=count).map(epoch).collect()
    }

    #[test]
    fn every_epoch_is_on_both_curves() {
        for count in [1, 2, 7, 40, 400] {
            let text = svg("title", &epochs(count, true));
            assert_eq!(text.matches("<polyline").count(), 2);
            assert_eq!(text.matches("<circle").count() as u32, 2 * count);
            assert!(text.contains(">training</text>") && text.contains(">validation</text>"));
        }
    }

    #[test]
    fn without_a_validation_set_there_is_one_curve() {
        let text = svg("title", &epochs(3, false));
        assert_eq!(text.matches("<polyline").count(), 1);
        assert!(!text.contains("validation"));
    }
}
