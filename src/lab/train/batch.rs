//! The loss of a batch and its gradient.
//!
//! A batch is divided into chunks of always the same size. The sums of the first layer, the output, and the gradients
//! of the sums are computed chunk by chunk. The gradient of the first layer's weights is then computed input by input,
//! over all chunks in their order. No number depends on which thread computes it, so the number of threads does not
//! change the result.

use rayon::prelude::*;

use super::direct::DirectOutput;
use super::first_layer::{FirstLayer, FirstLayerGradient, Forward, SumGradients};
use super::half::{HALVES, HalfLine};
use super::kernel::Kernel;
use super::lists::InputLists;
use super::position::TrainingPosition;
use super::products::ProductsOutput;
use super::target::Target;
use super::weights::{FloatLine, Weights};
use crate::engine::eval::network::Shape;

/// The number of positions in a chunk.
const CHUNK: usize = 1_024;
/// The number of lines that one task adds.
const TASK_LINES: usize = 512;

/// Computes losses and gradients. It keeps its memory from one batch to the next.
#[derive(Debug)]
pub struct Batch {
    kernel: Kernel,
    /// Whether products lose the bits that the engine drops.
    cuts_products: bool,
    layer: FirstLayer,
    chunks: Vec<Chunk>,
    gradient: Gradient,
}

/// The gradient of a network's numbers.
#[derive(Clone, Debug)]
pub struct Gradient {
    first_layer: FirstLayerGradient,
    /// The number of lines of the first layer.
    first_lines: usize,
    head: Vec<FloatLine>,
}

impl Gradient {
    /// The line that belongs to the line with this index in [`Weights::lines`].
    #[inline(always)]
    pub fn line(&self, index: usize) -> &FloatLine {
        if index < self.first_lines {
            self.first_layer.line(index)
        } else {
            &self.head[index - self.first_lines]
        }
    }
}

/// What the output and the loss of a chunk depend on, besides its positions.
#[derive(Clone, Copy)]
struct OutputTask<'a> {
    weights: &'a Weights,
    target: &'a Target,
    kernel: Kernel,
    cuts_products: bool,
}

/// Some positions of a batch, and what is computed for them.
#[derive(Clone, Debug, Default)]
struct Chunk {
    positions: Vec<TrainingPosition>,
    lists: InputLists,
    /// The first layer's sums, which then become their gradients.
    halves: Vec<HalfLine>,
    /// The gradient of the lines behind the first layer.
    head: Vec<FloatLine>,
}

impl Chunk {
    /// Takes over positions and computes the first layer's sums.
    fn forward(&mut self, layer: &FirstLayer, shape: Shape, kernel: Kernel) {
        // Positions with the same output weights stand together, so that these stay in the first-level cache.
        self.positions.sort_by_key(|position| shape.bucket(position.pieces()));
        self.lists.fill(&self.positions, shape);
        self.halves.resize(self.lists.rows_len() * shape.hidden / HALVES, HalfLine::ZERO);
        kernel.run(Forward { layer, lists: &self.lists, sums: &mut self.halves });
    }

    /// Computes the loss, and with `has_gradient` the gradients of the sums and of the head.
    fn output(&mut self, task: OutputTask<'_>, has_gradient: bool) -> f64 {
        let OutputTask { weights, target, kernel, cuts_products } = task;
        if has_gradient {
            self.head.clear();
            self.head.resize(weights.head().len(), FloatLine::ZERO);
        }
        let gradient = has_gradient.then_some(&mut self.head[..]);
        let (positions, halves) = (&self.positions[..], &mut self.halves[..]);
        if weights.shape().products {
            kernel.run(ProductsOutput { weights, positions, target, halves, gradient, cuts_products })
        } else {
            kernel.run(DirectOutput { weights, positions, target, halves, gradient })
        }
    }
}

impl Batch {
    /// Memory for networks of this shape.
    pub fn new(shape: Shape, kernel: Kernel) -> Batch {
        let weights = Weights::zero(shape);
        Batch {
            kernel,
            cuts_products: false,
            layer: FirstLayer::zero(shape),
            chunks: Vec::new(),
            gradient: Gradient {
                first_layer: FirstLayerGradient::zero(shape),
                first_lines: weights.lines().len() - weights.head().len(),
                head: vec![FloatLine::ZERO; weights.head().len()],
            },
        }
    }

    /// From now on products lose the bits that the engine drops. The weights should be as coarse as the engine's.
    pub fn cut_products(&mut self) {
        self.cuts_products = true;
    }

    /// Computes the gradient of the summed loss over the positions at `indices`, and returns the summed loss. A loss is
    /// the squared error of the predicted score of a game.
    pub fn differentiate(
        &mut self,
        weights: &Weights,
        positions: &[TrainingPosition],
        indices: &[u32],
        target: &Target,
    ) -> f64 {
        let Batch { kernel, cuts_products, layer, chunks, gradient } = self;
        let (kernel, shape) = (*kernel, weights.shape());
        let task = OutputTask { weights, target, kernel, cuts_products: *cuts_products };
        layer.round(weights, kernel);
        let count = indices.len().div_ceil(CHUNK);
        if chunks.len() < count {
            chunks.resize(count, Chunk::default());
        }
        let chunks = &mut chunks[..count];
        let losses: Vec<f64> = chunks
            .par_iter_mut()
            .zip(indices.par_chunks(CHUNK))
            .map(|(chunk, indices)| {
                chunk.positions.clear();
                chunk.positions.extend(indices.iter().map(|&index| positions[index as usize]));
                chunk.forward(layer, shape, kernel);
                chunk.output(task, true)
            })
            .collect();
        let parts: Vec<SumGradients<'_>> = chunks
            .iter()
            .map(|chunk| SumGradients { lists: &chunk.lists, gradients: &chunk.halves })
            .collect();
        gradient.first_layer.set(&parts, kernel);
        let heads: Vec<&[FloatLine]> = chunks.iter().map(|chunk| &chunk.head[..]).collect();
        gradient.head.par_chunks_mut(TASK_LINES).enumerate().for_each(|(task, sums)| {
            sums.fill(FloatLine::ZERO);
            for head in &heads {
                for (sum, line) in sums.iter_mut().zip(&head[task * TASK_LINES..]) {
                    sum.add(line);
                }
            }
        });
        losses.iter().sum()
    }

    /// The gradient of the last batch.
    pub fn gradient(&self) -> &Gradient {
        &self.gradient
    }

    /// The sums of the losses over each `length` positions.
    pub fn losses(
        &mut self,
        weights: &Weights,
        positions: &[TrainingPosition],
        length: usize,
        target: &Target,
    ) -> Vec<f64> {
        let Batch { kernel, cuts_products, layer, .. } = self;
        let (kernel, shape) = (*kernel, weights.shape());
        let task = OutputTask { weights, target, kernel, cuts_products: *cuts_products };
        layer.round(weights, kernel);
        let parts = positions.par_chunks(length);
        parts
            .map_init(Chunk::default, |chunk, positions| {
                chunk.positions.clear();
                chunk.positions.extend_from_slice(positions);
                chunk.forward(layer, shape, kernel);
                chunk.output(task, false)
            })
            .collect()
    }
}
