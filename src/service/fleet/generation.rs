//! The workers of a queue play games for training (`datagen --queue`).
//!
//! The games of a run are divided into jobs of [`GAMES`] consecutive games. A job begins at a multiple of this number,
//! so a repeated run has the same jobs. A game without a balanced position gets another job of its own.
//!
//! The games are stored in their order. So the files are the same as those of a run without a queue on one thread. A
//! game that arrives too early waits in memory. If this process is killed, the queue still has the game.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use thiserror::Error;

use super::address::Address;
use super::client::{Client, Collected, LOOKAHEAD, QueueJob};
use super::queue::QueueError;
use crate::base::file::{self, FileError};
use crate::base::random::Random;
use crate::engine::facade::Fingerprint;
use crate::engine::selfplay::opening::NoOpening;
use crate::engine::selfplay::record::GameRecord;
use crate::lab::datagen::collection::{Collection, CollectionError};
use crate::lab::datagen::job::{GAMES, GameStarts, GamesAnswer, GamesJob, MORE_STARTS, STARTS};
use crate::lab::datagen::{DatagenError, DatagenPlan, DatagenReport};

/// A job is handed out only if its first game is less than this many games ahead of the next game to store. A game
/// takes some hundred bytes of memory.
const WINDOW: u64 = 65_536;

/// Not all games could be collected.
#[derive(Debug, Error)]
pub enum GenerationError {
    /// The games cannot be stored, or the run cannot be continued.
    #[error(transparent)]
    Collection(#[from] CollectionError),
    /// A shard cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// There are no openings to play.
    #[error(transparent)]
    Datagen(#[from] DatagenError),
    /// The queue cannot be used.
    #[error(transparent)]
    Queue(#[from] QueueError),
    /// No worker could do a job.
    #[error(
        "{label}: the queue has set the job aside: {reason}; remove the cause, run enfilade queue clear --failed, and \
         repeat the command: all games so far are kept"
    )]
    SetAside {
        /// A description of the job's games.
        label: String,
        /// The reason that the queue gives.
        reason: String,
    },
}

impl QueueJob for GamesJob {
    type Answer = Vec<Option<GameRecord>>;

    fn text(&self) -> String {
        file::json(self)
    }

    fn answer_bytes(&self) -> usize {
        GamesJob::answer_bytes(self)
    }

    fn understood(&self, bytes: &[u8]) -> Result<Vec<Option<GameRecord>>, String> {
        let answer: GamesAnswer = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        answer.check(self).map_err(|error| error.to_string())
    }
}

/// Lets the workers of a queue play the games of a plan, and stores the games. Calls `heard` at the beginning, with the
/// games of the same run that an earlier process stored, and after each stored game. `say` receives messages about
/// waiting.
///
/// # Errors
///
/// [`GenerationError`]. The stored games are kept, and a run with the same plan continues after them.
pub fn generate(
    plan: &DatagenPlan,
    address: &Address,
    patience: Duration,
    say: &mut dyn FnMut(&str),
    heard: &mut dyn FnMut(&DatagenReport),
) -> Result<DatagenReport, GenerationError> {
    let fingerprint = Fingerprint::of(&plan.settings);
    // The connection comes first, so that a run without a queue leaves no files.
    let client = Client::start(address, &fingerprint, patience, say)?;
    let collection = Collection::open(plan)?;
    let stored = collection.report().games();
    heard(collection.report());
    let mut generation = Generation {
        plan,
        fingerprint,
        collection,
        client,
        tickets: HashMap::new(),
        next_ticket: 0,
        next: stored - stored % GAMES as u64,
        ready: BTreeMap::new(),
    };
    let result = generation.all(say, heard);
    let Generation { collection, .. } = generation;
    let report = *collection.report();
    if let Err(error) = result {
        if let GenerationError::Datagen(_) = error {
            collection.abandon();
        }
        return Err(error);
    }
    collection.finish()?;
    Ok(report)
}

/// A job that has been handed out.
struct PendingJob {
    label: String,
    /// The numbers of its games.
    numbers: Vec<u64>,
    /// The number of positions that earlier jobs have tried for each game.
    tried: usize,
    /// The number of positions that this job tries for each game.
    count: usize,
}

struct Generation<'a> {
    plan: &'a DatagenPlan,
    fingerprint: Fingerprint,
    collection: Collection,
    client: Client<GamesJob>,
    tickets: HashMap<u64, PendingJob>,
    next_ticket: u64,
    /// The number of the first game that has not been handed out.
    next: u64,
    /// Games that wait until all games before them are stored.
    ready: BTreeMap<u64, GameRecord>,
}

impl Generation<'_> {
    fn all(
        &mut self,
        say: &mut dyn FnMut(&str),
        heard: &mut dyn FnMut(&DatagenReport),
    ) -> Result<(), GenerationError> {
        while self.stored() < self.plan.games {
            let end = self.plan.games.min(self.stored() + WINDOW);
            while self.tickets.len() < LOOKAHEAD && self.next < end {
                let last = self.plan.games.min(self.next + GAMES as u64);
                self.hand_out((self.next..last).collect(), 0, STARTS)?;
                self.next = last;
            }
            for collected in self.client.collect(say)? {
                self.receive(collected)?;
            }
            while let Some(game) = self.ready.remove(&self.stored()) {
                self.collection.append(&game)?;
                heard(self.collection.report());
            }
        }
        Ok(())
    }

    fn stored(&self) -> u64 {
        self.collection.report().games()
    }

    /// Hands out a job for these games. Each game skips its first `tried` start positions and gets the next `count`
    /// ones.
    fn hand_out(&mut self, numbers: Vec<u64>, tried: usize, count: usize) -> Result<(), DatagenError> {
        let positions = |number: &u64| {
            let random = Random::stream(self.collection.seed(), *number);
            let game = GameStarts::draw(&self.plan.openings, random, tried, count);
            if game.starts.is_empty() { Err(DatagenError::from(NoOpening)) } else { Ok(game) }
        };
        let games = numbers.iter().map(positions).collect::<Result<Vec<_>, _>>()?;
        let job = GamesJob::new(self.fingerprint.clone(), self.plan.rules, &games);
        let (first, last) = (numbers[0] + 1, numbers[numbers.len() - 1] + 1);
        let label =
            format!("seed {}, run {}, games {first} to {last}", self.plan.seed, self.collection.run());
        self.client.hand_out(self.next_ticket, job.name(), label.clone(), job);
        self.tickets.insert(self.next_ticket, PendingJob { label, numbers, tried, count });
        self.next_ticket += 1;
        Ok(())
    }

    /// Receives the games of a job. For a game without a balanced position, hands out a job with further positions.
    fn receive(
        &mut self,
        Collected { ticket, answer }: Collected<Vec<Option<GameRecord>>>,
    ) -> Result<(), GenerationError> {
        let PendingJob { label, numbers, tried, count } =
            self.tickets.remove(&ticket).expect("a job handed out");
        let games = answer.map_err(|reason| GenerationError::SetAside { label, reason })?;
        for (number, game) in numbers.into_iter().zip(games) {
            match game {
                // An earlier process has stored this game.
                _ if number < self.stored() => {}
                Some(game) => {
                    self.ready.insert(number, game.before_endgame(self.plan.rules.nodes.endgame_pieces));
                }
                None => self.hand_out(vec![number], tried + count, MORE_STARTS)?,
            }
        }
        Ok(())
    }
}
