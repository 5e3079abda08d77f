//! What lies on the server, and each way in which it changes.
//!
//! | key | kind | what |
//! |---|---|---|
//! | `enfilade:identities` | hash | [`Identity`] as JSON, by its id |
//! | `enfilade:jobs:ID` | stream | jobs for that identity; the group `workers` takes them |
//! | `enfilade:open:ID` | hash | places in that stream, by the names of jobs |
//! | `enfilade:failed:ID` | hash | why jobs were set aside, by their names |
//! | `enfilade:done:ID` | stream | names of jobs that are not open any more: a hint to clients, cut short |
//! | `enfilade:seen:ID` | hash | when workers gave a sign of life, in seconds since 1970, by their names |
//! | `enfilade:counts:ID` | hash | searches, answers, and jobs refused |
//! | `enfilade:answer:NAME` | string | the answer to a job |

use redis::{Cmd, Connection, FromRedisValue, Pipeline, RedisResult, Value, cmd};

use super::identity::Identity;

/// The most bytes of a job: far more than any has that this program makes.
pub const JOB_BYTES: usize = 64 << 10;

/// Of the workers of a stream.
pub const GROUP: &str = "workers";
/// Who keeps the jobs that were given back. It is no worker.
pub const RETURNED: &str = "returned";
/// The identities that are known.
pub const IDENTITIES: &str = "enfilade:identities";

/// The keys of an identity.
#[derive(Clone, Debug)]
pub struct Keys {
    /// Stream of jobs.
    pub jobs: String,
    /// What is in it.
    pub open: String,
    /// What was set aside.
    pub failed: String,
    /// Names of jobs that are not open any more.
    pub done: String,
    /// When workers gave a sign of life.
    pub seen: String,
    /// Searches and answers.
    pub counts: String,
}

impl Keys {
    /// Those of the identity with this id.
    pub fn of(id: &str) -> Keys {
        let key = |kind: &str| format!("enfilade:{kind}:{id}");
        Keys {
            jobs: key("jobs"),
            open: key("open"),
            failed: key("failed"),
            done: key("done"),
            seen: key("seen"),
            counts: key("counts"),
        }
    }
}

fn answer_key(name: &str) -> String {
    format!("enfilade:answer:{name}")
}

/// A script with its keys and arguments. The server keeps what it has compiled.
fn script(text: &str, keys: &[&str], arguments: &[&[u8]]) -> Cmd {
    let mut command = cmd("EVAL");
    command.arg(text).arg(keys.len()).arg(keys).arg(arguments);
    command
}

/// Makes an identity known, and a stream for its jobs.
pub fn enroll(connection: &mut Connection, identity: &Identity) -> RedisResult<()> {
    let id = identity.id();
    cmd("HSET").arg(IDENTITIES).arg(&id).arg(identity.json()).query::<()>(connection)?;
    let mut create = cmd("XGROUP");
    create.arg("CREATE").arg(Keys::of(&id).jobs).arg(GROUP).arg("0").arg("MKSTREAM");
    match create.query::<()>(connection) {
        Err(error) if error.code() == Some("BUSYGROUP") => Ok(()),
        result => result,
    }
}

/// Does something with an identity's stream that may be gone: a server that has lost its data gets a new one.
pub fn or_enroll<T: Default>(
    connection: &mut Connection,
    identity: &Identity,
    action: impl FnOnce(&mut Connection) -> RedisResult<T>,
) -> RedisResult<T> {
    match action(connection) {
        Err(error) if error.to_string().contains("NOGROUP") => {
            enroll(connection, identity).map(|()| T::default())
        }
        result => result,
    }
}

/// A job as it is put into the stream.
#[derive(Clone, Debug)]
pub struct QueueEntry {
    /// The job's name.
    pub name: String,
    /// Which game it is about.
    pub label: String,
    /// The job as JSON; empty to ask only.
    pub text: String,
    /// The most bytes that its answer can have.
    pub answer_bytes: usize,
}

/// How it stands about a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueuedState {
    /// Nobody knows it.
    Unknown,
    /// It waits, or somebody is at work on it.
    Open,
    /// Its answer.
    Answered(Vec<u8>),
    /// An answer that is longer than any can be.
    Oversize,
    /// It was set aside, and why.
    Failed(String),
}

impl FromRedisValue for QueuedState {
    fn from_redis_value(value: Value) -> Result<QueuedState, redis::ParsingError> {
        let parts: Vec<Vec<u8>> = redis::from_redis_value(value)?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok(match (parts.first().map(Vec::as_slice), parts.get(1)) {
            (Some(b"answer"), Some(answer)) => QueuedState::Answered(answer.clone()),
            (Some(b"failed"), Some(reason)) => QueuedState::Failed(text(reason)),
            (Some(b"oversize"), _) => QueuedState::Oversize,
            (Some(b"open"), _) => QueuedState::Open,
            _ => QueuedState::Unknown,
        })
    }
}

/// Puts jobs into the stream that are neither there nor answered nor set aside, and tells how it stands about each.
pub fn submit(
    connection: &mut Connection,
    keys: &Keys,
    entries: &[QueueEntry],
) -> RedisResult<Vec<QueuedState>> {
    if entries.is_empty() {
        return Ok(Vec::new());
    }
    let mut pipeline = Pipeline::new();
    for entry in entries {
        let answer = answer_key(&entry.name);
        pipeline.add_command(script(
            include_str!("scripts/submit.lua"),
            &[&keys.jobs, &keys.open, &keys.failed, &answer],
            &[
                entry.name.as_bytes(),
                entry.text.as_bytes(),
                entry.label.as_bytes(),
                entry.answer_bytes.to_string().as_bytes(),
            ],
        ));
    }
    pipeline.query(connection)
}

/// Removes an answer that is none.
pub fn reject(connection: &mut Connection, entry: &QueueEntry, answer: &[u8]) -> RedisResult<()> {
    let limit = entry.answer_bytes.to_string();
    let arguments: [&[u8]; 2] = [answer, limit.as_bytes()];
    script(include_str!("scripts/reject.lua"), &[&answer_key(&entry.name)], &arguments).query(connection)
}

/// A job that was taken from the stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// Its place there.
    pub place: String,
    /// Its name, as far as it has one.
    pub name: String,
    /// Which game it is about.
    pub label: String,
    /// The job as JSON.
    pub text: Vec<u8>,
    /// How often it has been given out, this time included.
    pub times: u64,
}

impl FromRedisValue for Taken {
    fn from_redis_value(value: Value) -> Result<Taken, redis::ParsingError> {
        let (place, fields, times): (String, Vec<Vec<u8>>, u64) = redis::from_redis_value(value)?;
        Ok(Taken::new(place, &fields, times))
    }
}

impl Taken {
    /// From the fields of an entry, each a name and a value. They may be anything.
    fn new(place: String, fields: &[Vec<u8>], times: u64) -> Taken {
        let value =
            |name: &[u8]| fields.chunks_exact(2).find(|pair| pair[0] == name).map(|pair| pair[1].as_slice());
        let text = |name: &[u8]| String::from_utf8_lossy(value(name).unwrap_or_default()).into_owned();
        let (name, label) = (text(b"name"), text(b"label"));
        Taken { place, name, label, text: value(b"job").unwrap_or_default().to_owned(), times }
    }
}

/// What a stream's reader gets: streams by their keys, with their entries.
type Read = Option<Vec<(String, Vec<StreamEntry>)>>;
/// Place and fields, each a name and a value.
type StreamEntry = (String, Vec<Vec<u8>>);

fn entries(read: Read) -> impl Iterator<Item = StreamEntry> {
    read.into_iter().flatten().flat_map(|(_, entries)| entries)
}

/// Takes one job for `consumer`: one whose lease of so many milliseconds has run out, or else the next one. Waits up to
/// a second for it.
pub fn take(
    connection: &mut Connection,
    keys: &Keys,
    consumer: &str,
    lease: u64,
) -> RedisResult<Option<Taken>> {
    let lease = lease.to_string();
    let arguments = [GROUP.as_bytes(), consumer.as_bytes(), lease.as_bytes()];
    let found: Option<Taken> =
        script(include_str!("scripts/take.lua"), &[&keys.jobs], &arguments).query(connection)?;
    if found.is_some() {
        return Ok(found);
    }
    let mut next = cmd("XREADGROUP");
    next.arg("GROUP").arg(GROUP).arg(consumer).arg("COUNT").arg(1).arg("BLOCK").arg(1000);
    next.arg("STREAMS").arg(&keys.jobs).arg(">");
    Ok(entries(next.query(connection)?).next().map(|(place, fields)| Taken::new(place, &fields, 1)))
}

/// Whether there is an answer to a job.
pub fn is_answered(connection: &mut Connection, name: &str) -> RedisResult<bool> {
    cmd("EXISTS").arg(answer_key(name)).query(connection)
}

/// Renews the leases of a consumer, and notes that it lives.
pub fn renew(connection: &mut Connection, keys: &Keys, consumer: &str) -> RedisResult<()> {
    let arguments = [GROUP.as_bytes(), consumer.as_bytes()];
    script(include_str!("scripts/renew.lua"), &[&keys.jobs, &keys.seen], &arguments).query(connection)
}

/// Stores the answer to a job if there is none, and removes the job; without a text it only removes it.
pub fn deliver(connection: &mut Connection, keys: &Keys, taken: &Taken, text: &str) -> RedisResult<()> {
    let answer = answer_key(&taken.name);
    let names = [&keys.jobs, &keys.open, &answer, &keys.done, &keys.counts].map(String::as_str);
    let arguments = [GROUP.as_bytes(), taken.place.as_bytes(), taken.name.as_bytes(), text.as_bytes()];
    script(include_str!("scripts/deliver.lua"), &names, &arguments).query(connection)
}

/// Sets a job aside that cannot be done.
pub fn set_aside(connection: &mut Connection, keys: &Keys, taken: &Taken, reason: &str) -> RedisResult<()> {
    let names = [&keys.jobs, &keys.open, &keys.failed, &keys.done, &keys.counts].map(String::as_str);
    let arguments = [GROUP.as_bytes(), taken.place.as_bytes(), taken.name.as_bytes(), reason.as_bytes()];
    script(include_str!("scripts/set_aside.lua"), &names, &arguments).query(connection)
}

/// Gives back what a consumer has, and removes the consumer.
pub fn give_back(connection: &mut Connection, keys: &Keys, consumer: &str) -> RedisResult<()> {
    let arguments = [GROUP.as_bytes(), consumer.as_bytes(), RETURNED.as_bytes()];
    script(include_str!("scripts/give_back.lua"), &[&keys.jobs, &keys.seen], &arguments).query(connection)
}

/// The last of the names of jobs that are not open any more.
pub fn last_done(connection: &mut Connection, keys: &Keys) -> RedisResult<String> {
    let mut last = cmd("XREVRANGE");
    last.arg(&keys.done).arg("+").arg("-").arg("COUNT").arg(1);
    let entries: Vec<StreamEntry> = last.query(connection)?;
    Ok(entries.into_iter().next().map_or_else(|| "0-0".to_owned(), |(place, _)| place))
}

/// Waits up to a second for names of jobs that are not open any more, from the place `last` on, which moves on.
pub fn wait_done(connection: &mut Connection, keys: &Keys, last: &mut String) -> RedisResult<Vec<String>> {
    let mut read = cmd("XREAD");
    read.arg("COUNT").arg(1000).arg("BLOCK").arg(1000).arg("STREAMS").arg(&keys.done).arg(&*last);
    let mut names = Vec::new();
    for (place, fields) in entries(read.query(connection)?) {
        names.extend(fields.get(1).map(|name| String::from_utf8_lossy(name).into_owned()));
        *last = place;
    }
    Ok(names)
}

/// What is to be removed.
#[derive(Clone, Copy, Debug)]
pub struct Clearing {
    /// Which jobs were set aside.
    pub failed: bool,
    /// Answers.
    pub answers: bool,
    /// Jobs that wait or run.
    pub jobs: bool,
}

/// Removes things of all identities, and returns how many keys.
pub fn clear(connection: &mut Connection, what: Clearing) -> RedisResult<u64> {
    let ids: Vec<String> = cmd("HKEYS").arg(IDENTITIES).query(connection)?;
    let mut removed = 0;
    for keys in ids.iter().map(|id| Keys::of(id)) {
        // Together: a job that is open must be in the stream.
        let lists = [(what.failed, vec![keys.failed]), (what.jobs, vec![keys.jobs, keys.open])];
        for (_, keys) in lists.into_iter().filter(|(is_chosen, _)| *is_chosen) {
            removed += cmd("DEL").arg(keys).query::<u64>(connection)?;
        }
    }
    if what.answers {
        removed += clear_answers(connection)?;
    }
    Ok(removed)
}

fn clear_answers(connection: &mut Connection) -> RedisResult<u64> {
    let (mut removed, mut cursor) = (0, 0);
    loop {
        let mut scan = cmd("SCAN");
        scan.arg(cursor).arg("MATCH").arg(answer_key("*")).arg("COUNT").arg(1000);
        let (next, keys): (u64, Vec<String>) = scan.query(connection)?;
        if !keys.is_empty() {
            removed += cmd("UNLINK").arg(keys).query::<u64>(connection)?;
        }
        if next == 0 {
            return Ok(removed);
        }
        cursor = next;
    }
}
