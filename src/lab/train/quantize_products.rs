//! Converts the numbers of a network with products from the floats of the training to the integers of the engine, and
//! back.

use super::quantize::{Quantized, Rounding, bytes, words};
use crate::engine::eval::network::tail::{
    BIAS_LIMIT, FURTHER_LIMIT, FURTHER_UNIT, OUTPUT_ONE, PRODUCT_SHIFT, SECOND_ACTIVATION, SECOND_LIMIT,
    SECOND_UNIT, Tail,
};
use crate::engine::eval::network::{Network, QA, SECOND, Shape, THIRD};
use crate::engine::eval::unit::Unit;

/// What 1 is in the sums of the second layer.
const SECOND_SUM: f64 = (QA * QA * SECOND_UNIT) as f64 / (1 << PRODUCT_SHIFT) as f64;
/// What 1 is in the sums of the third layer.
const THIRD_SUM: f64 = (SECOND_ACTIVATION * FURTHER_UNIT) as f64;

/// The layers behind the products as the training has them: one bucket after the other, and in it one unit after the
/// other with its weights from the layer before.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TailNumbers {
    /// For each unit of the second layer, the weights of the side to move's products and of the other side's.
    pub seconds: Vec<f32>,
    /// Biases of the second layer.
    pub second_biases: Vec<f32>,
    /// For each unit of the third layer, the weights of those of the second.
    pub thirds: Vec<f32>,
    /// Biases of the third layer.
    pub third_biases: Vec<f32>,
    /// The weights from the third layer to the output.
    pub outputs: Vec<f32>,
    /// The biases of the output. An output of 1 is [`SCALE`](crate::engine::eval::network::SCALE).
    pub output_biases: Vec<f32>,
}

impl TailNumbers {
    /// The numbers of a network with products.
    pub fn of(network: &Network) -> TailNumbers {
        let hidden = network.shape().hidden;
        let (biases, tails) = network.by_bucket();
        let mut numbers = TailNumbers::default();
        let add = |to: &mut Vec<f32>, number: i32, unit: f64| to.push((f64::from(number) / unit) as f32);
        for tail in tails {
            for (unit, input) in (0..SECOND).flat_map(|unit| (0..hidden).map(move |input| (unit, input))) {
                let weight = tail.seconds[input / 4].0[4 * unit + input % 4];
                add(&mut numbers.seconds, weight.into(), f64::from(SECOND_UNIT));
            }
            for (unit, input) in (0..THIRD).flat_map(|unit| (0..SECOND).map(move |input| (unit, input))) {
                let weight = tail.thirds[input / 2].0[2 * unit + input % 2];
                add(&mut numbers.thirds, weight.into(), f64::from(FURTHER_UNIT));
            }
            tail.second_biases.0.iter().for_each(|&bias| add(&mut numbers.second_biases, bias, SECOND_SUM));
            tail.third_biases.0.iter().for_each(|&bias| add(&mut numbers.third_biases, bias, THIRD_SUM));
            let outputs = tail.outputs.0.iter();
            outputs.for_each(|&weight| add(&mut numbers.outputs, weight.into(), f64::from(FURTHER_UNIT)));
        }
        biases.iter().for_each(|&bias| add(&mut numbers.output_biases, bias, f64::from(OUTPUT_ONE)));
        numbers
    }
}

/// Rounds every number of a network with products to the nearest one of the engine's arithmetic, within its limits.
/// `features` has the weights of the hidden units, input by input, and `biases` their biases. The unit of an output of
/// [`SCALE`](crate::engine::eval::network::SCALE) is `unit`.
///
/// # Panics
/// If the shape has no products or the lengths do not fit it.
pub fn quantize_products(
    shape: Shape,
    unit: Unit,
    features: impl IntoIterator<Item = f32>,
    biases: impl IntoIterator<Item = f32>,
    tail: &TailNumbers,
) -> Quantized {
    let mut rounding = Rounding::default();
    let numbers = rounding.hidden(features, biases);
    let mut part =
        |part, numbers: &[f32], unit, limit| rounding.part(part, numbers.iter().copied(), unit, limit);
    let seconds =
        part("weights of the second layer", &tail.seconds, f64::from(SECOND_UNIT), SECOND_LIMIT.into());
    let second_biases = part("biases of the second layer", &tail.second_biases, SECOND_SUM, BIAS_LIMIT);
    let further = f64::from(FURTHER_UNIT);
    let thirds = part("weights of the third layer", &tail.thirds, further, FURTHER_LIMIT.into());
    let third_biases = part("biases of the third layer", &tail.third_biases, THIRD_SUM, BIAS_LIMIT);
    let outputs = part("output weights", &tail.outputs, further, FURTHER_LIMIT.into());
    let output_biases = part("output biases", &tail.output_biases, f64::from(OUTPUT_ONE), i32::MAX);
    let (seconds, thirds, outputs) = (bytes(seconds), words(thirds), words(outputs));
    let tails = (0..shape.buckets).map(|bucket| {
        let mut tail = Tail::zero(shape.hidden);
        let rows = seconds[bucket * SECOND * shape.hidden..].chunks_exact(shape.hidden);
        for (unit, row) in rows.take(SECOND).enumerate() {
            for (weights, four) in tail.seconds.iter_mut().zip(row.as_chunks::<4>().0) {
                weights.0[4 * unit..][..4].copy_from_slice(four);
            }
        }
        let rows = thirds[bucket * THIRD * SECOND..].as_chunks::<SECOND>().0;
        for (unit, row) in rows.iter().take(THIRD).enumerate() {
            for (weights, pair) in tail.thirds.iter_mut().zip(row.as_chunks::<2>().0) {
                weights.0[2 * unit..][..2].copy_from_slice(pair);
            }
        }
        tail.second_biases.0.copy_from_slice(&second_biases[bucket * SECOND..][..SECOND]);
        tail.third_biases.0.copy_from_slice(&third_biases[bucket * THIRD..][..THIRD]);
        tail.outputs.0.copy_from_slice(&outputs[bucket * THIRD..][..THIRD]);
        tail
    });
    let network = Network::from_parts(shape, unit, numbers, output_biases, tails.collect());
    Quantized { network, clipped: rounding.clipped }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;
    use crate::engine::eval::network::SCALE;
    use crate::lab::train::position::TrainingPosition;
    use crate::lab::train::position::tests::random_positions;

    const SHAPE: Shape = Shape { hidden: 128, zones: 4, hanging: true, buckets: 4, products: true };

    /// All numbers of a network with products.
    struct Numbers {
        features: Vec<f32>,
        biases: Vec<f32>,
        tail: TailNumbers,
    }

    impl Numbers {
        fn random(seed: u64) -> Numbers {
            let mut random = Random::stream(seed, 0);
            let mut draw = |count: usize, middle: f64, width: f64| -> Vec<f32> {
                (0..count).map(|_| (middle + width * (2.0 * random.unit() - 1.0)) as f32).collect()
            };
            let Shape { hidden, buckets, .. } = SHAPE;
            Numbers {
                features: draw(SHAPE.inputs() * hidden, 0.0, 0.15),
                biases: draw(hidden, 0.2, 0.15),
                tail: TailNumbers {
                    seconds: draw(buckets * SECOND * hidden, 0.0, 0.3),
                    second_biases: draw(buckets * SECOND, 0.3, 0.2),
                    thirds: draw(buckets * THIRD * SECOND, 0.0, 0.5),
                    third_biases: draw(buckets * THIRD, 0.3, 0.2),
                    outputs: draw(buckets * THIRD, 0.0, 1.0),
                    output_biases: draw(buckets, 0.0, 0.5),
                },
            }
        }

        fn of(network: &Network) -> Numbers {
            let mut integers = network.integers().map(|number| f32::from(number) / QA as f32);
            let features = integers.by_ref().take(SHAPE.inputs() * SHAPE.hidden).collect();
            Numbers { features, biases: integers.collect(), tail: TailNumbers::of(network) }
        }

        fn quantize(&self) -> Quantized {
            let unit = Unit::new(3, 5).unwrap();
            let (features, biases) = (self.features.iter().copied(), self.biases.iter().copied());
            quantize_products(SHAPE, unit, features, biases, &self.tail)
        }

        /// The output in centipawns by its definition. With `is_cut`, products lose what the engine's bytes cannot
        /// hold.
        fn output(&self, position: &TrainingPosition, is_cut: bool) -> f64 {
            let Shape { hidden, .. } = SHAPE;
            let inputs = position.inputs(SHAPE);
            let bucket = SHAPE.bucket(inputs.count());
            let mut products = Vec::new();
            for list in inputs.lists() {
                let units: Vec<f64> = (0..hidden)
                    .map(|unit| {
                        let weight = |&input: &u16| self.features[usize::from(input) * hidden + unit];
                        let sum = self.biases[unit] + list.iter().map(weight).sum::<f32>();
                        f64::from(sum).clamp(0.0, 1.0)
                    })
                    .collect();
                let (left, right) = units.split_at(hidden / 2);
                products.extend(left.iter().zip(right).map(|(left, right)| {
                    let one = f64::from(QA * QA) / 512.0;
                    let product = left * right;
                    if is_cut { (product * one + 1e-4).floor() / one } else { product }
                }));
            }
            let layer = |units: &[f64], weights: &[f32], biases: &[f32]| -> Vec<f64> {
                let rows = weights[bucket * biases.len() / SHAPE.buckets * units.len()..].chunks(units.len());
                let biases = &biases[bucket * biases.len() / SHAPE.buckets..];
                let rows = rows.zip(biases).take(biases.len());
                rows.map(|(row, &bias)| {
                    let sum = units.iter().zip(row).map(|(unit, &weight)| unit * f64::from(weight));
                    f64::from(bias) + sum.sum::<f64>()
                })
                .collect()
            };
            let squared = |sums: Vec<f64>, count: usize| -> Vec<f64> {
                sums.into_iter().take(count).map(|sum| sum.clamp(0.0, 1.0).powi(2)).collect()
            };
            let TailNumbers { seconds, second_biases, thirds, third_biases, outputs, output_biases } =
                &self.tail;
            let second = squared(layer(&products, seconds, second_biases), SECOND);
            let third = squared(layer(&second, thirds, third_biases), THIRD);
            f64::from(SCALE) * layer(&third, outputs, output_biases)[0]
        }
    }

    /// The products lose up to 1/127, and the weights of the second layer are rounded to 1/64. Together both errors are
    /// of some 14 centipawns in this network of steep random weights. Without them an error of 1 is left.
    #[test]
    fn the_engine_computes_the_output_of_the_training() {
        let numbers = Numbers::random(9);
        let Quantized { network, clipped } = numbers.quantize();
        assert!(clipped.is_empty(), "{clipped:?}");
        assert_eq!(network.unit().numbers(), [3, 5]);
        let whole = Numbers::of(&network);
        let [mut squares, mut whole_squares] = [0.0; 2];
        let mut evaluations = Vec::new();
        for (board, position) in random_positions(300, 10) {
            let evaluation = f64::from(network.evaluate(&board));
            evaluations.push(evaluation);
            squares += (evaluation - numbers.output(&position, false)).powi(2);
            let error = evaluation - whole.output(&position, true);
            assert!(error.abs() < 3.0, "{error}");
            whole_squares += error * error;
        }
        let [error, whole_error] = [squares, whole_squares].map(|squares| (squares / 300.0).sqrt());
        let mean = evaluations.iter().sum::<f64>() / 300.0;
        let spread = evaluations.iter().map(|evaluation| (evaluation - mean).powi(2)).sum::<f64>() / 300.0;
        assert!(spread.sqrt() > 30.0, "{spread}");
        assert!(error < 20.0 && whole_error < 1.0, "{error} {whole_error}");
    }

    #[test]
    fn dequantizing_and_quantizing_gives_the_same_network() {
        let network = Network::random(SHAPE, 11);
        let quantized = Numbers::of(&network).quantize();
        assert_eq!(quantized.network.to_bytes()[64..], network.to_bytes()[64..]);
        assert!(quantized.clipped.is_empty());
    }

    #[test]
    fn clipped_numbers_are_counted() {
        let mut numbers = Numbers::random(9);
        numbers.features[5] = 1e6;
        numbers.tail.seconds[..3].copy_from_slice(&[2.0, -1.99, 1.98]);
        numbers.tail.thirds[7] = -16.1;
        let Quantized { network, clipped } = numbers.quantize();
        let shown: Vec<String> = clipped.iter().map(ToString::to_string).collect();
        assert_eq!(
            shown,
            [
                "1 of 491520 weights of hidden units",
                "1 of 8192 weights of the second layer",
                "1 of 2048 weights of the third layer"
            ]
        );
        let tail = TailNumbers::of(&network);
        assert_eq!(tail.seconds[..3], [127.0 / 64.0, -127.0 / 64.0, 127.0 / 64.0]);
        assert_eq!(tail.thirds[7], -16.0);
    }
}
