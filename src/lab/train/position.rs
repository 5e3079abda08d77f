//! A position in 32 bytes: the network's inputs, and the score and result to learn from.
//!
//! The pieces are stored from the point of view of the side to move ([`Perspective`]): a word of occupied squares, then
//! four bits for the kind of each piece, in the order of the squares. The other side's view is computed from this one:
//! colors are exchanged and squares are turned.

use arrayvec::ArrayVec;

use crate::chess::board::{Bitboard, Board, Color, Men};
use crate::engine::eval::network::Shape;
use crate::engine::eval::network::features::{Perspective, is_mirrored};
use crate::engine::eval::network::scene::{Changes, INPUTS, Scene};
use crate::engine::selfplay::record::GameResult;

/// Bytes of a position in a file.
pub const BYTES: usize = 32;

/// Exclusive or with this number flips a square from one side's view into the other's, if both views are mirrored or
/// none is.
const UPSIDE_DOWN: u8 = 56;
/// Exclusive or with this number flips a square from one side's view into the other's, if only one of the two views is
/// mirrored.
const UPSIDE_DOWN_AND_MIRRORED: u8 = 63;

/// The points of a game whose result says nothing about the position.
const UNKNOWN: u8 = 3;

/// A position with its score and result. Everything is from the side to move's point of view.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TrainingPosition {
    occupied: u64,
    /// The kinds of the pieces in the order of the squares, lowest four bits first. A feature is `kind * 64 + square`.
    kinds: [u64; 2],
    score: i16,
    /// The points of the side to move, times two, or [`UNKNOWN`].
    result: u8,
    /// Exclusive or with this number flips a square into the other side's view.
    flip: u8,
    /// The square of each side's king in that side's view, the side to move first. They are among the pieces too, but
    /// need not be looked for this way.
    kings: [u8; 2],
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
        let (own_king, other_king) = (board.king(turn), board.king(turn.other()));
        // The pieces are stored without a zone. A network's zones are derived from the kings.
        let [perspective, other] = [(turn, own_king), (turn.other(), other_king)]
            .map(|(color, king)| Perspective::new(color, king, 1));
        let mut kind_at = [0u8; 64];
        let mut occupied = 0u64;
        for square in board.occupied() {
            let Some(piece) = board.piece_at(square) else { continue };
            let feature = perspective.feature(piece, square);
            kind_at[feature % 64] = (feature / 64) as u8;
            occupied |= 1 << (feature % 64);
        }
        let mut kinds = [0u64; 2];
        let mut rest = occupied;
        for index in 0..occupied.count_ones() as usize {
            let kind = kind_at[rest.trailing_zeros() as usize];
            kinds[index / 16] |= u64::from(kind) << (4 * (index % 16));
            rest &= rest - 1;
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
            flip: if is_mirrored(own_king) == is_mirrored(other_king) {
                UPSIDE_DOWN
            } else {
                UPSIDE_DOWN_AND_MIRRORED
            },
            kings: [perspective.seen(own_king), other.seen(other_king)],
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
        scene.set_men(self.men());
        scene.look(shape, Men::look);
        changes.set(&scene, &Scene::default());
        let list = |perspective: Perspective| {
            let men = changes.added.iter();
            let mut list: InputList = men.map(|&input| perspective.man(input, shape.zones)).collect();
            let threats = changes.added_threats.iter();
            list.extend(threats.map(|&input| shape.men() as u16 + perspective.threat(input)));
            list
        };
        let own = Perspective::turned(Color::White, 0, self.kings[0], shape.zones);
        let other = Perspective::turned(Color::Black, self.flip, self.kings[1], shape.zones);
        Inputs { lists: [list(own), list(other)], count: self.occupied.count_ones() as usize }
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
        bytes[27] = self.flip;
        bytes[28..30].copy_from_slice(&self.kings);
        bytes[30] = self.material;
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
            flip: bytes[27],
            kings: [bytes[28], bytes[29]],
            material: bytes[30],
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::base::random::Random;
    use crate::chess::board::{Color, Piece, Role, Square, attacks};
    use crate::engine::eval::network::features::{FEATURES, ManInput, ThreatInput, ZONE_LIMIT};

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
        let piece = |square| -> Piece { board.piece_at(square).unwrap() };
        let features = board.occupied().into_iter().map(|square| perspective.feature(piece(square), square));
        let hanging = if shape.hanging { board.men().hanging() } else { Bitboard::EMPTY }.into_iter();
        let hanging = hanging.map(|square| perspective.hanging_feature(piece(square), square, shape.zones));
        let mut features: Vec<usize> = features.chain(hanging).collect();
        if shape.threats {
            let threats = threats(board).into_iter();
            features.extend(threats.map(|threat| shape.men() + usize::from(perspective.threat(threat))));
        }
        let mut features: Vec<u16> = features.into_iter().map(|feature| feature as u16).collect();
        features.sort_unstable();
        features
    }

    /// The threats by their definition, square by square.
    fn threats(board: &Board) -> Vec<ThreatInput> {
        let mut threats = Vec::new();
        for victim in Square::ALL {
            let Some(piece) = board.piece_at(victim).filter(|piece| piece.role != Role::King) else {
                continue;
            };
            for attacker in Role::ALL.into_iter().flat_map(|role| Color::ALL.map(|color| role.of(color))) {
                let attacks = |&square: &Square| {
                    board.piece_at(square) == Some(attacker)
                        && attacks::attacks(square, attacker, board.occupied()).contains(victim)
                };
                if Square::ALL.iter().any(attacks) {
                    threats.push(ThreatInput::new(ThreatInput::mark(attacker), ManInput::new(piece, victim)));
                }
            }
        }
        threats
    }

    #[test]
    fn both_perspectives_have_the_inputs_of_the_engine() {
        let mut flips = [0; 2];
        let mut zones_seen = [const { BTreeSet::new() }; ZONE_LIMIT];
        for (board, position) in random_positions(400, 1) {
            let turn = board.turn();
            for (zones, hanging, threats) in [(1, true, false), (4, true, true), (ZONE_LIMIT, false, true)] {
                let shape = Shape { hidden: 32, zones, hanging, threats, buckets: 1, products: false };
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
                let features = features.filter(|&feature| feature < shape.men());
                zones_seen[zones - 1].extend(features.map(|feature| feature / FEATURES));
            }
            flips[usize::from(position.flip == UPSIDE_DOWN)] += 1;
        }
        assert!(flips.iter().all(|&count| count > 40), "{flips:?}");
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
