//! A table as a file, so that a server keeps its results when it is restarted.
//!
//! The file has a header of 64 bytes, the clusters as they lie in memory, and a hash of all that. Numbers are
//! little-endian:
//!
//! | bytes | what |
//! |---|---|
//! | 0..4 | `ENFH` |
//! | 4..8 | version of the format, 2; changes with the layout of records and keys |
//! | 8..16 | size in MiB |
//! | 16..24 | age of the last search |
//! | 24..64 | what the results depend on: [`Origin`] |
//! | 64.. | the clusters, four 64-bit words each |
//! | last 8 | XXH3 (64 bits) of everything before |

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use thiserror::Error;
use xxhash_rust::xxh3::Xxh3;

use super::cluster::Cluster;
use super::parts::MEBIBYTE;
use super::record::AGES;
use super::{Table, TableError};
use crate::base::file::{FileError, check_regular, replace_with};
use crate::base::numa::Binding;

const MAGIC: [u8; 4] = *b"ENFH";
const VERSION: u32 = 2;
const HEADER: usize = 64;
const TRAILER: u64 = 8;
/// Clusters that are read or written at a time.
const BATCH: usize = 1 << 15;

/// What the results of a table depend on. Results of another origin are meaningless.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Origin {
    /// A hash of the evaluation's network.
    pub network: u64,
    /// The leaf search's name, at most 31 bytes of ASCII.
    pub quiescence: &'static str,
    /// Whether tablebase wins that the fifty-move rule prevents counted as draws.
    pub fifty_moves: bool,
}

impl Origin {
    fn bytes(&self) -> [u8; 40] {
        let mut bytes = [0; 40];
        bytes[..8].copy_from_slice(&self.network.to_le_bytes());
        bytes[8..8 + self.quiescence.len()].copy_from_slice(self.quiescence.as_bytes());
        bytes[39] = self.fifty_moves.into();
        bytes
    }
}

/// Why a table was not saved or loaded. Every error but `Size` names the file.
#[derive(Debug, Error)]
pub enum TableFileError {
    /// The file could not be written, and an older file at its place is unharmed; or it could not be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file holds no table that this engine can use.
    #[error("cannot use {}: {reason}", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The file changed while it was read, and the table is empty.
    #[error("{} changed while it was read; the table is empty", .0.display())]
    Changed(PathBuf),
    /// There is no memory for a table of this size.
    #[error(transparent)]
    Size(#[from] TableError),
}

impl Table {
    /// Writes the table to `path`, whole or not at all: an older file there is replaced only at the end. No search may
    /// be running.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, path: &Path, origin: &Origin) -> Result<(), TableFileError> {
        replace_with(path, |file| {
            let mut output = Hashed { stream: file, hash: Xxh3::new() };
            output.write(&self.header(origin))?;
            let mut bytes = Vec::with_capacity(BATCH * size_of::<Cluster>());
            for batch in self.clusters().chunks(BATCH) {
                bytes.clear();
                bytes.extend(batch.iter().flat_map(Cluster::words).flat_map(u64::to_le_bytes));
                output.write(&bytes)?;
            }
            let hash = output.hash.digest();
            output.stream.write_all(&hash.to_le_bytes())
        })?;
        Ok(())
    }

    /// Replaces the table by the one in the file at `path`, with its size. No search may be running.
    ///
    /// # Errors
    /// If the file cannot be read, is damaged, was written by another version or with results of another [`Origin`], or
    /// is too large for the machine. The table then stays as it was. Only if the file changed while it was read, the
    /// table is empty.
    pub fn load(&mut self, path: &Path, origin: &Origin, binding: &Binding) -> Result<(), TableFileError> {
        // The file is read twice. So the old table is not given up for a file that is damaged at its end, and memory
        // never holds two tables.
        check_regular(path)?;
        let mut file = File::open(path).map_err(FileError::because("cannot read", path))?;
        // A table for a larger machine is refused before its file is read to the end.
        let Header { mebibytes, .. } = Header::read(&mut file, path, origin)?;
        drop(self.successor(mebibytes, binding)?);
        let (mebibytes, age) = read(&mut file, path, origin, |_, _| {})?;
        self.resize(mebibytes, binding)?;
        let clusters = self.clusters();
        let loaded = read(&mut file, path, origin, |number, words| {
            if let Some(cluster) = clusters.get(number) {
                cluster.set(words);
            }
        });
        self.is_clean.store(false, Ordering::Relaxed);
        self.age.store(age, Ordering::Relaxed);
        if !matches!(loaded, Ok(read) if read == (mebibytes, age)) {
            self.clear(binding);
            return Err(TableFileError::Changed(path.to_owned()));
        }
        Ok(())
    }

    fn header(&self, origin: &Origin) -> [u8; HEADER] {
        let mut header = [0; HEADER];
        header[..4].copy_from_slice(&MAGIC);
        header[4..8].copy_from_slice(&VERSION.to_le_bytes());
        header[8..16].copy_from_slice(&(self.mebibytes as u64).to_le_bytes());
        header[16..24].copy_from_slice(&u64::from(self.age.load(Ordering::Relaxed)).to_le_bytes());
        header[24..].copy_from_slice(&origin.bytes());
        header
    }
}

/// The beginning of a file that holds a table of the right origin and length.
struct Header {
    bytes: [u8; HEADER],
    mebibytes: usize,
    age: u8,
}

impl Header {
    /// Reads the beginning of `file`.
    fn read(file: &mut File, path: &Path, origin: &Origin) -> Result<Header, TableFileError> {
        let unreadable = |source| FileError::because("cannot read", path)(source);
        let unusable = |reason| TableFileError::Unusable { path: path.to_owned(), reason };
        file.rewind().map_err(unreadable)?;
        let metadata = file.metadata().map_err(unreadable)?;
        let mut header = [0; HEADER];
        if metadata.len() < HEADER as u64 {
            return Err(unusable("it is too short for a table"));
        }
        file.read_exact(&mut header).map_err(unreadable)?;
        let word = |at: usize| u64::from_le_bytes(header[at..at + 8].try_into().expect("eight bytes"));
        if header[..4] != MAGIC {
            return Err(unusable("it is not a table of Enfilade (it does not begin with `ENFH`)"));
        }
        if header[4..8] != VERSION.to_le_bytes() {
            return Err(unusable("another version of Enfilade wrote it"));
        }
        let (mebibytes, age) = (word(8), word(16));
        let bytes = mebibytes.checked_mul(MEBIBYTE as u64).filter(|&bytes| bytes > 0);
        let length = bytes.and_then(|bytes| bytes.checked_add(HEADER as u64 + TRAILER));
        if length != Some(metadata.len()) || age >= u64::from(AGES) {
            return Err(unusable("its length does not fit the size in its header: it is cut off or damaged"));
        }
        if header[24..] != origin.bytes() {
            return Err(unusable(
                "its results were found with another network, another leaf search or another Syzygy50MoveRule",
            ));
        }
        Ok(Header { bytes: header, mebibytes: mebibytes as usize, age: age as u8 })
    }
}

/// Reads a whole file, passes each cluster with its number to `take`, and returns the size and the age.
fn read(
    file: &mut File,
    path: &Path,
    origin: &Origin,
    mut take: impl FnMut(usize, [u64; 4]),
) -> Result<(usize, u8), TableFileError> {
    let unreadable = |source| FileError::because("cannot read", path)(source);
    let unusable = |reason| TableFileError::Unusable { path: path.to_owned(), reason };
    let Header { bytes, mebibytes, age } = Header::read(file, path, origin)?;
    let mut input = Hashed { stream: BufReader::new(file), hash: Xxh3::new() };
    input.hash.update(&bytes);
    let mut batch = vec![0; BATCH * size_of::<Cluster>()];
    let clusters = (mebibytes * MEBIBYTE) / size_of::<Cluster>();
    for first in (0..clusters).step_by(BATCH) {
        let batch = &mut batch[..BATCH.min(clusters - first) * size_of::<Cluster>()];
        input.read(batch).map_err(unreadable)?;
        let (words, _) = batch.as_chunks::<8>();
        let (quads, _) = words.as_chunks::<4>();
        for (index, quad) in quads.iter().enumerate() {
            take(first + index, quad.map(u64::from_le_bytes));
        }
    }
    let mut trailer = [0; TRAILER as usize];
    input.stream.read_exact(&mut trailer).map_err(unreadable)?;
    if trailer != input.hash.digest().to_le_bytes() {
        return Err(unusable("its checksum does not match: it is damaged"));
    }
    Ok((mebibytes, age))
}

/// A stream and the hash of everything that went through it.
struct Hashed<S> {
    stream: S,
    hash: Xxh3,
}

impl<S: Read> Hashed<S> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.stream.read_exact(bytes)?;
        self.hash.update(bytes);
        Ok(())
    }
}

impl<S: Write> Hashed<S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hash.update(bytes);
        self.stream.write_all(bytes)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::fs;

    use super::*;
    use crate::chess::board::Move;
    use crate::chess::types::{Bound, Score};
    use crate::engine::tt::{Draft, Record};

    const ORIGIN: Origin =
        Origin { network: 0x1234_5678_9abc_def0, quiescence: "bootstrap", fifty_moves: true };

    fn record(number: u64) -> Record {
        Record {
            mv: Move::from_bits(7),
            score: Score::new((number % 900) as i32),
            static_eval: None,
            draft: Draft::main(5),
            bound: Bound::Exact,
            pv: false,
        }
    }

    fn key(number: u64) -> u64 {
        number.wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }

    fn filled() -> Table {
        let table = Table::new(1, &Binding::unbound(1)).unwrap();
        table.new_search();
        (1..=5_000).for_each(|number| table.store(key(number), record(number)));
        table
    }

    #[test]
    #[cfg_attr(miri, ignore = "whole tables, byte by byte, and nothing that threads share")]
    fn a_saved_table_is_loaded_with_its_size_and_age() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.hash");
        let table = filled();
        table.save(&path, &ORIGIN).unwrap();
        let mut other = Table::new(3, &Binding::unbound(1)).unwrap();
        other.load(&path, &ORIGIN, &Binding::unbound(2)).unwrap();
        assert_eq!(other.mebibytes(), 1);
        assert_eq!(other.hashfull(), table.hashfull());
        for number in 1..=5_000 {
            assert_eq!(other.probe(key(number)), table.probe(key(number)));
        }
        assert!((1..=5_000).filter(|&number| other.probe(key(number)).is_some()).count() > 4_900);
        other.clear(&Binding::unbound(1));
        assert_eq!(other.probe(key(1)), None);
        // The table is saved again over the old file, and nothing else is left in the directory.
        table.save(&path, &ORIGIN).unwrap();
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 1);
    }

    #[test]
    #[cfg_attr(miri, ignore = "whole tables, byte by byte, and nothing that threads share")]
    fn a_damaged_or_foreign_file_is_refused_and_the_table_is_unchanged() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.hash");
        filled().save(&path, &ORIGIN).unwrap();
        let bytes = fs::read(&path).unwrap();
        let mut table = Table::new(2, &Binding::unbound(1)).unwrap();
        table.store(key(9), record(9));
        let mut refused = |bytes: &[u8], origin: &Origin, reason: &str| {
            fs::write(&path, bytes).unwrap();
            let error = table.load(&path, origin, &Binding::unbound(1)).unwrap_err().to_string();
            assert!(error.contains(reason) && error.contains("a.hash"), "{error}");
            assert_eq!(table.mebibytes(), 2);
            assert_eq!(table.probe(key(9)), Some(record(9)));
        };
        let altered = |at: usize| {
            let mut bytes = bytes.clone();
            bytes[at] ^= 1;
            bytes
        };
        refused(&altered(0), &ORIGIN, "not a table");
        refused(&altered(4), &ORIGIN, "another version");
        refused(&altered(8), &ORIGIN, "length");
        refused(&altered(15), &ORIGIN, "length");
        refused(&altered(17), &ORIGIN, "length");
        refused(&altered(30), &ORIGIN, "another network");
        refused(&altered(500_000), &ORIGIN, "checksum");
        refused(&altered(bytes.len() - 1), &ORIGIN, "checksum");
        refused(&bytes[..bytes.len() - 1], &ORIGIN, "length");
        refused(&bytes[..30], &ORIGIN, "too short");
        refused(&[], &ORIGIN, "too short");
        refused(&bytes, &Origin { network: 1, ..ORIGIN }, "another network");
        refused(&bytes, &Origin { quiescence: "captures", ..ORIGIN }, "another leaf search");
        refused(&bytes, &Origin { fifty_moves: false, ..ORIGIN }, "another Syzygy50MoveRule");
        let error = table.load(directory.path(), &ORIGIN, &Binding::unbound(1)).unwrap_err().to_string();
        assert!(error.contains("regular file"), "{error}");
        let missing = directory.path().join("missing");
        assert!(
            table
                .load(&missing, &ORIGIN, &Binding::unbound(1))
                .unwrap_err()
                .to_string()
                .starts_with("cannot read ")
        );
        assert!(table.save(&missing.join("b"), &ORIGIN).is_err());
    }

    /// The file used to be read to its end, for hours, before its size was found to be too large.
    #[cfg(target_os = "linux")]
    #[test]
    #[cfg_attr(miri, ignore = "asks the machine for its memory")]
    fn a_table_for_a_larger_machine_is_refused_by_its_header() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.hash");
        let mut header = filled().header(&ORIGIN);
        // Eight tebibytes, of which only this header takes up room on the disk.
        header[8..16].copy_from_slice(&(8_u64 << 20).to_le_bytes());
        fs::write(&path, header).unwrap();
        let file = File::options().write(true).open(&path).unwrap();
        file.set_len((8 << 40) + HEADER as u64 + TRAILER).unwrap();
        let mut table = Table::new(2, &Binding::unbound(1)).unwrap();
        let error = table.load(&path, &ORIGIN, &Binding::unbound(1)).unwrap_err();
        assert!(matches!(error, TableFileError::Size(_)), "{error}");
        assert_eq!(table.mebibytes(), 2);
    }

    /// A pipe without a writer used to be opened, and then the engine did not answer any more.
    #[cfg(all(unix, not(miri)))]
    #[test]
    fn a_pipe_is_refused_at_once() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        let (sender, receiver) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let mut table = Table::new(1, &Binding::unbound(1)).unwrap();
            sender.send(table.load(&path, &ORIGIN, &Binding::unbound(1))).unwrap();
        });
        // The limit only tells a hang from an answer.
        let loaded = receiver.recv_timeout(std::time::Duration::from_secs(60)).expect("an answer");
        assert!(loaded.unwrap_err().to_string().contains("regular file"));
    }
}
