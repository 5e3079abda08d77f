//! The network's inner loops, one version for each instruction set. The version is chosen once for the machine.
//!
//! The scalar functions are the reference: every other version gives the same numbers to the bit. All sums wrap, so
//! that even a hostile network cannot make two versions differ.

#[cfg(target_arch = "x86_64")]
mod fills;
#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
mod neon;
mod scalar;
mod set;
#[cfg(target_arch = "x86_64")]
mod x86;

use super::Lanes;
use scalar::SCALAR;
pub use set::{Kernels, SideSums};

/// The most rows that a single update adds or removes: a refresh may exchange all pieces.
pub type Rows<'a> = arrayvec::ArrayVec<&'a [Lanes], 64>;

impl Kernels {
    /// The fastest kernels that this machine runs.
    pub fn best() -> Kernels {
        Kernels::available().next().expect("the scalar kernels run everywhere")
    }

    /// The reference kernels.
    pub fn scalar() -> Kernels {
        SCALAR
    }

    /// All kernels that this machine runs, the fastest first and the scalar ones last.
    pub fn available() -> impl Iterator<Item = Kernels> {
        #[cfg(target_arch = "x86_64")]
        let vectorized = x86::available();
        #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
        let vectorized = neon::available();
        #[cfg(not(any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little"))))]
        let vectorized = std::iter::empty();
        vectorized.chain([SCALAR])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Bitboard, Board};
    use crate::eval::network::tail::{SECOND_LIMIT, SECOND_ONE, SecondRow};
    use crate::eval::network::{HIDDEN_LIMIT, LANES, Network, SECOND, Shape, THIRD};
    use crate::random::Random;

    /// Sums to which no rows are added.
    fn plain(sums: &[Lanes]) -> SideSums<'_> {
        SideSums { sums, added: &[] }
    }

    fn rows(network: &Network, numbers: impl IntoIterator<Item = usize>) -> Vec<&[Lanes]> {
        numbers.into_iter().map(|number| network.feature(number)).collect()
    }

    #[test]
    fn every_instruction_set_gives_the_scalar_numbers() {
        for hidden in [LANES, 96, 128, 512] {
            let network = Network::random(
                Shape { hidden, zones: 1, hanging: false, buckets: 1, deep: true },
                hidden as u64,
            );
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
                    let weights = network.output(0).0;
                    let sum = SCALAR.output(plain(&expected), plain(from), weights);
                    let tail = SCALAR.tail(plain(&expected), plain(from), &network.tails[0]);
                    assert_eq!(
                        kernels.output(plain(&expected), plain(from), weights),
                        sum,
                        "{}",
                        kernels.name
                    );
                    assert_eq!(
                        kernels.tail(plain(&expected), plain(from), &network.tails[0]),
                        tail,
                        "{}",
                        kernels.name
                    );
                    // Rows that are added only for the output count as those of the sums.
                    let mut without = from.to_vec();
                    kernels.refresh(&mut without, &[], removed);
                    let whole = SideSums { sums: &without, added };
                    assert_eq!(kernels.output(whole, plain(from), weights), sum, "{} {adds}", kernels.name);
                    assert_eq!(
                        kernels.tail(whole, plain(from), &network.tails[0]),
                        tail,
                        "{} {adds}",
                        kernels.name
                    );
                    let swapped = SCALAR.output(plain(from), plain(&expected), weights);
                    assert_eq!(
                        kernels.output(plain(from), whole, weights),
                        swapped,
                        "{} {adds}",
                        kernels.name
                    );
                }
            }
        }
    }

    #[test]
    fn every_instruction_set_finds_the_hanging_pieces() {
        let board = Board::from_fen("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1")
            .unwrap()
            .0;
        let mut random = Random::stream(3, 0);
        for _ in 0..1_000 {
            let squares = Bitboard(random.bits() | random.bits());
            let men = board.men().on(squares);
            for kernels in Kernels::available() {
                assert_eq!(kernels.hanging(&men), men.hanging(), "{} {men:?}", kernels.name);
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
                assert_eq!(
                    kernels.output(plain(&full), plain(&full), &weights),
                    expected,
                    "{}",
                    kernels.name
                );
            }
        }
    }

    #[test]
    fn the_greatest_sums_of_a_tail_do_not_overflow() {
        let full = vec![Lanes([i16::MAX; LANES]); HIDDEN_LIMIT / LANES];
        let mut tail = Network::random(
            Shape { hidden: HIDDEN_LIMIT, zones: 1, hanging: false, buckets: 1, deep: true },
            1,
        )
        .tails[0]
            .clone();
        // Each unit of the second layer becomes 1/2 if its sum is right.
        tail.seconds.fill(SecondRow([SECOND_LIMIT; SecondRow::BYTES]));
        let sum = 1024.0 * 127.0 * f32::from(SECOND_LIMIT);
        tail.second_biases = [0.5 - sum / SECOND_ONE; SECOND];
        tail.thirds = [[1.0 / 8.0; THIRD]; SECOND];
        tail.third_biases = [0.0; THIRD];
        tail.outputs = [2.0; THIRD];
        for kernels in Kernels::available() {
            let output = kernels.tail(plain(&full), plain(&full), &tail);
            assert!((output - 16.0).abs() < 0.05, "{}: {output}", kernels.name);
        }
    }

    #[test]
    fn the_output_clips_and_squares_activations() {
        let mut us = vec![Lanes([0; LANES])];
        us[0].0[..4].copy_from_slice(&[-5, 3, 255, 300]);
        let mut weights = vec![Lanes([0; LANES]); 2];
        weights[0].0[..4].copy_from_slice(&[100, 10, -1, 2]);
        let them = vec![Lanes([-1; LANES])];
        assert_eq!(SCALAR.output(plain(&us), plain(&them), &weights), 3 * 3 * 10 - 255 * 255 + 2 * 255 * 255);
    }
}
