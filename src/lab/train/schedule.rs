//! The learning rate schedule.

use serde::{Deserialize, Serialize};

use super::range::above_zero;

/// The curve from the first rate to the last.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RateCurve {
    /// Half a wave of a cosine, flat at both ends.
    Cosine,
    /// Stairs of equal length. Each is lower than the one before by the same factor.
    Step,
}

/// The learning rates. In a configuration file every key of this table is optional.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct RateSchedule {
    /// The curve from `start` to `end`.
    pub shape: RateCurve,
    /// The greatest rate, after the warm-up.
    #[serde(deserialize_with = "above_zero")]
    pub start: f64,
    /// The rate at the end.
    #[serde(deserialize_with = "above_zero")]
    pub end: f64,
    /// The number of stairs of [`RateCurve::Step`], including the first and the last.
    pub stairs: u32,
    /// The number of steps in which the rate rises from 0 to its value in the schedule. At first the optimizer's
    /// moments hold no information.
    pub warm_up: u64,
}

impl Default for RateSchedule {
    fn default() -> RateSchedule {
        RateSchedule { shape: RateCurve::Cosine, start: 0.001, end: 0.000_01, stairs: 4, warm_up: 200 }
    }
}

impl RateSchedule {
    /// The rate of step `step` (from 0) when the share `progress` (0 to 1) of the training is done.
    pub fn rate(&self, step: u64, progress: f64) -> f64 {
        let rate = match self.shape {
            RateCurve::Cosine => {
                let share = 0.5 * (1.0 + (std::f64::consts::PI * progress).cos());
                self.end + (self.start - self.end) * share
            }
            RateCurve::Step if self.stairs > 1 => {
                let last = f64::from(self.stairs - 1);
                let stair = (progress * f64::from(self.stairs)).floor().min(last);
                self.start * (self.end / self.start).powf(stair / last)
            }
            RateCurve::Step => self.start,
        };
        rate * ((step + 1) as f64 / (self.warm_up + 1) as f64).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "{found}, not {expected}");
    }

    #[test]
    fn a_cosine_falls_from_start_to_end() {
        let schedule = RateSchedule { start: 0.01, end: 0.001, warm_up: 0, ..RateSchedule::default() };
        let rate = |step: u64| schedule.rate(step, step as f64 / 100.0);
        close(rate(0), 0.01);
        close(rate(50), 0.0055);
        close(rate(100), 0.001);
        assert!((1..100).all(|step| rate(step) < rate(step - 1)));
    }

    #[test]
    fn each_stair_is_lower_by_the_same_factor() {
        let schedule = RateSchedule {
            shape: RateCurve::Step,
            start: 0.08,
            end: 0.01,
            stairs: 4,
            ..RateSchedule::default()
        };
        let schedule = RateSchedule { warm_up: 0, ..schedule };
        for (step, expected) in [(0, 0.08), (24, 0.08), (25, 0.04), (50, 0.02), (75, 0.01), (99, 0.01)] {
            close(schedule.rate(step, step as f64 / 100.0), expected);
        }
        close(RateSchedule { stairs: 1, ..schedule }.rate(99, 0.99), 0.08);
    }

    #[test]
    fn the_rate_rises_to_the_schedule_during_the_warm_up() {
        let schedule = RateSchedule { start: 0.01, end: 0.01, warm_up: 9, ..RateSchedule::default() };
        for (step, expected) in [(0, 0.001), (4, 0.005), (9, 0.01), (50, 0.01)] {
            close(schedule.rate(step, step as f64 / 100.0), expected);
        }
    }
}
