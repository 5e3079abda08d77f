//! From floats to the integers that the engine plays with.

use super::weights::{Line, Weights};
use crate::eval::network::{Network, OUTPUT_LIMIT, QA, QB};

/// The network with every number rounded to the nearest that the engine's arithmetic has. The
/// optimizer's bounds keep all of them in range; what a checkpoint of another origin may hold beyond is
/// brought back to the bound.
pub fn quantize(weights: &Weights) -> Network {
    let parts = weights.parts::<1>();
    let hidden = |blocks: &[[Line; 1]]| rounded(blocks, QA, i16::MAX);
    let bias = (parts.output_bias * (QA * QB) as f32).round() as i32;
    Network::from_parts(
        &hidden(parts.features),
        &hidden(parts.biases),
        &rounded(parts.outputs, QB, OUTPUT_LIMIT),
        bias,
    )
}

fn rounded(blocks: &[[Line; 1]], unit: i32, limit: i16) -> Vec<i16> {
    let limit = f32::from(limit);
    let numbers = blocks.iter().flat_map(|block| block[0].0);
    numbers.map(|number| (number * unit as f32).round().clamp(-limit, limit) as i16).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::network::SCALE;
    use crate::eval::network::features::FEATURES;
    use crate::train::position::Position;
    use crate::train::position::tests::random_positions;
    use crate::train::weights::WIDTH;

    /// The numbers of a network, read back from the bytes of its file.
    struct Integers {
        hidden: usize,
        numbers: Vec<i64>,
        bias: i64,
    }

    impl Integers {
        fn of(network: &Network) -> Integers {
            let bytes = network.to_bytes();
            let (numbers, bias) = bytes[32..].split_at(bytes.len() - 36);
            let numbers = numbers.chunks_exact(2);
            Integers {
                hidden: network.hidden(),
                numbers: numbers.map(|pair| i64::from(i16::from_le_bytes([pair[0], pair[1]]))).collect(),
                bias: i64::from(i32::from_le_bytes(bias.try_into().unwrap())),
            }
        }

        /// Centipawns, by the definition of the engine's arithmetic.
        fn evaluate(&self, position: &Position) -> i64 {
            let (features, rest) = self.numbers.split_at(FEATURES * self.hidden);
            let (biases, outputs) = rest.split_at(self.hidden);
            let mut sum = 0;
            for (side, list) in position.inputs().lists().into_iter().enumerate() {
                for unit in 0..self.hidden {
                    let row = |input: &u16| features[usize::from(*input) * self.hidden + unit];
                    let accumulator = biases[unit] + list.iter().map(row).sum::<i64>();
                    let activation = accumulator.clamp(0, i64::from(QA));
                    sum += activation * activation * outputs[side * self.hidden + unit];
                }
            }
            (sum / i64::from(QA) + self.bias) * i64::from(SCALE) / i64::from(QA * QB)
        }
    }

    fn float_evaluation(weights: &Weights, position: &Position) -> f64 {
        let parts = weights.parts::<1>();
        let lines = parts.biases.len();
        let mut output = f64::from(parts.output_bias);
        for (side, list) in position.inputs().lists().into_iter().enumerate() {
            for unit in 0..weights.hidden() {
                let (line, lane) = (unit / WIDTH, unit % WIDTH);
                let row = |input: &u16| parts.features[usize::from(*input) * lines + line][0].0[lane];
                let sum = parts.biases[line][0].0[lane] + list.iter().map(row).sum::<f32>();
                let weight = parts.outputs[side * lines + line][0].0[lane];
                output += f64::from(sum.clamp(0.0, 1.0).powi(2) * weight);
            }
        }
        output * f64::from(SCALE)
    }

    /// Rounding errs by at most 1/510 in each input's weight and 1/128 in each output's, and the
    /// errors of 64 units are independent: about 4 centipawns of standard deviation for weights as large
    /// as these, so four times that is hardly ever exceeded.
    #[test]
    fn rounding_costs_a_few_centipawns() {
        let mut weights = Weights::random(64, 9);
        *weights.parts_mut::<1>().output_bias = 0.123;
        let integers = Integers::of(&quantize(&weights));
        let mut squares = 0.0;
        for (_, position) in random_positions(500, 10) {
            let error = integers.evaluate(&position) as f64 - float_evaluation(&weights, &position);
            assert!(error.abs() < 16.0, "{error}");
            squares += error * error;
        }
        assert!((squares / 500.0).sqrt() < 5.0, "{}", (squares / 500.0).sqrt());
    }

    #[test]
    fn numbers_beyond_the_bounds_are_brought_back() {
        let mut weights = Weights::zero(32);
        weights.numbers_mut().for_each(|number| *number = 1e6);
        *weights.parts_mut::<1>().output_bias = 2.0;
        let integers = Integers::of(&quantize(&weights));
        assert!(integers.numbers[..FEATURES * 32].iter().all(|&number| number == i64::from(i16::MAX)));
        assert!(integers.numbers[(FEATURES + 1) * 32..].iter().all(|&number| number == 127));
        assert_eq!(integers.bias, i64::from(2 * QA * QB));
    }
}
