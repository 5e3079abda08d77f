//! Accumulators that follow the search: one pair for each ply, computed only when they are needed.
//!
//! When a position is evaluated, its sums are computed from those of the ply before, by the inputs that differ between
//! the [scenes](super::scene) of the two. Plies that have no sums yet get theirs first, because several of their
//! children are often evaluated. All inputs for men of a side differ if its king has crossed the middle, because the
//! board is then mirrored, or if the king has entered another king zone. Then the sums come from a *refresh table*. For
//! each side, mirroring and zone, this table keeps the last position that was summed up.

use std::sync::Arc;

use super::features::Perspective;
use super::kernels::{Kernels, RowChanges, RowPlaces};
use super::scene::{Changes, Scene};
use super::tail::OUTPUT_ONE;
use super::{Lanes, Network, QA, QB, SCALE};
use crate::chess::board::{AttackMap, Bitboard, Board, Color, Men, Square};

/// One ply.
#[derive(Clone, Debug)]
struct Entry {
    /// Only the men count until the sums are computed.
    scene: Scene,
    /// How each side sees the board, by color, if the sums are computed.
    perspectives: [Perspective; 2],
}

/// The sums of the last position seen in one perspective.
#[derive(Clone, Debug)]
struct RefreshEntry {
    sums: Vec<Lanes>,
    scene: Scene,
}

/// One thread's accumulators.
#[derive(Clone, Debug)]
pub struct Accumulators {
    network: Arc<Network>,
    kernels: Kernels,
    /// How each side sees the board, by color and by the square of its king.
    perspectives: [[Perspective; 64]; 2],
    /// One entry for each ply, and behind the last one those of earlier, longer lines. They are large, so they stay
    /// where they are.
    entries: Vec<Entry>,
    /// The number of plies, which is at least 1. The last one's entry belongs to the position on the board.
    plies: usize,
    /// How many plies, from the first one on, have computed sums.
    computed: usize,
    /// The sums of each entry: those of Black's perspective, then those of White's, in the order of the colors'
    /// numbers.
    sums: Vec<Lanes>,
    /// The refresh table, by color, then by [`Perspective::index`].
    refreshed: [Vec<RefreshEntry>; 2],
    /// Lists for one computation. They are kept, because they are long.
    changes: Changes,
    places: RowPlaces,
}

impl Accumulators {
    /// Accumulators for `board`.
    pub fn new(network: Arc<Network>, kernels: Kernels, board: &Board) -> Accumulators {
        let entry = RefreshEntry { sums: network.feature_biases().to_vec(), scene: Scene::default() };
        let zones = network.shape().zones;
        let refreshed = [(); 2].map(|()| vec![entry.clone(); Perspective::count(zones)]);
        let mut accumulators = Accumulators {
            network,
            kernels,
            perspectives: [Color::Black, Color::White]
                .map(|color| Square::ALL.map(|king| Perspective::new(color, king, zones))),
            entries: Vec::new(),
            plies: 0,
            computed: 0,
            sums: Vec::new(),
            refreshed,
            changes: Changes::default(),
            places: RowPlaces::default(),
        };
        accumulators.reset(board);
        accumulators
    }

    /// The network that is in use.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// Forgets all moves and begins at `board`. Its sums are computed at once. If the table knows the evaluations near
    /// the root, nobody asks for these sums, and every position below would need a refresh.
    pub fn reset(&mut self, board: &Board) {
        self.plies = 0;
        self.computed = 0;
        self.push(board);
        self.compute();
    }

    /// Follows a move or a null move, which has led to `board`.
    #[inline]
    pub fn push(&mut self, board: &Board) {
        if self.plies == self.entries.len() {
            let perspectives = self.perspectives.map(|by_king| by_king[0]);
            self.entries.push(Entry { scene: Scene::default(), perspectives });
            self.sums.resize(2 * self.entries.len() * self.network.width(), Lanes::ZERO);
        }
        self.entries[self.plies].scene.set_men(board.men());
        self.plies += 1;
    }

    /// Takes back the last move or null move.
    #[inline]
    pub fn pop(&mut self) {
        debug_assert!(self.plies > 1, "more pops than pushes");
        self.plies -= 1;
        self.computed = self.computed.min(self.plies);
    }

    /// The network's output for `board`, in centipawns for the side to move. `board` must be the position to which the
    /// pushed moves have led.
    #[inline]
    pub fn evaluate(&mut self, board: &Board) -> i32 {
        while self.computed < self.plies {
            self.compute();
        }
        let width = self.network.width();
        let (black, white) = self.sums[2 * (self.plies - 1) * width..][..2 * width].split_at(width);
        let (us, them) = if board.turn().is_black() { (black, white) } else { (white, black) };
        finish(&self.network, &self.kernels, us, them, board)
    }

    /// What the men attack in the position to which the pushed moves have led. An evaluation of the position needs it,
    /// too, so it is found once for both.
    #[inline]
    pub fn attacks(&mut self) -> &AttackMap {
        let scene = &mut self.entries[self.plies - 1].scene;
        scene.look(self.network.shape(), |men, attacks| self.kernels.look(men, attacks));
        scene.attacks()
    }

    /// Computes the sums of the first entry that has none.
    fn compute(&mut self) {
        let (number, width) = (self.computed, self.network.width());
        self.computed += 1;
        let (before, rest) = self.entries.split_at_mut(number);
        let Entry { scene, perspectives } = &mut rest[0];
        scene.look(self.network.shape(), |men, attacks| self.kernels.look(men, attacks));
        *perspectives = [Color::Black, Color::White]
            .map(|color| self.perspectives[color as usize][scene.king(color) as usize]);
        let Some(before) = before.last().filter(|before| before.perspectives == *perspectives) else {
            return self.compute_apart(number);
        };
        self.kernels.set_changes(&mut self.changes, scene, &before.scene);
        let changes = RowChanges { network: &self.network, inputs: &self.changes, perspectives };
        let (computed, sums) = self.sums.split_at_mut(2 * number * width);
        let from = &computed[2 * (number - 1) * width..];
        self.kernels.update(&mut sums[..2 * width], from, &changes, &mut self.places);
    }

    /// Computes the sums of an entry for each side apart, because a side sees the board in another perspective than
    /// before. Its sums come from the refresh table.
    #[cold]
    fn compute_apart(&mut self, number: usize) {
        let (kernels, width) = (self.kernels, self.network.width());
        let (before, rest) = self.entries.split_at(number);
        let (before, Entry { scene, perspectives }) = (before.last(), &rest[0]);
        let (computed, sums) = self.sums.split_at_mut(2 * number * width);
        for (side, to) in sums[..2 * width].chunks_exact_mut(width).enumerate() {
            let perspective = perspectives[side];
            let mut update = |from: &[Lanes], before: &Scene| {
                kernels.set_changes(&mut self.changes, scene, before);
                let perspectives = &[perspective; 2];
                let changes = RowChanges { network: &self.network, inputs: &self.changes, perspectives };
                kernels.update(to, from, &changes, &mut self.places);
            };
            match before {
                Some(before) if before.perspectives[side] == perspective => {
                    let from = &computed[(2 * (number - 1) + side) * width..][..width];
                    update(from, &before.scene);
                }
                _ => {
                    let known = &mut self.refreshed[side][perspective.index()];
                    update(&known.sums, &known.scene);
                    known.sums.copy_from_slice(to);
                    known.scene.clone_from(scene);
                }
            }
        }
    }
}

/// The output in centipawns from the sums of both sides.
#[inline]
fn finish(network: &Network, kernels: &Kernels, us: &[Lanes], them: &[Lanes], board: &Board) -> i32 {
    let bucket = network.shape().bucket(board.occupied().count());
    let bias = i64::from(network.output_biases[bucket]);
    let scale = i64::from(SCALE);
    // Divisions by constants take a fraction of the time of one by a variable.
    let output = match network.tails.get(bucket) {
        None => {
            let output = kernels.output(us, them, network.output(bucket)) / i64::from(QA);
            (output + bias) * scale / i64::from(QA * QB)
        }
        Some(tail) => (i64::from(kernels.tail(us, them, tail)) + bias) * scale / i64::from(OUTPUT_ONE),
    };
    output as i32
}

impl Network {
    /// The network's output for `board` from the board alone, in centipawns for the side to move. It uses the scalar
    /// kernels and equals [`Accumulators::evaluate`].
    pub fn evaluate(&self, board: &Board) -> i32 {
        self.evaluate_part(board, board.occupied())
    }

    /// The output of [`Network::evaluate`] as if only the pieces on `squares` were there. The kings' squares count in
    /// any case.
    pub fn evaluate_part(&self, board: &Board, squares: Bitboard) -> i32 {
        let kernels = Kernels::scalar();
        let mut scene = Scene::default();
        scene.set_men(board.men().on(squares));
        scene.look(self.shape(), Men::look);
        let mut changes = Changes::default();
        changes.set(&scene, &Scene::default());
        let mut places = RowPlaces::default();
        let sums = |color| {
            let perspectives = &[Perspective::new(color, board.king(color), self.shape().zones); 2];
            let mut sums = vec![Lanes::ZERO; self.width()];
            let changes = RowChanges { network: self, inputs: &changes, perspectives };
            kernels.update(&mut sums, self.feature_biases(), &changes, &mut places);
            sums
        };
        let [us, them] = [board.turn(), !board.turn()].map(sums);
        finish(self, &kernels, &us, &them, board)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;
    use crate::engine::eval::network::Shape;
    use crate::engine::eval::network::features::FEATURES;

    /// Starting positions for castling on both sides, en passant, promotions, bare endgames and bare kings, and some
    /// that no game leads to.
    const STARTS: [&str; 11] = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
        "1rk3r1/pppppppp/8/8/8/8/PPPPPPPP/1RK3R1 w KQkq - 0 1",
        "8/PPPk4/8/8/8/8/4Kppp/8 w - - 0 1",
        "4k3/2p1p1p1/8/1P1P1P1P/p1p1p1p1/8/1P1P1P1P/4K3 w - - 0 1",
        "8/8/3kq3/8/8/3KQ3/8/8 w - - 90 80",
        "qqqqkqqq/qqqqqqqq/8/8/8/8/QQQQQQQQ/QQQQKQQQ w - - 0 1",
        "nnnn4/PPPPPPPP/PP6/7k/K7/6pp/pppppppp/4NNNN w - - 0 1",
        "7k/8/8/8/8/8/8/K7 w - - 0 1",
        "k7/8/8/8/8/8/8/7K w - - 0 1",
    ];

    #[test]
    fn incremental_sums_equal_fresh_sums_with_every_kernel() {
        for (zones, hanging, products) in
            [(1, true, true), (4, true, false), (8, false, true), (1, false, false)]
        {
            let shape = Shape { hidden: 128, zones, hanging, buckets: 8, products };
            let network = Arc::new(Network::random(shape, 3));
            incremental_equals_fresh(&network);
        }
    }

    /// Plays random moves and takes them back. The kings walk through all zones and across the middle.
    fn incremental_equals_fresh(network: &Arc<Network>) {
        let perspectives = Perspective::count(network.shape().zones);
        for kernels in Kernels::available() {
            let mut seen = [vec![false; perspectives], vec![false; perspectives]];
            let mut random = Random::stream(1, 0);
            for start in STARTS {
                let root = Board::from_fen(start).unwrap().0;
                let mut accumulators = Accumulators::new(Arc::clone(network), kernels, &Board::startpos());
                accumulators.reset(&root);
                let mut path = vec![root];
                for step in 0..3_000 {
                    let board = path.last().unwrap().clone();
                    let moves = board.legal_moves();
                    if path.len() > 1 && (moves.is_empty() || path.len() > 120 || random.below(8) == 0) {
                        path.pop();
                        accumulators.pop();
                    } else if !board.in_check() && random.below(12) == 0 {
                        path.push(board.after_null());
                        accumulators.push(path.last().unwrap());
                    } else if !moves.is_empty() {
                        let mv = moves[random.below(moves.len())];
                        path.push(board.after(mv));
                        accumulators.push(path.last().unwrap());
                    }
                    // If only some positions are evaluated, there are long chains of moves to catch up with.
                    if step % 3 != 0 {
                        let board = path.last().unwrap();
                        for (color, seen) in Color::ALL.into_iter().zip(&mut seen) {
                            let perspective =
                                Perspective::new(color, board.king(color), network.shape().zones);
                            seen[perspective.index()] = true;
                        }
                        assert_eq!(
                            accumulators.evaluate(board),
                            network.evaluate(board),
                            "{} {board:?}",
                            kernels.name
                        );
                    }
                }
            }
            assert!(seen.iter().flatten().all(|&seen| seen), "{seen:?}");
        }
    }

    #[test]
    fn exchanging_the_colors_leaves_the_evaluation_unchanged() {
        for zones in [1, 5, 8] {
            let network =
                Network::random(Shape { hidden: 64, zones, hanging: true, buckets: 3, products: true }, 5);
            for start in STARTS {
                let board = Board::from_fen(start).unwrap().0;
                assert_eq!(network.evaluate(&board), network.evaluate(&board.flip()), "{start}");
            }
        }
    }

    /// The second position is the first one with the files in reverse order.
    #[test]
    fn mirroring_the_board_leaves_the_evaluation_unchanged() {
        for zones in [1, 4] {
            let network =
                Network::random(Shape { hidden: 64, zones, hanging: true, buckets: 3, products: true }, 5);
            for (left, right) in [
                (
                    "1k6/ppp3r1/8/2q5/8/4N3/PP3P2/1K2R3 w - - 0 1",
                    "6k1/1r3ppp/8/5q2/8/3N4/2P3PP/3R2K1 w - - 0 1",
                ),
                ("8/2k5/8/1r6/8/5P2/3K4/8 b - - 0 1", "8/5k2/8/6r1/8/2P5/4K3/8 b - - 0 1"),
                ("k7/8/8/3Q4/4K3/8/8/8 b - - 0 1", "7k/8/8/4Q3/3K4/8/8/8 b - - 0 1"),
            ] {
                let [left, right] = [left, right].map(|fen| Board::from_fen(fen).unwrap().0);
                assert_eq!(network.evaluate(&left), network.evaluate(&right), "{left:?}");
            }
        }
    }

    /// A network of one zone that has the weights of the kings' zone sees the same.
    #[test]
    fn the_sums_use_the_weights_of_the_king_zone() {
        let shape = Shape { hidden: 32, zones: 4, hanging: false, buckets: 1, products: false };
        let network = Network::random(shape, 5);
        let numbers: Vec<i16> = network.integers().collect();
        let weights = shape.hidden * FEATURES;
        for (zone, fen) in [
            "1k6/7p/8/8/8/8/7P/1K6 w - - 0 1",
            "3k4/7p/8/8/8/8/7P/3K4 w - - 0 1",
            "8/1k5p/8/8/8/8/1K5P/8 w - - 0 1",
            "8/7p/2k5/8/8/2K5/7P/8 w - - 0 1",
        ]
        .into_iter()
        .enumerate()
        {
            let rows = numbers[zone * weights..][..weights].iter().copied();
            let rest = numbers[4 * weights..].iter().copied();
            let single = Network::from_parts(
                Shape { zones: 1, ..shape },
                network.unit(),
                rows.chain(rest),
                network.output_biases.clone(),
                Vec::new(),
            );
            let board = Board::from_fen(fen).unwrap().0;
            assert_eq!(network.evaluate(&board), single.evaluate(&board), "{fen}");
        }
    }
}
