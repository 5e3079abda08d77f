//! Reads and does jobs of each kind. A job may come from anybody who can write to the queue. So a worker checks each
//! job before it does anything with it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde::Deserialize;

use super::identity::Identity;
use super::store::{JOB_BYTES, Taken};
use crate::base::file::json;
use crate::engine::facade::{EngineError, Fingerprint, Settings};
use crate::engine::selfplay::pace::SoftNodes;
use crate::engine::selfplay::solo_player::SoloPlayer;
use crate::lab::datagen::job::GamesJob;
use crate::service::analyse::job::{AnalysisJob, Effort, JobError};
use crate::service::analyse::search::Searcher;

/// A job of any kind.
pub enum AnyJob {
    /// Positions to search.
    Analysis(AnalysisJob),
    /// Games to play.
    Games(GamesJob),
}

/// The limits that a worker sets for its jobs.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// The greatest number of nodes for a position.
    pub max_nodes: u64,
    /// The greatest size of a hash table in MiB.
    pub max_hash: usize,
}

/// The field that shows the kind of a job. Jobs of `analyse` do not have it.
#[derive(Deserialize)]
struct KindOfJob {
    kind: Option<String>,
}

impl AnyJob {
    /// Reads the job in an entry. If the job is not valid, not for this identity or not within these bounds, returns
    /// the reason.
    pub fn read(taken: &Taken, identity: &Identity, bounds: Bounds) -> Result<AnyJob, String> {
        if taken.text.len() > JOB_BYTES {
            return Err(format!("it has {} bytes, and no job has more than {JOB_BYTES}", taken.text.len()));
        }
        let job = AnyJob::parse(&taken.text).map_err(|error| format!("it is not a valid job: {error}"))?;
        if job.name() != taken.name {
            return Err("its name does not match its contents".to_owned());
        }
        if *job.fingerprint() != identity.fingerprint {
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

    fn fingerprint(&self) -> &Fingerprint {
        match self {
            AnyJob::Analysis(job) => &job.basis.fingerprint,
            AnyJob::Games(job) => &job.fingerprint,
        }
    }

    /// The size of the job's table in MiB, and its node limit for a position if it has one.
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

/// The engine of the last job. The next job uses it again if it has the same settings.
enum PreparedEngine {
    Searcher(Box<Searcher>),
    /// The node limits of the player, the size of its table in MiB, and the player.
    Player(SoftNodes, usize, Box<SoloPlayer>),
}

/// Does one job after the other.
pub struct JobRunner {
    settings: Settings,
    max_nodes: u64,
    prepared: Option<PreparedEngine>,
}

impl JobRunner {
    /// Makes a runner for jobs within these bounds. The engine has these settings.
    pub fn new(settings: Settings, bounds: Bounds) -> JobRunner {
        JobRunner { settings, max_nodes: bounds.max_nodes, prepared: None }
    }

    /// The answer as JSON, or the reason why there is none. `say` receives the engine's messages.
    ///
    /// # Errors
    ///
    /// If the system refuses memory or threads.
    pub fn answer(&mut self, job: &AnyJob, say: fn(&str)) -> Result<Result<String, String>, EngineError> {
        match job {
            AnyJob::Analysis(job) => self.search(job, say),
            AnyJob::Games(job) => self.play(job),
        }
    }

    fn search(&mut self, job: &AnalysisJob, say: fn(&str)) -> Result<Result<String, String>, EngineError> {
        let mut searcher = match self.prepared.take() {
            Some(PreparedEngine::Searcher(searcher)) if searcher.is_for(&job.basis) => searcher,
            // The old engine's memory is freed before the new engine takes its own.
            other => {
                drop(other);
                let searcher = Searcher::new(&self.settings, job.basis.clone())?;
                Box::new(searcher.with_ceiling(self.max_nodes))
            }
        };
        // A panic in the search ends the job, but not the worker.
        let answer = catch_unwind(AssertUnwindSafe(|| searcher.answer(job))).unwrap_or(Err(JobError::Failed));
        searcher.notes().iter().for_each(|note| say(note));
        if answer != Err(JobError::Failed) {
            self.prepared = Some(PreparedEngine::Searcher(searcher));
        }
        Ok(answer.map(|answer| json(&answer)).map_err(|error| error.to_string()))
    }

    fn play(&mut self, job: &GamesJob) -> Result<Result<String, String>, EngineError> {
        let mut player = match self.prepared.take() {
            Some(PreparedEngine::Player(nodes, hash, player))
                if (nodes, hash) == (job.rules.nodes, job.hash) =>
            {
                player
            }
            other => {
                drop(other);
                Box::new(SoloPlayer::new(job.rules.nodes, job.hash, &self.settings)?)
            }
        };
        let Ok(answer) = catch_unwind(AssertUnwindSafe(|| job.play(&mut *player))) else {
            return Ok(Err(JobError::Failed.to_string()));
        };
        self.prepared = Some(PreparedEngine::Player(job.rules.nodes, job.hash, player));
        let text = answer.map(|answer| json(&answer)).map_err(|error| error.to_string());
        Ok(text.and_then(|text| match text.len() > job.answer_bytes() {
            true => Err("its games are too long for an answer".to_owned()),
            false => Ok(text),
        }))
    }
}
