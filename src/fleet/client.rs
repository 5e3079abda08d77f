//! Hands jobs of one kind out and collects the answers.
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
use crate::engine::Fingerprint;

/// The greatest number of jobs in the queue. It is enough for hundreds of machines.
pub(super) const APPETITE: usize = 1024;
/// The time between two questions about all open jobs.
const SWEEP: Duration = Duration::from_secs(10);
/// The number of jobs in one message.
const BATCH: usize = 64;
/// How often a job is searched again because its answer was not valid.
const RETRIES: u32 = 2;

/// A kind of job, as a client hands it out.
pub trait Errand {
    /// What comes of it.
    type Answer: Clone;

    /// The job as JSON.
    fn text(&self) -> String;

    /// The most bytes that an answer can have.
    fn answer_bytes(&self) -> usize;

    /// The answer in these bytes, if it can belong to this job; otherwise the reason why not.
    fn understood(&self, bytes: &[u8]) -> Result<Self::Answer, String>;
}

/// What has come of a job.
pub struct Collected<A> {
    /// By which whoever handed it out knows it.
    pub ticket: u64,
    /// The answer, or why the job was set aside.
    pub answer: Result<A, String>,
}

/// A client of a queue.
pub struct Client<E: Errand> {
    queue: Queue,
    identity: Identity,
    keys: Keys,
    /// Jobs without an answer, by their names.
    open: HashMap<String, OpenJob<E>>,
    /// The names of jobs that have not been submitted.
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

struct OpenJob<E> {
    /// The requests that wait for the answer. There may be several, because a game may occur twice.
    tickets: Vec<u64>,
    errand: E,
    entry: QueueEntry,
    /// The number of answers that were not valid.
    wrong: u32,
}

impl<E: Errand> Client<E> {
    /// Connects to a queue, with jobs for engines of this fingerprint in mind. A server may be away for as long as
    /// `patience`.
    ///
    /// # Errors
    ///
    /// [`QueueError`] if the queue cannot be used.
    pub fn start(
        address: &Address,
        fingerprint: &Fingerprint,
        patience: Duration,
        say: &mut dyn FnMut(&str),
    ) -> Result<Client<E>, QueueError> {
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
    ) -> Result<Vec<Collected<E::Answer>>, QueueError> {
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
                    QueuedState::Answered(text) => match self.open[&name].errand.understood(&text) {
                        Ok(answer) => done.extend(self.close(&name, &Ok(answer))),
                        Err(reason) => unknown.extend(self.reject(name, &text, &reason, &mut done, say)?),
                    },
                    QueuedState::Oversize => {
                        unknown.extend(self.reject(name, b"", "it is too long", &mut done, say)?);
                    }
                    QueuedState::Failed(reason) => {
                        done.extend(self.close(&name, &Err(one_line(&reason))));
                    }
                }
            }
        }
        self.fresh.extend(unknown);
        Ok(done)
    }

    /// Rejects the answer of a job. The job is searched again, and its name is returned; or it is given up after too
    /// many wrong answers.
    fn reject(
        &mut self,
        name: String,
        text: &[u8],
        reason: &str,
        done: &mut Vec<Collected<E::Answer>>,
        say: &mut dyn FnMut(&str),
    ) -> Result<Option<String>, QueueError> {
        let job = self.open.get_mut(&name).expect("an open job");
        job.wrong += 1;
        let (entry, wrong) = (job.entry.clone(), job.wrong);
        self.queue.call(say, |connection| store::reject(connection, &entry, text))?;
        let reason = one_line(&format!("its answer is not valid ({reason})"));
        if wrong > RETRIES {
            done.extend(self.close(&name, &Err(reason)));
            return Ok(None);
        }
        say(&format!("{}, job {name}: {reason}; it is searched again", entry.label));
        Ok(Some(name))
    }

    fn close(&mut self, name: &str, answer: &Result<E::Answer, String>) -> Vec<Collected<E::Answer>> {
        self.is_busy = true;
        let tickets = self.open.remove(name).map(|job| job.tickets).unwrap_or_default();
        tickets.into_iter().map(|ticket| Collected { ticket, answer: answer.clone() }).collect()
    }

    /// Takes a job on, whose name says what it is and whose label what it is about.
    pub fn hand_out(&mut self, ticket: u64, name: String, label: String, errand: E) {
        if let Some(job) = self.open.get_mut(&name) {
            job.tickets.push(ticket);
            return;
        }
        let (text, answer_bytes) = (errand.text(), errand.answer_bytes());
        let entry = QueueEntry { name: name.clone(), label, text, answer_bytes };
        self.fresh.push(name.clone());
        self.open.insert(name, OpenJob { tickets: vec![ticket], errand, entry, wrong: 0 });
    }

    /// Submits new jobs, and waits up to a second for answers. The list may be empty.
    ///
    /// # Errors
    ///
    /// [`QueueError`] if the queue cannot be used.
    pub fn collect(&mut self, say: &mut dyn FnMut(&str)) -> Result<Vec<Collected<E::Answer>>, QueueError> {
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
    fn sweep(&mut self, say: &mut dyn FnMut(&str)) -> Result<Vec<Collected<E::Answer>>, QueueError> {
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
