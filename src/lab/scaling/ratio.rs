//! Ratios of measurements on the same positions.

/// A geometric mean of ratios, and its error.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Ratio {
    /// The geometric mean.
    pub mean: f64,
    /// The standard error of the mean's logarithm; infinite for a single ratio.
    pub deviation: f64,
}

impl Ratio {
    /// Makes the mean from the natural logarithms of the ratios; `None` if there are none.
    pub fn of_logs(logs: &[f64]) -> Option<Ratio> {
        let count = logs.len() as f64;
        if logs.is_empty() {
            return None;
        }
        let mean = logs.iter().sum::<f64>() / count;
        let squares: f64 = logs.iter().map(|log| (log - mean).powi(2)).sum();
        let deviation = if logs.len() > 1 { (squares / (count - 1.0) / count).sqrt() } else { f64::INFINITY };
        Some(Ratio { mean: mean.exp(), deviation })
    }

    /// The least and the greatest value within `errors` standard errors.
    pub fn range(&self, errors: f64) -> [f64; 2] {
        [-errors, errors].map(|errors| self.mean * (errors * self.deviation).exp())
    }

    /// Half of the range within `errors` standard errors: the number after a plus and minus sign.
    pub fn error(&self, errors: f64) -> f64 {
        let [low, high] = self.range(errors);
        (high - low) / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_is_a_geometric_mean_with_its_error() {
        assert_eq!(Ratio::of_logs(&[]), None);
        let one = Ratio::of_logs(&[2f64.ln()]).unwrap();
        assert!((one.mean - 2.0).abs() < 1e-12 && one.range(1.0) == [0.0, f64::INFINITY]);
        let ratio = Ratio::of_logs(&[1f64.ln(), 4f64.ln()]).unwrap();
        assert!((ratio.mean - 2.0).abs() < 1e-12);
        // With two values, the standard error is half of their distance.
        assert!((ratio.deviation - 2f64.ln()).abs() < 1e-12);
        let [low, high] = ratio.range(1.0);
        assert!((low - 1.0).abs() < 1e-12 && (high - 4.0).abs() < 1e-12);
        assert!((ratio.error(1.0) - 1.5).abs() < 1e-12);
        assert_eq!(Ratio::of_logs(&[0.0; 3]).unwrap().error(2.0), 0.0);
    }
}
