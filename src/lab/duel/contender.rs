//! A side of a match, and the counts of its searches.

use std::time::Duration;

use super::{DuelPlan, DuelSide};
use crate::base::processor;
use crate::chess::board::{Game, Move};
use crate::chess::types::Score;
use crate::engine::facade::{EngineError, Spread};
use crate::engine::run::telemetry::Work;
use crate::engine::selfplay::pace::Pace;
use crate::engine::selfplay::play::Player;
use crate::engine::selfplay::virtual_player::{self, VirtualPlayer};

/// The sums over the searches of a side.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SearchTotals {
    /// The number of searches.
    pub searches: u64,
    /// The nodes of all threads.
    pub nodes: u64,
    /// The processor time; zero if the system does not tell it.
    pub time: Duration,
    /// Hits in the table, about one in 64 of them: first the hits on records of the same thread, then those on records
    /// of others. Both are 0 unless [`crate::engine::facade::Settings::telemetry`] is on.
    pub hits: [u64; 2],
    /// Stored results, about one in 64 of them, by kinds of work. All are 0 unless
    /// [`crate::engine::facade::Settings::telemetry`] is on.
    pub stores: [u64; Work::KINDS],
    /// The nodes of the threads since their last results.
    pub unfinished: u64,
    /// The sum of the mean depths of the threads at the end of each search.
    pub depth: f64,
    /// The sum of the standard deviations of these depths.
    pub deviation: f64,
    /// The sum of the distances from the least of these depths to the greatest.
    pub range: f64,
}

impl SearchTotals {
    /// Adds the sums of other searches.
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

/// A side and the counts of its searches.
pub(super) struct Contender {
    player: VirtualPlayer,
    totals: SearchTotals,
}

impl Contender {
    pub fn new(plan: &DuelPlan, side: &DuelSide) -> Result<Contender, EngineError> {
        let player = VirtualPlayer::new(side.allowance, &side.settings, plan.rules.turn)?;
        Ok(Contender { player, totals: SearchTotals::default() })
    }

    /// Resets the counts. `seed` determines the next games.
    pub fn begin(&mut self, seed: u64) {
        self.player.begin(seed);
        self.totals = SearchTotals::default();
    }

    /// The counts since the last [`Contender::begin`].
    pub fn totals(&self) -> SearchTotals {
        self.totals
    }
}

impl Player for Contender {
    fn new_game(&mut self) {
        self.player.new_game();
    }

    fn choose(&mut self, game: &Game, _: Pace) -> (Move, Score) {
        let before = processor::thread_time();
        let outcome = self.player.search(game);
        let time = processor::thread_time().zip(before).map(|(now, before)| now - before);
        let threads = self.player.laboratory().threads_of_last_search();
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
        virtual_player::choice(&outcome)
    }
}
