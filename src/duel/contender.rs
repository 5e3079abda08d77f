//! A side at the board, and what its searches did.

use std::time::Duration;

use super::{DuelPlan, DuelSide};
use crate::board::{Game, Move};
use crate::datagen::play::Player;
use crate::engine::{EngineError, Laboratory, Spread};
use crate::processor;
use crate::random::Random;
use crate::search::Limits;
use crate::search::census::Work;
use crate::types::Score;

/// What the searches of a side did, added up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SearchTotals {
    /// Searches.
    pub searches: u64,
    /// Nodes of all threads.
    pub nodes: u64,
    /// Processor time; nothing where the system does not say.
    pub time: Duration,
    /// Records found in the table, one in 64: those that the finder had stored itself, and others. Zeros unless the
    /// settings ask for it ([`crate::engine::Settings::sharing`]).
    pub hits: [u64; 2],
    /// Results stored, one in 64, by kinds of work. Zeros likewise.
    pub stores: [u64; Work::KINDS],
    /// Nodes of the threads since the last results that they left.
    pub unfinished: u64,
    /// Means of the depths that the threads were in at the end.
    pub depth: f64,
    /// Standard deviations of these depths.
    pub deviation: f64,
    /// Distances from the least of these depths to the greatest.
    pub range: f64,
}

impl SearchTotals {
    /// Adds what other searches did.
    pub fn add(&mut self, other: &SearchTotals) {
        self.searches += other.searches;
        self.nodes += other.nodes;
        self.time += other.time;
        self.hits.iter_mut().zip(other.hits).for_each(|(sum, hits)| *sum += hits);
        self.stores.iter_mut().zip(other.stores).for_each(|(sum, stores)| *sum += stores);
        self.unfinished += other.unfinished;
        self.depth += other.depth;
        self.deviation += other.deviation;
        self.range += other.range;
    }
}

/// A side with its table and threads.
pub(super) struct Contender {
    laboratory: Laboratory,
    limits: Limits,
    /// Seeds of the games.
    random: Random,
    totals: SearchTotals,
}

impl Contender {
    pub fn new(plan: &DuelPlan, side: &DuelSide) -> Result<Contender, EngineError> {
        Ok(Contender {
            laboratory: Laboratory::new(&side.settings, plan.turn)?,
            limits: Limits::nodes(side.nodes),
            random: Random::stream(0, 0),
            totals: SearchTotals::default(),
        })
    }

    /// Forgets what it has counted; the games from here on follow from `seed`.
    pub fn begin(&mut self, seed: u64) {
        self.random = Random::stream(seed, 0);
        self.totals = SearchTotals::default();
    }

    /// What the searches did since.
    pub fn totals(&self) -> SearchTotals {
        self.totals
    }
}

impl Player for Contender {
    fn new_game(&mut self) {
        self.laboratory.new_game(self.random.bits());
    }

    fn choose(&mut self, game: &Game) -> (Move, Score) {
        let before = processor::thread_time();
        let outcome = self.laboratory.search(game.clone(), self.limits.clone());
        let time = processor::thread_time().zip(before).map(|(now, before)| now - before);
        let threads = self.laboratory.threads_of_last_search();
        let Spread { mean, deviation, range } = Spread::of(&threads);
        self.totals.add(&SearchTotals {
            searches: 1,
            nodes: outcome.nodes,
            time: time.unwrap_or_default(),
            hits: [0, 1].map(|whose| threads.iter().map(|thread| thread.table_hits[whose]).sum()),
            stores: [0, 1, 2, 3].map(|kind| threads.iter().map(|thread| thread.stores[kind]).sum()),
            unfinished: threads.iter().map(|thread| thread.unfinished).sum(),
            depth: mean,
            deviation,
            range,
        });
        (outcome.best_move.expect("a game that is not over has a move"), outcome.lines[0].score)
    }
}
