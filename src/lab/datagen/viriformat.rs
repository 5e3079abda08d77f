//! Encodes and decodes games in viriformat.
//!
//! The layout is the published one of the `viriformat` crate (Cosmo Bobak). The start takes 32 bytes: occupancy, a
//! nibble for each piece, side to move and en passant square, halfmove clock, move number, score, result, and a free
//! byte. Each ply takes four bytes: the move and White's score. Four zero bytes end the game. All integers are
//! little-endian. The lower nibble of a byte comes first, as in the crate's code (the hexadecimal example in its
//! description has them swapped). The crate is only used as the oracle of the tests: it has a board of its own and
//! trusts its input. A reader here must report what is wrong with a damaged file and continue after the damage.
//!
//! Our files also use what the format leaves free. Programs that do not know this still read the games.
//!
//! - The free byte is `VERSION`: scores are in centipawns of the search's unit, and without the fades of the
//!   evaluation. Files of earlier versions have 0 there. Their scores are in the unit of the network of that time, with
//!   fades. They are converted to the search's unit when they are read; the fades stay ([`GameRecord::is_faded`]).
//! - The score of the start is [`GameRecord::result_from`]: the number of plies, from the start, about which the result
//!   tells nothing.
//! - The score -32,768 means that the ply has no label ([`Ply::is_label`]).
//!
//! Invariant: decoding ends with any input, and every game that it returns is legal from its first position to its
//! last.

use std::num::NonZeroU32;

use shakmaty::{CastlingMode, Chess, Setup};
use thiserror::Error;

use crate::chess::board::{Bitboard, Board, Color, Move, MoveKind, Role, Square, playable};
use crate::chess::types::Score;
use crate::engine::selfplay::record::{GameRecord, GameResult, Ply};

const HEADER_BYTES: usize = 32;
const PLY_BYTES: usize = 4;
const UNMOVED_ROOK: u8 = 6;
const NO_SQUARE: u8 = 64;
/// The score of a ply without a label. No search has such a score.
const NO_LABEL: i16 = i16::MIN;

/// The version of the meaning of scores.
const VERSION: u8 = 1;

/// A game cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum DecodeError {
    /// The bytes end within a game.
    #[error("the data ends within a game")]
    Truncated,
    /// The start is not a valid position.
    #[error("the start is not a position: {0}")]
    Start(String),
    /// The result byte is not 0, 1 or 2.
    #[error("the result byte must be 0, 1 or 2, not {0}")]
    Result(u8),
    /// The free byte is a version that this program does not know.
    #[error("the game has version {0}, and this program knows versions up to {VERSION}")]
    Version(u8),
    /// A move cannot be played.
    #[error("ply {ply} is the move {bits:#06x}, which is not legal there")]
    Move {
        /// The number of the ply, from 0.
        ply: usize,
        /// The move as stored.
        bits: u16,
    },
}

/// Appends `game` to `bytes`.
pub fn encode(game: &GameRecord, bytes: &mut Vec<u8>) {
    encode_start(game, bytes);
    for ply in &game.plies {
        bytes.extend_from_slice(&move_to_bits(ply.mv).to_le_bytes());
        let score = if ply.is_label { ply.score.max(NO_LABEL + 1) } else { NO_LABEL };
        bytes.extend_from_slice(&score.to_le_bytes());
    }
    bytes.extend_from_slice(&[0; PLY_BYTES]);
}

fn encode_start(game: &GameRecord, bytes: &mut Vec<u8>) {
    let board = &game.start;
    let mut nibbles = [0u8; 16];
    for (place, square) in board.occupied().into_iter().enumerate() {
        let Some(piece) = board.piece_at(square) else { continue };
        let kind = if board.castling_rooks().contains(square) { UNMOVED_ROOK } else { piece.role as u8 - 1 };
        let nibble = kind | piece.color.fold_wb(0, 8);
        nibbles[place / 2] |= nibble << (4 * (place % 2));
    }
    let en_passant = board.ep_square().map_or(NO_SQUARE, |square| square.to_u32() as u8);
    bytes.extend_from_slice(&u64::from(board.occupied()).to_le_bytes());
    bytes.extend_from_slice(&nibbles);
    bytes.push(en_passant | board.turn().fold_wb(0, 0x80));
    bytes.push(board.halfmove_clock().min(255) as u8);
    bytes.extend_from_slice(&(board.fullmove().min(u32::from(u16::MAX)) as u16).to_le_bytes());
    bytes.extend_from_slice(&u16::try_from(game.result_from).unwrap_or(u16::MAX).to_le_bytes());
    bytes.push(match game.result {
        GameResult::Black => 0,
        GameResult::Draw => 1,
        GameResult::White => 2,
    });
    bytes.push(VERSION);
}

/// Reads the game at the beginning of `bytes`. Also returns its length in bytes.
pub fn decode(bytes: &[u8]) -> Result<(GameRecord, usize), DecodeError> {
    let header = bytes.first_chunk::<HEADER_BYTES>().ok_or(DecodeError::Truncated)?;
    let start = decode_start(header)?;
    let result = match header[30] {
        0 => GameResult::Black,
        1 => GameResult::Draw,
        2 => GameResult::White,
        other => return Err(DecodeError::Result(other)),
    };
    let version = header[31];
    let result_from = match version {
        0 => 0,
        VERSION => usize::from(u16::from_le_bytes([header[28], header[29]])),
        other => return Err(DecodeError::Version(other)),
    };
    let mut board = start.clone();
    let mut plies = Vec::new();
    for (ply, stored) in bytes[HEADER_BYTES..].chunks_exact(PLY_BYTES).enumerate() {
        let bits = u16::from_le_bytes([stored[0], stored[1]]);
        let score = i16::from_le_bytes([stored[2], stored[3]]);
        if bits == 0 && score == 0 {
            let length = HEADER_BYTES + (ply + 1) * PLY_BYTES;
            return Ok((GameRecord { start, plies, result, result_from, is_faded: version == 0 }, length));
        }
        let mv =
            move_from_bits(bits).filter(|&mv| board.can_play(mv)).ok_or(DecodeError::Move { ply, bits })?;
        let is_label = version == 0 || score != NO_LABEL;
        let score = match version {
            0 => from_old_unit(score, board.material()),
            _ if is_label => score,
            _ => 0,
        };
        plies.push(Ply { mv, score, is_label });
        board = board.after(mv);
    }
    Err(DecodeError::Truncated)
}

/// A score of a file without a version in the unit of the search. The networks of that time had outputs that the search
/// multiplied by (40 + material) / 118.
fn from_old_unit(score: i16, material: i32) -> i16 {
    let value = i32::from(score);
    if Score::new(value).is_decisive() { score } else { (value * (40 + material.min(78)) / 118) as i16 }
}

/// Reads the start. Shakmaty checks whether it is a valid position.
fn decode_start(header: &[u8; HEADER_BYTES]) -> Result<Board, DecodeError> {
    let malformed = |what: String| DecodeError::Start(what);
    let occupied = u64::from_le_bytes(*header.first_chunk().expect("a header is longer than a word"));
    if !(2..=32).contains(&occupied.count_ones()) {
        return Err(malformed(format!("{} pieces", occupied.count_ones())));
    }
    let mut setup = Setup::empty();
    for (place, square) in Bitboard(occupied).into_iter().enumerate() {
        let nibble = header[8 + place / 2] >> (4 * (place % 2)) & 15;
        let kind = match nibble & 7 {
            UNMOVED_ROOK => {
                setup.castling_rights.add(square);
                Role::Rook as u8
            }
            kind => kind + 1,
        };
        let role = Role::try_from(kind).map_err(|_| malformed(format!("piece kind {}", nibble & 7)))?;
        setup.board.set_piece_at(square, role.of(Color::from_black(nibble & 8 != 0)));
    }
    setup.turn = Color::from_black(header[24] & 0x80 != 0);
    setup.ep_square = match header[24] & 0x7f {
        NO_SQUARE => None,
        number @ 0..64 => Some(Square::new(u32::from(number))),
        number => return Err(malformed(format!("en passant square {number}"))),
    };
    setup.halfmoves = u32::from(header[25]);
    setup.fullmoves =
        NonZeroU32::new(u32::from(u16::from_le_bytes([header[26], header[27]]))).unwrap_or(NonZeroU32::MIN);
    let chess = setup
        .position::<Chess>(CastlingMode::Chess960)
        .or_else(playable)
        .map_err(|error| malformed(error.to_string()))?;
    Ok(Board::from_chess(&chess))
}

fn move_to_bits(mv: Move) -> u16 {
    let (kind, promotion) = match mv.kind() {
        MoveKind::Normal => (0, 0),
        MoveKind::EnPassant => (1, 0),
        MoveKind::Castle => (2, 0),
        MoveKind::Promotion => (3, mv.promotion().map_or(0, |role| role as u16 - Role::Knight as u16)),
    };
    mv.from().to_u32() as u16 | (mv.to().to_u32() as u16) << 6 | promotion << 12 | kind << 14
}

fn move_from_bits(bits: u16) -> Option<Move> {
    let from = Square::new(u32::from(bits & 63));
    let to = Square::new(u32::from(bits >> 6 & 63));
    if from == to {
        return None;
    }
    Some(match bits >> 14 {
        0 => Move::normal(from, to),
        1 => Move::en_passant(from, to),
        2 => Move::castle(from, to),
        _ => {
            let role = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen][usize::from(bits >> 12 & 3)];
            Move::promote(from, to, role)
        }
    })
}

/// A range of bytes that is not a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Damage {
    /// The offset of the first byte.
    pub offset: usize,
    /// The number of bytes.
    pub length: usize,
    /// The fault at the first byte.
    pub reason: DecodeError,
}

/// Iterates over the games in a file's bytes. After damage it continues with the next game that can be read.
#[derive(Clone, Debug)]
pub struct GameReader<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> GameReader<'a> {
    /// Reads from the beginning of `bytes`.
    pub fn new(bytes: &'a [u8]) -> GameReader<'a> {
        GameReader { bytes, offset: 0 }
    }

    /// The next place after `damage` at which a game can be read. Every game but the first follows the four zero bytes
    /// that end the previous game. So only such places are tried.
    fn resume(&self, damage: usize) -> usize {
        let places = damage + 1..self.bytes.len();
        places
            .filter(|&place| place >= 4 && self.bytes[place - 4..place] == [0; 4])
            .find(|&place| decode(&self.bytes[place..]).is_ok())
            .unwrap_or(self.bytes.len())
    }
}

impl Iterator for GameReader<'_> {
    type Item = Result<GameRecord, Damage>;

    fn next(&mut self) -> Option<Self::Item> {
        let offset = self.offset;
        let rest = self.bytes.get(offset..).filter(|rest| !rest.is_empty())?;
        match decode(rest) {
            Ok((game, length)) => {
                self.offset += length;
                Some(Ok(game))
            }
            Err(reason) => {
                self.offset = self.resume(offset);
                Some(Err(Damage { offset, length: self.offset - offset, reason }))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;
    use viriformat::chess::board::{Board as ForeignBoard, GameOutcome, WinType};
    use viriformat::dataformat::{Game as ForeignGame, WDL};

    const STARTS: [&str; 6] = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b Kq - 3 17",
        "1rk3r1/pppppppp/8/8/8/8/PPPPPPPP/1RK3R1 w GBgb - 0 1",
        "8/PPPk4/8/8/8/8/4Kppp/8 w - - 0 1",
        "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 30",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 77 400",
    ];

    fn random_game(fen: &str, random: &mut Random) -> GameRecord {
        let start = Board::from_fen(fen).unwrap().0;
        let mut board = start.clone();
        let mut plies = Vec::new();
        for _ in 0..1 + random.below(90) {
            let moves = board.legal_moves();
            if moves.is_empty() {
                break;
            }
            let mv = moves[random.below(moves.len())];
            let is_label = random.below(5) > 0;
            let score = if is_label { (random.bits() as i16).max(NO_LABEL + 1) } else { 0 };
            plies.push(Ply { mv, score, is_label });
            board = board.after(mv);
        }
        let result = [GameResult::White, GameResult::Draw, GameResult::Black][random.below(3)];
        let result_from = random.below(3) * random.below(90);
        GameRecord { start, plies, result, result_from, is_faded: false }
    }

    fn random_games() -> Vec<GameRecord> {
        let mut random = Random::stream(11, 0);
        STARTS.iter().cycle().take(60).map(|fen| random_game(fen, &mut random)).collect()
    }

    fn encoded(games: &[GameRecord]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for game in games {
            encode(game, &mut bytes);
        }
        bytes
    }

    #[test]
    fn a_written_game_is_read_unchanged() {
        let games = random_games();
        let found: Result<Vec<GameRecord>, Damage> = GameReader::new(&encoded(&games)).collect();
        assert_eq!(found, Ok(games));
    }

    /// Shakmaty's strict check once refused such positions when they were read.
    #[test]
    fn unreachable_positions_are_read_unchanged() {
        let mut random = Random::stream(12, 0);
        for fen in [
            "qqqqkqqq/qqqqqqqq/8/8/8/8/QQQQQQQQ/QQQQKQQQ w - - 0 1",
            "4k3/pppppppp/ppppppp1/8/8/1PPPPPPP/PPPPPPPP/4K3 b - - 0 1",
            "r3k2r/rrrrrrrr/8/8/8/8/RRRRRRRR/R3K2R w KQkq - 0 1",
            "2N5/8/1B1R4/q7/1K6/8/3b4/5k2 w - - 0 1",
        ] {
            let game = random_game(fen, &mut random);
            let found: Result<Vec<GameRecord>, Damage> =
                GameReader::new(&encoded(std::slice::from_ref(&game))).collect();
            assert_eq!(found, Ok(vec![game]), "{fen}");
        }
    }

    #[test]
    fn the_viriformat_crate_writes_the_same_bytes() {
        for fen in STARTS {
            let mut foreign_board = ForeignBoard::new();
            foreign_board.set_from_fen(fen, true).unwrap();
            let start = Board::from_fen(fen).unwrap().0;
            let mv = start.legal_moves()[0];
            let mut foreign = ForeignGame::new(&foreign_board);
            foreign.add_move(foreign_board.parse_uci(&mv.to_uci(true).to_string()).unwrap(), -300);
            foreign.set_outcome(GameOutcome::WhiteWin(WinType::Adjudication));
            let mut expected = Vec::new();
            foreign.serialise_into(&mut expected).unwrap();
            assert_eq!(expected[28..32], [0, 0, 2, 0]);
            expected[31] = VERSION;
            let plies = vec![Ply::new(mv, -300)];
            assert_eq!(encoded(&[GameRecord::new(start, plies, GameResult::White)]), expected, "{fen}");
        }
    }

    #[test]
    fn the_viriformat_crate_and_this_module_read_each_others_files() {
        for game in random_games() {
            let bytes = encoded(std::slice::from_ref(&game));
            let foreign = ForeignGame::deserialise_from(&mut bytes.as_slice(), Vec::new()).unwrap();
            assert_eq!(foreign.len(), game.plies.len());
            let mut scores = Vec::new();
            foreign.visit_positions(|_, score| scores.push(score));
            let stored = |ply: &Ply| i32::from(if ply.is_label { ply.score } else { NO_LABEL });
            assert_eq!(scores, game.plies.iter().map(stored).collect::<Vec<_>>());
            let expected = match game.result {
                GameResult::White => WDL::Win,
                GameResult::Draw => WDL::Draw,
                GameResult::Black => WDL::Loss,
            };
            assert_eq!(foreign.outcome(), expected);
            let mut again = Vec::new();
            foreign.serialise_into(&mut again).unwrap();
            assert_eq!(again, bytes);
        }
    }

    #[test]
    fn games_without_a_version_get_the_unit_of_the_search() {
        let start = Board::from_fen("8/5k2/6p1/8/8/1P6/PK6/8 w - - 0 1").unwrap().0;
        let mate = Score::mate_in(5).value() as i16;
        let mut plies = Vec::new();
        let mut board = start.clone();
        for score in [590, -118, mate] {
            let mv = board.legal_moves()[0];
            plies.push(Ply::new(mv, score));
            board = board.after(mv);
        }
        let mut bytes = encoded(&[GameRecord::new(start, plies, GameResult::Draw)]);
        let scores = |game: &GameRecord| game.plies.iter().map(|ply| ply.score).collect::<Vec<_>>();
        let (game, _) = decode(&bytes).unwrap();
        assert_eq!((scores(&game), game.is_faded), (vec![590, -118, mate], false));
        bytes[31] = 0;
        let (game, _) = decode(&bytes).unwrap();
        assert_eq!((scores(&game), game.is_faded), (vec![215, -43, mate], true));
        bytes[31] = 2;
        assert_eq!(decode(&bytes), Err(DecodeError::Version(2)));
    }

    #[test]
    fn games_before_and_after_damage_are_read() {
        let games = random_games();
        let before = encoded(&games[..7]);
        for (offset, value) in [(30, 9), (8, 0xff), (32, 0xff), (24, 0x7f)] {
            let mut damaged = encoded(&games[7..8]);
            damaged[offset] = value;
            let length = damaged.len();
            let bytes = [before.clone(), damaged, encoded(&games[8..])].concat();
            let found: Vec<_> = GameReader::new(&bytes).collect();
            let read: Vec<_> = found.iter().flatten().collect();
            assert_eq!(read, games[..7].iter().chain(&games[8..]).collect::<Vec<_>>());
            let damage = found[7].as_ref().unwrap_err();
            assert_eq!((damage.offset, damage.length), (before.len(), length));
        }
    }

    #[test]
    fn complete_games_of_a_truncated_file_are_read() {
        let games = random_games();
        let bytes = encoded(&games);
        let last = encoded(&games[59..]).len();
        for cut in 1..last {
            let found: Vec<_> = GameReader::new(&bytes[..bytes.len() - cut]).collect();
            assert_eq!(found.len(), 60, "cut {cut}");
            assert!(found[..59].iter().all(Result::is_ok));
            assert!(found[59].is_err());
        }
    }

    #[test]
    fn random_bytes_do_not_panic() {
        let mut random = Random::stream(5, 5);
        let games = encoded(&random_games()[..6]);
        for _ in 0..2_000 {
            let mut bytes = games.clone();
            for _ in 0..1 + random.below(20) {
                let place = random.below(bytes.len());
                bytes[place] = random.bits() as u8;
            }
            for game in GameReader::new(&bytes).flatten() {
                game.for_each(|board, ply| assert!(board.is_legal(ply.mv)));
            }
        }
    }
}
