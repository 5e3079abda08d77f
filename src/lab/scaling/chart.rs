//! The chart of the speed test.

use super::speedtest::{SpeedtestReport, SpeedtestRow};
use crate::base::plot::{Chart, Series, SeriesStyle};

impl SpeedtestReport {
    /// Draws the ratios of nodes per second and of time to depth by number of threads, as SVG. A line shows the
    /// greatest possible gain with a free core for each thread.
    pub fn chart(&self) -> String {
        let points = |of: fn(&SpeedtestRow) -> Option<f64>| -> Vec<(f64, f64)> {
            self.rows.iter().filter_map(|row| Some((row.threads as f64, of(row)?))).collect()
        };
        let baseline = self.baseline as f64;
        let most = self.rows.iter().map(|row| row.threads).max().unwrap_or(1) as f64;
        let speed = points(|row| Some(row.speed_ratio));
        let depth = points(|row| row.depth_ratio);
        let highest = speed.iter().chain(&depth).map(|(_, ratio)| *ratio).fold(1.0, f64::max);
        let series =
            |name: &str, points, style, color| Series { name: name.to_owned(), points, style, color };
        Chart {
            title: format!("Against {baseline} thread(s), on {} usable cores", self.cores),
            labels: ["threads".to_owned(), "ratio".to_owned()],
            x: [baseline, most.max(baseline + 1.0)],
            y: [0.0, highest],
            series: vec![
                series("nodes/second", speed, SeriesStyle::LineAndPoints, 0),
                series("time to depth", depth, SeriesStyle::LineAndPoints, 1),
                series("ideal", vec![(baseline, 1.0), (most, most / baseline)], SeriesStyle::Line, 5),
            ],
        }
        .svg()
    }
}
