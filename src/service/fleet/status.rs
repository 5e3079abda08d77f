//! The state of a queue: its jobs, its workers, and why jobs wait (`enfilade queue status`).

use std::collections::BTreeMap;

use redis::{Connection, RedisResult, Value, cmd};
use serde::Serialize;

use super::identity::Identity;
use super::queue::foreign_line;
use super::store::{GROUP, IDENTITIES, Keys};
use crate::lab::datagen::job::NAME_PREFIX;

/// A worker counts as dead if it has given no sign of life for this number of seconds.
const SILENCE: u64 = 60;

/// The state of the jobs and the workers of an identity.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct IdentityStatus {
    /// The identity.
    pub identity: Identity,
    /// The number of jobs that no worker has taken.
    pub waiting: u64,
    /// The number of jobs that a worker has taken.
    pub running: u64,
    /// The number of jobs of `analyse` that wait or run.
    pub analyse: u64,
    /// The number of jobs of `datagen` that wait or run.
    pub datagen: u64,
    /// The reasons why jobs were set aside, by the names of the jobs.
    pub failed: BTreeMap<String, String>,
    /// The number of threads of workers that do a job or wait for one.
    pub threads: u64,
    /// The number of jobs that workers have finished. A job may be finished twice.
    pub searches: u64,
    /// The number of stored answers.
    pub answers: u64,
    /// The number of entries that were not valid jobs.
    pub refused: u64,
}

/// Reads the state of every identity.
pub fn read(connection: &mut Connection) -> RedisResult<Vec<IdentityStatus>> {
    let identities = texts(cmd("HGETALL").arg(IDENTITIES).query(connection)?);
    let mut all = Vec::new();
    for (id, json) in identities {
        // An entry that is not a valid identity was not written by this program.
        let Ok(identity) = serde_json::from_str::<Identity>(&json) else { continue };
        all.push(status(connection, &Keys::of(&id), identity)?);
    }
    Ok(all)
}

/// A Redis hash as text. Bytes that are not UTF-8 are replaced.
fn texts(fields: BTreeMap<Vec<u8>, Vec<u8>>) -> BTreeMap<String, String> {
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    fields.into_iter().map(|(field, value)| (text(field), text(value))).collect()
}

fn status(connection: &mut Connection, keys: &Keys, identity: Identity) -> RedisResult<IdentityStatus> {
    let length: u64 = cmd("XLEN").arg(&keys.jobs).query(connection)?;
    let open = texts(cmd("HGETALL").arg(&keys.open).query(connection)?);
    let datagen = open.keys().filter(|name| name.starts_with(NAME_PREFIX)).count();
    let counts = texts(cmd("HGETALL").arg(&keys.counts).query(connection)?);
    let failed = texts(cmd("HGETALL").arg(&keys.failed).query(connection)?);
    let seen = texts(cmd("HGETALL").arg(&keys.seen).query(connection)?);
    let (now, _): (u64, u64) = cmd("TIME").query(connection)?;
    let is_alive = |name: &str| {
        let last = seen.get(name).and_then(|last| last.parse::<u64>().ok());
        last.is_some_and(|last| now.saturating_sub(last) < SILENCE)
    };
    let running = pending(connection, keys)?.into_iter().filter(|(name, _)| is_alive(name));
    let running = running.map(|(_, jobs)| jobs).sum::<u64>();
    let count = |what: &str| counts.get(what).and_then(|count| count.parse().ok()).unwrap_or(0);
    Ok(IdentityStatus {
        identity,
        waiting: length.saturating_sub(running),
        running,
        analyse: (open.len() - datagen) as u64,
        datagen: datagen as u64,
        failed: failed
            .into_iter()
            .map(|(name, reason)| (foreign_line(&name), foreign_line(&reason)))
            .collect(),
        threads: seen.keys().filter(|name| is_alive(name)).count() as u64,
        searches: count("searched"),
        answers: count("answered"),
        refused: count("refused"),
    })
}

/// The number of jobs that each worker has.
fn pending(connection: &mut Connection, keys: &Keys) -> RedisResult<Vec<(String, u64)>> {
    type Summary = (u64, Value, Value, Option<Vec<(String, u64)>>);
    let summary: RedisResult<Summary> = cmd("XPENDING").arg(&keys.jobs).arg(GROUP).query(connection);
    match summary {
        // If the stream is gone, no worker has a job.
        Err(error) if error.to_string().contains("NOGROUP") => Ok(Vec::new()),
        result => Ok(result?.3.unwrap_or_default()),
    }
}

/// The reason why no worker does jobs of an identity; `None` if a worker does.
pub fn why_idle(all: &[IdentityStatus], identity: &Identity) -> Option<String> {
    if all.iter().any(|status| status.identity == *identity && status.threads > 0) {
        return None;
    }
    let mut others: Vec<String> = all
        .iter()
        .filter(|status| status.threads > 0)
        .map(|status| {
            let differences = identity.differences(&status.identity).join(", ");
            format!("{} threads have {differences}", status.threads)
        })
        .collect();
    others.insert(
        0,
        format!("no worker has {}; start enfilade worker with the same settings", identity.text()),
    );
    Some(others.join("; "))
}

/// The states as a text for people.
pub fn text(all: &[IdentityStatus]) -> String {
    let mut lines = Vec::new();
    for status in all {
        let IdentityStatus {
            identity, waiting, running, failed, threads, searches, answers, refused, ..
        } = status;
        lines.push(foreign_line(&identity.text()));
        lines.push(format!("  jobs: {waiting} waiting, {running} running, {} set aside", failed.len()));
        lines.push(format!("  of them: {} of analyse, {} of datagen", status.analyse, status.datagen));
        lines.push(format!("  threads of workers: {threads}"));
        lines.push(format!("  so far: {searches} searches, {answers} answers, {refused} entries refused"));
        if let Some(reason) = why_idle(all, identity).filter(|_| *waiting > 0) {
            lines.push(format!("  why they wait: {reason}"));
        }
        lines.extend(failed.iter().map(|(name, reason)| format!("  set aside: job {name}: {reason}")));
    }
    if lines.is_empty() {
        lines.push("The queue is empty, and no worker has connected yet.".to_owned());
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::super::identity::tests::identity;
    use super::*;

    fn status(network: &str, waiting: u64, threads: u64) -> IdentityStatus {
        IdentityStatus {
            identity: identity(network),
            waiting,
            running: 0,
            analyse: waiting,
            datagen: 0,
            failed: BTreeMap::new(),
            threads,
            searches: 0,
            answers: 0,
            refused: 0,
        }
    }

    #[test]
    fn the_status_names_the_reason_why_jobs_wait() {
        let all = [status("aa", 5, 0), status("cc", 0, 4)];
        let text = text(&all);
        assert!(text.contains("jobs: 5 waiting"), "{text}");
        assert!(text.contains("4 threads have another network (cc instead of aa)"), "{text}");
        assert_eq!(text.matches("why they wait").count(), 1, "{text}");
        assert_eq!(why_idle(&all, &all[1].identity), None);
    }
}
