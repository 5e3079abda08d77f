//! The network's inner loops, one version for each instruction set. The version is chosen once for the machine.
//!
//! The scalar functions are the reference: every other version gives the same numbers to the bit. All sums wrap, so
//! that even a hostile network cannot make two versions differ.

#[cfg(target_arch = "x86_64")]
mod fills;
#[cfg(target_arch = "x86_64")]
mod lists;
#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
mod neon;
mod scalar;
mod set;
#[cfg(target_arch = "x86_64")]
mod x86;

use scalar::SCALAR;
pub use set::{Kernels, RowChanges};

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
    use crate::base::random::Random;
    use crate::chess::board::{AttackMap, Bitboard, Board, Color, Men, Square};
    use crate::engine::eval::network::features::Perspective;
    use crate::engine::eval::network::scene::{Changes, Scene};
    use crate::engine::eval::network::tail::{SECOND_LIMIT, SECOND_ONE, SecondRow};
    use crate::engine::eval::network::{HIDDEN_LIMIT, LANES, Lanes, Network, SECOND, Shape, THIRD};

    const BOARD: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

    /// A scene of some of the men of a board.
    fn scene(random: &mut Random, shape: Shape, kernels: Kernels) -> Scene {
        let men = Board::from_fen(BOARD).unwrap().0.men();
        let squares = Bitboard(random.bits() | random.bits());
        let mut scene = Scene::default();
        scene.set_men(men.on(squares));
        scene.look(shape, |men, attacks| kernels.look(men, attacks));
        scene
    }

    #[test]
    fn every_instruction_set_gives_the_scalar_numbers() {
        for hidden in [LANES, 96, 128, 320, 512] {
            let shape = Shape { hidden, zones: 1, hanging: true, threats: true, buckets: 1, deep: true };
            let network = Network::random(shape, hidden as u64);
            let mut random = Random::stream(5, 0);
            for number in 0..20 {
                let [before, now] = [(); 2].map(|()| scene(&mut random, shape, SCALAR));
                let mut inputs = Changes::default();
                inputs.set(&now, if number == 0 { &now } else { &before });
                assert_eq!(inputs.added_threats.is_empty(), number == 0);
                let color = Color::from_white(number % 2 == 0);
                let perspective = Perspective::new(color, Square::new(random.below(64) as u32), 1);
                let changes = RowChanges {
                    men: &network.blocks,
                    threats: &network.threats,
                    inputs: &inputs,
                    perspective,
                    shape,
                };
                let from = network.feature_biases();
                let mut expected = from.to_vec();
                SCALAR.update(&mut expected, from, changes);
                let weights = network.output(0).0;
                let sum = SCALAR.output(&expected, from, weights);
                let swapped = SCALAR.output(from, &expected, weights);
                let tail = SCALAR.tail(&expected, from, &network.tails[0]);
                for kernels in Kernels::available() {
                    let mut found = vec![Lanes([77; LANES]); from.len()];
                    kernels.update(&mut found, from, changes);
                    assert_eq!(found, expected, "{} update {hidden}", kernels.name);
                    assert_eq!(kernels.output(&found, from, weights), sum, "{}", kernels.name);
                    assert_eq!(kernels.output(from, &found, weights), swapped, "{}", kernels.name);
                    assert_eq!(kernels.tail(&found, from, &network.tails[0]), tail, "{}", kernels.name);
                }
            }
        }
    }

    /// An update by its definition, one unit after the other.
    #[test]
    fn an_update_adds_the_weights_of_new_inputs_and_subtracts_those_of_old_ones() {
        let shape = Shape { hidden: 64, zones: 2, hanging: true, threats: true, buckets: 1, deep: false };
        let network = Network::random(shape, 3);
        let mut random = Random::stream(6, 0);
        let [before, now] = [(); 2].map(|()| scene(&mut random, shape, SCALAR));
        let mut inputs = Changes::default();
        inputs.set(&now, &before);
        let perspective = Perspective::new(Color::Black, Square::G8, 2);
        let from = network.feature_biases();
        let mut found = from.to_vec();
        let (men, threats) = (&network.blocks, &network.threats);
        SCALAR.update(&mut found, from, RowChanges { men, threats, inputs: &inputs, perspective, shape });
        for unit in 0..shape.hidden {
            let (block, lane) = (unit / LANES, unit % LANES);
            let man = |&input: &_| men[usize::from(perspective.man(input, 2)) * 2 + block].0[lane];
            let threat =
                |&input: &_| i16::from(threats[usize::from(perspective.threat(input)) * 2 + block].0[lane]);
            let added: i16 =
                inputs.added.iter().map(man).chain(inputs.added_threats.iter().map(threat)).sum();
            let removed: i16 =
                inputs.removed.iter().map(man).chain(inputs.removed_threats.iter().map(threat)).sum();
            assert_eq!(found[block].0[lane], from[block].0[lane] + added - removed, "unit {unit}");
        }
    }

    #[test]
    fn every_instruction_set_finds_the_attacks_and_the_changes() {
        let shape = Shape { hidden: 32, zones: 1, hanging: true, threats: true, buckets: 1, deep: false };
        let men = Board::from_fen(BOARD).unwrap().0.men();
        let mut random = Random::stream(3, 0);
        for _ in 0..1_000 {
            let squares = Bitboard(random.bits() | random.bits());
            let men = men.on(squares);
            let [before, now] = [(); 2].map(|()| scene(&mut random, shape, SCALAR));
            let mut expected = Changes::default();
            expected.set(&now, &before);
            for kernels in Kernels::available() {
                let mut attacks = AttackMap::default();
                assert_eq!(kernels.look(&men, &mut attacks), men.hanging(), "{} {men:?}", kernels.name);
                assert_eq!(attacks, men.attack_map(), "{} {men:?}", kernels.name);
                let mut changes = Changes::default();
                kernels.set_changes(&mut changes, &now, &before);
                assert_eq!(changes, expected, "{} {now:?}", kernels.name);
            }
        }
    }

    /// More men than a board can have. The lists have room for them.
    #[test]
    fn every_instruction_set_finds_the_changes_between_full_boards() {
        let shape = Shape { hidden: 32, zones: 1, hanging: true, threats: true, buckets: 1, deep: false };
        let mut random = Random::stream(4, 0);
        for _ in 0..100 {
            let [before, now] = [(); 2].map(|()| {
                let mut men = Men::default();
                for square in Square::ALL {
                    let set = Bitboard::from_square(square);
                    men.roles[random.below(6)] |= set;
                    men.colors[random.below(2)] |= set;
                }
                let mut scene = Scene::default();
                scene.set_men(men);
                scene.look(shape, Men::look);
                scene
            });
            let mut expected = Changes::default();
            expected.set(&now, &before);
            assert!(expected.added.len() > 32 && expected.added_threats.len() > 32);
            for kernels in Kernels::available() {
                let mut changes = Changes::default();
                kernels.set_changes(&mut changes, &now, &before);
                assert_eq!(changes, expected, "{} {now:?}", kernels.name);
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
        let mut tail = Network::random(
            Shape { hidden: HIDDEN_LIMIT, zones: 1, hanging: false, threats: false, buckets: 1, deep: true },
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
            let output = kernels.tail(&full, &full, &tail);
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
        assert_eq!(SCALAR.output(&us, &them, &weights), 3 * 3 * 10 - 255 * 255 + 2 * 255 * 255);
    }
}
