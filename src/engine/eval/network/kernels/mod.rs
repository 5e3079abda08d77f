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
#[cfg(target_arch = "x86_64")]
mod products;
mod scalar;
mod set;
#[cfg(target_arch = "x86_64")]
mod widths;
#[cfg(target_arch = "x86_64")]
mod x86;

use scalar::SCALAR;
pub use set::{Kernels, RowChanges, RowPlaces};

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
    use crate::engine::eval::network::tail::{
        BIAS_LIMIT, FURTHER_LIMIT, OUTPUT_ONE, SECOND_LIMIT, SECOND_ONE, SecondRow, Tail, ThirdRow,
    };
    use crate::engine::eval::network::{HIDDEN_LIMIT, LANES, Lanes, Network, Shape};

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
        for (hidden, products) in [
            (LANES, false),
            (96, false),
            (128, true),
            (320, false),
            (512, false),
            (64, true),
            (192, true),
            (512, true),
            (768, true),
            (HIDDEN_LIMIT, true),
        ] {
            let shape = Shape { hidden, zones: 1, hanging: true, buckets: 1, products };
            let network = Network::random(shape, hidden as u64);
            let mut random = Random::stream(5, 0);
            let mut outputs = Vec::new();
            for number in 0..20 {
                let [before, now] = [(); 2].map(|()| scene(&mut random, shape, SCALAR));
                let mut inputs = Changes::default();
                inputs.set(&now, if number == 0 { &now } else { &before });
                assert_eq!(inputs.added.is_empty(), number == 0);
                let color = Color::from_white(number % 2 == 0);
                let perspectives = [color, !color]
                    .map(|color| Perspective::new(color, Square::new(random.below(64) as u32), 1));
                let changes = RowChanges { network: &network, inputs: &inputs, perspectives: &perspectives };
                let mut places = RowPlaces::default();
                let biases = network.feature_biases();
                let from: Vec<Lanes> = biases.iter().chain(biases.iter().rev()).copied().collect();
                let mut both = from.clone();
                SCALAR.update(&mut both, &from, &changes, &mut places);
                let expected = &both[..biases.len()];
                let sides = [(expected, biases), (biases, expected)];
                let output = |kernels: Kernels, (us, them): (&[Lanes], &[Lanes])| match network.tails.first()
                {
                    Some(tail) => i64::from(kernels.tail(us, them, tail)),
                    None => kernels.output(us, them, network.output(0)),
                };
                outputs.push(output(SCALAR, sides[0]));
                for kernels in Kernels::available() {
                    // One perspective, then two.
                    for blocks in [biases.len(), both.len()] {
                        let mut found = vec![Lanes([77; LANES]); blocks];
                        kernels.update(&mut found, &from[..blocks], &changes, &mut places);
                        assert_eq!(found, both[..blocks], "{} update {hidden}", kernels.name);
                    }
                    for sides in sides {
                        let context = format!("{} {hidden} {products}", kernels.name);
                        assert_eq!(output(kernels, sides), output(SCALAR, sides), "{context}");
                    }
                }
            }
            outputs.sort_unstable();
            outputs.dedup();
            assert!(outputs.len() > 15, "the outputs differ: {outputs:?}");
        }
    }

    /// An update by its definition, one unit after the other.
    #[test]
    fn an_update_adds_the_weights_of_new_inputs_and_subtracts_those_of_old_ones() {
        let shape = Shape { hidden: 64, zones: 2, hanging: true, buckets: 1, products: false };
        let network = Network::random(shape, 3);
        let mut random = Random::stream(6, 0);
        let [before, now] = [(); 2].map(|()| scene(&mut random, shape, SCALAR));
        let mut inputs = Changes::default();
        inputs.set(&now, &before);
        let perspectives = [(Color::Black, Square::G8), (Color::White, Square::A3)]
            .map(|(color, king)| Perspective::new(color, king, 2));
        let from = [network.feature_biases(); 2].concat();
        let mut found = from.clone();
        let changes = RowChanges { network: &network, inputs: &inputs, perspectives: &perspectives };
        SCALAR.update(&mut found, &from, &changes, &mut RowPlaces::default());
        let men = &network.blocks;
        for (side, perspective) in perspectives.into_iter().enumerate() {
            for unit in 0..shape.hidden {
                let (block, lane) = (unit / LANES, unit % LANES);
                let man = |&input: &_| men[usize::from(perspective.man(input)) * 2 + block].0[lane];
                let added: i16 = inputs.added.iter().map(man).sum();
                let removed: i16 = inputs.removed.iter().map(man).sum();
                let [found, from] = [&found, &from].map(|sums| sums[2 * side + block].0[lane]);
                assert_eq!(found, from + added - removed, "side {side} unit {unit}");
            }
        }
    }

    #[test]
    fn every_instruction_set_finds_the_attacks_and_the_changes() {
        let shape = Shape { hidden: 32, zones: 1, hanging: true, buckets: 1, products: false };
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
        let shape = Shape { hidden: 32, zones: 1, hanging: true, buckets: 1, products: false };
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
            assert!(expected.added.len() > 32);
            for kernels in Kernels::available() {
                let mut changes = Changes::default();
                kernels.set_changes(&mut changes, &now, &before);
                assert_eq!(changes, expected, "{} {now:?}", kernels.name);
            }
        }
    }

    #[test]
    fn the_greatest_sums_do_not_overflow() {
        let blocks = HIDDEN_LIMIT / LANES;
        let full = vec![Lanes([i16::MAX; LANES]); blocks];
        for sign in [1, -1] {
            let weights = vec![Lanes([127 * sign; LANES]); 2 * blocks];
            for kernels in Kernels::available() {
                let expected = 2 * HIDDEN_LIMIT as i64 * 255 * 255 * 127 * i64::from(sign);
                assert_eq!(kernels.output(&full, &full, &weights), expected, "{}", kernels.name);
            }
        }
    }

    #[test]
    fn the_greatest_sums_of_a_tail_do_not_overflow() {
        let full = vec![Lanes([i16::MAX; LANES]); HIDDEN_LIMIT / LANES];
        let mut tail = Tail::zero(HIDDEN_LIMIT);
        let sum = HIDDEN_LIMIT as i32 * 127 * i32::from(SECOND_LIMIT);
        tail.outputs.0.fill(FURTHER_LIMIT);
        for sign in [1, -1] {
            tail.seconds.fill(SecondRow([sign * SECOND_LIMIT; SecondRow::BYTES]));
            tail.arrange();
            tail.thirds.fill(ThirdRow([i16::from(sign) * FURTHER_LIMIT; 64]));
            // Each unit of the second layer is 1 if its sum is right, and 0 if that is lower by one.
            for (bias, second) in [(SECOND_ONE, 1), (0, 0), (BIAS_LIMIT, 1), (-BIAS_LIMIT, 0)] {
                tail.second_biases.0.fill(bias - i32::from(sign) * sum);
                for third_bias in [BIAS_LIMIT, -BIAS_LIMIT, 0] {
                    tail.third_biases.0.fill(third_bias);
                    let third = third_bias > 0 || third_bias == 0 && second == 1 && sign == 1;
                    let expected = if third { 32 * 16 * OUTPUT_ONE } else { 0 };
                    for kernels in Kernels::available() {
                        let output = kernels.tail(&full, &full, &tail);
                        assert_eq!(output, expected, "{} {sign} {bias} {third_bias}", kernels.name);
                    }
                }
            }
        }
    }

    /// A tail by its definition. Only the fours of products that are not zero count, wherever they are.
    #[test]
    fn a_tail_multiplies_pairs_of_units() {
        let hidden = 512;
        let mut random = Random::stream(7, 0);
        let mut tail = Tail::zero(hidden);
        for weight in tail.seconds.iter_mut().flat_map(|row| &mut row.0) {
            *weight = random.below(255) as i8;
        }
        // The first unit of the second layer reaches the output alone.
        for row in &mut tail.seconds {
            row.0[0..4].iter_mut().for_each(|weight| *weight = (*weight).max(-SECOND_LIMIT));
            row.0[4..].fill(0);
        }
        tail.arrange();
        tail.thirds[0].0[0] = 1_024;
        tail.outputs.0[0] = FURTHER_LIMIT;
        for filled in [0, 1, 2, 3, 5, 30, 127, 512] {
            let mut sides = [(); 2].map(|()| vec![Lanes([0; LANES]); hidden / LANES]);
            for _ in 0..filled {
                let (side, unit) = (random.below(2), random.below(hidden / 2));
                for unit in [unit, unit + hidden / 2] {
                    sides[side][unit / LANES].0[unit % LANES] = random.below(400) as i16 - 50;
                }
            }
            let mut sum = 0;
            for product in 0..hidden {
                let (side, unit) = (product / (hidden / 2), product % (hidden / 2));
                let [left, right] = [unit, unit + hidden / 2]
                    .map(|unit| i32::from(sides[side][unit / LANES].0[unit % LANES].clamp(0, 255)));
                sum += (left * right / 512) * i32::from(tail.seconds[product / 4].0[product % 4]);
            }
            let second = sum.clamp(0, SECOND_ONE).pow(2) / 16_384;
            let expected = (second * second / 4_096) * i32::from(FURTHER_LIMIT);
            for kernels in Kernels::available() {
                let output = kernels.tail(&sides[0], &sides[1], &tail);
                assert_eq!(output, expected, "{} {filled}", kernels.name);
            }
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
