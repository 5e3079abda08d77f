//! Hands jobs of one kind out and collects the answers.
//!
//! A hint or a reply may be lost, and the server may lose all its data. So the client asks about all open jobs from
//! time to time, and submits missing jobs again.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::address::Address;
use super::identity::Identity;
use super::queue::{Patience, Queue, QueueError, foreign_line};
use super::status;
use super::store::{self, Keys, QueueEntry, QueuedState};
use crate::engine::facade::Fingerprint;

/// A client hands out new jobs while it has fewer open jobs than this. The number is enough for hundreds of machines.
pub(super) const LOOKAHEAD: usize = 1024;
/// The time between two questions about all open jobs.
const SWEEP: Duration = Duration::from_secs(10);
/// The number of jobs in one message.
const BATCH: usize = 64;
/// How often a job is done again because its answer was not valid.
const RETRIES: u32 = 2;

/// A job that a client can hand out.
pub trait QueueJob {
    /// The answer to the job.
    type Answer: Clone;

    /// The job as JSON.
    fn text(&self) -> String;

    /// The greatest length of an answer in bytes.
    fn answer_bytes(&self) -> usize;

    /// Reads an answer, and checks it as far as possible. If it cannot be an answer to this job, returns the reason.
    fn understood(&self, bytes: &[u8]) -> Result<Self::Answer, String>;
}

/// The outcome of a job.
pub struct Collected<A> {
    /// The number that the caller of [`Client::hand_out`] chose.
    pub ticket: u64,
    /// The answer, or the reason why the job was set aside.
    pub answer: Result<A, String>,
}

/// A client of a queue.
pub struct Client<J: QueueJob> {
    queue: Queue,
    identity: Identity,
    keys: Keys,
    /// The jobs without an answer, by their names.
    open: HashMap<String, OpenJob<J>>,
    /// The names of the jobs that must still be submitted.
    fresh: Vec<String>,
    /// The last hint that was read.
    last: String,
    /// The time of the last question about all jobs, and the number of connections at that time.
    swept: (u64, Instant),
    /// Whether any job has ended since the last question about all jobs.
    is_busy: bool,
    /// Whether the user has been told that there are no workers.
    has_warned: bool,
}

struct OpenJob<J> {
    /// The tickets of the requests that wait for the answer. There may be several, because a game may occur twice.
    tickets: Vec<u64>,
    job: J,
    entry: QueueEntry,
    /// The number of answers that were not valid.
    wrong: u32,
}

impl<J: QueueJob> Client<J> {
    /// Connects to a queue. The client's jobs are for engines with this fingerprint. The server may be unreachable for
    /// as long as `patience`.
    ///
    /// # Errors
    ///
    /// [`QueueError`] if the queue cannot be used.
    pub fn start(
        address: &Address,
        fingerprint: &Fingerprint,
        patience: Duration,
        say: &mut dyn FnMut(&str),
    ) -> Result<Client<J>, QueueError> {
        let identity = Identity::of(fingerprint);
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
    ) -> Result<Vec<Collected<J::Answer>>, QueueError> {
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
                    QueuedState::Answered(text) => match self.open[&name].job.understood(&text) {
                        Ok(answer) => done.extend(self.close(&name, &Ok(answer))),
                        Err(reason) => unknown.extend(self.reject(name, &text, &reason, &mut done, say)?),
                    },
                    QueuedState::Oversize => {
                        unknown.extend(self.reject(name, b"", "it is too long", &mut done, say)?);
                    }
                    QueuedState::Failed(reason) => {
                        done.extend(self.close(&name, &Err(foreign_line(&reason))));
                    }
                }
            }
        }
        self.fresh.extend(unknown);
        Ok(done)
    }

    /// Rejects the answer of a job. Returns the name of the job if it must be done again. After too many wrong answers
    /// the job is given up instead.
    fn reject(
        &mut self,
        name: String,
        text: &[u8],
        reason: &str,
        done: &mut Vec<Collected<J::Answer>>,
        say: &mut dyn FnMut(&str),
    ) -> Result<Option<String>, QueueError> {
        let job = self.open.get_mut(&name).expect("an open job");
        job.wrong += 1;
        let (entry, wrong) = (job.entry.clone(), job.wrong);
        self.queue.call(say, |connection| store::reject(connection, &entry, text))?;
        let reason = foreign_line(&format!("its answer is not valid ({reason})"));
        if wrong > RETRIES {
            done.extend(self.close(&name, &Err(reason)));
            return Ok(None);
        }
        say(&format!("{}, job {name}: {reason}; the job is done again", entry.label));
        Ok(Some(name))
    }

    fn close(&mut self, name: &str, answer: &Result<J::Answer, String>) -> Vec<Collected<J::Answer>> {
        self.is_busy = true;
        let tickets = self.open.remove(name).map(|job| job.tickets).unwrap_or_default();
        tickets.into_iter().map(|ticket| Collected { ticket, answer: answer.clone() }).collect()
    }

    /// Hands out a job. It is submitted at the next call of [`Client::collect`]. Jobs with the same name are the same
    /// job. The label describes the job in messages. The answer comes with the ticket.
    pub fn hand_out(&mut self, ticket: u64, name: String, label: String, job: J) {
        if let Some(job) = self.open.get_mut(&name) {
            job.tickets.push(ticket);
            return;
        }
        let (text, answer_bytes) = (job.text(), job.answer_bytes());
        let entry = QueueEntry { name: name.clone(), label, text, answer_bytes };
        self.fresh.push(name.clone());
        self.open.insert(name, OpenJob { tickets: vec![ticket], job, entry, wrong: 0 });
    }

    /// Submits new jobs, and waits up to a second for answers. The list may be empty.
    ///
    /// # Errors
    ///
    /// [`QueueError`] if the queue cannot be used.
    pub fn collect(&mut self, say: &mut dyn FnMut(&str)) -> Result<Vec<Collected<J::Answer>>, QueueError> {
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

    /// Asks about all open jobs.
    fn sweep(&mut self, say: &mut dyn FnMut(&str)) -> Result<Vec<Collected<J::Answer>>, QueueError> {
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
