//! The evaluation network: (768 x king zones + 768 for hanging pieces, mirrored -> hidden) x 2 -> 1,
//! with some output buckets. There are two ways from the hidden units to the output: their squares (squared clipped
//! ReLU) lead to it directly, or products of pairs of units lead to it by two further layers (-> 16 -> 32 -> 1).
//!
//! Both sides see the board through the same hidden layer. Its sums (*accumulators*) are kept up to date as pieces
//! move. What follows has separate weights for the units of the side to move and of the other side. The number of
//! pieces chooses the set of weights. Arithmetic is in integers: a weight of 1 is [`QA`] in the hidden layer and [`QB`]
//! in the direct output; [`tail`] has the units of the further layers. Every kernel gives the same number as the
//! scalar one.

mod accumulator;
mod blocks;
mod embedded;
pub mod features;
mod format;
pub mod kernels;
pub mod scene;
mod shape;
pub mod tail;
mod units;

pub use accumulator::Accumulators;
pub use format::{NetworkError, NetworkFileError};
pub use shape::{BUCKET_LIMIT, HIDDEN_LIMIT, SECOND, Shape, THIRD};
pub use units::{LANES, Lanes, OUTPUT_LIMIT, QA, QB, SCALE};

use std::fmt;

use super::unit::Unit;
use blocks::Blocks;
use tail::Tail;
#[cfg(test)]
use tail::{SECOND_LIMIT, SecondRow, ThirdRow};

/// A quantized network. It is immutable, and shared by all threads; a clone has memory of its own.
#[derive(Clone, PartialEq, Eq)]
pub struct Network {
    shape: Shape,
    /// The unit of the outputs.
    unit: Unit,
    /// The weights of each input to the hidden units, zone by zone and input by input, and those of the inputs for
    /// hanging pieces; then the hidden units' biases; then, without products, for each bucket the output weights of the
    /// side to move's hidden units and of the other side's.
    blocks: Blocks<Lanes>,
    /// The output bias of each bucket, in 1/([`QA`] * [`QB`]), or in 1/[`tail::OUTPUT_ONE`] with products.
    output_biases: Vec<i32>,
    /// The layers behind the products of each bucket, if there are products.
    tails: Vec<Tail>,
}

impl Network {
    /// Builds a network of this shape and unit from its numbers. `numbers` has the weights of the hidden units, input
    /// by input, and their biases, all in 1/[`QA`]. Without products, it then has for each bucket the output weights in
    /// 1/[`QB`], those of the side to move's units before those of the other side's. `output_biases` has each bucket's
    /// bias in 1/([`QA`] * [`QB`]), or in 1/[`tail::OUTPUT_ONE`] with products. `tails` has each bucket's layers behind
    /// the products, if there are any.
    ///
    /// # Panics
    /// If the lengths do not fit each other, the shape is not valid, an output weight exceeds [`OUTPUT_LIMIT`], or a
    /// number of a tail exceeds its limit.
    pub fn from_parts(
        shape: Shape,
        unit: Unit,
        numbers: impl IntoIterator<Item = i16>,
        output_biases: Vec<i32>,
        mut tails: Vec<Tail>,
    ) -> Network {
        assert!(shape.is_valid(), "{shape}");
        assert_eq!(output_biases.len(), shape.buckets);
        assert_eq!(tails.len(), if shape.products { shape.buckets } else { 0 });
        tails.iter_mut().for_each(Tail::arrange);
        let blocks = Blocks::of_words(numbers);
        assert_eq!(blocks.len() * LANES, shape.hidden_numbers() + shape.output_weights());
        let network = Network { shape, unit, blocks, output_biases, tails };
        let outputs = &network.blocks[shape.hidden_numbers() / LANES..];
        let mut outputs = outputs.iter().flat_map(|lanes| lanes.0);
        assert!(outputs.all(|weight| weight.unsigned_abs() <= OUTPUT_LIMIT as u16));
        for tail in &network.tails {
            assert_eq!(tail.seconds.len(), shape.hidden / 4);
            assert_eq!(tail.beyond_limit(), None);
        }
        network
    }

    /// The network's size.
    #[inline]
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The unit of the network's outputs.
    #[inline]
    pub fn unit(&self) -> Unit {
        self.unit
    }

    /// The network's 16-bit numbers, in the order of the file and of [`Network::from_parts`].
    pub(crate) fn integers(&self) -> impl Iterator<Item = i16> + '_ {
        self.blocks.iter().flat_map(|lanes| lanes.0)
    }

    /// The output biases of the buckets, and their layers behind the products.
    #[cfg(feature = "laboratory")]
    pub(crate) fn by_bucket(&self) -> (&[i32], &[Tail]) {
        (&self.output_biases, &self.tails)
    }

    /// Number of blocks of hidden units.
    #[inline]
    fn width(&self) -> usize {
        self.shape.hidden / LANES
    }

    /// The weights of one input for men.
    #[inline]
    fn feature(&self, feature: usize) -> &[Lanes] {
        &self.blocks[feature * self.width()..][..self.width()]
    }

    /// The biases of the hidden units.
    fn feature_biases(&self) -> &[Lanes] {
        self.feature(self.shape.inputs())
    }

    /// The output weights of one bucket, if there are no products.
    #[inline]
    fn output(&self, bucket: usize) -> &[Lanes] {
        let width = self.width();
        let rows = self.shape.inputs() + 1 + 2 * bucket;
        &self.blocks[rows * width..][..2 * width]
    }

    /// A network of random numbers, for tests.
    #[cfg(test)]
    pub(crate) fn random(shape: Shape, seed: u64) -> Network {
        let Shape { hidden, buckets, products, .. } = shape;
        let mut random = crate::base::random::Random::stream(seed, 0);
        let mut numbers = |count: usize, limit: i16| -> Vec<i16> {
            (0..count)
                .map(|_| (random.below(2 * limit as usize + 1) as i32 - i32::from(limit)) as i16)
                .collect()
        };
        let features = numbers(shape.inputs() * hidden, 60);
        let (biases, outputs) = (numbers(hidden, 100), numbers(shape.output_weights(), OUTPUT_LIMIT));
        let output_biases: Vec<i32> = (1..=buckets as i32).map(|bucket| 4321 * bucket).collect();
        let tails = (0..if products { buckets } else { 0 }).map(|_| {
            // With such weights most sums lie within the range of the activation function or near it.
            let mut tail = Tail::zero(hidden);
            let seconds = numbers(hidden * SECOND, i16::from(SECOND_LIMIT) / 8);
            for (row, numbers) in tail.seconds.iter_mut().zip(seconds.as_chunks().0) {
                *row = SecondRow(numbers.map(|weight| weight as i8));
            }
            for (row, numbers) in tail.thirds.iter_mut().zip(numbers(SECOND * THIRD, 800).as_chunks().0) {
                *row = ThirdRow(*numbers);
            }
            tail.outputs = Lanes(std::array::from_fn(|_| numbers(1, 2_000)[0]));
            tail.second_biases.0 = std::array::from_fn(|_| i32::from(numbers(1, 8_000)[0]));
            tail.third_biases.0 = std::array::from_fn(|_| 100 * i32::from(numbers(1, 20_000)[0]));
            tail
        });
        let tails = tails.collect();
        let numbers = [features, biases, outputs].concat();
        let unit = Unit::new(20, 90).expect("valid numbers");
        Network::from_parts(shape, unit, numbers, output_biases, tails)
    }
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Network of {}", self.shape())
    }
}

#[cfg(test)]
mod tests {
    use super::features::FEATURES;
    use super::*;

    #[test]
    fn the_embedded_network_is_not_copied() {
        let network = Network::embedded();
        assert!(network.blocks.are_embedded());
        assert_eq!(*network, Network::from_bytes(include_bytes!(env!("NETWORK"))).unwrap());
        let copy = network.as_ref().clone();
        assert!(!copy.blocks.are_embedded());
    }

    /// Sums wrap if they leave 16 bits. Here each side has sixteen men, of the kinds and on the squares that raise the
    /// sum of a unit most. This is more than any game can have. The sum still fits 16 bits.
    #[test]
    fn no_position_overflows_the_embedded_network() {
        let network = Network::embedded();
        let Shape { hidden, zones, hanging, .. } = network.shape;
        let numbers: Vec<i16> = network.integers().collect();
        let weight = |feature: usize, unit: usize| i32::from(numbers[feature * hidden + unit]);
        for unit in 0..hidden {
            for sign in [1, -1] {
                for zone in 0..zones {
                    let mut sum = sign * weight(network.shape.inputs(), unit);
                    for side in 0..2 {
                        // One man to a square, which may hang; roles follow each other by 64 features.
                        let worst = |man: usize| {
                            let hangs = if hanging { sign * weight(zones * FEATURES + man, unit) } else { 0 };
                            sign * weight(zone * FEATURES + man, unit) + hangs.max(0)
                        };
                        let best =
                            |square: usize| (0..6).map(|role| worst(384 * side + 64 * role + square)).max();
                        let mut squares: Vec<i32> = (0..64).filter_map(best).collect();
                        squares.sort_unstable();
                        sum += squares[64 - crate::chess::board::MAX_MEN..].iter().sum::<i32>();
                    }
                    assert!(sum <= i32::from(i16::MAX), "zone {zone}, unit {unit}: {}", sign * sum);
                }
            }
        }
    }
}
