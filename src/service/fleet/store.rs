//! The data on the server, and all changes of them.
//!
//! | key | kind | what |
//! |---|---|---|
//! | `enfilade:identities` | hash | [`Identity`] as JSON, by its id |
//! | `enfilade:jobs:ID` | stream | jobs for that identity; the group `workers` takes them |
//! | `enfilade:open:ID` | hash | places in that stream, by the names of jobs |
//! | `enfilade:failed:ID` | hash | the reasons why jobs were set aside, by the names of the jobs |
//! | `enfilade:done:ID` | stream | names of jobs that are no longer open: a hint for clients, of limited length |
//! | `enfilade:seen:ID` | hash | the last sign of life of each worker, in seconds since 1970, by its name |
//! | `enfilade:counts:ID` | hash | the numbers of searches, answers, and refused jobs |
//! | `enfilade:answer:NAME` | string | the answer to a job |

use redis::{Cmd, Connection, FromRedisValue, Pipeline, RedisResult, Value, cmd};

use super::identity::Identity;

/// The greatest length of a job in bytes. Jobs of this program are far shorter.
pub const JOB_BYTES: usize = 64 << 10;

/// The name of the consumer group of a stream's workers.
pub const GROUP: &str = "workers";
/// The consumer that keeps jobs that were given back. It is not a worker.
pub const RETURNED: &str = "returned";
/// The key of the known identities.
pub const IDENTITIES: &str = "enfilade:identities";

/// The keys of an identity.
#[derive(Clone, Debug)]
pub struct Keys {
    /// The stream of jobs.
    pub jobs: String,
    /// The places of the jobs in the stream.
    pub open: String,
    /// The jobs that were set aside.
    pub failed: String,
    /// The names of jobs that are no longer open.
    pub done: String,
    /// The last signs of life of the workers.
    pub seen: String,
    /// The numbers of searches, answers and refused jobs.
    pub counts: String,
}

impl Keys {
    /// The keys of the identity with this id.
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

/// A script with its keys and arguments. The server keeps compiled scripts.
fn script(text: &str, keys: &[&str], arguments: &[&[u8]]) -> Cmd {
    let mut command = cmd("EVAL");
    command.arg(text).arg(keys.len()).arg(keys).arg(arguments);
    command
}

/// Adds an identity, and makes a stream for its jobs.
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

/// Runs an action on an identity's stream. If the stream is missing because the server has lost its data, makes a new
/// stream and returns the default value.
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

/// A job as an entry of the stream.
#[derive(Clone, Debug)]
pub struct QueueEntry {
    /// The job's name.
    pub name: String,
    /// A description of the job for messages: its game or games.
    pub label: String,
    /// The job as JSON; empty to ask about the job without submitting it.
    pub text: String,
    /// The greatest length of the answer in bytes.
    pub answer_bytes: usize,
}

/// The state of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueuedState {
    /// The server does not know the job.
    Unknown,
    /// The job waits, or a worker has taken it.
    Open,
    /// The job has this answer.
    Answered(Vec<u8>),
    /// The job has an answer that is too long.
    Oversize,
    /// The job was set aside for this reason.
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

/// Adds jobs to the stream, except those that are already there, answered or set aside. Returns the state of each.
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

/// Removes an answer that is not valid.
pub fn reject(connection: &mut Connection, entry: &QueueEntry, answer: &[u8]) -> RedisResult<()> {
    let limit = entry.answer_bytes.to_string();
    let arguments: [&[u8]; 2] = [answer, limit.as_bytes()];
    script(include_str!("scripts/reject.lua"), &[&answer_key(&entry.name)], &arguments).query(connection)
}

/// A job that was taken from the stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// The place in the stream.
    pub place: String,
    /// The name of the job; empty if the entry has none.
    pub name: String,
    /// A description of the job for messages: its game or games.
    pub label: String,
    /// The job as JSON.
    pub text: Vec<u8>,
    /// How often the job has been given out, including this time.
    pub times: u64,
}

impl FromRedisValue for Taken {
    fn from_redis_value(value: Value) -> Result<Taken, redis::ParsingError> {
        let (place, fields, times): (String, Vec<Vec<u8>>, u64) = redis::from_redis_value(value)?;
        Ok(Taken::new(place, &fields, times))
    }
}

impl Taken {
    /// Makes a job from the fields of an entry. A field is a name and a value. Fields may contain any bytes.
    fn new(place: String, fields: &[Vec<u8>], times: u64) -> Taken {
        let value =
            |name: &[u8]| fields.chunks_exact(2).find(|pair| pair[0] == name).map(|pair| pair[1].as_slice());
        let text = |name: &[u8]| String::from_utf8_lossy(value(name).unwrap_or_default()).into_owned();
        let (name, label) = (text(b"name"), text(b"label"));
        Taken { place, name, label, text: value(b"job").unwrap_or_default().to_owned(), times }
    }
}

/// The reply to a read: the keys of streams with their entries.
type Read = Option<Vec<(String, Vec<StreamEntry>)>>;
/// The place and the fields of an entry. A field is a name and a value.
type StreamEntry = (String, Vec<Vec<u8>>);

fn entries(read: Read) -> impl Iterator<Item = StreamEntry> {
    read.into_iter().flatten().flat_map(|(_, entries)| entries)
}

/// Takes a job for `consumer`. It prefers a job whose lease of `lease` milliseconds has run out. If there is none, it
/// waits up to a second for the next new job.
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
pub fn answer_exists(connection: &mut Connection, name: &str) -> RedisResult<bool> {
    cmd("EXISTS").arg(answer_key(name)).query(connection)
}

/// Renews the leases of a consumer, and notes its sign of life.
pub fn renew(connection: &mut Connection, keys: &Keys, consumer: &str) -> RedisResult<()> {
    let arguments = [GROUP.as_bytes(), consumer.as_bytes()];
    script(include_str!("scripts/renew.lua"), &[&keys.jobs, &keys.seen], &arguments).query(connection)
}

/// Stores the answer to a job if there is none yet, and removes the job. With an empty text it only removes the job.
pub fn deliver(connection: &mut Connection, keys: &Keys, taken: &Taken, text: &str) -> RedisResult<()> {
    let answer = answer_key(&taken.name);
    let names = [&keys.jobs, &keys.open, &answer, &keys.done, &keys.counts].map(String::as_str);
    let arguments = [GROUP.as_bytes(), taken.place.as_bytes(), taken.name.as_bytes(), text.as_bytes()];
    script(include_str!("scripts/deliver.lua"), &names, &arguments).query(connection)
}

/// Sets a job aside because it cannot be done.
pub fn set_aside(connection: &mut Connection, keys: &Keys, taken: &Taken, reason: &str) -> RedisResult<()> {
    let names = [&keys.jobs, &keys.open, &keys.failed, &keys.done, &keys.counts].map(String::as_str);
    let arguments = [GROUP.as_bytes(), taken.place.as_bytes(), taken.name.as_bytes(), reason.as_bytes()];
    script(include_str!("scripts/set_aside.lua"), &names, &arguments).query(connection)
}

/// Gives back the jobs of a consumer, and removes the consumer.
pub fn give_back(connection: &mut Connection, keys: &Keys, consumer: &str) -> RedisResult<()> {
    let arguments = [GROUP.as_bytes(), consumer.as_bytes(), RETURNED.as_bytes()];
    script(include_str!("scripts/give_back.lua"), &[&keys.jobs, &keys.seen], &arguments).query(connection)
}

/// The place of the last entry in the stream of jobs that are no longer open.
pub fn last_done(connection: &mut Connection, keys: &Keys) -> RedisResult<String> {
    let mut last = cmd("XREVRANGE");
    last.arg(&keys.done).arg("+").arg("-").arg("COUNT").arg(1);
    let entries: Vec<StreamEntry> = last.query(connection)?;
    Ok(entries.into_iter().next().map_or_else(|| "0-0".to_owned(), |(place, _)| place))
}

/// Waits up to a second for the names of jobs that are no longer open, after the place `last`. Updates `last`.
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

/// The data to remove.
#[derive(Clone, Copy, Debug)]
pub struct Clearing {
    /// The list of jobs that were set aside.
    pub failed: bool,
    /// The answers.
    pub answers: bool,
    /// The jobs that wait or run.
    pub jobs: bool,
}

/// Removes data of all identities. Returns the number of removed keys.
pub fn clear(connection: &mut Connection, what: Clearing) -> RedisResult<u64> {
    let ids: Vec<String> = cmd("HKEYS").arg(IDENTITIES).query(connection)?;
    let mut removed = 0;
    for keys in ids.iter().map(|id| Keys::of(id)) {
        // The keys of the open jobs and of their stream are removed together, because an open job must be in the
        // stream.
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
