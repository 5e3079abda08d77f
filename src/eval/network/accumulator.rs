//! Accumulators that follow the search: one pair for each ply, computed only when they are needed.
//!
//! A move notes which pieces it changes. When a position is evaluated, its sums are computed from the nearest ply that
//! has them. All inputs of a side differ if its king has crossed the middle, because the board is then mirrored, or if
//! the king has entered another king zone. Then the sums come from a *refresh table*. For each side, mirroring and
//! zone, this table keeps the last position that was summed up, so that only the pieces that differ are exchanged.

use std::sync::Arc;

use super::features::Perspective;
use super::kernels::{Kernels, Rows, SideSums};
use super::{Lanes, Network, QA, QB, SCALE};
use crate::board::{Bitboard, Board, Changes, Color, Move, Piece, Role, Square};

/// One ply: what the move to it changed, and which sides' sums are computed already.
#[derive(Clone, Debug)]
struct Entry {
    changes: Changes,
    /// How each side sees the board, by color.
    perspectives: [Perspective; 2],
    is_computed: [bool; 2],
}

/// The sums of the last position seen in one perspective, and that position's pieces.
#[derive(Clone, Debug)]
struct RefreshEntry {
    sums: Vec<Lanes>,
    /// The pieces, by color and role.
    pieces: [[Bitboard; 6]; 2],
}

/// One thread's accumulators.
#[derive(Clone, Debug)]
pub struct Accumulators {
    network: Arc<Network>,
    kernels: Kernels,
    /// One entry for each ply. There is always one, and the last one belongs to the position on the board.
    entries: Vec<Entry>,
    /// The sums of each entry: those of Black's perspective, then those of White's, in the order of the colors'
    /// numbers.
    sums: Vec<Lanes>,
    /// The refresh table, by color, then by [`Perspective::index`].
    refreshed: [Vec<RefreshEntry>; 2],
}

impl Accumulators {
    /// Accumulators for `board`.
    pub fn new(network: Arc<Network>, kernels: Kernels, board: &Board) -> Accumulators {
        let entry = RefreshEntry { sums: network.feature_biases().to_vec(), pieces: Default::default() };
        let perspectives = Perspective::count(network.shape().zones);
        let refreshed = [(); 2].map(|()| vec![entry.clone(); perspectives]);
        let mut accumulators =
            Accumulators { network, kernels, entries: Vec::new(), sums: Vec::new(), refreshed };
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
        self.entries.clear();
        let perspectives =
            [Color::Black, Color::White].map(|color| self.network.perspective(color, board.king(color)));
        self.push_entry(Entry { changes: Changes::default(), perspectives, is_computed: [false; 2] });
        for color in Color::ALL {
            self.refresh(0, color, board);
        }
    }

    /// Follows `mv`, which is legal in `before` and about to be made there.
    #[inline]
    pub fn push(&mut self, before: &Board, mv: Move) {
        let mut perspectives = self.top().perspectives;
        if before.moved_role(mv) == Role::King {
            let turn = before.turn();
            perspectives[turn as usize] = self.network.perspective(turn, mv.king_target());
        }
        self.push_entry(Entry { changes: before.changes(mv), perspectives, is_computed: [false; 2] });
    }

    /// Follows a null move.
    #[inline]
    pub fn push_null(&mut self) {
        let perspectives = self.top().perspectives;
        self.push_entry(Entry { changes: Changes::default(), perspectives, is_computed: [false; 2] });
    }

    /// Takes back the last move or null move.
    #[inline]
    pub fn pop(&mut self) {
        self.entries.pop();
        debug_assert!(!self.entries.is_empty(), "more pops than pushes");
    }

    /// The network's output for `board`, in centipawns for the side to move. `board` must be the position to which the
    /// pushed moves have led.
    #[inline]
    pub fn evaluate(&mut self, board: &Board) -> i32 {
        let last = self.entries.len() - 1;
        for color in Color::ALL {
            self.compute(last, color, board);
        }
        let sides = [board.turn(), !board.turn()];
        let mut rows = [Rows::new(), Rows::new()];
        // What hangs changes in nearly every position. So these few inputs are not followed from ply to ply.
        if self.network.shape().hanging {
            let hanging = self.kernels.hanging(&board.men());
            let perspectives = sides.map(|color| self.entries[last].perspectives[color as usize]);
            for (rows, perspective) in rows.iter_mut().zip(perspectives) {
                self.network.push_hanging(rows, perspective, hanging, board);
            }
        }
        let [us, them] = sides.map(|color| &self.sums[self.range(last, color)]);
        let [us, them] = [(us, &rows[0]), (them, &rows[1])].map(|(sums, added)| SideSums { sums, added });
        finish(&self.network, &self.kernels, us, them, board)
    }

    fn top(&self) -> &Entry {
        &self.entries[self.entries.len() - 1]
    }

    #[inline]
    fn push_entry(&mut self, entry: Entry) {
        self.entries.push(entry);
        let needed = 2 * self.entries.len() * self.blocks();
        if self.sums.len() < needed {
            self.sums.resize(needed, Lanes::ZERO);
        }
    }

    #[inline]
    fn blocks(&self) -> usize {
        self.network.width()
    }

    /// The range of the sums of `color` at `entry`.
    #[inline]
    fn range(&self, entry: usize, color: Color) -> std::ops::Range<usize> {
        let blocks = self.blocks();
        let begin = (2 * entry + color as usize) * blocks;
        begin..begin + blocks
    }

    /// Makes sure that the sums of `color` at `last` are computed.
    #[inline]
    fn compute(&mut self, last: usize, color: Color, board: &Board) {
        let side = color as usize;
        let perspective = self.entries[last].perspectives[side];
        let mut first = last;
        while !self.entries[first].is_computed[side] {
            if first == 0 || self.entries[first - 1].perspectives[side] != perspective {
                return self.refresh(last, color, board);
            }
            first -= 1;
        }
        for entry in first + 1..=last {
            self.advance(entry, color);
        }
    }

    /// Computes the sums of `entry` from those of the entry before it and the move between them.
    #[inline]
    fn advance(&mut self, entry: usize, color: Color) {
        let from = self.range(entry - 1, color);
        let to = self.range(entry, color);
        let Entry { changes, perspectives, is_computed } = &mut self.entries[entry];
        is_computed[color as usize] = true;
        let perspective = perspectives[color as usize];
        let rows = |pieces: &[(Piece, Square)]| {
            let mut rows: [&[Lanes]; 2] = [&[]; 2];
            for (row, &(piece, square)) in rows.iter_mut().zip(pieces) {
                *row = self.network.feature(perspective.feature(piece, square));
            }
            rows
        };
        let (added, removed) = (rows(&changes.added), rows(&changes.removed));
        let (added, removed) = (&added[..changes.added.len()], &removed[..changes.removed.len()]);
        let (before, after) = self.sums.split_at_mut(to.start);
        self.kernels.update(&mut after[..to.len()], &before[from], added, removed);
    }

    /// Takes the sums from the refresh table, after it has exchanged the pieces that differ.
    #[cold]
    fn refresh(&mut self, last: usize, color: Color, board: &Board) {
        let perspective = self.entries[last].perspectives[color as usize];
        let entry = &mut self.refreshed[color as usize][perspective.index()];
        let (mut added, mut removed) = (Rows::new(), Rows::new());
        for owner in Color::ALL {
            for role in Role::ALL {
                let before = &mut entry.pieces[owner as usize][role as usize - 1];
                let now = board.pieces(owner, role);
                let row = |square| self.network.feature(perspective.feature(role.of(owner), square));
                added.extend((now & !*before).into_iter().map(row));
                removed.extend((*before & !now).into_iter().map(row));
                *before = now;
            }
        }
        self.kernels.refresh(&mut entry.sums, &added, &removed);
        let blocks = self.network.width();
        let begin = (2 * last + color as usize) * blocks;
        self.sums[begin..begin + blocks].copy_from_slice(&entry.sums);
        self.entries[last].is_computed[color as usize] = true;
    }
}

/// The output in centipawns from the sums of both sides.
#[inline]
fn finish(network: &Network, kernels: &Kernels, us: SideSums<'_>, them: SideSums<'_>, board: &Board) -> i32 {
    let bucket = network.shape().bucket(board.occupied().count());
    let (weights, bias) = network.output(bucket);
    let sum = kernels.output(us, them, weights);
    let (qa, qb) = (i64::from(QA), i64::from(QB));
    let output = sum / qa + i64::from(bias);
    let direct = (output * i64::from(SCALE) / (qa * qb)) as i32;
    match network.tails.get(bucket) {
        None => direct,
        Some(tail) => direct.saturating_add((kernels.tail(us, them, tail) * SCALE as f32) as i32),
    }
}

impl Network {
    /// How `color` sees the board if its king stands on `king`.
    #[inline]
    fn perspective(&self, color: Color, king: Square) -> Perspective {
        Perspective::new(color, king, self.shape().zones)
    }

    /// Adds the weights of the inputs that say that the pieces on the squares of `hanging` hang to `rows`.
    #[inline(always)]
    fn push_hanging<'a>(
        &'a self,
        rows: &mut Rows<'a>,
        perspective: Perspective,
        hanging: Bitboard,
        board: &Board,
    ) {
        let zones = self.shape().zones;
        for square in hanging {
            let Some(piece) = board.piece_at(square) else { continue };
            rows.push(self.feature(perspective.hanging_feature(piece, square, zones)));
        }
    }

    /// The network's output for `board` from the board alone, in centipawns for the side to move. It uses the scalar
    /// kernels and equals [`Accumulators::evaluate`].
    pub fn evaluate(&self, board: &Board) -> i32 {
        self.evaluate_part(board, board.occupied())
    }

    /// The output of [`Network::evaluate`] as if only the pieces on `squares` were there. The kings' squares count in
    /// any case.
    pub fn evaluate_part(&self, board: &Board, squares: Bitboard) -> i32 {
        let kernels = Kernels::scalar();
        let hanging = if self.shape().hanging { board.men().on(squares).hanging() } else { Bitboard::EMPTY };
        let sums = |color| {
            let perspective = self.perspective(color, board.king(color));
            let pieces = squares.into_iter().filter_map(|square| Some((board.piece_at(square)?, square)));
            let mut rows: Rows<'_> =
                pieces.map(|(piece, square)| self.feature(perspective.feature(piece, square))).collect();
            self.push_hanging(&mut rows, perspective, hanging, board);
            let mut sums = self.feature_biases().to_vec();
            kernels.refresh(&mut sums, &rows, &[]);
            sums
        };
        let [us, them] = [sums(board.turn()), sums(!board.turn())];
        let [us, them] = [&us, &them].map(|sums| SideSums { sums, added: &[] });
        finish(self, &kernels, us, them, board)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::network::Shape;
    use crate::eval::network::features::FEATURES;
    use crate::random::Random;

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
        for (zones, hanging) in [(1, true), (4, true), (8, false)] {
            let shape = Shape { hidden: 64, zones, hanging, buckets: 8, deep: true };
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
                        accumulators.push_null();
                    } else if !moves.is_empty() {
                        let mv = moves[random.below(moves.len())];
                        accumulators.push(&board, mv);
                        path.push(board.after(mv));
                    }
                    // If only some positions are evaluated, there are long chains of moves to catch up with.
                    if step % 3 != 0 {
                        let board = path.last().unwrap();
                        for (color, seen) in Color::ALL.into_iter().zip(&mut seen) {
                            seen[network.perspective(color, board.king(color)).index()] = true;
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
                Network::random(Shape { hidden: 32, zones, hanging: true, buckets: 3, deep: true }, 5);
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
                Network::random(Shape { hidden: 32, zones, hanging: true, buckets: 3, deep: true }, 5);
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
        let shape = Shape { hidden: 32, zones: 4, hanging: false, buckets: 1, deep: false };
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
                rows.chain(rest),
                network.output_biases.clone(),
                Vec::new(),
            );
            let board = Board::from_fen(fen).unwrap().0;
            assert_eq!(network.evaluate(&board), single.evaluate(&board), "{fen}");
        }
    }
}
