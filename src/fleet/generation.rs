//! Games to learn from, played by the workers of a queue: `datagen --queue`.
//!
//! The games of a run are cut into jobs of a few, always at the same numbers. They are stored in their order, so that
//! the files are those of a run without a queue on one thread. Games that come before their turn wait in memory; the
//! queue still has them if this process is killed.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use thiserror::Error;

use super::address::Address;
use super::client::{APPETITE, Client, Collected, Errand};
use super::queue::QueueError;
use crate::board::Board;
use crate::datagen::collection::{Collection, CollectionError};
use crate::datagen::job::{GAMES, GamesAnswer, GamesJob, MORE_STARTS, STARTS};
use crate::datagen::play::starts;
use crate::datagen::record::GameRecord;
use crate::datagen::{DatagenError, DatagenPlan, DatagenReport};
use crate::engine::Fingerprint;
use crate::file::FileError;
use crate::random::Random;

/// How far games may be ahead of the next one that is stored. A game takes some hundred bytes.
const WINDOW: u64 = 65_536;

/// Why the games were not all collected.
#[derive(Debug, Error)]
pub enum GenerationError {
    /// The run's files.
    #[error(transparent)]
    Collection(#[from] CollectionError),
    /// A shard.
    #[error(transparent)]
    File(#[from] FileError),
    /// The openings.
    #[error(transparent)]
    Datagen(#[from] DatagenError),
    /// The queue.
    #[error(transparent)]
    Queue(#[from] QueueError),
    /// A job that no worker could do.
    #[error(
        "{label}: the queue has set the job aside: {reason}; see to the cause, run enfilade queue clear --failed, and \
         repeat the command: nothing that has been found is lost"
    )]
    SetAside {
        /// Which games.
        label: String,
        /// What the queue says.
        reason: String,
    },
}

impl Errand for GamesJob {
    type Answer = Vec<Option<GameRecord>>;

    fn text(&self) -> String {
        serde_json::to_string(self).expect("plain values become JSON")
    }

    fn answer_bytes(&self) -> usize {
        GamesJob::answer_bytes(self)
    }

    fn understood(&self, bytes: &[u8]) -> Result<Vec<Option<GameRecord>>, String> {
        let answer: GamesAnswer = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        answer.check(self).map_err(|error| error.to_string())
    }
}

/// Has the workers of a queue play the games of a plan, and stores them. `heard` is told what an earlier process has
/// stored of the same run, and then of each game. `say` hears what is waited for.
///
/// # Errors
///
/// [`GenerationError`]. What is stored stays, and the same plan goes on with it.
pub fn generate(
    plan: &DatagenPlan,
    address: &Address,
    patience: Duration,
    say: &mut dyn FnMut(&str),
    heard: &mut dyn FnMut(&DatagenReport),
) -> Result<DatagenReport, GenerationError> {
    let fingerprint = Fingerprint::of(&plan.settings);
    // A run that cannot begin leaves no trace.
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

/// A job under way.
struct Errands {
    label: String,
    /// Numbers of its games.
    numbers: Vec<u64>,
    /// Positions that were tried for each of them before, and that it has.
    tried: usize,
    count: usize,
}

struct Generation<'a> {
    plan: &'a DatagenPlan,
    fingerprint: Fingerprint,
    collection: Collection,
    client: Client<GamesJob>,
    tickets: HashMap<u64, Errands>,
    next_ticket: u64,
    /// The first game that was not handed out.
    next: u64,
    /// Games that come later than the next one to be stored.
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
            while self.tickets.len() < APPETITE && self.next < end {
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

    /// Hands out a job for these games, each with its next `count` positions to begin from.
    fn hand_out(&mut self, numbers: Vec<u64>, tried: usize, count: usize) -> Result<(), DatagenError> {
        let positions = |number: &u64| {
            let random = Random::stream(self.collection.seed(), *number);
            let starts: Vec<Board> = starts(&self.plan.openings, random).skip(tried).take(count).collect();
            if starts.is_empty() { Err(DatagenError::NoOpening) } else { Ok(starts) }
        };
        let games = numbers.iter().map(positions).collect::<Result<Vec<_>, _>>()?;
        let job = GamesJob::new(self.fingerprint.clone(), self.plan.nodes, &games);
        let (first, last) = (numbers[0] + 1, numbers[numbers.len() - 1] + 1);
        let label =
            format!("seed {}, run {}, games {first} to {last}", self.plan.seed, self.collection.run());
        self.client.hand_out(self.next_ticket, job.name(), label.clone(), job);
        self.tickets.insert(self.next_ticket, Errands { label, numbers, tried, count });
        self.next_ticket += 1;
        Ok(())
    }

    /// Takes in the games of a job. Those without a balanced position get others.
    fn receive(
        &mut self,
        Collected { ticket, answer }: Collected<Vec<Option<GameRecord>>>,
    ) -> Result<(), GenerationError> {
        let Errands { label, numbers, tried, count } =
            self.tickets.remove(&ticket).expect("a job handed out");
        let games = answer.map_err(|reason| GenerationError::SetAside { label, reason })?;
        for (number, game) in numbers.into_iter().zip(games) {
            match game {
                // An earlier process has stored it.
                _ if number < self.stored() => {}
                Some(game) => drop(self.ready.insert(number, game)),
                None => self.hand_out(vec![number], tried + count, MORE_STARTS)?,
            }
        }
        Ok(())
    }
}
