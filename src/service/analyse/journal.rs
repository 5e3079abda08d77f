//! The answers so far, in a file beside the output. From it a run that was killed continues.
//!
//! Answers of finished chunks are appended, several at a time. They are on the disk before they are used. A line is a
//! checksum and JSON. An incomplete last line, which a kill may leave, is removed. A damaged line is ignored, so its
//! chunk is searched again.
//!
//! The memory is bounded, because games begin in their order and at most [`WINDOW`] of them are in progress at the same
//! time. So an answer for a game never follows an answer for a game that comes [`WINDOW`] games later. A reader that
//! has reached such a game has read everything about the first one. That holds over any number of runs.

use std::collections::HashMap;
use std::fmt::Write;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64;

use super::answer::Answer;
use super::job::Basis;
use crate::base::file::{self, FileError, Log, LogError, LogReader};

/// The greatest number of games in progress at the same time. It is a part of the format: a journal that was written
/// with a smaller number can be continued, one with a greater number cannot.
pub const WINDOW: usize = 1024;

/// The beginning of the first line. The version of the format follows.
const TITLE: &str = "Enfilade analyse journal";

/// The version of the format. It must increase with any change of the header or of the lines.
const VERSION: u32 = 2;

/// The difference from a journal of another version of the program or of the format.
const OTHER_VERSION: &str = "version of Enfilade";

/// The longest line that is read, in bytes. An answer of 64 positions with 256 lines of moves each would not fit, but
/// nobody has such answers.
const LINE_BYTES: u64 = 32 << 20;

/// A journal cannot be used.
#[derive(Debug, Error)]
pub enum JournalError {
    /// The file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// Another process uses the journal.
    #[error("{}: another process is using this journal", .0.display())]
    Locked(PathBuf),
    /// The file is not a journal.
    #[error("{}: the file is not the journal of an analysis; remove it or choose another output", .0.display())]
    Foreign(PathBuf),
    /// The journal belongs to an analysis with another basis.
    #[error(
        "{}: the journal belongs to an analysis with another {difference}; repeat that one, or remove the file to \
         begin anew",
        path.display()
    )]
    Settings {
        /// The file.
        path: PathBuf,
        /// A description of the difference.
        difference: String,
    },
}

impl From<LogError> for JournalError {
    fn from(error: LogError) -> JournalError {
        match error {
            LogError::File(error) => JournalError::File(error),
            LogError::Irregular(path) => JournalError::Foreign(path),
            LogError::Locked(path) => JournalError::Locked(path),
        }
    }
}

/// The journal of a run.
pub struct Journal {
    /// The file; `None` if the reports have no place beside which it could lie.
    log: Option<Log>,
    /// The part that earlier runs have written and that has not been read yet.
    earlier: Option<BufReader<LogReader>>,
    /// The answers that were read and may still be needed, by the name of the job. Each has the number of the last game
    /// that it belongs to.
    known: HashMap<String, (u64, Answer)>,
    /// The greatest number of a game in the part that was read.
    reached: Option<u64>,
    damaged: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct JournalRecord {
    /// The number of the game among the analyzed games.
    game: u64,
    job: String,
    answer: Answer,
}

impl Journal {
    /// Opens the journal at `path` and continues it, or begins a new one.
    ///
    /// # Errors
    ///
    /// [`JournalError`] if the journal cannot be used. The file then stays as it is.
    pub fn open(path: &Path, basis: &Basis) -> Result<Journal, JournalError> {
        let mut log = Log::open(path)?;
        let header = header(basis);
        let mut first = Vec::new();
        let mut start = log.reader(0)?.take(LINE_BYTES);
        start.read_until(b'\n', &mut first).map_err(FileError::because("cannot read", path))?;
        // The file is empty, or it holds an incomplete header that a kill has left.
        let is_empty = header.as_bytes().starts_with(&first) && first.len() as u64 == log.length()?;
        let mut earlier = None;
        if first == header.as_bytes() {
            log.cut()?;
            earlier = Some(log.reader(header.len() as u64)?);
        } else if is_empty {
            log.begin(&header)?;
        } else {
            return Err(refusal(path, &first, basis));
        }
        Ok(Journal { log: Some(log), earlier, ..Journal::without_file() })
    }

    /// A journal that keeps nothing.
    pub fn without_file() -> Journal {
        Journal { log: None, earlier: None, known: HashMap::new(), reached: None, damaged: 0 }
    }

    /// Reads the known answers for the game with this number among the analyzed games, and forgets those for earlier
    /// games. Callers must ask for games in their order.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn reach(&mut self, game: u64) -> Result<(), FileError> {
        self.known.retain(|_, (known, _)| *known >= game);
        let horizon = game + WINDOW as u64;
        while self.reached.is_none_or(|reached| reached < horizon) {
            let (Some(reader), Some(log)) = (&mut self.earlier, &self.log) else { return Ok(()) };
            let mut line = Vec::new();
            reader
                .by_ref()
                .take(LINE_BYTES)
                .read_until(b'\n', &mut line)
                .map_err(FileError::because("cannot read", log.path()))?;
            if line.is_empty() {
                self.earlier = None;
                return Ok(());
            }
            match parse(&line) {
                Some(JournalRecord { game: known, job, answer }) => {
                    self.reached = self.reached.max(Some(known));
                    // A game may occur twice, and so may its jobs.
                    if known >= game && self.known.get(&job).is_none_or(|(last, _)| *last < known) {
                        self.known.insert(job, (known, answer));
                    }
                }
                None => self.damaged += 1,
            }
        }
        Ok(())
    }

    /// The answer to the job with this name, if it is known.
    pub fn answer(&self, job: &str) -> Option<&Answer> {
        self.known.get(job).map(|(_, answer)| answer)
    }

    /// The number of damaged lines so far.
    pub fn damaged(&self) -> u64 {
        self.damaged
    }

    /// Appends answers: the number of the game, the name of the job, and the answer. They are on the disk when this
    /// returns.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn append<'a>(
        &mut self,
        answers: impl IntoIterator<Item = (u64, &'a str, &'a Answer)>,
    ) -> Result<(), FileError> {
        let Some(log) = &mut self.log else { return Ok(()) };
        let mut text = String::new();
        for (game, job, answer) in answers {
            let record = JournalRecord { game, job: job.to_owned(), answer: answer.clone() };
            let json = file::json(&record);
            writeln!(text, "{:016x} {json}", xxh3_64(json.as_bytes()))
                .expect("writing to a string does not fail");
        }
        if text.is_empty() {
            return Ok(());
        }
        log.append(&text)?;
        log.sync()
    }

    /// Removes the file. All its answers must be in the reports.
    ///
    /// # Errors
    ///
    /// If the file cannot be removed.
    pub fn remove(self) -> Result<(), FileError> {
        self.log.map_or(Ok(()), Log::remove)
    }
}

fn header(basis: &Basis) -> String {
    format!("{TITLE} {VERSION} {}\n", file::json(basis))
}

fn parse(line: &[u8]) -> Option<JournalRecord> {
    let line = std::str::from_utf8(line).ok()?.strip_suffix('\n')?;
    let (checksum, json) = line.split_once(' ')?;
    let is_whole = u64::from_str_radix(checksum, 16) == Ok(xxh3_64(json.as_bytes()));
    if is_whole { serde_json::from_str(json).ok() } else { None }
}

/// The error for a journal whose first line does not belong to this basis.
fn refusal(path: &Path, first: &[u8], basis: &Basis) -> JournalError {
    let path = path.to_owned();
    let first = String::from_utf8_lossy(first);
    let parts = first.strip_prefix(TITLE).and_then(|rest| rest.trim().split_once(' '));
    let header = parts.and_then(|(version, json)| Some((version.parse::<u32>().ok()?, json)));
    match header {
        None => JournalError::Foreign(path),
        Some((VERSION, json)) => match serde_json::from_str(json) {
            Ok(other) => JournalError::Settings { path, difference: difference(&other, basis) },
            Err(_) => JournalError::Foreign(path),
        },
        Some(_) => JournalError::Settings { path, difference: OTHER_VERSION.to_owned() },
    }
}

/// A description of the difference between the basis of a journal and the basis of this run.
fn difference(journal: &Basis, run: &Basis) -> String {
    let (there, here) = (&journal.fingerprint, &run.fingerprint);
    if there.build != here.build {
        OTHER_VERSION.to_owned()
    } else if there.network != here.network {
        "network".to_owned()
    } else if there.tablebases != here.tablebases {
        "set of tablebases".to_owned()
    } else if journal.effort != run.effort {
        format!("effort ({} there, {} here)", journal.effort.text(), run.effort.text())
    } else {
        "set of parameters".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::answer::{LineAnswer, PositionAnswer};
    use super::super::job::tests::basis;
    use super::*;
    use crate::engine::facade::Fingerprint;

    fn answer(score: i32) -> Answer {
        let line = LineAnswer { score, depth: 3, seldepth: 4, moves: "e2e4 e7e5".to_owned() };
        Answer { positions: vec![PositionAnswer { nodes: 5, lines: vec![line] }] }
    }

    fn name(number: u64) -> String {
        format!("{number:032x}")
    }

    fn append(journal: &mut Journal, games: impl IntoIterator<Item = u64>) {
        for game in games {
            journal.append([(game, name(game).as_str(), &answer(game as i32))]).unwrap();
        }
    }

    /// Those of the games whose answers are known.
    fn known(journal: &mut Journal, games: impl IntoIterator<Item = u64>) -> Vec<u64> {
        let mut known = Vec::new();
        for game in games {
            journal.reach(game).unwrap();
            if let Some(found) = journal.answer(&name(game)) {
                assert_eq!(*found, answer(game as i32));
                known.push(game);
            }
        }
        known
    }

    #[test]
    fn the_next_run_reads_the_answers_of_the_journal() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.journal");
        let mut journal = Journal::open(&path, &basis(10)).unwrap();
        assert!(known(&mut journal, 0..3).is_empty());
        append(&mut journal, [2, 0]);
        assert!(matches!(Journal::open(&path, &basis(10)), Err(JournalError::Locked(_))));
        drop(journal);
        let mut journal = Journal::open(&path, &basis(10)).unwrap();
        assert_eq!(known(&mut journal, 0..3), [0, 2]);
        append(&mut journal, [1]);
        drop(journal);
        let mut journal = Journal::open(&path, &basis(10)).unwrap();
        assert_eq!(known(&mut journal, 0..3), [0, 1, 2]);
        journal.remove().unwrap();
        assert!(!path.exists());
    }

    /// The test simulates a kill at every byte.
    #[test]
    fn an_incomplete_last_line_is_removed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.journal");
        let mut journal = Journal::open(&path, &basis(10)).unwrap();
        append(&mut journal, [0, 1]);
        drop(journal);
        let whole = fs::read(&path).unwrap();
        let lines: Vec<usize> = (0..whole.len()).filter(|place| whole[*place] == b'\n').collect();
        for length in 0..=whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            let mut journal = Journal::open(&path, &basis(10)).unwrap();
            let finished = lines[1..].iter().filter(|newline| **newline < length).count() as u64;
            assert_eq!(known(&mut journal, 0..2), (0..finished).collect::<Vec<_>>(), "{length}");
            append(&mut journal, finished..2);
            drop(journal);
            assert_eq!(fs::read(&path).unwrap(), whole, "{length}");
        }
    }

    /// A game that occurs twice has jobs of the same names.
    #[test]
    fn an_answer_is_known_for_each_game_with_the_same_job() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.journal");
        let mut journal = Journal::open(&path, &basis(10)).unwrap();
        for game in [1, 0] {
            journal.append([(game, name(7).as_str(), &answer(7))]).unwrap();
        }
        drop(journal);
        let mut journal = Journal::open(&path, &basis(10)).unwrap();
        for (game, is_known) in [(0, true), (1, true), (2, false)] {
            journal.reach(game).unwrap();
            assert_eq!(journal.answer(&name(7)).is_some(), is_known, "{game}");
        }
    }

    #[test]
    fn a_damaged_line_is_ignored_and_counted() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.journal");
        let mut journal = Journal::open(&path, &basis(10)).unwrap();
        append(&mut journal, 0..3);
        drop(journal);
        let mut bytes = fs::read(&path).unwrap();
        let text = String::from_utf8(bytes.clone()).unwrap();
        let place = text.find("\"score\":1").unwrap() + 8;
        bytes[place] = b'7';
        fs::write(&path, bytes).unwrap();
        let mut journal = Journal::open(&path, &basis(10)).unwrap();
        assert_eq!(known(&mut journal, 0..3), [0, 2]);
        assert_eq!(journal.damaged(), 1);
    }

    #[test]
    fn the_journal_keeps_at_most_two_windows_of_answers_in_memory() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.journal");
        let games = 3 * WINDOW as u64;
        let mut journal = Journal::open(&path, &basis(10)).unwrap();
        let lines: Vec<(u64, String)> = (0..games).map(|game| (game, name(game))).collect();
        // This is a possible order of answers: the first game of each window ends last.
        let mut order: Vec<&(u64, String)> = lines.iter().collect();
        order.chunks_mut(WINDOW).for_each(<[_]>::reverse);
        let answers: Vec<Answer> = (0..games).map(|game| answer(game as i32)).collect();
        journal
            .append(order.iter().map(|(game, name)| (*game, name.as_str(), &answers[*game as usize])))
            .unwrap();
        drop(journal);
        let mut journal = Journal::open(&path, &basis(10)).unwrap();
        for game in 0..games {
            journal.reach(game).unwrap();
            assert!(journal.answer(&name(game)).is_some(), "{game}");
            assert!(journal.known.len() <= 2 * WINDOW);
        }
    }

    #[test]
    fn a_journal_with_another_basis_is_refused_and_not_changed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.journal");
        let mut journal = Journal::open(&path, &basis(10)).unwrap();
        append(&mut journal, 0..2);
        drop(journal);
        let before = fs::read(&path).unwrap();
        let error = Journal::open(&path, &basis(20)).err().unwrap().to_string();
        assert!(
            error.contains("another effort (10 nodes, table of 1 MiB there, 20 nodes, table of 1 MiB here)"),
            "{error}"
        );
        let here = basis(10).fingerprint;
        for (fingerprint, difference) in [
            (Fingerprint { build: "x".to_owned(), ..here.clone() }, "another version of Enfilade"),
            (Fingerprint { network: "x".to_owned(), ..here.clone() }, "another network"),
            (Fingerprint { tablebases: "x".to_owned(), ..here.clone() }, "another set of tablebases"),
            (Fingerprint { parameters: "x".to_owned(), ..here }, "another set of parameters"),
        ] {
            let other = Basis { fingerprint, ..basis(10) };
            let error = Journal::open(&path, &other).err().unwrap().to_string();
            assert!(error.contains(difference), "{error}");
        }
        assert_eq!(fs::read(&path).unwrap(), before);
        let former = "Enfilade analyse journal 1 {\"build\":\"0.1.0 1\"}\n";
        fs::write(&path, former).unwrap();
        let error = Journal::open(&path, &basis(10)).err().unwrap().to_string();
        assert!(error.contains("another version of Enfilade"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), former);
        for text in ["a letter", "Enfilade", "\n"] {
            fs::write(&path, text).unwrap();
            let is_begun = header(&basis(10)).starts_with(text);
            assert_eq!(Journal::open(&path, &basis(10)).is_err(), !is_begun, "{text}");
        }
        assert!(matches!(Journal::open(directory.path(), &basis(10)), Err(JournalError::Foreign(_))));
    }
}
