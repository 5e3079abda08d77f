//! Weights in the engine's precision, for the end of a training.
//!
//! What a network loses when its numbers are rounded for the engine is mostly one error for each bucket, which other
//! numbers could make good. So the last steps compute losses and gradients with rounded weights, and apply the
//! gradients to the weights themselves (the *straight-through estimator* of Bengio, Léonard and Courville, 2013).

use rayon::prelude::*;

use super::weights::{FloatLine, WeightGroup, Weights};
use crate::engine::eval::network::tail::SECOND_UNIT;
use crate::engine::eval::network::{QA, QB};

/// The number of lines that one task rounds.
const TASK_LINES: usize = 4_096;
/// A float with this added has its integer in the lowest bits.
const WHOLE: f32 = 1.5 * (1 << 23) as f32;

/// Sets `rounded` to `weights` in the precision of the engine. Biases behind the first layer, and the layers behind the
/// second one, have so fine units in the engine that they are only copied.
pub fn round(weights: &Weights, rounded: &mut Weights) {
    let shape = weights.shape();
    let tasks = rounded.lines_mut().par_chunks_mut(TASK_LINES).zip(weights.lines().par_chunks(TASK_LINES));
    tasks.enumerate().for_each(|(task, (rounded, lines))| {
        for (index, (rounded, line)) in rounded.iter_mut().zip(lines).enumerate() {
            *rounded = match unit(WeightGroup::of(task * TASK_LINES + index, shape)) {
                Some(unit) => FloatLine(line.0.map(|number| ((number * unit + WHOLE) - WHOLE) / unit)),
                None => *line,
            };
        }
    });
}

/// The integer that stands for a weight of 1.
fn unit(group: WeightGroup) -> Option<f32> {
    match group {
        WeightGroup::Hidden => Some(QA as f32),
        WeightGroup::Output => Some(QB as f32),
        WeightGroup::Second => Some(SECOND_UNIT as f32),
        WeightGroup::Free => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::eval::network::Shape;
    use crate::engine::eval::unit::Unit;
    use crate::lab::train::export;

    #[test]
    fn rounded_weights_are_those_of_the_engine() {
        let direct = Shape { hidden: 64, zones: 2, hanging: true, buckets: 4, products: false };
        for shape in [direct, Shape { hidden: 128, products: true, ..direct }] {
            let weights = Weights::random(shape, 7);
            let mut rounded = Weights::zero(shape);
            round(&weights, &mut rounded);
            let engine = export::weights(&export::network(&weights, Unit::SEARCH).network);
            let mut others = 0;
            for (number, (rounded, engine)) in numbers(&rounded).zip(numbers(&engine)).enumerate() {
                // A weight between two integers may go to either of them.
                assert!((rounded - engine).abs() < 1.1 / QB as f32, "number {number}: {rounded}, {engine}");
                others += u32::from((rounded - engine).abs() > 1e-3);
            }
            assert!(others < 20, "{others} numbers differ");
            assert_ne!(rounded, weights);
        }
    }

    fn numbers(weights: &Weights) -> impl Iterator<Item = f32> + '_ {
        weights.lines().iter().flat_map(|line| line.0)
    }
}
