//! The network's numbers in the trainer: floats in groups of one cache line.
//!
//! One list holds all numbers in this order: the weights from each input to the hidden units, zone by zone and input by
//! input, then those of the inputs for hanging pieces; the hidden units' biases; for each bucket the
//! output weights of the side to move's units, then those of the other side's units; and the buckets' biases in a line
//! of their own. In a network with products, the weights from the products to the second layer take the place of the
//! output weights, and the further layers of each bucket follow the biases. Moments have the same layout. So the
//! optimizer can treat all of them as lists.

use crate::base::random::Random;
use crate::engine::eval::network::features::FEATURES;
use crate::engine::eval::network::{BUCKET_LIMIT, LANES, SECOND, Shape, THIRD};

/// The number of floats in a cache line.
pub const WIDTH: usize = 16;

/// The number of lines of the third layer.
pub const THIRD_LINES: usize = THIRD / WIDTH;
/// The number of lines of the layers behind the second layer's weights, for one bucket ([`TailWeights`]).
const TAIL_LINES: usize = 1 + (SECOND + 2) * THIRD_LINES;

const _: () = assert!(SECOND == WIDTH && THIRD.is_multiple_of(WIDTH));
const _: () = assert!(LANES.is_multiple_of(WIDTH) && BUCKET_LIMIT <= WIDTH);

/// About the greatest number of inputs of one perspective that are active at the same time.
const ACTIVE_INPUTS: usize = 32;

/// The stream of random numbers for the first weights.
const STREAM: u64 = u64::from_le_bytes(*b"weights ");

/// A cache line of floats.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(C, align(64))]
pub struct FloatLine(pub [f32; WIDTH]);

impl FloatLine {
    /// A line of zeros.
    pub const ZERO: FloatLine = FloatLine([0.0; WIDTH]);

    /// Adds `other`.
    #[inline(always)]
    pub fn add(&mut self, other: &FloatLine) {
        for lane in 0..WIDTH {
            self.0[lane] += other.0[lane];
        }
    }
}

/// Which part of the network a number belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WeightGroup {
    /// Weights and biases of the hidden units.
    Hidden,
    /// Output weights.
    Output,
    /// Weights from the products to the second layer.
    Second,
    /// Numbers without a bound: the buckets' biases, and those of further layers.
    Free,
}

impl WeightGroup {
    /// The group of the line with this index in a network of this shape.
    #[inline]
    pub fn of(line: usize, shape: Shape) -> WeightGroup {
        if line < shape.hidden_numbers() / WIDTH {
            WeightGroup::Hidden
        } else if line < (shape.hidden_numbers() + shape.output_weights()) / WIDTH {
            WeightGroup::Output
        } else if line < shape.hidden_numbers() / WIDTH + shape.second_weights() / WIDTH {
            WeightGroup::Second
        } else {
            WeightGroup::Free
        }
    }
}

/// The number of lines of the first layer's weights in one king zone.
pub fn zone_lines(shape: Shape) -> usize {
    FEATURES * shape.hidden / WIDTH
}

/// Numbers of which there are several sets, and which are trained as a shared part plus a difference for each set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Factored {
    /// The index of the first line.
    pub first: usize,
    /// The number of sets.
    pub sets: usize,
    /// The number of lines of each set.
    pub length: usize,
}

impl Factored {
    /// All such numbers of a network of this shape, in their order: the weights of king zones, and those from the
    /// products to each bucket's second layer.
    pub fn all(shape: Shape) -> Vec<Factored> {
        let zones = Factored { first: 0, sets: shape.zones, length: zone_lines(shape) };
        let seconds = Factored {
            first: shape.hidden_numbers() / WIDTH,
            sets: shape.buckets,
            length: shape.second_weights() / shape.buckets / WIDTH,
        };
        [zones, seconds].into_iter().filter(|factored| factored.sets > 1 && factored.length > 0).collect()
    }
}

/// All numbers of a network, or another value for each of them, such as its gradient.
#[derive(Clone, PartialEq, Debug)]
pub struct Weights {
    shape: Shape,
    lines: Vec<FloatLine>,
}

/// The parts of [`Weights`], in blocks of `N` lines.
#[derive(Clone, Copy, Debug)]
pub struct Parts<'a, const N: usize> {
    /// Each input's blocks, one king zone after the other and one input after the other; then those of hanging
    /// pieces.
    pub features: &'a [[FloatLine; N]],
    /// The hidden units' biases.
    pub biases: &'a [[FloatLine; N]],
    /// For each bucket, the output weights of the side to move's units, then those of the other side's units.
    pub outputs: &'a [[FloatLine; N]],
    /// The buckets' biases.
    pub output_biases: &'a [f32],
}

/// Mutable [`Parts`].
#[derive(Debug)]
pub struct PartsMut<'a, const N: usize> {
    /// Each input's blocks, one king zone after the other and one input after the other; then those of hanging
    /// pieces.
    pub features: &'a mut [[FloatLine; N]],
    /// The hidden units' biases.
    pub biases: &'a mut [[FloatLine; N]],
    /// For each bucket, the output weights of the side to move's units, then those of the other side's units.
    pub outputs: &'a mut [[FloatLine; N]],
    /// The buckets' biases.
    pub output_biases: &'a mut [f32],
}

impl Weights {
    /// Weights that are all zero.
    ///
    /// # Panics
    /// If the shape is not valid.
    pub fn zero(shape: Shape) -> Weights {
        assert!(shape.is_valid(), "{shape}");
        let tails = if shape.products { shape.buckets * TAIL_LINES } else { 0 };
        let head = (shape.output_weights() + shape.second_weights()) / WIDTH + 1 + tails;
        let lines = shape.hidden_numbers() / WIDTH + head;
        Weights { shape, lines: vec![FloatLine::ZERO; lines] }
    }

    /// The random weights that a training starts from. They are uniform, as usual for layers with as many active inputs
    /// as a board has pieces, so that sums have about the width of the activation function. All king zones begin with
    /// the same weights, and so do the second layers of all buckets. The inputs for hanging pieces begin with zero
    /// weights.
    pub fn random(shape: Shape, seed: u64) -> Weights {
        let mut random = Random::stream(seed, STREAM);
        let mut weights = Weights::zero(shape);
        let mut draw = |lines: &mut [FloatLine], limit: f64| {
            for number in lines.iter_mut().flat_map(|line| &mut line.0) {
                *number = (limit * (2.0 * random.unit() - 1.0)) as f32;
            }
        };
        let input_limit = 1.0 / (ACTIVE_INPUTS as f64).sqrt();
        let parts = weights.parts_mut::<1>();
        let (first_zone, rest) = parts.features.split_at_mut(zone_lines(shape));
        draw(first_zone.as_flattened_mut(), input_limit);
        for zone in rest.chunks_exact_mut(first_zone.len()).take(shape.zones - 1) {
            zone.copy_from_slice(first_zone);
        }
        draw(parts.biases.as_flattened_mut(), input_limit);
        draw(parts.outputs.as_flattened_mut(), 1.0 / (shape.hidden as f64).sqrt());
        if shape.products {
            let (seconds, _, tails) = product_parts_mut(shape, weights.head_mut());
            // Most products are small, and many are 0.
            let (first, others) = seconds.split_at_mut(shape.hidden / WIDTH);
            draw(first.as_flattened_mut(), 2.0 / (shape.hidden as f64).sqrt());
            others.chunks_exact_mut(first.len()).for_each(|second| second.copy_from_slice(first));
            for tail in tails {
                // The derivative of the activation function is 0 at 0. With these biases it is not.
                tail[0].0.fill(0.3);
                draw(&mut tail[THIRDS..THIRD_BIASES], 1.0 / (SECOND as f64).sqrt());
                tail[THIRD_BIASES..OUTPUTS].iter_mut().for_each(|line| line.0.fill(0.3));
                draw(&mut tail[OUTPUTS..], 0.5 / (THIRD as f64).sqrt());
            }
        }
        weights
    }

    /// The same network in a larger shape: with at least as many hidden units, with several king zones for one, or with
    /// inputs for hanging pieces. Otherwise the numbers of zones and of buckets must be the same. The output does not
    /// change: each zone begins with the weights of the only one, other new inputs begin with zero weights, and new
    /// units begin with random input weights and with zero weights in the next layer.
    pub fn grown(&self, shape: Shape, seed: u64) -> Weights {
        let mut wide = Weights::random(shape, seed);
        let (old, new) = (self.shape.hidden / WIDTH, shape.hidden / WIDTH);
        let (from, to) = (self.parts::<1>(), wide.parts_mut::<1>());
        let copy = |from: &[[FloatLine; 1]], to: &mut [[FloatLine; 1]]| {
            for (from, to) in from.chunks_exact(old).zip(to.chunks_exact_mut(new)) {
                to[..old].copy_from_slice(from);
            }
        };
        let (from_zones, from_hanging) = from.features.split_at(self.shape.zones * zone_lines(self.shape));
        let (to_zones, to_hanging) = to.features.split_at_mut(shape.zones * zone_lines(shape));
        // A single zone is copied to each new one, and each of several zones to the same zone.
        for zones in to_zones.chunks_exact_mut(from_zones.len() / old * new) {
            copy(from_zones, zones);
        }
        if self.shape.hanging {
            copy(from_hanging, to_hanging);
        }
        copy(from.biases, to.biases);
        to.outputs.as_flattened_mut().fill(FloatLine::ZERO);
        copy(from.outputs, to.outputs);
        to.output_biases.copy_from_slice(from.output_biases);
        wide
    }

    /// The shape of the network.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// All lines.
    pub fn lines(&self) -> &[FloatLine] {
        &self.lines
    }

    /// All lines, mutable.
    pub fn lines_mut(&mut self) -> &mut [FloatLine] {
        &mut self.lines
    }

    /// The lines behind those of the first layer.
    #[inline]
    pub fn head(&self) -> &[FloatLine] {
        &self.lines[self.shape.hidden_numbers() / WIDTH..]
    }

    /// The lines behind those of the first layer, mutable.
    #[inline]
    pub fn head_mut(&mut self) -> &mut [FloatLine] {
        &mut self.lines[self.shape.hidden_numbers() / WIDTH..]
    }

    /// The parts of the list. The hidden units must fill a multiple of `N` lines.
    #[inline]
    pub fn parts<const N: usize>(&self) -> Parts<'_, N> {
        let lines = self.shape.hidden / WIDTH;
        let (features, rest) = self.lines.split_at(self.shape.inputs() * lines);
        let (biases, rest) = rest.split_at(lines);
        let (outputs, rest) = rest.split_at(self.shape.output_weights() / WIDTH);
        Parts {
            features: blocks(features),
            biases: blocks(biases),
            outputs: blocks(outputs),
            output_biases: &rest[self.shape.second_weights() / WIDTH].0[..self.shape.buckets],
        }
    }

    /// The parts of the list, mutable. The hidden units must fill a multiple of `N` lines.
    #[inline]
    pub fn parts_mut<const N: usize>(&mut self) -> PartsMut<'_, N> {
        let lines = self.shape.hidden / WIDTH;
        let (features, rest) = self.lines.split_at_mut(self.shape.inputs() * lines);
        let (biases, rest) = rest.split_at_mut(lines);
        let (outputs, rest) = rest.split_at_mut(self.shape.output_weights() / WIDTH);
        PartsMut {
            features: blocks_mut(features),
            biases: blocks_mut(biases),
            outputs: blocks_mut(outputs),
            output_biases: &mut rest[self.shape.second_weights() / WIDTH].0[..self.shape.buckets],
        }
    }

    /// All numbers in their order, including the unused ones of the biases' line.
    pub fn numbers(&self) -> impl Iterator<Item = f32> + '_ {
        self.lines.iter().flat_map(|line| line.0)
    }

    /// All numbers in their order, mutable.
    #[cfg(test)]
    pub fn numbers_mut(&mut self) -> impl Iterator<Item = &mut f32> {
        self.lines.iter_mut().flat_map(|line| &mut line.0)
    }
}

/// The layers behind the second layer's weights, for one bucket: the second layer's biases; for each of its units the
/// weights to the third layer, from [`THIRDS`] on; the third layer's biases, from [`THIRD_BIASES`] on; and its weights
/// to the output, from [`OUTPUTS`] on.
pub type TailWeights = [FloatLine; TAIL_LINES];
/// The first line of the third layer's weights in a [`TailWeights`].
pub const THIRDS: usize = 1;
/// The first line of the third layer's biases in a [`TailWeights`].
pub const THIRD_BIASES: usize = THIRDS + SECOND * THIRD_LINES;
/// The first line of the output weights in a [`TailWeights`].
pub const OUTPUTS: usize = THIRD_BIASES + THIRD_LINES;

/// The lines behind the first layer of a network with products: for each bucket and each line of products, the weights
/// to each unit of the second layer, the side to move's products first; then the buckets' biases, and their tails.
pub fn product_parts(
    shape: Shape,
    head: &[FloatLine],
) -> (&[[FloatLine; SECOND]], &FloatLine, &[TailWeights]) {
    let (seconds, rest) = head.split_at(shape.second_weights() / WIDTH);
    let (biases, tails) = rest.split_first().expect("the biases have a line");
    (blocks(seconds), biases, blocks(tails))
}

/// Mutable [`product_parts`].
pub fn product_parts_mut(
    shape: Shape,
    head: &mut [FloatLine],
) -> (&mut [[FloatLine; SECOND]], &mut FloatLine, &mut [TailWeights]) {
    let (seconds, rest) = head.split_at_mut(shape.second_weights() / WIDTH);
    let (biases, tails) = rest.split_first_mut().expect("the biases have a line");
    (blocks_mut(seconds), biases, blocks_mut(tails))
}

pub(super) fn blocks<const N: usize>(lines: &[FloatLine]) -> &[[FloatLine; N]] {
    let (blocks, rest) = lines.as_chunks();
    assert!(rest.is_empty(), "blocks of {N} lines do not divide {}", lines.len());
    blocks
}

pub(super) fn blocks_mut<const N: usize>(lines: &mut [FloatLine]) -> &mut [[FloatLine; N]] {
    let (blocks, rest) = lines.as_chunks_mut();
    assert!(rest.is_empty(), "blocks of {N} lines do not divide the hidden units");
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_cover_all_lines_in_order() {
        let shape = Shape { hidden: 96, zones: 2, hanging: false, buckets: 2, products: false };
        let weights = Weights::random(shape, 1);
        let parts = weights.parts::<2>();
        assert_eq!(parts.features.len(), 2 * FEATURES * 3);
        assert_eq!((parts.biases.len(), parts.outputs.len()), (3, 12));
        assert_eq!(parts.output_biases, [0.0; 2]);
        assert_eq!(weights.lines().len(), 2 * (2 * FEATURES * 3 + 15) + 1);
        let outputs = weights.lines().len() - 25;
        assert_eq!(WeightGroup::of(outputs - 1, shape), WeightGroup::Hidden);
        assert_eq!(WeightGroup::of(outputs, shape), WeightGroup::Output);
        assert_eq!(weights.lines()[outputs], parts.outputs[0][0]);
        assert_eq!(WeightGroup::of(outputs + 24, shape), WeightGroup::Free);
    }

    #[test]
    fn the_initial_weights_depend_on_the_seed_alone() {
        let shape = Shape { hidden: 32, zones: 1, hanging: false, buckets: 1, products: false };
        assert_eq!(Weights::random(shape, 5), Weights::random(shape, 5));
        assert_ne!(Weights::random(shape, 5), Weights::random(shape, 6));
        // Zones change neither the weights of the first one nor what comes after all zones.
        let zones = Weights::random(Shape { zones: 3, hanging: true, ..shape }, 5);
        let (zones, single) = (zones.lines(), Weights::random(shape, 5));
        let (zone, rest) = single.lines().split_at(zone_lines(shape));
        assert!((0..3).all(|number| zones[number * zone.len()..].starts_with(zone)));
        assert!(zones.ends_with(rest));
        // The inputs for hanging pieces begin with zeros.
        assert!(zones[3 * zone.len()..][..zone.len()].iter().all(|line| *line == FloatLine::ZERO));
    }
}
