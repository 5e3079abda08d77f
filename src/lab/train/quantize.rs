//! Converts the floats of the training to the integers of the engine, and back.

use super::weights::{self, FloatLine, THIRD_LINES, WIDTH, Weights};
use crate::engine::eval::network::tail::{SECOND_LIMIT, SECOND_UNIT, SecondRow, Tail};
use crate::engine::eval::network::{Network, OUTPUT_LIMIT, QA, QB, SCALE, SECOND, THIRD};

/// The greatest absolute value of an output weight that [`quantize`] can keep at this `scale`.
pub fn output_bound(scale: f64) -> f32 {
    f32::from(OUTPUT_LIMIT) / (factor(scale) * QB as f32)
}

/// The factor between an output in the training and in the engine.
fn factor(scale: f64) -> f32 {
    (scale / f64::from(SCALE)) as f32
}

/// Rounds every number to the nearest one of the engine's arithmetic. The optimizer's bounds, such as [`output_bound`],
/// keep all numbers in range. A checkpoint of another origin may hold greater numbers; they are cut to the bound.
/// `scale` is the value of an output of 1 in the training, in centipawns. The outputs are converted to the engine's
/// [`SCALE`].
pub fn quantize(weights: &Weights, scale: f64) -> Network {
    let parts = weights.parts::<1>();
    let factor = factor(scale);
    let hidden = |blocks: &[[FloatLine; 1]], limit| rounded(blocks, QA as f32, limit);
    let shape = weights.shape();
    let (men, threats) = parts.features.split_at(shape.men() * shape.hidden / WIDTH);
    let bias = |bias: &f32| (bias * factor * (QA * QB) as f32).round() as i32;
    let biases: Vec<i32> = parts.output_biases.iter().map(bias).collect();
    let outputs = rounded(parts.outputs, factor * QB as f32, OUTPUT_LIMIT);
    Network::from_parts(
        shape,
        [hidden(men, i16::MAX), hidden(parts.biases, i16::MAX), outputs].concat(),
        hidden(threats, i8::MAX.into()).into_iter().map(|weight| weight as i8),
        biases,
        (0..shape.buckets)
            .filter_map(|bucket| parts.tails.of(bucket))
            .map(|tail| quantize_tail(&tail, factor))
            .collect(),
    )
}

/// The floats for a network's integers, so that a training can begin with it. [`quantize`] with the same `scale` gives
/// the same network again.
pub fn dequantize(network: &Network, scale: f64) -> Weights {
    let shape = network.shape();
    let factor = factor(scale);
    let mut weights = Weights::zero(shape);
    let (biases, tails) = network.by_bucket();
    let mut parts = weights.parts_mut::<1>();
    let (men, threats) = parts.features.split_at_mut(shape.men() * shape.hidden / WIDTH);
    let mut integers = network.integers();
    fill(men, integers.by_ref(), QA as f32);
    fill(threats, network.threat_weights(), QA as f32);
    fill(parts.biases, integers.by_ref(), QA as f32);
    fill(parts.outputs, integers, factor * QB as f32);
    for (number, &bias) in parts.output_biases.iter_mut().zip(biases) {
        *number = bias as f32 / (factor * (QA * QB) as f32);
    }
    for (bucket, tail) in tails.iter().enumerate() {
        let to = parts.tails.of_mut(bucket).expect("a network with tails is deep");
        dequantize_tail(tail, factor, to);
    }
    weights
}

/// Fills the blocks with integers of which `unit` stands for 1.
fn fill<T: Into<f32>>(blocks: &mut [[FloatLine; 1]], integers: impl Iterator<Item = T>, unit: f32) {
    for (number, integer) in blocks.iter_mut().flat_map(|block| &mut block[0].0).zip(integers) {
        *number = integer.into() / unit;
    }
}

/// The inverse of [`quantize_tail`].
fn dequantize_tail(tail: &Tail, factor: f32, to: weights::TailWeightsMut<'_>) {
    for (index, row) in tail.seconds.iter().enumerate() {
        let rows = &mut to.seconds[index * 4 / WIDTH];
        for (column, &weight) in row.0.iter().enumerate() {
            rows[column / 4].0[index * 4 % WIDTH + column % 4] = f32::from(weight) / SECOND_UNIT as f32;
        }
    }
    *to.second_biases = FloatLine(tail.second_biases);
    let lines = |numbers: &[f32; THIRD]| {
        std::array::from_fn(|line| FloatLine(std::array::from_fn(|lane| numbers[line * WIDTH + lane])))
    };
    for (lines_of_unit, numbers) in to.thirds.iter_mut().zip(&tail.thirds) {
        *lines_of_unit = lines(numbers);
    }
    *to.third_biases = lines(&tail.third_biases);
    *to.outputs = lines(&tail.outputs.map(|weight| weight / factor));
}

/// Converts the further layers of one bucket. Only the weights of the second layer are rounded. The outputs are
/// multiplied by `factor`.
fn quantize_tail(tail: &weights::TailWeights<'_>, factor: f32) -> Tail {
    let limit = f32::from(SECOND_LIMIT);
    let rounded = |number: f32| (number * SECOND_UNIT as f32).round().clamp(-limit, limit) as i8;
    let fours = tail.seconds.iter().flat_map(|rows| (0..WIDTH).step_by(4).map(move |input| (rows, input)));
    let row = |(rows, input): (&[FloatLine; SECOND], usize)| {
        SecondRow(std::array::from_fn(|column| rounded(rows[column / 4].0[input + column % 4])))
    };
    Tail {
        seconds: fours.map(row).collect(),
        second_biases: tail.second_biases.0,
        thirds: std::array::from_fn::<_, SECOND, _>(|unit| flat(&tail.thirds[unit])),
        third_biases: flat(tail.third_biases),
        outputs: flat(tail.outputs).map(|weight| weight * factor),
    }
}

/// The numbers of the lines of a third layer.
fn flat(lines: &[FloatLine; THIRD_LINES]) -> [f32; THIRD] {
    std::array::from_fn(|unit| lines[unit / WIDTH].0[unit % WIDTH])
}

fn rounded(blocks: &[[FloatLine; 1]], unit: f32, limit: i16) -> Vec<i16> {
    let limit = f32::from(limit);
    let numbers = blocks.iter().flat_map(|block| block[0].0);
    numbers.map(|number| (number * unit).round().clamp(-limit, limit) as i16).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::eval::network::Shape;
    use crate::engine::eval::network::features::FEATURES;
    use crate::lab::train::adamw::{AdamW, Hyperparameters};
    use crate::lab::train::kernel::tests::plain_output;
    use crate::lab::train::position::TrainingPosition;
    use crate::lab::train::position::tests::random_positions;
    use crate::lab::train::weights::zone_lines;

    /// The numbers of a network, read from the bytes of its file.
    struct Integers {
        shape: Shape,
        numbers: Vec<i64>,
        threats: Vec<i64>,
        biases: Vec<i64>,
    }

    impl Integers {
        fn of(network: &Network) -> Integers {
            let bytes = network.to_bytes();
            let shape = network.shape();
            let (bytes, threats) = bytes[32..].split_at(bytes.len() - 32 - shape.threat_weights());
            let (numbers, biases) = bytes.split_at(bytes.len() - 4 * shape.buckets);
            let biases = biases.chunks_exact(4);
            let numbers = numbers.chunks_exact(2);
            Integers {
                shape,
                numbers: numbers.map(|pair| i64::from(i16::from_le_bytes([pair[0], pair[1]]))).collect(),
                threats: threats.iter().map(|byte| i64::from(byte.cast_signed())).collect(),
                biases: biases
                    .map(|bytes| i64::from(i32::from_le_bytes(bytes.try_into().unwrap())))
                    .collect(),
            }
        }

        /// The evaluation in centipawns, computed by the definition of the engine's arithmetic.
        fn evaluate(&self, position: &TrainingPosition) -> i64 {
            let hidden = self.shape.hidden;
            let inputs = position.inputs(self.shape);
            let bucket = self.shape.bucket(inputs.count());
            let (features, rest) = self.numbers.split_at(self.shape.men() * hidden);
            let features: Vec<i64> = features.iter().chain(&self.threats).copied().collect();
            let (biases, outputs) = rest.split_at(hidden);
            let mut sum = 0;
            for (side, list) in inputs.lists().into_iter().enumerate() {
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

    /// Gives the inputs that begin with zeros half the weights of the first zone, again and again.
    fn fill_zeros(weights: &mut Weights) {
        let shape = weights.shape();
        let zone = zone_lines(shape);
        let (zones, rest) = weights.lines_mut().split_at_mut(shape.zones * zone);
        let zeros = shape.inputs() * shape.hidden / WIDTH - zones.len();
        for (zeros, line) in rest[..zeros].iter_mut().zip(zones[..zone].iter().cycle()) {
            zeros.0 = line.0.map(|weight| 0.5 * weight);
        }
    }

    /// Rounding changes each input weight by at most 1/510 and each output weight by at most 1/128. The errors of 64
    /// units are independent. With weights of this size the standard deviation is about 4 centipawns, so an error of
    /// four times that is very rare. Further layers have smaller rounding errors.
    #[test]
    fn rounding_errors_are_a_few_centipawns() {
        for (zones, hanging, deep, scale) in [
            (1, false, false, f64::from(SCALE)),
            (1, true, false, 250.0),
            (1, false, true, f64::from(SCALE)),
            (1, true, true, 250.0),
            (4, true, false, f64::from(SCALE)),
        ] {
            let shape = Shape { hidden: 64, zones, hanging, threats: false, buckets: 4, deep };
            let mut weights = Weights::random(shape, 9);
            fill_zeros(&mut weights);
            weights.parts_mut::<1>().output_biases.fill(0.123);
            let network = quantize(&weights, scale);
            let mut squares = 0.0;
            for (board, position) in random_positions(500, 10) {
                let evaluation = network.evaluate(&board);
                if !deep {
                    assert_eq!(i64::from(evaluation), Integers::of(&network).evaluate(&position));
                }
                let error = f64::from(evaluation) - scale * plain_output(&weights, &position);
                assert!(error.abs() < 16.0, "{error}");
                squares += error * error;
            }
            assert!((squares / 500.0).sqrt() < 5.0, "{}", (squares / 500.0).sqrt());
        }
    }

    /// Without rounding of weights only the divisions of the engine's arithmetic are left, and the float's own errors.
    #[test]
    fn whole_weights_have_the_same_output_in_the_engine() {
        for (hanging, threats, deep) in [(true, true, false), (false, true, true), (true, false, false)] {
            let shape = Shape { hidden: 64, zones: 4, hanging, threats, buckets: 4, deep };
            let mut weights = Weights::random(shape, 9);
            fill_zeros(&mut weights);
            let scale = f64::from(SCALE);
            let network = quantize(&weights, scale);
            let weights = dequantize(&network, scale);
            for (board, position) in random_positions(500, 10) {
                let evaluation = network.evaluate(&board);
                if !deep {
                    assert_eq!(i64::from(evaluation), Integers::of(&network).evaluate(&position));
                }
                let error = f64::from(evaluation) - scale * plain_output(&weights, &position);
                assert!(error.abs() < if deep { 12.0 } else { 1.1 }, "{error}");
            }
        }
    }

    /// A training that begins with a network begins with exactly that network.
    #[test]
    fn dequantizing_and_quantizing_gives_the_same_network() {
        for (zones, deep, scale) in [(1, false, 400.0), (1, false, 250.0), (1, true, 400.0), (4, true, 400.0)]
        {
            let (hanging, threats) = (zones > 1, zones > 1);
            let shape = Shape { hidden: 64, zones, hanging, threats, buckets: 3, deep };
            let network = Network::random(shape, 11);
            assert_eq!(quantize(&dequantize(&network, scale), scale), network);
        }
    }

    #[test]
    fn a_grown_network_has_the_same_output() {
        let small = Shape { hidden: 64, zones: 1, hanging: false, threats: false, buckets: 3, deep: false };
        for (old, shape) in [
            (small, Shape { hidden: 96, ..small }),
            (Shape { deep: true, ..small }, Shape { hidden: 96, deep: true, ..small }),
            (small, Shape { deep: true, ..small }),
            (small, Shape { hidden: 96, deep: true, ..small }),
            (small, Shape { zones: 4, ..small }),
            (small, Shape { hidden: 96, zones: 3, hanging: true, deep: true, ..small }),
            (Shape { zones: 4, ..small }, Shape { zones: 4, hanging: true, ..small }),
            (
                Shape { zones: 4, hanging: true, ..small },
                Shape { hidden: 96, zones: 4, hanging: true, ..small },
            ),
            (Shape { hanging: true, ..small }, Shape { zones: 3, hanging: true, ..small }),
            (Shape { hanging: true, ..small }, Shape { zones: 3, hanging: true, threats: true, ..small }),
            (
                Shape { hanging: true, threats: true, ..small },
                Shape { hidden: 96, hanging: true, threats: true, ..small },
            ),
            (Shape { threats: true, ..small }, Shape { hanging: true, threats: true, ..small }),
            (Shape { zones: 4, ..small }, Shape { hidden: 96, zones: 4, ..small }),
        ] {
            let network = Network::random(old, 12);
            let wide = quantize(&dequantize(&network, 400.0).grown(shape, 1), 400.0);
            assert_eq!(wide.shape(), shape);
            for (board, _) in random_positions(50, 13) {
                assert_eq!(wide.evaluate(&board), network.evaluate(&board));
            }
        }
    }

    /// Otherwise the tests above would pass without the further layers.
    #[test]
    fn further_layers_change_the_output() {
        let shape = Shape { hidden: 64, zones: 1, hanging: false, threats: false, buckets: 4, deep: true };
        let weights = Weights::random(shape, 9);
        let mut silent = weights.clone();
        for bucket in 0..shape.buckets {
            silent.parts_mut::<1>().tails.of_mut(bucket).unwrap().outputs.fill(FloatLine::ZERO);
        }
        let [network, silent] = [weights, silent].map(|weights| quantize(&weights, f64::from(SCALE)));
        let positions = random_positions(20, 11);
        let differ = positions.iter().filter(|(board, _)| network.evaluate(board) != silent.evaluate(board));
        assert!(differ.count() > 15);
    }

    #[test]
    fn weights_beyond_the_bounds_are_clipped() {
        let mut weights = Weights::zero(Shape {
            hidden: 32,
            zones: 1,
            hanging: false,
            threats: false,
            buckets: 2,
            deep: false,
        });
        weights.numbers_mut().for_each(|number| *number = 1e6);
        weights.parts_mut::<1>().output_biases.copy_from_slice(&[2.0, -1.0]);
        let integers = Integers::of(&quantize(&weights, f64::from(SCALE)));
        assert!(integers.numbers[..FEATURES * 32].iter().all(|&number| number == i64::from(i16::MAX)));
        assert!(integers.numbers[(FEATURES + 1) * 32..].iter().all(|&number| number == 127));
        assert_eq!(integers.biases, [2, -1].map(|bias| i64::from(bias * QA * QB)));
    }

    /// The optimizer's bound is neither tighter nor wider than the integers' limit.
    #[test]
    fn the_largest_output_weights_survive_quantization_at_every_scale() {
        let shape = Shape { hidden: 32, zones: 1, hanging: false, threats: false, buckets: 2, deep: false };
        let mut gradient = Weights::zero(shape);
        gradient.numbers_mut().for_each(|gradient| *gradient = -1.0);
        for scale in [50.0, 250.0, 400.0, 800.0, 2_000.0] {
            let (mut weights, mut adam) = (Weights::zero(shape), AdamW::new(shape));
            for _ in 0..100 {
                let output_bound = output_bound(scale);
                let hyperparameters = Hyperparameters { rate: 0.5, zone_rate: 1.0, decay: 0.0, output_bound };
                adam.step(&mut weights, &[&gradient], 1, hyperparameters);
            }
            let largest = f64::from(weights.parts::<1>().outputs[0][0].0[0]);
            let exact = largest * scale / f64::from(SCALE) * f64::from(QB);
            assert!((exact - 127.0).abs() < 1e-3, "{scale}: {exact}");
            let network = quantize(&weights, scale);
            let integers = Integers::of(&network).numbers;
            assert!(integers[(FEATURES + 1) * 32..].iter().all(|&number| number == 127), "{scale}");
            let again = dequantize(&network, scale);
            assert_eq!(again.parts::<1>().outputs, weights.parts::<1>().outputs, "{scale}");
        }
    }
}
