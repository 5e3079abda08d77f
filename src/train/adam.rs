//! The optimizer: Adam (Kingma and Ba, "Adam: a method for stochastic optimization", 2015).

/// Share of the past in the running mean of the gradient.
const MEAN_DECAY: f64 = 0.9;
/// Share of the past in the running mean of its square.
const SQUARE_DECAY: f64 = 0.999;
/// Keeps a parameter that has never had a slope from dividing by zero.
const EPSILON: f64 = 1e-12;

/// The moments of each parameter's gradient.
#[derive(Clone, Debug)]
pub struct Adam {
    means: Vec<f64>,
    squares: Vec<f64>,
    steps: i32,
}

impl Adam {
    /// For so many parameters.
    pub fn new(parameters: usize) -> Adam {
        Adam { means: vec![0.0; parameters], squares: vec![0.0; parameters], steps: 0 }
    }

    /// Moves `values` against `gradient`; `rate` is about the length of a step in the values'
    /// own unit.
    pub fn step(&mut self, values: &mut [f64], gradient: &[f64], rate: f64) {
        self.steps += 1;
        let mean_bias = 1.0 - MEAN_DECAY.powi(self.steps);
        let square_bias = 1.0 - SQUARE_DECAY.powi(self.steps);
        let moments = self.means.iter_mut().zip(&mut self.squares);
        for ((value, slope), (mean, square)) in values.iter_mut().zip(gradient).zip(moments) {
            *mean = MEAN_DECAY * *mean + (1.0 - MEAN_DECAY) * slope;
            *square = SQUARE_DECAY * *square + (1.0 - SQUARE_DECAY) * slope * slope;
            *value -= rate * (*mean / mean_bias) / ((*square / square_bias).sqrt() + EPSILON);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bowl_is_descended_to_its_bottom() {
        let mut adam = Adam::new(2);
        let mut values = [40.0, -3.0];
        for step in 0..2_000 {
            let gradient = [2e-6 * (values[0] - 7.0), 5.0 * (values[1] - 1.0)];
            adam.step(&mut values, &gradient, 0.5 * (1.0 - f64::from(step) / 2_000.0));
        }
        assert!((values[0] - 7.0).abs() < 0.01 && (values[1] - 1.0).abs() < 0.01, "{values:?}");
    }
}
