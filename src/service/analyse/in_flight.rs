//! The games whose chunks are being searched, in the order of the games.

use std::collections::{HashMap, VecDeque};
use std::ops::RangeInclusive;

use super::answer::Found;
use super::job::{AnalysisJob, JobError};
use crate::chess::board::Board;
use crate::chess::pgn::GameTree;

/// The games whose chunks are being searched.
#[derive(Default)]
pub(super) struct InFlight {
    /// The games in their order, from the first one that is not in the reports yet.
    pub(super) games: VecDeque<GameInFlight>,
    /// The number of analyzed games before these.
    pub(super) finished: u64,
    pub(super) chunks: HashMap<u64, ChunkInFlight>,
    next_ticket: u64,
}

/// A game whose chunks are being searched.
pub(super) struct GameInFlight {
    /// The game's number in the input, from 1.
    pub(super) number: u64,
    pub(super) game: GameTree,
    pub(super) boards: Vec<Board>,
    pub(super) found: Vec<Option<Found>>,
    /// The number of chunks without an answer.
    pub(super) missing: usize,
    pub(super) fault: Option<JobError>,
}

/// A chunk that is being searched.
pub(super) struct ChunkInFlight {
    /// The number of its game among the analyzed games.
    pub(super) game: u64,
    pub(super) span: RangeInclusive<usize>,
    pub(super) job: AnalysisJob,
    pub(super) name: String,
}

impl InFlight {
    /// The number of the next game among the analyzed games.
    pub(super) fn next_game(&self) -> u64 {
        self.finished + self.games.len() as u64
    }

    /// Adds a chunk. Returns its ticket.
    pub(super) fn add_chunk(&mut self, chunk: ChunkInFlight) -> u64 {
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        self.chunks.insert(ticket, chunk);
        ticket
    }

    /// The game with this number among the analyzed games.
    pub(super) fn game(&mut self, number: u64) -> &mut GameInFlight {
        &mut self.games[(number - self.finished) as usize]
    }

    /// Removes the first game, if all its chunks have answers.
    pub(super) fn take_finished(&mut self) -> Option<GameInFlight> {
        if self.games.front()?.missing > 0 {
            return None;
        }
        self.finished += 1;
        self.games.pop_front()
    }
}

impl GameInFlight {
    pub(super) fn new(number: u64, game: GameTree) -> GameInFlight {
        let boards = game.boards();
        GameInFlight { number, found: vec![None; boards.len()], boards, game, missing: 0, fault: None }
    }

    /// Stores the results of a chunk.
    pub(super) fn fill(&mut self, span: RangeInclusive<usize>, found: Vec<Found>) {
        for (index, found) in span.zip(found) {
            self.found[index] = Some(found);
        }
    }
}
