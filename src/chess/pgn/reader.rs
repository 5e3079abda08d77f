//! Reads the games of a stream one by one.

use std::io::{self, BufRead};

use super::fault::{FaultKind, GameFault, GameNote, NoteKind};
use super::replay::{MainLine, replay};
use super::result::GameEnd;
use super::splitter::{RawGame, Splitter};
use super::start::{GameStart, StartFault};
use super::token::Place;
use super::tree::{GameTree, value};
use crate::chess::board::Board;

/// A game as it was read.
#[derive(Clone, Debug)]
pub struct ReadGame {
    /// The game. If there is a fault, its main line ends before it.
    pub tree: GameTree,
    /// Why the rest of the main line is not sure, if it is not.
    pub fault: Option<GameFault>,
    /// What else was not understood, or was read in an unusual way.
    pub notes: Vec<GameNote>,
}

impl ReadGame {
    /// The game.
    ///
    /// # Errors
    ///
    /// Its fault, if its main line is not sure.
    pub fn whole(self) -> Result<GameTree, GameFault> {
        match self.fault {
            None => Ok(self.tree),
            Some(fault) => Err(fault),
        }
    }
}

/// Reads the games of a stream.
pub struct PgnReader<R>(Splitter<R>);

impl<R: BufRead> PgnReader<R> {
    /// A reader of the games of `input`.
    pub fn new(input: R) -> PgnReader<R> {
        PgnReader(Splitter::new(input))
    }

    /// The number of bytes read so far.
    pub fn bytes(&self) -> u64 {
        self.0.bytes()
    }

    /// The next game; `None` at the end.
    ///
    /// # Errors
    ///
    /// If the stream cannot be read.
    pub fn next_game(&mut self) -> io::Result<Option<ReadGame>> {
        Ok(self.0.next_game()?.map(read))
    }
}

/// Replays a game from its start. Castling rights that only Chess960 has are dropped if the tags do not name Chess960,
/// unless the moves need them.
fn replayed(start: GameStart, raw: &RawGame) -> (GameStart, MainLine) {
    if let Some(standard) = start.standard(&raw.tags) {
        let found = replay(&standard.board, &raw.tokens);
        if found.fault.is_none() {
            return (standard, found);
        }
        let other = replay(&start.board, &raw.tokens);
        return if other.fault.is_none() { (start, other) } else { (standard, found) };
    }
    let found = replay(&start.board, &raw.tokens);
    (start, found)
}

fn read(raw: RawGame) -> ReadGame {
    let place = raw.place.unwrap_or(Place { line: 1, column: 1 });
    let fault = |kind| GameFault { place, ply: None, kind };
    let empty = |kind| ReadGame {
        tree: GameTree {
            tags: raw.tags.clone(),
            start: Board::startpos(),
            is_chess960: false,
            before: Vec::new(),
            moves: Vec::new(),
            result: GameEnd::Open,
        },
        fault: Some(fault(kind)),
        notes: Vec::new(),
    };
    if raw.is_too_long {
        return empty(FaultKind::TooLong);
    }
    let start = match GameStart::of(&raw.tags) {
        Ok(start) => start,
        Err(StartFault::Variant(variant)) => return empty(FaultKind::Variant(variant)),
        Err(StartFault::Fen(error)) => return empty(FaultKind::Fen(error)),
        Err(StartFault::TwoFens) => return empty(FaultKind::TwoFens),
    };
    let (start, replay) = replayed(start, &raw);
    let repairs = start.repairs.iter().map(|repair| NoteKind::Repair(*repair));
    let mut notes: Vec<GameNote> = repairs.map(|kind| GameNote { place, ply: None, kind }).collect();
    notes.extend(replay.notes);
    let known = |end: Option<GameEnd>| end.filter(|end| *end != GameEnd::Open);
    let of_tag = known(value(&raw.tags, "Result").and_then(GameEnd::of_tag));
    let of_moves = known(replay.end);
    if let (Some(tag), Some(end)) = (of_tag, of_moves)
        && tag != end
    {
        let kind = NoteKind::Results { tag: tag.text(), end: end.text() };
        notes.push(GameNote { place, ply: None, kind });
    }
    let result = of_moves.or(of_tag).unwrap_or(GameEnd::Open);
    let GameStart { board: start, is_chess960, .. } = start;
    let tree =
        GameTree { tags: raw.tags, start, is_chess960, before: replay.before, moves: replay.moves, result };
    ReadGame { tree, fault: replay.fault, notes }
}
