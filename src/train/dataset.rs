//! Positions of played games as the evaluation's terms see them.
//!
//! What does not depend on the parameters is worked out once, on loading: a position is then a
//! handful of numbers and the list of its pieces' places.

use rayon::prelude::*;

use super::filter::Filter;
use super::parameters::{FIRST_DEVIATION, PLACES, deviation};
use super::split;
use crate::board::{Board, Color, Role};
use crate::datagen::random::Random;
use crate::datagen::record::GameRecord;
use crate::eval::frame::Frames;
use crate::eval::tapered::FULL_PHASE;
use crate::eval::{CLOCK_SPAN, FULL_SHARE, lead_left, role_phase, winning_share};

/// Marks a piece of Black's among the places.
const BLACK: u16 = 1 << 15;
const _: () = assert!(PLACES < BLACK as usize);

/// A position apart from its pieces.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sample {
    first_place: u32,
    places: u8,
    /// White's bishop pair less Black's.
    pub bishop_pair: i8,
    /// 1 with White to move, otherwise -1.
    pub tempo: i8,
    /// Share of the midgame values, from 0 to 1.
    pub midgame: f32,
    /// What remains of White's lead, and of Black's.
    pub shares: [f32; 2],
    /// White's result: 1, one half or 0.
    pub result: f32,
    /// The search's score in centipawns, from White's point of view.
    pub score: i16,
}

/// Positions ready for the fit.
#[derive(Clone, Debug, Default)]
pub struct Dataset {
    samples: Vec<Sample>,
    places: Vec<u16>,
}

impl Dataset {
    /// How many positions there are.
    pub fn len(&self) -> usize {
        self.samples.len()
    }

    /// Whether there is no position.
    pub fn is_empty(&self) -> bool {
        self.samples.is_empty()
    }

    /// All positions.
    pub fn samples(&self) -> &[Sample] {
        &self.samples
    }

    /// The pieces of a position of this set: each one's deviation, counted from the first
    /// deviation, and 1 for White's or -1 for Black's.
    pub fn places(&self, sample: &Sample) -> impl Iterator<Item = (usize, f64)> + use<'_> {
        let first = sample.first_place as usize;
        let codes = &self.places[first..first + usize::from(sample.places)];
        codes.iter().map(|&code| (usize::from(code & !BLACK), if code & BLACK == 0 { 1.0 } else { -1.0 }))
    }

    /// Adds a position with its score and White's result.
    pub fn push(&mut self, board: &Board, score: i16, result: f64) {
        let first_place = self.places.len() as u32;
        let frames = Frames::of(board);
        let mut phase = 0;
        for square in board.occupied() {
            let Some(piece) = board.piece_at(square) else { continue };
            let frame = frames.get(piece.color);
            let term = deviation(frame.relation(), piece.role, frame.index(square));
            let place = (term - FIRST_DEVIATION) as u16;
            self.places.push(place | piece.color.fold_wb(0, BLACK));
            phase += role_phase(piece.role);
        }
        let fresh = lead_left(board.halfmove_clock()) as f32 / CLOCK_SPAN as f32;
        let share = |ahead| fresh * winning_share(board, ahead, phase) as f32 / FULL_SHARE as f32;
        let pair = |color| i8::from(board.pieces(color, Role::Bishop).more_than_one());
        self.samples.push(Sample {
            first_place,
            places: (self.places.len() as u32 - first_place) as u8,
            bishop_pair: pair(Color::White) - pair(Color::Black),
            tempo: board.turn().fold_wb(1, -1),
            midgame: phase.min(FULL_PHASE) as f32 / FULL_PHASE as f32,
            shares: [share(Color::White), share(Color::Black)],
            result: result as f32,
            score,
        });
    }

    fn append(&mut self, other: Dataset) {
        let moved = self.places.len() as u32;
        self.places.extend(other.places);
        self.samples.extend(
            other
                .samples
                .into_iter()
                .map(|sample| Sample { first_place: sample.first_place + moved, ..sample }),
        );
    }
}

/// Games split into positions to fit to and positions to judge the fit by.
#[derive(Clone, Debug, Default)]
pub struct Split {
    /// What the fit sees.
    pub training: Dataset,
    /// What it does not see.
    pub validation: Dataset,
    /// Games in both.
    pub games: u64,
    /// Positions in those games, before filtering.
    pub positions: u64,
}

impl Split {
    /// Adds `games`; each goes to the validation set with the probability `validation`.
    pub fn add(&mut self, games: &[GameRecord], filter: &Filter, validation: f64, seed: u64) {
        let parts: Vec<(bool, Dataset)> = games
            .par_iter()
            .map(|game| {
                let (is_validation, mut random) = split::draw(game, validation, seed);
                (is_validation, positions_of(game, filter, &mut random))
            })
            .collect();
        for (is_validation, part) in parts {
            (if is_validation { &mut self.validation } else { &mut self.training }).append(part);
        }
        self.games += games.len() as u64;
        self.positions += games.iter().map(|game| game.plies.len() as u64).sum::<u64>();
    }
}

fn positions_of(game: &GameRecord, filter: &Filter, random: &mut Random) -> Dataset {
    let mut part = Dataset::default();
    let mut number = 0;
    game.for_each(|board, ply| {
        if filter.draws(board, number, ply, random) {
            part.push(board, ply.score, game.result.white_share());
        }
        number += 1;
    });
    part
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Square;
    use crate::datagen::record::{GameResult, Ply};

    fn game(moves: &[(&str, i16)]) -> GameRecord {
        let mut board = Board::startpos();
        let mut plies = Vec::new();
        for &(text, score) in moves {
            let mv = board.parse_uci(text).unwrap();
            plies.push(Ply { mv, score });
            board = board.after(mv);
        }
        GameRecord { start: Board::startpos(), plies, result: GameResult::White }
    }

    #[test]
    fn a_game_is_on_one_side_of_the_split() {
        let games: Vec<GameRecord> =
            (0..400).map(|score| game(&[("e2e4", score), ("e7e5", 2), ("g1f3", 3)])).collect();
        let filter = Filter { skip_plies: 0, ..Filter::default() };
        let mut split = Split::default();
        split.add(&games, &filter, 0.25, 7);
        assert_eq!(split.training.len() + split.validation.len(), 1_200);
        assert_eq!(split.validation.len() % 3, 0);
        assert!((200..400).contains(&split.validation.len()), "{}", split.validation.len());
        let mut again = Split::default();
        again.add(&games[..100], &filter, 0.25, 7);
        assert_eq!(again.validation.samples(), &split.validation.samples()[..again.validation.len()]);
    }

    #[test]
    fn no_piece_stands_where_it_cannot() {
        let mut dataset = Dataset::default();
        dataset.push(&Board::from_fen("1k6/7P/8/8/8/8/p7/5K2 w - - 0 1").unwrap().0, 0, 0.5);
        let sample = dataset.samples()[0];
        let mut seen: Vec<_> = dataset.places(&sample).collect();
        seen.sort_by_key(|&(place, sign)| (place, sign as i32));
        let place = |role, square: Square| deviation(1, role, square.to_usize()) - FIRST_DEVIATION;
        let expected = [
            (place(Role::Pawn, Square::H7), -1.0),
            (place(Role::Pawn, Square::H7), 1.0),
            (place(Role::King, Square::F1), 1.0),
            (place(Role::King, Square::G1), -1.0),
        ];
        assert_eq!(seen, expected);
    }

    #[test]
    fn the_start_is_balanced() {
        let mut dataset = Dataset::default();
        dataset.push(&Board::startpos(), 0, 0.5);
        let sample = dataset.samples()[0];
        assert_eq!(dataset.places(&sample).map(|(_, sign)| sign).sum::<f64>(), 0.0);
        assert_eq!(dataset.places(&sample).count(), 32);
        assert_eq!((sample.midgame, sample.tempo, sample.bishop_pair), (1.0, 1, 0));
    }
}
