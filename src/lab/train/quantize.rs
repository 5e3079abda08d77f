//! Converts the floats of the training to the integers of the engine, and back.

use std::fmt;

use super::weights::{FloatLine, Weights};
use crate::engine::eval::network::{Network, OUTPUT_LIMIT, QA, QB, SCALE};
use crate::engine::eval::unit::Unit;

/// The greatest absolute value of an output weight that [`quantize`] can keep at this `scale`.
pub fn output_bound(scale: f64) -> f32 {
    f32::from(OUTPUT_LIMIT) / (factor(scale) * QB as f32)
}

/// The factor between an output in the training and in the engine.
fn factor(scale: f64) -> f32 {
    (scale / f64::from(SCALE)) as f32
}

/// A network of the engine, and how well its integers could hold the numbers of the training.
#[derive(Clone, PartialEq, Debug)]
pub struct Quantized {
    /// The network.
    pub network: Network,
    /// What was clipped, part by part. Parts without a clipped number are left out.
    pub clipped: Vec<Clipped>,
}

/// How many numbers of a part of the network were cut to the limit of their integers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clipped {
    /// The name of the part.
    pub part: &'static str,
    /// The number of clipped numbers.
    pub count: usize,
    /// The number of all numbers.
    pub of: usize,
}

impl fmt::Display for Clipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} {}", self.count, self.of, self.part)
    }
}

/// Rounds numbers, and counts those that it clips.
#[derive(Default)]
pub struct Rounding {
    /// What was clipped, part by part.
    pub clipped: Vec<Clipped>,
}

impl Rounding {
    /// Rounds every number to the nearest integer, of which `unit` stand for 1, within +-`limit`.
    pub fn part(
        &mut self,
        part: &'static str,
        numbers: impl IntoIterator<Item = f32>,
        unit: f64,
        limit: i32,
    ) -> Vec<i32> {
        let mut count = 0;
        let limit = f64::from(limit);
        let round = |number: f32| {
            let number = (f64::from(number) * unit).round();
            count += usize::from(number.abs() > limit);
            number.clamp(-limit, limit) as i32
        };
        let rounded: Vec<i32> = numbers.into_iter().map(round).collect();
        if count > 0 {
            self.clipped.push(Clipped { part, count, of: rounded.len() });
        }
        rounded
    }

    /// The weights of the hidden units and their biases, which are `numbers` and `biases` in the training.
    pub fn hidden(
        &mut self,
        numbers: impl IntoIterator<Item = f32>,
        biases: impl IntoIterator<Item = f32>,
    ) -> Vec<i16> {
        let (unit, limit) = (f64::from(QA), i16::MAX.into());
        let mut integers = self.part("weights of hidden units", numbers, unit, limit);
        integers.extend(self.part("biases of hidden units", biases, unit, limit));
        words(integers)
    }
}

/// Integers that fit words.
pub fn words(integers: Vec<i32>) -> Vec<i16> {
    integers.into_iter().map(|integer| integer as i16).collect()
}

/// Integers that fit bytes.
pub fn bytes(integers: Vec<i32>) -> Vec<i8> {
    integers.into_iter().map(|integer| integer as i8).collect()
}

/// Rounds every number of a network without products to the nearest one of the engine's arithmetic. The optimizer's
/// bounds, such as [`output_bound`], keep all numbers in range. A checkpoint of another origin may hold greater
/// numbers; they are cut to the bound. `scale` is the value of an output of 1 in the training, in centipawns. The
/// outputs are converted to the engine's [`SCALE`], whose unit is `unit`.
pub fn quantize(weights: &Weights, scale: f64, unit: Unit) -> Quantized {
    let parts = weights.parts::<1>();
    let factor = f64::from(factor(scale));
    let shape = weights.shape();
    let mut rounding = Rounding::default();
    let mut numbers = rounding.hidden(numbers_of(parts.features), numbers_of(parts.biases));
    let outputs = numbers_of(parts.outputs);
    let outputs = rounding.part("output weights", outputs, factor * f64::from(QB), OUTPUT_LIMIT.into());
    numbers.extend(words(outputs));
    let biases = parts.output_biases.iter().copied();
    let biases = rounding.part("output biases", biases, factor * f64::from(QA * QB), i32::MAX);
    let network = Network::from_parts(shape, unit, numbers, biases, Vec::new());
    Quantized { network, clipped: rounding.clipped }
}

/// The numbers of blocks in their order.
fn numbers_of(blocks: &[[FloatLine; 1]]) -> impl Iterator<Item = f32> + '_ {
    blocks.iter().flat_map(|block| block[0].0)
}

/// The floats for the integers of a network without products, so that a training can begin with it. [`quantize`] with
/// the same `scale` and unit gives the same network again.
pub fn dequantize(network: &Network, scale: f64) -> Weights {
    let shape = network.shape();
    let factor = factor(scale);
    let mut weights = Weights::zero(shape);
    let (biases, _) = network.by_bucket();
    let parts = weights.parts_mut::<1>();
    let mut integers = network.integers();
    fill(parts.features, integers.by_ref(), QA as f32);
    fill(parts.biases, integers.by_ref(), QA as f32);
    fill(parts.outputs, integers, factor * QB as f32);
    for (number, &bias) in parts.output_biases.iter_mut().zip(biases) {
        *number = bias as f32 / (factor * (QA * QB) as f32);
    }
    weights
}

/// Fills the blocks with integers of which `unit` stands for 1.
fn fill<T: Into<f32>>(blocks: &mut [[FloatLine; 1]], integers: impl Iterator<Item = T>, unit: f32) {
    for (number, integer) in blocks.iter_mut().flat_map(|block| &mut block[0].0).zip(integers) {
        *number = integer.into() / unit;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::eval::network::Shape;
    use crate::engine::eval::network::features::FEATURES;
    use crate::lab::train::adamw::{AdamW, Hyperparameters};
    use crate::lab::train::kernel::Kernel;
    use crate::lab::train::kernel::tests::plain_output;
    use crate::lab::train::position::TrainingPosition;
    use crate::lab::train::position::tests::random_positions;
    use crate::lab::train::weights::{WIDTH, zone_lines};

    /// The numbers of a network, read from the bytes of its file.
    struct Integers {
        shape: Shape,
        numbers: Vec<i64>,
        biases: Vec<i64>,
    }

    impl Integers {
        fn of(network: &Network) -> Integers {
            let bytes = network.to_bytes();
            let shape = network.shape();
            let (numbers, biases) = bytes[64..].split_at(bytes.len() - 64 - 4 * shape.buckets);
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

        /// The evaluation in centipawns, computed by the definition of the engine's arithmetic.
        fn evaluate(&self, position: &TrainingPosition) -> i64 {
            let hidden = self.shape.hidden;
            let inputs = position.inputs(self.shape);
            let bucket = self.shape.bucket(inputs.count());
            let (features, rest) = self.numbers.split_at(self.shape.inputs() * hidden);
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
    /// units are independent. With weights of this size the standard deviation is about 5 centipawns, so an error of
    /// four times that is very rare.
    #[test]
    fn rounding_errors_are_a_few_centipawns() {
        for (zones, hanging, scale) in
            [(1, false, f64::from(SCALE)), (1, true, 250.0), (4, true, f64::from(SCALE))]
        {
            let shape = Shape { hidden: 64, zones, hanging, buckets: 4, products: false };
            let mut weights = Weights::random(shape, 9);
            fill_zeros(&mut weights);
            weights.parts_mut::<1>().output_biases.fill(0.123);
            let network = quantize(&weights, scale, Unit::SEARCH).network;
            let mut squares = 0.0;
            for (board, position) in random_positions(150, 10) {
                let evaluation = network.evaluate(&board);
                assert_eq!(i64::from(evaluation), Integers::of(&network).evaluate(&position));
                let error = f64::from(evaluation) - scale * plain_output(&weights, &position);
                assert!(error.abs() < 20.0, "{error}");
                squares += error * error;
            }
            assert!((squares / 500.0).sqrt() < 6.0, "{}", (squares / 500.0).sqrt());
        }
    }

    /// Without rounding of weights only the divisions of the engine's arithmetic are left, and the float's own errors.
    #[test]
    fn whole_weights_have_the_same_output_in_the_engine() {
        for hanging in [false, true] {
            let shape = Shape { hidden: 64, zones: 4, hanging, buckets: 4, products: false };
            let mut weights = Weights::random(shape, 9);
            fill_zeros(&mut weights);
            let scale = f64::from(SCALE);
            let network = quantize(&weights, scale, Unit::SEARCH).network;
            let weights = dequantize(&network, scale);
            for (board, position) in random_positions(500, 10) {
                let evaluation = network.evaluate(&board);
                assert_eq!(i64::from(evaluation), Integers::of(&network).evaluate(&position));
                let error = f64::from(evaluation) - scale * plain_output(&weights, &position);
                assert!(error.abs() < 1.1, "{error}");
            }
        }
    }

    /// A training that begins with a network begins with exactly that network.
    #[test]
    fn dequantizing_and_quantizing_gives_the_same_network() {
        for (zones, scale) in [(1, 400.0), (1, 250.0), (4, 400.0)] {
            let shape = Shape { hidden: 64, zones, hanging: zones > 1, buckets: 3, products: false };
            let network = Network::random(shape, 11);
            let quantized = quantize(&dequantize(&network, scale), scale, network.unit());
            assert_eq!(quantized, Quantized { network, clipped: Vec::new() });
        }
    }

    #[test]
    fn a_grown_network_has_the_same_output() {
        let small = Shape { hidden: 64, zones: 1, hanging: false, buckets: 3, products: false };
        for (old, shape) in [
            (small, Shape { hidden: 96, ..small }),
            (small, Shape { zones: 4, ..small }),
            (small, Shape { hidden: 96, zones: 3, hanging: true, ..small }),
            (Shape { zones: 4, ..small }, Shape { zones: 4, hanging: true, ..small }),
            (
                Shape { zones: 4, hanging: true, ..small },
                Shape { hidden: 96, zones: 4, hanging: true, ..small },
            ),
            (Shape { hanging: true, ..small }, Shape { zones: 3, hanging: true, ..small }),
            (Shape { hanging: true, ..small }, Shape { hidden: 96, hanging: true, ..small }),
            (Shape { zones: 4, ..small }, Shape { hidden: 96, zones: 4, ..small }),
        ] {
            let network = Network::random(old, 12);
            let wide = quantize(&dequantize(&network, 400.0).grown(shape, 1), 400.0, Unit::SEARCH).network;
            assert_eq!(wide.shape(), shape);
            for (board, _) in random_positions(50, 13) {
                assert_eq!(wide.evaluate(&board), network.evaluate(&board));
            }
        }
    }

    #[test]
    fn weights_beyond_the_bounds_are_clipped() {
        let mut weights =
            Weights::zero(Shape { hidden: 32, zones: 1, hanging: false, buckets: 2, products: false });
        weights.numbers_mut().for_each(|number| *number = 1e6);
        weights.parts_mut::<1>().output_biases.copy_from_slice(&[2.0, -1.0]);
        let Quantized { network, clipped } = quantize(&weights, f64::from(SCALE), Unit::SEARCH);
        let shown: Vec<String> = clipped.iter().map(Clipped::to_string).collect();
        assert_eq!(
            shown,
            [
                "24576 of 24576 weights of hidden units",
                "32 of 32 biases of hidden units",
                "128 of 128 output weights"
            ]
        );
        let integers = Integers::of(&network);
        assert!(integers.numbers[..FEATURES * 32].iter().all(|&number| number == i64::from(i16::MAX)));
        assert!(integers.numbers[(FEATURES + 1) * 32..].iter().all(|&number| number == 127));
        assert_eq!(integers.biases, [2, -1].map(|bias| i64::from(bias * QA * QB)));
    }

    /// The optimizer's bound is neither tighter nor wider than the integers' limit.
    #[test]
    fn the_largest_output_weights_survive_quantization_at_every_scale() {
        let shape = Shape { hidden: 32, zones: 1, hanging: false, buckets: 2, products: false };
        let mut gradient = Weights::zero(shape);
        gradient.numbers_mut().for_each(|gradient| *gradient = -1.0);
        for scale in [50.0, 250.0, 400.0, 800.0, 2_000.0] {
            let (mut weights, mut adam) = (Weights::zero(shape), AdamW::new(shape));
            for _ in 0..100 {
                let output_bound = output_bound(scale);
                let hyperparameters = Hyperparameters { rate: 0.5, zone_rate: 1.0, decay: 0.0, output_bound };
                let line = |line: usize| &gradient.lines()[line];
                adam.step(&mut weights, line, 1, hyperparameters, Kernel::fastest());
            }
            let largest = f64::from(weights.parts::<1>().outputs[0][0].0[0]);
            let exact = largest * scale / f64::from(SCALE) * f64::from(QB);
            assert!((exact - 127.0).abs() < 1e-3, "{scale}: {exact}");
            let network = quantize(&weights, scale, Unit::SEARCH).network;
            let integers = Integers::of(&network).numbers;
            assert!(integers[(FEATURES + 1) * 32..].iter().all(|&number| number == 127), "{scale}");
            let again = dequantize(&network, scale);
            assert_eq!(again.parts::<1>().outputs, weights.parts::<1>().outputs, "{scale}");
        }
    }
}
