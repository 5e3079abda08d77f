//! The evaluation network: (768, mirrored -> hidden) x 2 -> 1 of some buckets, with squared clipped ReLU, and beside the
//! way to the output, where the network is deep, two further hidden layers: -> 16 -> 32 -> 1.
//!
//! Both sides see the board through the same hidden layer, whose sums (*accumulators*) are kept
//! up to date as pieces move; the output weighs the side to move's units and the other side's apart,
//! with weights that the number of pieces chooses. Up to the second layer's sums arithmetic is of integers: a weight of 1
//! is [`QA`] in the hidden layer and [`QB`] in the output; and every kernel gives the same number as the scalar one, to the bit.

mod accumulator;
pub mod features;
mod format;
pub mod kernels;
mod shape;
pub mod tail;

pub use accumulator::Accumulators;
pub(crate) use format::fnv1a;
pub use format::{NetworkError, NetworkFileError};
pub use shape::{BUCKET_LIMIT, HIDDEN_LIMIT, SECOND, Shape, THIRD};

use std::fmt;
use std::sync::{Arc, LazyLock};

use features::FEATURES;
#[cfg(test)]
use tail::Row;
use tail::{SECOND_LIMIT, Tail};

/// A hidden unit's greatest activation, which stands for 1.
pub const QA: i32 = 255;
/// What stands for 1 in the output weights.
pub const QB: i32 = 64;
/// Centipawns that an output of 1 stands for.
pub const SCALE: i32 = 400;
/// The greatest absolute value of a quantized output weight: with [`QA`] it stays within 16 bits.
pub const OUTPUT_LIMIT: i16 = 127;
/// Hidden units come in blocks of this size, one cache line of weights.
pub const LANES: usize = 32;

/// A cache line of weights or sums.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub struct Lanes(pub [i16; LANES]);

impl Lanes {
    /// The size of a block.
    pub const BYTES: usize = size_of::<Lanes>();
    /// Sums of nothing.
    pub const ZERO: Lanes = Lanes([0; LANES]);
}

/// A quantized network. It is immutable, and shared by all threads.
#[derive(Clone, PartialEq, Eq)]
pub struct Network {
    /// Weights of each input to the hidden units, input by input.
    feature_weights: Vec<Lanes>,
    feature_biases: Vec<Lanes>,
    /// For each bucket: for the side to move's hidden units, then for the other side's.
    output_weights: Vec<Lanes>,
    /// Each bucket's, in 1/([`QA`] * [`QB`]).
    output_biases: Vec<i32>,
    /// Each bucket's, if the network is deep.
    tails: Vec<Tail>,
}

impl Network {
    /// A network of these numbers: `feature_weights` input by input in 1/[`QA`], the hidden units'
    /// biases in the same unit, for each bucket `output_weights` in 1/[`QB`] for the side to move's units and then
    /// for the other side's, the buckets' biases in 1/([`QA`] * [`QB`]), and each bucket's tail or none.
    ///
    /// # Panics
    /// If the lengths do not fit each other, the shape is not valid, an output weight exceeds
    /// [`OUTPUT_LIMIT`], one of a second layer [`SECOND_LIMIT`], or a number of a tail is not finite.
    pub fn from_parts(
        feature_weights: &[i16],
        feature_biases: &[i16],
        output_weights: &[i16],
        output_biases: &[i32],
        tails: Vec<Tail>,
    ) -> Network {
        let buckets = output_biases.len();
        let shape = Shape { hidden: feature_biases.len(), buckets, deep: !tails.is_empty() };
        assert!(shape.is_valid(), "{shape}");
        assert_eq!(feature_weights.len(), FEATURES * shape.hidden);
        assert_eq!(output_weights.len(), shape.output_weights());
        assert!(output_weights.iter().all(|weight| weight.unsigned_abs() <= OUTPUT_LIMIT as u16));
        assert!(tails.is_empty() || tails.len() == buckets);
        for tail in &tails {
            assert_eq!(tail.seconds.len(), shape.hidden / 2);
            let mut weights = tail.seconds.iter().flat_map(|row| row.0);
            assert!(weights.all(|weight| weight >= -SECOND_LIMIT));
            assert!(tail.floats().all(f32::is_finite));
        }
        Network {
            feature_weights: lanes(feature_weights),
            feature_biases: lanes(feature_biases),
            output_weights: lanes(output_weights),
            output_biases: output_biases.to_vec(),
            tails,
        }
    }

    /// The network that comes with the engine (`docs/networks.md` tells how it was made).
    pub fn embedded() -> Arc<Network> {
        static EMBEDDED: LazyLock<Arc<Network>> = LazyLock::new(|| {
            let network = Network::from_bytes(include_bytes!("enfilade.nnue"));
            Arc::new(network.expect("the tests read the embedded network"))
        });
        Arc::clone(&EMBEDDED)
    }

    /// Its size.
    #[inline]
    pub fn shape(&self) -> Shape {
        let (hidden, buckets) = (self.feature_biases.len() * LANES, self.output_biases.len());
        Shape { hidden, buckets, deep: !self.tails.is_empty() }
    }

    /// Its 16-bit numbers, in the order of the file and of [`Network::from_parts`].
    pub(crate) fn integers(&self) -> impl Iterator<Item = i16> + '_ {
        let lanes = self.feature_weights.iter().chain(&self.feature_biases).chain(&self.output_weights);
        lanes.flat_map(|lanes| lanes.0)
    }

    /// The buckets' biases and tails.
    pub(crate) fn by_bucket(&self) -> (&[i32], &[Tail]) {
        (&self.output_biases, &self.tails)
    }

    /// The weights of one input.
    #[inline]
    fn feature(&self, feature: usize) -> &[Lanes] {
        let blocks = self.feature_biases.len();
        &self.feature_weights[feature * blocks..][..blocks]
    }

    /// The output weights and the bias of one bucket.
    #[inline]
    fn output(&self, bucket: usize) -> (&[Lanes], i32) {
        let blocks = 2 * self.feature_biases.len();
        (&self.output_weights[bucket * blocks..][..blocks], self.output_biases[bucket])
    }

    /// A network of random numbers, for tests.
    #[cfg(test)]
    pub(crate) fn random(shape: Shape, seed: u64) -> Network {
        let Shape { hidden, buckets, deep } = shape;
        let mut state = seed;
        let mut numbers = |count: usize, limit: i16| -> Vec<i16> {
            let mut next = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                ((state >> 33) % (2 * limit as u64 + 1)) as i16 - limit
            };
            (0..count).map(|_| next()).collect()
        };
        let features = numbers(FEATURES * hidden, 60);
        let (biases, outputs) = (numbers(hidden, 100), numbers(2 * hidden * buckets, OUTPUT_LIMIT));
        let output_biases: Vec<i32> = (1..=buckets as i32).map(|bucket| 4321 * bucket).collect();
        let tails = (0..if deep { buckets } else { 0 }).map(|_| {
            let mut tail = Tail {
                seconds: numbers(2 * hidden * SECOND, SECOND_LIMIT.into())
                    .as_chunks()
                    .0
                    .iter()
                    .map(|row: &[i16; Row::BYTES]| Row(row.map(|weight| weight as i8)))
                    .collect(),
                second_biases: [0.0; SECOND],
                thirds: [[0.0; THIRD]; SECOND],
                third_biases: [0.0; THIRD],
                outputs: [0.0; THIRD],
            };
            let count = tail.floats().count();
            for (float, number) in tail.floats_mut().zip(numbers(count, 1_000)) {
                *float = f32::from(number) / 1_000.0;
            }
            tail
        });
        let tails = tails.collect();
        Network::from_parts(&features, &biases, &outputs, &output_biases, tails)
    }
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Network of {}", self.shape())
    }
}

fn lanes(numbers: &[i16]) -> Vec<Lanes> {
    let (blocks, rest) = numbers.as_chunks::<LANES>();
    assert!(rest.is_empty(), "{} numbers do not fill blocks of {LANES}", numbers.len());
    blocks.iter().map(|&block| Lanes(block)).collect()
}
