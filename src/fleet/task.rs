//! The jobs that a worker does, of each kind. What one says is believed only after it has been checked: nobody knows
//! who put it there.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde::Deserialize;

use super::identity::Identity;
use super::store::{JOB_BYTES, Taken};
use crate::analyse::job::{AnalysisJob, Effort, JobError};
use crate::analyse::search::Searcher;
use crate::datagen::job::GamesJob;
use crate::datagen::solo_player::SoloPlayer;
use crate::engine::{EngineError, Fingerprint, Settings};

/// A job of any kind.
pub enum AnyJob {
    /// Positions to search.
    Analysis(AnalysisJob),
    /// Games to play.
    Games(GamesJob),
}

/// What a job may take.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// The most nodes for a position.
    pub max_nodes: u64,
    /// The largest table in MiB.
    pub max_hash: usize,
}

/// What tells the kinds apart.
#[derive(Deserialize)]
struct KindOfJob {
    kind: Option<String>,
}

impl AnyJob {
    /// The job in an entry, if it is one for this identity within these bounds; otherwise the reason why not.
    pub fn read(taken: &Taken, identity: &Identity, bounds: Bounds) -> Result<AnyJob, String> {
        if taken.text.len() > JOB_BYTES {
            return Err(format!("it has {} bytes, and no job has more than {JOB_BYTES}", taken.text.len()));
        }
        let job = AnyJob::parse(&taken.text).map_err(|error| format!("it is no job: {error}"))?;
        if job.name() != taken.name {
            return Err("its name is that of another job".to_owned());
        }
        if Identity::of(&job.fingerprint()) != *identity {
            return Err(JobError::Basis.to_string());
        }
        let (hash, nodes) = job.size();
        if hash > bounds.max_hash {
            return Err(format!(
                "its table of {hash} MiB is larger than the {} MiB that --max-hash allows",
                bounds.max_hash
            ));
        }
        if nodes.is_some_and(|nodes| nodes > bounds.max_nodes) {
            return Err(format!("{} (--max-nodes)", JobError::Ceiling(bounds.max_nodes)));
        }
        job.check()?;
        Ok(job)
    }

    fn parse(text: &[u8]) -> serde_json::Result<AnyJob> {
        let KindOfJob { kind } = serde_json::from_slice(text)?;
        Ok(match kind {
            None => AnyJob::Analysis(serde_json::from_slice(text)?),
            Some(_) => AnyJob::Games(serde_json::from_slice(text)?),
        })
    }

    fn name(&self) -> String {
        match self {
            AnyJob::Analysis(job) => job.name(),
            AnyJob::Games(job) => job.name(),
        }
    }

    fn fingerprint(&self) -> Fingerprint {
        match self {
            AnyJob::Analysis(job) => job.basis.fingerprint(),
            AnyJob::Games(job) => job.fingerprint.clone(),
        }
    }

    /// Its table in MiB, and the most nodes for a position as far as it says.
    fn size(&self) -> (usize, Option<u64>) {
        match self {
            AnyJob::Analysis(AnalysisJob { basis, .. }) => {
                let Effort { nodes, hash, .. } = basis.effort;
                (hash, nodes)
            }
            AnyJob::Games(job) => (job.hash, Some(job.most_nodes())),
        }
    }

    fn check(&self) -> Result<(), String> {
        match self {
            AnyJob::Analysis(job) => job.positions().map(drop).map_err(|error| error.to_string()),
            AnyJob::Games(job) => job.starts().map(drop).map_err(|error| error.to_string()),
        }
    }
}

/// What is in memory for jobs like the last one.
enum Equipment {
    Searcher(Box<Searcher>),
    /// With its nodes and the size of its table.
    Player(u64, usize, Box<SoloPlayer>),
}

/// Does jobs, one after the other.
pub struct Doer {
    settings: Settings,
    max_nodes: u64,
    equipment: Option<Equipment>,
}

impl Doer {
    /// For jobs within bounds, with these settings.
    pub fn new(settings: Settings, bounds: Bounds) -> Doer {
        Doer { settings, max_nodes: bounds.max_nodes, equipment: None }
    }

    /// The answer as JSON, or why there is none. `say` hears what the engine has to say.
    ///
    /// # Errors
    ///
    /// If the system has not got the memory or the threads.
    pub fn answer(&mut self, job: &AnyJob, say: fn(&str)) -> Result<Result<String, String>, EngineError> {
        match job {
            AnyJob::Analysis(job) => self.search(job, say),
            AnyJob::Games(job) => self.play(job),
        }
    }

    fn search(&mut self, job: &AnalysisJob, say: fn(&str)) -> Result<Result<String, String>, EngineError> {
        let mut searcher = match self.equipment.take() {
            Some(Equipment::Searcher(searcher)) if searcher.is_for(&job.basis) => searcher,
            // The memory of the old one is needed for the new one.
            other => {
                drop(other);
                let searcher = Searcher::new(&self.settings, job.basis.clone())?;
                Box::new(searcher.with_ceiling(self.max_nodes))
            }
        };
        // A defect ends a job and not the worker.
        let answer = catch_unwind(AssertUnwindSafe(|| searcher.answer(job))).unwrap_or(Err(JobError::Failed));
        searcher.notes().iter().for_each(|note| say(note));
        if answer != Err(JobError::Failed) {
            self.equipment = Some(Equipment::Searcher(searcher));
        }
        Ok(answer.map(|answer| json(&answer)).map_err(|error| error.to_string()))
    }

    fn play(&mut self, job: &GamesJob) -> Result<Result<String, String>, EngineError> {
        let mut player = match self.equipment.take() {
            Some(Equipment::Player(nodes, hash, player)) if (nodes, hash) == (job.nodes, job.hash) => player,
            other => {
                drop(other);
                Box::new(SoloPlayer::new(job.nodes, job.hash, &self.settings)?)
            }
        };
        let Ok(answer) = catch_unwind(AssertUnwindSafe(|| job.play(&mut *player))) else {
            return Ok(Err(JobError::Failed.to_string()));
        };
        self.equipment = Some(Equipment::Player(job.nodes, job.hash, player));
        let text = answer.map(|answer| json(&answer)).map_err(|error| error.to_string());
        Ok(text.and_then(|text| match text.len() > job.answer_bytes() {
            true => Err("its games are too long for an answer".to_owned()),
            false => Ok(text),
        }))
    }
}

fn json(answer: &impl serde::Serialize) -> String {
    serde_json::to_string(answer).expect("plain values become JSON")
}
