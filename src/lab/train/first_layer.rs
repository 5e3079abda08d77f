//! The first layer's forward and backward pass, for many positions at once.
//!
//! About forty of thousands of inputs are active, so both passes add rows: the forward pass rows of weights, the
//! backward pass rows of gradients. The time goes to the caches, so three things make it short. Rows have 16-bit
//! numbers ([`super::half`]). The units are divided into *tiles*, so that a tile's weights, or its gradients of many
//! positions, fit into the second-level cache. And the backward pass goes input by input: the gradient of an input's
//! weights stays in registers, while the gradients of all positions with this input are added to it, always in the same
//! order.

use rayon::prelude::*;

use super::half::{HALVES, HalfLine, RoundedLine};
use super::kernel::{Kernel, Task};
use super::lists::InputLists;
use super::vector::Vector;
use super::weights::{FloatLine, WIDTH, Weights, blocks, blocks_mut};
use crate::engine::eval::network::Shape;

/// Lines of 16-bit numbers in a row of a tile, if the number of hidden units allows it.
const WIDE: usize = 2;
/// Lines in a row of a tile that are possible with every network.
const NARROW: usize = 1;

/// The number of inputs whose gradients one task computes.
const TASK_INPUTS: usize = 512;
/// The number of lists whose gradients of one tile stay in the second-level cache together.
const GROUP: usize = 4;

/// The tiles of a network's first layer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tiling {
    /// The number of tiles.
    pub tiles: usize,
    /// The lines of 16-bit numbers in a row of a tile.
    pub lines: usize,
    /// The number of inputs. The biases follow them, like the weights of one more input.
    inputs: usize,
}

impl Tiling {
    /// The tiles of a network of this shape.
    pub fn new(shape: Shape) -> Tiling {
        let lines = if shape.hidden.is_multiple_of(WIDE * HALVES) { WIDE } else { NARROW };
        Tiling { tiles: shape.hidden / (lines * HALVES), lines, inputs: shape.inputs() }
    }

    /// The lines of floats in a row of all tiles.
    fn row_lines(self) -> usize {
        2 * self.lines * self.tiles
    }
}

/// The rounded weights and biases of the first layer, tile by tile and input by input.
#[derive(Clone, Debug)]
pub struct FirstLayer {
    tiling: Tiling,
    lines: Vec<RoundedLine>,
}

impl FirstLayer {
    /// A layer for a network of this shape. All weights are 0.
    pub fn zero(shape: Shape) -> FirstLayer {
        let tiling = Tiling::new(shape);
        FirstLayer { tiling, lines: vec![RoundedLine::ZERO; (tiling.inputs + 1) * shape.hidden / HALVES] }
    }

    /// Rounds the weights and biases of a network.
    pub fn round(&mut self, weights: &Weights, kernel: Kernel) {
        let Tiling { lines, inputs, .. } = self.tiling;
        let tiles = self.lines.par_chunks_mut((inputs + 1) * lines).enumerate();
        tiles.for_each(|(tile, rounded)| {
            kernel.run(RoundTile { weights, tiling: self.tiling, tile, rounded });
        });
    }
}

struct RoundTile<'a> {
    weights: &'a Weights,
    tiling: Tiling,
    tile: usize,
    rounded: &'a mut [RoundedLine],
}

impl Task for RoundTile<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let Tiling { lines, .. } = self.tiling;
        let rows = self.weights.lines().chunks_exact(self.tiling.row_lines());
        for (rounded, row) in self.rounded.chunks_exact_mut(lines).zip(rows) {
            let row = blocks::<2>(&row[self.tile * 2 * lines..][..2 * lines]);
            for (rounded, weights) in rounded.iter_mut().zip(row) {
                *rounded = RoundedLine::of(weights);
            }
        }
    }
}

/// Computes the sums of all rows, tile by tile and row by row.
pub struct Forward<'a> {
    /// The weights.
    pub layer: &'a FirstLayer,
    /// The active inputs.
    pub lists: &'a InputLists,
    /// The sums.
    pub sums: &'a mut [HalfLine],
}

impl Task for Forward<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        match self.layer.tiling.lines {
            WIDE => self.add_rows::<V, WIDE>(),
            _ => self.add_rows::<V, NARROW>(),
        }
    }
}

impl Forward<'_> {
    #[inline(always)]
    fn add_rows<V: Vector, const N: usize>(self) {
        let rows = self.lists.rows_len();
        let weights = self.layer.lines.as_chunks::<N>().0;
        let sums = self.sums.as_chunks_mut::<N>().0;
        let tiles = weights.chunks_exact(self.layer.tiling.inputs + 1).zip(sums.chunks_exact_mut(rows));
        for (weights, sums) in tiles {
            let Some((biases, weights)) = weights.split_last() else { continue };
            for (row, sums) in sums.iter_mut().enumerate() {
                let mut sum = biases.each_ref().map(V::load_integers);
                for &input in self.lists.inputs(row) {
                    let weights = &weights[usize::from(input)];
                    for line in 0..N {
                        sum[line] = V::plus_integers(sum[line], V::load_integers(&weights[line]));
                    }
                }
                *sums = sum.map(|sum| {
                    let mut line = RoundedLine::ZERO;
                    V::store_integers(sum, &mut line);
                    HalfLine::of_sums(&line)
                });
            }
        }
    }
}

/// The gradient of the first layer's weights and biases, tile by tile and input by input.
#[derive(Clone, Debug)]
pub struct FirstLayerGradient {
    tiling: Tiling,
    lines: Vec<FloatLine>,
}

/// The gradients of some positions' sums.
#[derive(Clone, Copy, Debug)]
pub struct SumGradients<'a> {
    /// The positions' inputs.
    pub lists: &'a InputLists,
    /// The gradients, tile by tile and row by row.
    pub gradients: &'a [HalfLine],
}

impl FirstLayerGradient {
    /// The gradient of a network of this shape. All numbers are 0.
    pub fn zero(shape: Shape) -> FirstLayerGradient {
        let tiling = Tiling::new(shape);
        FirstLayerGradient { tiling, lines: vec![FloatLine::ZERO; (tiling.inputs + 1) * tiling.row_lines()] }
    }

    /// The line of the gradient that belongs to the line with this index in [`Weights::lines`], which is one of the
    /// first layer's weights and biases.
    #[inline(always)]
    pub fn line(&self, index: usize) -> &FloatLine {
        let Tiling { lines, inputs, .. } = self.tiling;
        // Narrow divisions take less time.
        let (index, row_lines, lines) = (index as u32, self.tiling.row_lines() as u32, 2 * lines as u32);
        let (row, place) = (index / row_lines, index % row_lines);
        let tile_row = (place / lines) as usize * (inputs + 1) + row as usize;
        &self.lines[tile_row * lines as usize + (place % lines) as usize]
    }

    /// Sets the gradient to that of all positions in `parts`.
    pub fn set(&mut self, parts: &[SumGradients<'_>], kernel: Kernel) {
        let tiling = self.tiling;
        let row = 2 * tiling.lines;
        let tiles = self.lines.par_chunks_mut((tiling.inputs + 1) * row).enumerate();
        tiles.for_each(|(tile, lines)| {
            let tasks = lines.par_chunks_mut(TASK_INPUTS * row).enumerate();
            tasks.for_each(|(number, lines)| {
                kernel.run(AddGradients { tiling, tile, first: number * TASK_INPUTS, parts, lines });
            });
        });
    }
}

/// Computes the gradient of consecutive inputs' weights in one tile.
struct AddGradients<'a> {
    tiling: Tiling,
    tile: usize,
    /// The first input.
    first: usize,
    parts: &'a [SumGradients<'a>],
    lines: &'a mut [FloatLine],
}

impl Task for AddGradients<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        match self.tiling.lines {
            WIDE => self.add_rows::<V, WIDE>(),
            _ => self.add_rows::<V, NARROW>(),
        }
    }
}

impl AddGradients<'_> {
    #[inline(always)]
    fn add_rows<V: Vector, const N: usize>(self) {
        self.lines.fill(FloatLine::ZERO);
        let sums = blocks_mut::<2>(self.lines).as_chunks_mut::<N>().0;
        for group in self.parts.chunks(GROUP) {
            for (number, sum) in sums.iter_mut().enumerate() {
                let input = self.first + number;
                let mut total = sum.each_ref().map(|pair| pair.each_ref().map(V::load));
                for part in group {
                    let rows = part.lists.rows_len();
                    let gradients = part.gradients.as_chunks::<N>().0;
                    let gradients = &gradients[self.tile * rows..][..rows];
                    if input == self.tiling.inputs {
                        // The biases are active in all rows.
                        gradients.iter().for_each(|gradient| add(&mut total, gradient));
                    } else {
                        for &row in part.lists.rows(input) {
                            add(&mut total, &gradients[usize::from(row)]);
                        }
                    }
                }
                for (sum, total) in sum.as_flattened_mut().iter_mut().zip(total.as_flattened()) {
                    total.store(sum);
                }
            }
        }
    }
}

/// Adds gradients to `totals`.
#[inline(always)]
fn add<V: Vector, const N: usize>(totals: &mut [[V; 2]; N], gradients: &[HalfLine; N]) {
    for line in 0..N {
        let [lower, upper] = V::gradients(&gradients[line]);
        totals[line] = [totals[line][0].plus(lower), totals[line][1].plus(upper)];
    }
}

const _: () = assert!(HALVES == 2 * WIDTH);
