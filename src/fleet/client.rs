//! Hands jobs out and collects the answers: the workforce of an analysis with `--queue`.
//!
//! A hint, a reply or all data of the server may be lost. So the client asks about all open jobs from time to time, and
//! submits missing jobs again.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::address::Address;
use super::identity::Identity;
use super::queue::{Patience, Queue, QueueError, one_line};
use super::status;
use super::store::{self, Keys, QueueEntry, QueuedState};
use crate::analyse::job::{Answer, Basis, CHUNK, JobError};
use crate::analyse::workers::{Done, JobRequest, Workforce, WorkforceError};

/// Jobs in the queue at most: enough for hundreds of machines.
const APPETITE: usize = 1024;
/// Between two times that all open jobs are asked about.
const SWEEP: Duration = Duration::from_secs(10);
/// The number of jobs in one message.
const BATCH: usize = 64;
/// A position's line in an answer takes fewer bytes than this: moves, and numbers with their names.
const LINE_BYTES: usize = 1024;
/// How often a job is searched again because its answer was none.
const RETRIES: u32 = 2;

/// A client of a queue.
pub struct Client {
    queue: Queue,
    identity: Identity,
    keys: Keys,
    /// Jobs without an answer, by their names.
    open: HashMap<String, OpenJob>,
    /// Names of those that have not been submitted.
    fresh: Vec<String>,
    /// The last hint that was read.
    last: String,
    /// The number of connections at the last question about all jobs, and its time.
    swept: (u64, Instant),
    /// Whether any job has ended since then.
    is_busy: bool,
    /// Whether the user has been told that there are no workers.
    has_warned: bool,
}

struct OpenJob {
    /// Those that wait for its answer: a game may be there twice.
    requests: Vec<JobRequest>,
    entry: QueueEntry,
    /// The number of answers that were not valid.
    wrong: u32,
}

impl Client {
    /// Connects to a queue, with jobs on this basis in mind. A server may be away for as long as `patience`.
    ///
    /// # Errors
    ///
    /// [`QueueError`] if the queue cannot be used.
    pub fn start(
        address: &Address,
        basis: &Basis,
        patience: Duration,
        say: &mut dyn FnMut(&str),
    ) -> Result<Client, QueueError> {
        let identity = Identity::of(basis);
        let keys = Keys::of(&identity.id());
        let is_over = Arc::new(AtomicBool::new(false));
        let mut queue = Queue::open(address, Patience { limit: patience, awaits_room: false, is_over })?;
        let last = queue.call(say, |connection| {
            store::enroll(connection, &identity)?;
            store::last_done(connection, &keys)
        })?;
        let swept = (queue.connections(), Instant::now());
        let (open, fresh) = (HashMap::new(), Vec::new());
        Ok(Client { queue, identity, keys, open, fresh, last, swept, is_busy: true, has_warned: false })
    }

    /// Asks about jobs, and processes the replies. If `is_submission` is true, it also submits the jobs.
    fn ask(
        &mut self,
        names: &[String],
        is_submission: bool,
        say: &mut dyn FnMut(&str),
    ) -> Result<Vec<Done>, QueueError> {
        let mut done = Vec::new();
        let mut unknown = Vec::new();
        for names in names.chunks(BATCH) {
            let entries: Vec<QueueEntry> = names
                .iter()
                .filter_map(|name| self.open.get(name))
                .map(|job| match is_submission {
                    true => job.entry.clone(),
                    false => QueueEntry { text: String::new(), ..job.entry.clone() },
                })
                .collect();
            let keys = &self.keys;
            let states = self.queue.call(say, |connection| store::submit(connection, keys, &entries))?;
            for (QueueEntry { name, .. }, state) in entries.into_iter().zip(states) {
                match state {
                    QueuedState::Open => {}
                    QueuedState::Unknown => unknown.push(name),
                    QueuedState::Answered(text) => match self.understood(&name, &text) {
                        Ok(answer) => done.extend(self.close(&name, &Ok(answer))),
                        Err(reason) => unknown.extend(self.reject(name, &text, &reason, &mut done, say)?),
                    },
                    QueuedState::Oversize => {
                        unknown.extend(self.reject(name, b"", "it is too long", &mut done, say)?);
                    }
                    QueuedState::Failed(reason) => {
                        done.extend(self.close(&name, &Err(JobError::SetAside(one_line(&reason)))));
                    }
                }
            }
        }
        self.fresh.extend(unknown);
        Ok(done)
    }

    /// An answer, if it can be one.
    fn understood(&self, name: &str, text: &[u8]) -> Result<Answer, String> {
        let answer: Answer = serde_json::from_slice(text).map_err(|error| error.to_string())?;
        let job = &self.open[name].requests[0].job;
        answer.check(job).map_err(|error| error.to_string())?;
        Ok(answer)
    }

    /// Has a job searched again whose answer is none, or gives it up. Returns its name in the first case.
    fn reject(
        &mut self,
        name: String,
        text: &[u8],
        reason: &str,
        done: &mut Vec<Done>,
        say: &mut dyn FnMut(&str),
    ) -> Result<Option<String>, QueueError> {
        let job = self.open.get_mut(&name).expect("an open job");
        job.wrong += 1;
        let (entry, wrong) = (job.entry.clone(), job.wrong);
        self.queue.call(say, |connection| store::reject(connection, &entry, text))?;
        let reason = one_line(&format!("its answer is not valid ({reason})"));
        if wrong > RETRIES {
            done.extend(self.close(&name, &Err(JobError::SetAside(reason))));
            return Ok(None);
        }
        say(&format!("{}, job {name}: {reason}; it is searched again", entry.label));
        Ok(Some(name))
    }

    fn close(&mut self, name: &str, answer: &Result<Answer, JobError>) -> Vec<Done> {
        self.is_busy = true;
        let requests = self.open.remove(name).map(|job| job.requests).unwrap_or_default();
        let done =
            |request: JobRequest| Done { ticket: request.ticket, answer: answer.clone(), notes: Vec::new() };
        requests.into_iter().map(done).collect()
    }

    /// Submits what has not been submitted, and waits a second for answers.
    fn step(&mut self, say: &mut dyn FnMut(&str)) -> Result<Vec<Done>, QueueError> {
        let fresh = std::mem::take(&mut self.fresh);
        let done = self.ask(&fresh, true, say)?;
        if !done.is_empty() || !self.fresh.is_empty() {
            return Ok(done);
        }
        let (keys, last) = (&self.keys, &mut self.last);
        let names = self.queue.call(say, |connection| store::wait_done(connection, keys, last))?;
        let names: HashSet<String> = names.into_iter().filter(|name| self.open.contains_key(name)).collect();
        let done = self.ask(&Vec::from_iter(names), false, say)?;
        let (connections, swept) = self.swept;
        if self.queue.connections() == connections && swept.elapsed() < SWEEP {
            return Ok(done);
        }
        let more = self.sweep(say)?;
        Ok(done.into_iter().chain(more).collect())
    }

    /// Asks about everything.
    fn sweep(&mut self, say: &mut dyn FnMut(&str)) -> Result<Vec<Done>, QueueError> {
        let (keys, identity) = (&self.keys, &self.identity);
        self.last = self.queue.call(say, |connection| {
            store::enroll(connection, identity)?;
            store::last_done(connection, keys)
        })?;
        let names: Vec<String> = self.open.keys().cloned().collect();
        let done = self.ask(&names, false, say)?;
        if !std::mem::take(&mut self.is_busy) && !self.has_warned {
            let all = self.queue.call(say, status::read)?;
            if let Some(reason) = status::why_idle(&all, &self.identity) {
                say(&format!("{} jobs wait: {reason}", self.open.len()));
                self.has_warned = true;
            }
        }
        self.swept = (self.queue.connections(), Instant::now());
        Ok(done)
    }
}

impl Workforce for Client {
    fn appetite(&self) -> usize {
        APPETITE
    }

    fn submit(&mut self, request: JobRequest) {
        if let Some(job) = self.open.get_mut(&request.name) {
            job.requests.push(request);
            return;
        }
        let entry = QueueEntry {
            name: request.name.clone(),
            label: request.label.clone(),
            text: serde_json::to_string(&request.job).expect("plain values become JSON"),
            answer_bytes: LINE_BYTES * (1 + CHUNK * request.job.basis.effort.lines),
        };
        self.fresh.push(request.name.clone());
        self.open.insert(request.name.clone(), OpenJob { requests: vec![request], entry, wrong: 0 });
    }

    fn wait(&mut self, say: &mut dyn FnMut(&str)) -> Result<Vec<Done>, WorkforceError> {
        self.step(say).map_err(|error| WorkforceError(Box::new(error)))
    }
}
