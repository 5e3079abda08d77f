//! The results of each epoch, for spreadsheets and for the plot.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

/// The results of one epoch.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Epoch {
    /// The number of the epoch, from 1.
    pub number: u32,
    /// The number of steps since the beginning of the training.
    pub steps: u64,
    /// The learning rate of the last step.
    pub rate: f64,
    /// The mean loss over the epoch's positions. Each loss is measured before the step of its batch.
    pub training: f64,
    /// The mean loss over the validation set after the epoch; `None` without a validation set.
    pub validation: Option<f64>,
    /// Training positions per second.
    pub speed: f64,
    /// The number of positions since the beginning of the training.
    pub samples: u64,
    /// The scale of scores, in centipawns of the search.
    pub scale: f64,
}

/// The epochs as comma-separated values. The first line holds the names of the columns.
pub fn csv(epochs: &[Epoch]) -> String {
    let mut text =
        String::from("epoch,step,rate,training_loss,validation_loss,positions_per_second,positions,scale\n");
    for epoch in epochs {
        let validation = epoch.validation.map(|loss| format!("{loss:.7}")).unwrap_or_default();
        writeln!(
            text,
            "{},{},{:.8},{:.7},{validation},{:.0},{},{:.1}",
            epoch.number, epoch.steps, epoch.rate, epoch.training, epoch.speed, epoch.samples, epoch.scale
        )
        .expect("writing to a string does not fail");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_has_a_line_for_each_epoch() {
        let epoch = Epoch {
            number: 1,
            steps: 40,
            rate: 0.001,
            training: 0.0231,
            validation: Some(0.024),
            speed: 1_234_567.8,
            samples: 640,
            scale: 151.5,
        };
        let other = Epoch { number: 2, steps: 80, validation: None, ..epoch };
        assert_eq!(
            csv(&[epoch, other]),
            "epoch,step,rate,training_loss,validation_loss,positions_per_second,positions,scale\n\
             1,40,0.00100000,0.0231000,0.0240000,1234568,640,151.5\n\
             2,80,0.00100000,0.0231000,,1234568,640,151.5\n"
        );
    }
}
