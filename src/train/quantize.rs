//! From floats to the integers that the engine plays with.

use super::weights::{Line, Weights};
use crate::eval::network::{Network, OUTPUT_LIMIT, QA, QB, SCALE};

/// The network with every number rounded to the nearest that the engine's arithmetic has. The
/// optimizer's bounds keep all of them in range; what a checkpoint of another origin may hold beyond is
/// brought back to the bound. `scale` is what an output of 1 stands for in training, in centipawns: the outputs
/// are brought to the engine's [`SCALE`].
pub fn quantize(weights: &Weights, scale: f64) -> Network {
    let parts = weights.parts::<1>();
    let factor = (scale / f64::from(SCALE)) as f32;
    let hidden = |blocks: &[[Line; 1]]| rounded(blocks, QA as f32, i16::MAX);
    let bias = |bias: &f32| (bias * factor * (QA * QB) as f32).round() as i32;
    let biases: Vec<i32> = parts.output_biases.iter().map(bias).collect();
    Network::from_parts(
        &hidden(parts.features),
        &hidden(parts.biases),
        &rounded(parts.outputs, factor * QB as f32, OUTPUT_LIMIT),
        &biases,
    )
}

fn rounded(blocks: &[[Line; 1]], unit: f32, limit: i16) -> Vec<i16> {
    let limit = f32::from(limit);
    let numbers = blocks.iter().flat_map(|block| block[0].0);
    numbers.map(|number| (number * unit).round().clamp(-limit, limit) as i16).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::network::Shape;
    use crate::eval::network::features::FEATURES;
    use crate::train::position::Position;
    use crate::train::position::tests::random_positions;
    use crate::train::weights::WIDTH;

    /// The numbers of a network, read back from the bytes of its file.
    struct Integers {
        shape: Shape,
        numbers: Vec<i64>,
        biases: Vec<i64>,
    }

    impl Integers {
        fn of(network: &Network) -> Integers {
            let bytes = network.to_bytes();
            let shape = network.shape();
            let (numbers, biases) = bytes[32..].split_at(bytes.len() - 32 - 4 * shape.buckets);
            let biases = biases.chunks_exact(4);
            let numbers = numbers.chunks_exact(2);
            Integers {
                shape,
                numbers: numbers.map(|pair| i64::from(i16::from_le_bytes([pair[0], pair[1]]))).collect(),
                biases: biases
                    .map(|bytes| i64::from(i32::from_le_bytes(bytes.try_into().unwrap())))
                    .collect(),
            }
        }

        /// Centipawns, by the definition of the engine's arithmetic.
        fn evaluate(&self, position: &Position) -> i64 {
            let hidden = self.shape.hidden;
            let bucket = self.shape.bucket(position.inputs().count());
            let (features, rest) = self.numbers.split_at(FEATURES * hidden);
            let (biases, outputs) = rest.split_at(hidden);
            let mut sum = 0;
            for (side, list) in position.inputs().lists().into_iter().enumerate() {
                for unit in 0..hidden {
                    let row = |input: &u16| features[usize::from(*input) * hidden + unit];
                    let accumulator = biases[unit] + list.iter().map(row).sum::<i64>();
                    let activation = accumulator.clamp(0, i64::from(QA));
                    sum += activation * activation * outputs[(2 * bucket + side) * hidden + unit];
                }
            }
            (sum / i64::from(QA) + self.biases[bucket]) * i64::from(SCALE) / i64::from(QA * QB)
        }
    }

    fn float_evaluation(weights: &Weights, position: &Position, scale: f64) -> f64 {
        let parts = weights.parts::<1>();
        let lines = parts.biases.len();
        let bucket = weights.shape().bucket(position.inputs().count());
        let mut output = f64::from(parts.output_biases[bucket]);
        for (side, list) in position.inputs().lists().into_iter().enumerate() {
            for unit in 0..weights.shape().hidden {
                let (line, lane) = (unit / WIDTH, unit % WIDTH);
                let row = |input: &u16| parts.features[usize::from(*input) * lines + line][0].0[lane];
                let sum = parts.biases[line][0].0[lane] + list.iter().map(row).sum::<f32>();
                let weight = parts.outputs[(2 * bucket + side) * lines + line][0].0[lane];
                output += f64::from(sum.clamp(0.0, 1.0).powi(2) * weight);
            }
        }
        output * scale
    }

    /// Rounding errs by at most 1/510 in each input's weight and 1/128 in each output's, and the
    /// errors of 64 units are independent: about 4 centipawns of standard deviation for weights as large
    /// as these, so four times that is hardly ever exceeded.
    #[test]
    fn rounding_costs_a_few_centipawns() {
        let mut weights = Weights::random(Shape { hidden: 64, buckets: 4 }, 9);
        weights.parts_mut::<1>().output_biases.fill(0.123);
        for scale in [f64::from(SCALE), 250.0] {
            let integers = Integers::of(&quantize(&weights, scale));
            let mut squares = 0.0;
            for (_, position) in random_positions(500, 10) {
                let error =
                    integers.evaluate(&position) as f64 - float_evaluation(&weights, &position, scale);
                assert!(error.abs() < 16.0, "{error}");
                squares += error * error;
            }
            assert!((squares / 500.0).sqrt() < 5.0, "{}", (squares / 500.0).sqrt());
        }
    }

    #[test]
    fn numbers_beyond_the_bounds_are_brought_back() {
        let mut weights = Weights::zero(Shape { hidden: 32, buckets: 2 });
        weights.numbers_mut().for_each(|number| *number = 1e6);
        weights.parts_mut::<1>().output_biases.copy_from_slice(&[2.0, -1.0]);
        let integers = Integers::of(&quantize(&weights, f64::from(SCALE)));
        assert!(integers.numbers[..FEATURES * 32].iter().all(|&number| number == i64::from(i16::MAX)));
        assert!(integers.numbers[(FEATURES + 1) * 32..].iter().all(|&number| number == 127));
        assert_eq!(integers.biases, [2, -1].map(|bias| i64::from(bias * QA * QB)));
    }
}
