//! The network's inner loops, once for each instruction set and chosen once for the machine.
//!
//! The scalar functions are the reference: every other path gives the same numbers to the bit.
//! All sums wrap, so that even a hostile network cannot make two paths differ.

#[cfg(target_arch = "x86_64")]
mod x86;

use super::tail::{Row, SQUARE_SHIFT, Tail};
use super::{HIDDEN_LIMIT, LANES, Lanes, QA, SECOND};

/// Words of four activations each that the first layer has at most.
const FOURS: usize = 2 * HIDDEN_LIMIT / 4;
/// What rounds an activation's square to the nearest.
const HALF: u16 = 1 << (SQUARE_SHIFT - 1);

/// Rows that a single update adds or takes away at most: a refresh may exchange all pieces.
pub type Rows<'a> = arrayvec::ArrayVec<&'a [Lanes], 64>;

/// `to = from + added - removed`, lane by lane; all of the same length.
type Update = unsafe fn(to: &mut [Lanes], from: &[Lanes], added: &[&[Lanes]], removed: &[&[Lanes]]);
/// `to += added - removed`.
type Refresh = unsafe fn(to: &mut [Lanes], added: &[&[Lanes]], removed: &[&[Lanes]]);
/// The weighted sum of the activations, in 1/(QA * QA * QB).
type Output = unsafe fn(us: &[Lanes], them: &[Lanes], weights: &[Lanes]) -> i64;
/// What a tail adds to the output.
type TailOutput = unsafe fn(us: &[Lanes], them: &[Lanes], tail: &Tail) -> f32;

/// The functions for one instruction set.
#[derive(Clone, Copy, Debug)]
pub struct Kernels {
    /// Its name, for people.
    pub name: &'static str,
    update: Update,
    refresh: Refresh,
    output: Output,
    tail: TailOutput,
}

impl Kernels {
    /// The fastest that this machine runs.
    pub fn best() -> Kernels {
        Kernels::available().next().expect("the scalar kernels run everywhere")
    }

    /// The reference.
    pub fn scalar() -> Kernels {
        SCALAR
    }

    /// All that this machine runs, the fastest first and the scalar ones last.
    pub fn available() -> impl Iterator<Item = Kernels> {
        #[cfg(target_arch = "x86_64")]
        let vectorized = x86::available();
        #[cfg(not(target_arch = "x86_64"))]
        let vectorized = std::iter::empty();
        vectorized.chain([SCALAR])
    }

    /// Writes `from` with the rows of `added` added and those of `removed` taken away to `to`.
    #[inline]
    pub fn update(&self, to: &mut [Lanes], from: &[Lanes], added: &[&[Lanes]], removed: &[&[Lanes]]) {
        // SAFETY: `available` hands out only kernels whose CPU features were detected; there is no
        // other condition. Calling through a pointer costs 1 to 2 ns and saves a binary for each CPU.
        unsafe { (self.update)(to, from, added, removed) }
    }

    /// Adds the rows of `added` to `to` and takes those of `removed` away.
    #[inline]
    pub fn refresh(&self, to: &mut [Lanes], added: &[&[Lanes]], removed: &[&[Lanes]]) {
        // SAFETY: as for `update`.
        unsafe { (self.refresh)(to, added, removed) }
    }

    /// The sum of all squared clipped activations times their weights, of which the first half
    /// are for `us`; in 1/(QA * QA * QB).
    #[inline]
    pub fn output(&self, us: &[Lanes], them: &[Lanes], weights: &[Lanes]) -> i64 {
        // SAFETY: as for `update`.
        unsafe { (self.output)(us, them, weights) }
    }

    /// What the second and third hidden layer add to the output.
    #[inline]
    pub fn tail(&self, us: &[Lanes], them: &[Lanes], tail: &Tail) -> f32 {
        // SAFETY: as for `update`.
        unsafe { (self.tail)(us, them, tail) }
    }
}

/// Plain Rust: the reference, and on ARM what the compiler makes of it for NEON.
const SCALAR: Kernels = Kernels { name: "scalar", update, refresh, output, tail };

#[inline(always)]
fn update(to: &mut [Lanes], from: &[Lanes], added: &[&[Lanes]], removed: &[&[Lanes]]) {
    // A move changes two to four rows: with their number known, sums stay in registers.
    match (added, removed) {
        (&[a], &[r]) => sum_rows(to, from, [a], [r]),
        (&[a], &[r, s]) => sum_rows(to, from, [a], [r, s]),
        (&[a, b], &[r, s]) => sum_rows(to, from, [a, b], [r, s]),
        _ => {
            to.copy_from_slice(from);
            refresh(to, added, removed);
        }
    }
}

#[inline(always)]
fn sum_rows<const A: usize, const R: usize>(
    to: &mut [Lanes],
    from: &[Lanes],
    added: [&[Lanes]; A],
    removed: [&[Lanes]; R],
) {
    let blocks = to.len();
    let from = &from[..blocks];
    let added = added.map(|row| &row[..blocks]);
    let removed = removed.map(|row| &row[..blocks]);
    for block in 0..blocks {
        for lane in 0..LANES {
            let mut sum = from[block].0[lane];
            for row in added {
                sum = sum.wrapping_add(row[block].0[lane]);
            }
            for row in removed {
                sum = sum.wrapping_sub(row[block].0[lane]);
            }
            to[block].0[lane] = sum;
        }
    }
}

#[inline(always)]
fn refresh(to: &mut [Lanes], added: &[&[Lanes]], removed: &[&[Lanes]]) {
    for (block, to) in to.iter_mut().enumerate() {
        let mut sums = *to;
        for row in added {
            for (sum, weight) in sums.0.iter_mut().zip(&row[block].0) {
                *sum = sum.wrapping_add(*weight);
            }
        }
        for row in removed {
            for (sum, weight) in sums.0.iter_mut().zip(&row[block].0) {
                *sum = sum.wrapping_sub(*weight);
            }
        }
        *to = sums;
    }
}

#[inline(always)]
fn output(us: &[Lanes], them: &[Lanes], weights: &[Lanes]) -> i64 {
    let mut sum = 0;
    for (lanes, weights) in us.iter().chain(them).zip(weights) {
        // At most 32 times 255 * 255 * 127: a block's sum fits 32 bits.
        let block: i32 = (0..LANES)
            .map(|lane| {
                let activation = lanes.0[lane].clamp(0, QA as i16);
                i32::from(activation) * i32::from(activation.wrapping_mul(weights.0[lane]))
            })
            .sum();
        sum += i64::from(block);
    }
    sum
}

#[inline(always)]
fn tail(us: &[Lanes], them: &[Lanes], tail: &Tail) -> f32 {
    let mut units = [0; FOURS];
    squared(us, them, &mut units);
    let mut sums = [0i32; SECOND];
    for (four, row) in units.iter().zip(&tail.seconds) {
        for (sum, weights) in sums.iter_mut().zip(row.0.as_chunks::<4>().0) {
            let products = four.to_le_bytes().into_iter().zip(weights);
            *sum += products.map(|(unit, &weight)| i32::from(unit) * i32::from(weight)).sum::<i32>();
        }
    }
    tail.finish(&sums)
}

/// The activations of the first layer as the second sees them, four bytes in each word: clipped, squared, and rounded
/// to seven bits.
#[inline(always)]
fn squared(us: &[Lanes], them: &[Lanes], units: &mut [i32; FOURS]) {
    for (lanes, units) in us.iter().chain(them).zip(units.as_chunks_mut::<{ LANES / 4 }>().0) {
        let bytes: [u8; LANES] = lanes.0.map(|sum| {
            let unit = sum.clamp(0, QA as i16) as u16;
            ((unit.wrapping_mul(unit) + HALF) >> SQUARE_SHIFT) as u8
        });
        for (four, &bytes) in units.iter_mut().zip(bytes.as_chunks::<4>().0) {
            *four = i32::from_le_bytes(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::network::tail::{SECOND_LIMIT, SECOND_ONE};
    use crate::eval::network::{Network, Shape, THIRD};

    fn rows(network: &Network, numbers: impl IntoIterator<Item = usize>) -> Vec<&[Lanes]> {
        numbers.into_iter().map(|number| network.feature(number)).collect()
    }

    #[test]
    fn every_kernel_gives_the_scalar_numbers() {
        for hidden in [LANES, 96, 128, 512] {
            let network = Network::random(Shape { hidden, buckets: 1, deep: true }, hidden as u64);
            let added = rows(&network, (0..700).step_by(29));
            let removed = rows(&network, (5..700).step_by(31));
            for kernels in Kernels::available() {
                for (adds, removes) in [(1, 1), (1, 2), (2, 2), (0, 0), (2, 1), (20, 3), (0, 22)] {
                    let (added, removed) = (&added[..adds], &removed[..removes]);
                    let from = network.feature_biases();
                    let mut expected = from.to_vec();
                    SCALAR.refresh(&mut expected, added, removed);
                    let mut found = from.to_vec();
                    kernels.refresh(&mut found, added, removed);
                    assert_eq!(found, expected, "{} refresh {adds} {removes}", kernels.name);
                    found.fill(Lanes([77; LANES]));
                    kernels.update(&mut found, from, added, removed);
                    assert_eq!(found, expected, "{} update {adds} {removes}", kernels.name);
                    let arguments = (&expected[..], from, network.output(0).0);
                    let sum = SCALAR.output(arguments.0, arguments.1, arguments.2);
                    assert_eq!(
                        kernels.output(arguments.0, arguments.1, arguments.2),
                        sum,
                        "{}",
                        kernels.name
                    );
                    let [found, expected] =
                        [kernels, SCALAR].map(|kernels| kernels.tail(&expected, from, &network.tails[0]));
                    assert_eq!(found, expected, "{} tail", kernels.name);
                }
            }
        }
    }

    #[test]
    fn the_greatest_sums_do_not_overflow() {
        let blocks = 512 / LANES;
        let full = vec![Lanes([i16::MAX; LANES]); blocks];
        for sign in [1, -1] {
            let weights = vec![Lanes([127 * sign; LANES]); 2 * blocks];
            for kernels in Kernels::available() {
                let expected = 1024 * 255 * 255 * 127 * i64::from(sign);
                assert_eq!(kernels.output(&full, &full, &weights), expected, "{}", kernels.name);
            }
        }
    }

    #[test]
    fn the_greatest_sums_of_a_tail_do_not_overflow() {
        let full = vec![Lanes([i16::MAX; LANES]); HIDDEN_LIMIT / LANES];
        let mut tail =
            Network::random(Shape { hidden: HIDDEN_LIMIT, buckets: 1, deep: true }, 1).tails[0].clone();
        // Each unit of the second layer comes to 1/2, if its sum is right.
        tail.seconds.fill(Row([SECOND_LIMIT; Row::BYTES]));
        let sum = 1024.0 * 127.0 * f32::from(SECOND_LIMIT);
        tail.second_biases = [0.5 - sum / SECOND_ONE; SECOND];
        tail.thirds = [[1.0 / 8.0; THIRD]; SECOND];
        tail.third_biases = [0.0; THIRD];
        tail.outputs = [2.0; THIRD];
        for kernels in Kernels::available() {
            let output = kernels.tail(&full, &full, &tail);
            assert!((output - 16.0).abs() < 0.05, "{}: {output}", kernels.name);
        }
    }

    #[test]
    fn an_activation_is_clipped_and_squared() {
        let mut us = vec![Lanes([0; LANES])];
        us[0].0[..4].copy_from_slice(&[-5, 3, 255, 300]);
        let mut weights = vec![Lanes([0; LANES]); 2];
        weights[0].0[..4].copy_from_slice(&[100, 10, -1, 2]);
        let them = vec![Lanes([-1; LANES])];
        assert_eq!(SCALAR.output(&us, &them, &weights), 3 * 3 * 10 - 255 * 255 + 2 * 255 * 255);
    }
}
