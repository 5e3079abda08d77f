//! A position in 32 bytes: the network's inputs, and the score and result to learn from.
//!
//! The board is stored as if the side to move were White: where Black moves, colors are exchanged and the board is
//! turned upside down. A word of occupied squares is followed by four bits for the kind of each piece, in the order of
//! the squares.

use arrayvec::ArrayVec;

use crate::chess::board::{Bitboard, Board, Color, Men, Role};
use crate::engine::eval::network::Shape;
use crate::engine::eval::network::features::Perspective;
use crate::engine::eval::network::scene::{Changes, INPUTS, Scene};
use crate::engine::selfplay::record::GameResult;

/// Bytes of a position in a file.
pub const BYTES: usize = 32;

/// The points of a game whose result says nothing about the position.
const UNKNOWN: u8 = 3;

/// A position with its score and result. Everything is from the side to move's point of view.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TrainingPosition {
    occupied: u64,
    /// The kinds of the pieces in the order of the squares, lowest four bits first: the role, counted from 0 for pawns,
    /// and six more for the opponent's pieces.
    kinds: [u64; 2],
    score: i16,
    /// The points of the side to move, times two, or [`UNKNOWN`].
    result: u8,
    /// The material of both sides: [`Board::material`].
    material: u8,
}

const _: () = assert!(size_of::<TrainingPosition>() == BYTES);

/// The inputs of both perspectives.
#[derive(Clone, Debug)]
pub struct Inputs {
    lists: [InputList; 2],
    /// Number of pieces.
    count: usize,
}

/// The inputs of one perspective.
type InputList = ArrayVec<u16, INPUTS>;

impl Inputs {
    /// The number of pieces on the board, including kings and pawns.
    #[inline(always)]
    pub fn count(&self) -> usize {
        self.count
    }

    /// The inputs of the side to move, then those of the other side.
    #[inline(always)]
    pub fn lists(&self) -> [&[u16]; 2] {
        self.lists.each_ref().map(ArrayVec::as_slice)
    }
}

impl TrainingPosition {
    /// Packs `board` with White's score in centipawns of the search and the game's result. `None` is for a result that
    /// says nothing about the position.
    pub fn new(board: &Board, white_score: i16, result: Option<GameResult>) -> TrainingPosition {
        let turn = board.turn();
        let flip = turn.fold_wb(0, 56);
        let mut kind_at = [0u8; 64];
        let mut occupied = 0u64;
        for square in board.occupied() {
            let Some(piece) = board.piece_at(square) else { continue };
            let seen = square as usize ^ flip;
            kind_at[seen] = piece.role as u8 - 1 + if piece.color == turn { 0 } else { 6 };
            occupied |= 1 << seen;
        }
        let mut kinds = [0u64; 2];
        for (index, square) in Bitboard(occupied).into_iter().enumerate() {
            kinds[index / 16] |= u64::from(kind_at[square as usize]) << (4 * (index % 16));
        }
        let points = |result: GameResult| {
            let white = (2.0 * result.white_share()) as u8;
            turn.fold_wb(white, 2 - white)
        };
        TrainingPosition {
            occupied,
            kinds,
            score: turn.fold_wb(white_score, white_score.saturating_neg()),
            result: result.map_or(UNKNOWN, points),
            material: board.material() as u8,
        }
    }

    /// The search's score in its centipawns.
    #[inline]
    pub fn score(&self) -> i16 {
        self.score
    }

    /// The points of the side to move at the end of the game: 1, one half or 0. `None` if the result says nothing about
    /// the position.
    #[inline]
    pub fn result(&self) -> Option<f32> {
        (self.result != UNKNOWN).then_some(f32::from(self.result) * 0.5)
    }

    /// The material of both sides, as the search counts it.
    #[inline]
    pub fn material(&self) -> u8 {
        self.material
    }

    /// The number of pieces, including kings and pawns.
    #[inline]
    pub fn pieces(&self) -> usize {
        self.occupied.count_ones() as usize
    }

    /// The inputs of a network of this shape.
    #[inline(always)]
    pub fn inputs(&self, shape: Shape) -> Inputs {
        let mut changes = Changes::default();
        let mut scene = Scene::default();
        let men = self.men();
        scene.set_men(men);
        scene.look(shape, Men::look);
        changes.set(&scene, &Scene::default());
        let list = |perspective: Perspective| -> InputList {
            changes.added.iter().map(|&input| perspective.man(input)).collect()
        };
        let lists = [Color::White, Color::Black].map(|color| {
            let king = (men.roles[Role::King as usize - 1] & men.colors[color as usize]).first();
            list(Perspective::new(color, king.expect("each side has a king"), shape.zones))
        });
        Inputs { lists, count: self.pieces() }
    }

    /// The men, as if the side to move were White. So it sees the board.
    #[inline(always)]
    fn men(&self) -> Men {
        let mut men = Men::default();
        let mut kinds = u128::from(self.kinds[0]) | u128::from(self.kinds[1]) << 64;
        for square in Bitboard(self.occupied) {
            let kind = (kinds & 15) as usize;
            let (is_opponent, role) = (kind >= 6, kind % 6);
            men.roles[role].add(square);
            men.colors[Color::from_white(!is_opponent) as usize].add(square);
            kinds >>= 4;
        }
        men
    }

    /// The position's bytes in a file.
    pub fn to_bytes(self) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        for (index, word) in [self.occupied, self.kinds[0], self.kinds[1]].into_iter().enumerate() {
            bytes[8 * index..][..8].copy_from_slice(&word.to_le_bytes());
        }
        bytes[24..26].copy_from_slice(&self.score.to_le_bytes());
        bytes[26] = self.result;
        bytes[27] = self.material;
        bytes
    }

    /// The inverse of [`TrainingPosition::to_bytes`].
    pub fn from_bytes(bytes: &[u8; BYTES]) -> TrainingPosition {
        let word = |index: usize| {
            u64::from_le_bytes(bytes[8 * index..][..8].try_into().expect("eight bytes are a word"))
        };
        TrainingPosition {
            occupied: word(0),
            kinds: [word(1), word(2)],
            score: i16::from_le_bytes([bytes[24], bytes[25]]),
            result: bytes[26],
            material: bytes[27],
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::base::random::Random;
    use crate::chess::board::Color;
    use crate::engine::eval::network::features::{FEATURES, ManInput, ZONE_LIMIT};

    /// Positions of random games with random scores and results. The kings stand on both wings.
    pub fn random_positions(count: usize, seed: u64) -> Vec<(Board, TrainingPosition)> {
        let mut random = Random::stream(seed, 0);
        let mut positions = Vec::new();
        while positions.len() < count {
            let mut board = Board::startpos();
            for _ in 0..random.below(160) {
                let moves = board.legal_moves();
                if moves.is_empty() {
                    break;
                }
                board = board.after(moves[random.below(moves.len())]);
            }
            let score = random.below(1_600) as i16 - 800;
            let results = [Some(GameResult::White), Some(GameResult::Draw), Some(GameResult::Black), None];
            let result = results[random.below(4)];
            let position = TrainingPosition::new(&board, score, result);
            positions.push((board, position));
        }
        positions
    }

    fn seen(board: &Board, color: Color, shape: Shape) -> Vec<u16> {
        let perspective = Perspective::new(color, board.king(color), shape.zones);
        let man = |square| ManInput::new(board.piece_at(square).unwrap(), square);
        let features = board.occupied().into_iter().map(|square| perspective.man(man(square)));
        let hanging = if shape.hanging { board.men().hanging() } else { Bitboard::EMPTY }.into_iter();
        let hanging = hanging.map(|square| perspective.man(man(square).marked(ManInput::HANGS_MARK)));
        let mut features: Vec<u16> = features.chain(hanging).collect();
        features.sort_unstable();
        features
    }

    #[test]
    fn both_perspectives_have_the_inputs_of_the_engine() {
        let mut turns = [0; 2];
        let mut zones_seen = [const { BTreeSet::new() }; ZONE_LIMIT];
        for (board, position) in random_positions(400, 1) {
            let turn = board.turn();
            for (zones, hanging) in [(1, true), (4, true), (ZONE_LIMIT, false)] {
                let shape = Shape { hidden: 32, zones, hanging, buckets: 1, products: false };
                let inputs = position.inputs(shape);
                assert_eq!(inputs.count(), board.occupied().count());
                let lists = inputs.lists().map(|list| {
                    let mut list = list.to_vec();
                    list.sort_unstable();
                    list
                });
                assert_eq!(lists[0], seen(&board, turn, shape), "{board:?}");
                assert_eq!(lists[1], seen(&board, turn.other(), shape), "{board:?}");
                let features = lists.iter().flatten().map(|&feature| usize::from(feature));
                zones_seen[zones - 1].extend(features.map(|feature| feature / FEATURES));
            }
            turns[turn as usize] += 1;
        }
        assert!(turns.iter().all(|&count| count > 40), "{turns:?}");
        assert_eq!([1, 4, ZONE_LIMIT].map(|zones| zones_seen[zones - 1].len()), [2, 5, ZONE_LIMIT]);
    }

    #[test]
    fn score_and_result_are_from_the_side_to_move() {
        let black = Board::startpos().after(Board::startpos().parse_uci("e2e4").unwrap());
        let position = TrainingPosition::new(&black, 30, Some(GameResult::White));
        assert_eq!((position.score(), position.result()), (-30, Some(0.0)));
        let position = TrainingPosition::new(&Board::startpos(), 30, Some(GameResult::White));
        assert_eq!((position.score(), position.result()), (30, Some(1.0)));
        assert_eq!(TrainingPosition::new(&black, 0, Some(GameResult::Draw)).result(), Some(0.5));
        assert_eq!(TrainingPosition::new(&black, 0, None).result(), None);
        assert_eq!((position.pieces(), position.material()), (32, 78));
    }

    #[test]
    fn a_position_is_read_back_from_its_bytes() {
        for (_, position) in random_positions(100, 2) {
            assert_eq!(TrainingPosition::from_bytes(&position.to_bytes()), position);
        }
    }
}
