//! From the training's numbers to a network of the engine, and back.

use super::quantize::{Quantized, dequantize, quantize};
use super::quantize_products::{TailNumbers, quantize_products};
use super::weights::{
    FloatLine, OUTPUTS, THIRD_BIASES, THIRD_LINES, THIRDS, WIDTH, Weights, product_parts, product_parts_mut,
};
use crate::engine::eval::network::{Network, SCALE, SECOND, THIRD};
use crate::engine::eval::unit::Unit;

/// The engine's network with these numbers. An output of 1 in the training is an output of [`SCALE`], whose unit is
/// `unit`.
pub fn network(weights: &Weights, unit: Unit) -> Quantized {
    let shape = weights.shape();
    if !shape.products {
        return quantize(weights, f64::from(SCALE), unit);
    }
    let parts = weights.parts::<1>();
    let [features, biases] =
        [parts.features, parts.biases].map(|blocks| blocks.iter().flat_map(|block| block[0].0));
    quantize_products(shape, unit, features, biases, &tail_numbers(weights))
}

/// The numbers of a network of the engine, so that a training can begin with it. They give the same network again.
pub fn weights(network: &Network) -> Weights {
    let mut weights = dequantize(network, f64::from(SCALE));
    if network.shape().products {
        set_tail(&mut weights, &TailNumbers::of(network));
    }
    weights
}

/// The layers behind the products.
fn tail_numbers(weights: &Weights) -> TailNumbers {
    let shape = weights.shape();
    let (seconds, biases, tails) = product_parts(shape, weights.head());
    let mut numbers = TailNumbers::default();
    for (seconds, tail) in seconds.chunks_exact(shape.hidden / WIDTH).zip(tails) {
        for unit in 0..SECOND {
            numbers.seconds.extend(seconds.iter().flat_map(|rows| rows[unit].0));
        }
        let flat = |lines: &[FloatLine]| -> Vec<f32> { lines.iter().flat_map(|line| line.0).collect() };
        numbers.second_biases.extend(tail[0].0);
        let thirds = flat(&tail[THIRDS..THIRD_BIASES]);
        for unit in 0..THIRD {
            numbers.thirds.extend((0..SECOND).map(|input| thirds[input * THIRD + unit]));
        }
        numbers.third_biases.extend(flat(&tail[THIRD_BIASES..OUTPUTS]));
        numbers.outputs.extend(flat(&tail[OUTPUTS..]));
    }
    numbers.output_biases.extend(&biases.0[..shape.buckets]);
    numbers
}

/// The inverse of [`tail_numbers`].
fn set_tail(weights: &mut Weights, numbers: &TailNumbers) {
    let shape = weights.shape();
    let (seconds, biases, tails) = product_parts_mut(shape, weights.head_mut());
    let buckets = seconds.chunks_exact_mut(shape.hidden / WIDTH).zip(tails).enumerate();
    for (bucket, (seconds, tail)) in buckets {
        let rows = numbers.seconds[bucket * SECOND * shape.hidden..].chunks_exact(shape.hidden);
        for (unit, row) in rows.take(SECOND).enumerate() {
            for (lines, numbers) in seconds.iter_mut().zip(row.as_chunks().0) {
                lines[unit] = FloatLine(*numbers);
            }
        }
        let fill = |lines: &mut [FloatLine], numbers: &[f32]| {
            lines.iter_mut().zip(numbers.as_chunks().0).for_each(|(line, numbers)| line.0 = *numbers);
        };
        fill(&mut tail[..THIRDS], &numbers.second_biases[bucket * SECOND..]);
        let thirds = &numbers.thirds[bucket * THIRD * SECOND..][..THIRD * SECOND];
        for (unit, row) in thirds.as_chunks::<SECOND>().0.iter().enumerate() {
            for (input, &weight) in row.iter().enumerate() {
                tail[THIRDS + input * THIRD_LINES + unit / WIDTH].0[unit % WIDTH] = weight;
            }
        }
        fill(&mut tail[THIRD_BIASES..OUTPUTS], &numbers.third_biases[bucket * THIRD..]);
        fill(&mut tail[OUTPUTS..], &numbers.outputs[bucket * THIRD..]);
    }
    biases.0[..shape.buckets].copy_from_slice(&numbers.output_biases);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::eval::network::Shape;
    use crate::lab::train::kernel::tests::plain_output;
    use crate::lab::train::position::tests::random_positions;

    const SHAPE: Shape = Shape { hidden: 128, zones: 4, hanging: true, buckets: 4, products: true };

    #[test]
    fn a_network_with_products_is_read_back_unchanged() {
        let network = super::network(&Weights::random(SHAPE, 3), Unit::SEARCH).network;
        let again = super::network(&weights(&network), Unit::SEARCH).network;
        assert_eq!(again.to_bytes(), network.to_bytes());
    }

    /// The engine drops the lower bits of products and activations, so its outputs are a little smaller.
    #[test]
    fn the_engine_computes_the_output_of_a_network_with_products() {
        let mut random = Weights::random(SHAPE, 4);
        // With larger output weights the outputs differ more than their errors.
        let (_, _, tails) = product_parts_mut(SHAPE, random.head_mut());
        for line in tails.iter_mut().flat_map(|tail| &mut tail[OUTPUTS..]) {
            line.0 = line.0.map(|weight| 8.0 * weight);
        }
        let network = super::network(&random, Unit::SEARCH).network;
        let weights = weights(&network);
        let mut outputs = Vec::new();
        for (board, position) in random_positions(200, 5) {
            let (found, expected) = (network.evaluate(&board), 400.0 * plain_output(&weights, &position));
            assert!((f64::from(found) - expected).abs() < 25.0, "{found}, not {expected}");
            outputs.push(found);
        }
        let (least, greatest) = (outputs.iter().min().unwrap(), outputs.iter().max().unwrap());
        assert!(greatest - least > 60, "{least} to {greatest}");
    }
}
