//! Files of games. Each thread appends to a file of its own. Each write is a whole game.
//!
//! If the process is killed, the games in play are lost, because nothing of them was written. The last record may be
//! incomplete. Readers report an incomplete record and use the other games.
//!
//! If there are earlier runs with the same seed in a directory, a new run takes the next free number. The random
//! numbers of its games depend on this number. A run never opens an existing file for writing. There is one exception:
//! a run whose games are played elsewhere can continue after a kill ([`super::collection`]).

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::viriformat::{self, Damage, GameReader};
use crate::base::file::{self, FileError, Limit};
use crate::engine::selfplay::record::GameRecord;

/// The extension of a shard.
pub const EXTENSION: &str = "viriformat";

/// When a shard has reached this size in bytes, the next game goes to a new shard.
const SHARD_BYTES: u64 = 32 << 20;

/// The largest file that is read: 64 full shards joined, as by `cat`. Each thread reads a whole file into memory.
const LIMIT: Limit = Limit { mebibytes: 2 << 10, of: "a file of games" };

/// The claim of a run on a seed in a directory.
#[derive(Clone, Debug)]
pub struct ShardRun {
    directory: PathBuf,
    seed: u64,
    number: u32,
}

impl ShardRun {
    /// Makes `directory` if necessary, and claims the next run number of `seed` in it. For this it creates the run's
    /// first shard, to which thread 0 writes.
    pub fn claim(directory: &Path, seed: u64) -> Result<(ShardRun, ShardWriter), FileError> {
        fs::create_dir_all(directory).map_err(FileError::because("cannot make the directory", directory))?;
        let mut run = ShardRun { directory: directory.to_owned(), seed, number: 0 };
        loop {
            match ShardWriter::create(&run, 0, 0) {
                Ok(writer) => return Ok((run, writer)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => run.number += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// The next run of `seed` in `directory`. This does not claim the run: creating its first shard does.
    pub fn next(directory: &Path, seed: u64) -> ShardRun {
        let run = |number| ShardRun { directory: directory.to_owned(), seed, number };
        let is_free = |run: &ShardRun| !run.path(0, 0).exists();
        (0..).map(run).find(is_free).expect("there are fewer files than numbers")
    }

    /// The run with this number.
    pub fn numbered(directory: &Path, seed: u64, number: u32) -> ShardRun {
        ShardRun { directory: directory.to_owned(), seed, number }
    }

    /// Continues the shards of thread 0. There must be at least one. Calls `visit` with each game in them. Cuts off the
    /// bytes after the last whole game.
    pub fn resume(&self, mut visit: impl FnMut(&GameRecord)) -> Result<ShardWriter, FileError> {
        let mut part = 0;
        loop {
            let path = self.path(0, part);
            let bytes = file::read(&path, LIMIT)?;
            let mut written = 0;
            while let Ok((game, length)) = viriformat::decode(&bytes[written..]) {
                visit(&game);
                written += length;
            }
            if self.path(0, part + 1).exists() {
                if written < bytes.len() {
                    let damage = io::Error::new(io::ErrorKind::InvalidData, "it contains damaged games");
                    return Err(FileError::because("cannot go on with", &path)(damage));
                }
                part += 1;
                continue;
            }
            let cut = || {
                let file = OpenOptions::new().append(true).open(&path)?;
                file.set_len(written as u64)?;
                Ok(file)
            };
            let file = cut().map_err(FileError::because("cannot write to", &path))?;
            let (run, written, record) = (self.clone(), written as u64, Vec::new());
            return Ok(ShardWriter { run, thread: 0, part, file, written, record });
        }
    }

    /// The number of the run: the number of earlier runs with the same seed in this directory.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Creates the first shard of a thread.
    pub fn writer(&self, thread: usize) -> Result<ShardWriter, FileError> {
        ShardWriter::create(self, thread, 0)
    }

    /// Removes the shards of the first `threads` threads if there is no game in any of them.
    pub fn remove_if_empty(&self, threads: usize) {
        let paths = || (0..threads).map(|thread| self.path(thread, 0));
        if paths().all(|path| path.metadata().is_ok_and(|shard| shard.len() == 0)) {
            // A file that cannot be removed does no harm.
            paths().for_each(|path| drop(fs::remove_file(path)));
        }
    }

    fn path(&self, thread: usize, part: u32) -> PathBuf {
        let ShardRun { seed, number, .. } = self;
        self.directory.join(format!("seed{seed}-run{number}-thread{thread}-part{part}.{EXTENSION}"))
    }
}

/// Appends games to one thread's shards.
#[derive(Debug)]
pub struct ShardWriter {
    run: ShardRun,
    thread: usize,
    part: u32,
    file: File,
    written: u64,
    record: Vec<u8>,
}

impl ShardWriter {
    fn create(run: &ShardRun, thread: usize, part: u32) -> Result<ShardWriter, FileError> {
        let path = run.path(thread, part);
        let file = OpenOptions::new()
            .append(true)
            .create_new(true)
            .open(&path)
            .map_err(FileError::because("cannot create", &path))?;
        Ok(ShardWriter { run: run.clone(), thread, part, file, written: 0, record: Vec::new() })
    }

    /// Appends `game`. When this returns without an error, the operating system has the whole game. If the disk is
    /// full, no part of the game stays in the file.
    pub fn append(&mut self, game: &GameRecord) -> Result<(), FileError> {
        if self.written >= SHARD_BYTES {
            *self = ShardWriter::create(&self.run, self.thread, self.part + 1)?;
        }
        self.record.clear();
        viriformat::encode(game, &mut self.record);
        let path = self.run.path(self.thread, self.part);
        if let Err(error) = self.file.write_all(&self.record) {
            // If the file cannot be cut either, it ends with an incomplete game. Readers report that.
            let _ = self.file.set_len(self.written);
            return Err(FileError::because("cannot write to", &path)(error));
        }
        self.written += self.record.len() as u64;
        Ok(())
    }

    /// Waits until the last shard is on the disk.
    pub fn sync(&self) -> Result<(), FileError> {
        let path = self.run.path(self.thread, self.part);
        self.file.sync_all().map_err(FileError::because("cannot write to", &path))
    }
}

/// All shards in a directory, in the order of their names. If `path` is a file, returns just this file.
pub fn list(path: &Path) -> Result<Vec<PathBuf>, FileError> {
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let failed = || FileError::because("cannot read the directory", path);
    let mut shards = Vec::new();
    for entry in fs::read_dir(path).map_err(failed())? {
        let entry = entry.map_err(failed())?.path();
        if entry.extension().is_some_and(|extension| extension == EXTENSION) {
            shards.push(entry);
        }
    }
    shards.sort();
    Ok(shards)
}

/// Calls `visit` with each complete game of the shard at `path`, in order. Returns one line for each range of bytes
/// that is not a game.
pub fn read(path: &Path, mut visit: impl FnMut(GameRecord)) -> Result<Vec<String>, FileError> {
    let bytes = file::read(path, LIMIT)?;
    let mut damages = Vec::new();
    for found in GameReader::new(&bytes) {
        match found {
            Ok(game) => visit(game),
            Err(Damage { offset, length, reason }) => damages
                .push(format!("{}: skipped {length} bytes from byte {offset}: {reason}", path.display())),
        }
    }
    Ok(damages)
}

/// Why shards cannot be listed.
#[derive(Debug, Error)]
pub enum ShardListError {
    /// A directory cannot be read.
    #[error(transparent)]
    Unreadable(#[from] FileError),
    /// A directory holds no shards.
    #[error("{}: no games in this directory (files that end in .viriformat)", .0.display())]
    NoShard(PathBuf),
}

/// The shards at all `paths`, as [`list`] finds them.
///
/// # Errors
/// If a directory cannot be read or holds no shards.
pub fn list_all(paths: &[PathBuf]) -> Result<Vec<PathBuf>, ShardListError> {
    let mut shards = Vec::new();
    for path in paths {
        let found = list(path)?;
        if found.is_empty() {
            return Err(ShardListError::NoShard(path.clone()));
        }
        shards.extend(found);
    }
    Ok(shards)
}

/// Whether a file is not a shard: it has bytes, as its `damages` show, but no game.
pub fn is_foreign(games: u64, damages: &[String]) -> bool {
    games == 0 && !damages.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::board::Board;
    use crate::engine::selfplay::record::{GameResult, Ply};

    fn game(text: &str) -> GameRecord {
        let mv = Board::startpos().parse_uci(text).unwrap();
        GameRecord::new(Board::startpos(), vec![Ply::new(mv, 5)], GameResult::Draw)
    }

    fn games_in(path: &Path) -> Vec<GameRecord> {
        let mut games = Vec::new();
        for shard in list(path).unwrap() {
            assert!(read(&shard, |game| games.push(game)).unwrap().is_empty());
        }
        games
    }

    #[test]
    fn later_runs_of_the_same_seed_add_new_shards() {
        let directory = tempfile::tempdir().unwrap();
        let inside = directory.path().join("made/here");
        let (first, mut writer) = ShardRun::claim(&inside, 9).unwrap();
        writer.append(&game("e2e4")).unwrap();
        first.writer(1).unwrap().append(&game("d2d4")).unwrap();
        let (second, mut writer) = ShardRun::claim(&inside, 9).unwrap();
        writer.append(&game("c2c4")).unwrap();
        assert_eq!((first.number(), second.number()), (0, 1));
        assert_eq!(games_in(&inside), [game("e2e4"), game("d2d4"), game("c2c4")]);
    }

    #[test]
    fn a_full_shard_is_followed_by_a_new_one() {
        let directory = tempfile::tempdir().unwrap();
        let (_, mut writer) = ShardRun::claim(directory.path(), 1).unwrap();
        writer.append(&game("e2e4")).unwrap();
        writer.written = SHARD_BYTES;
        writer.append(&game("d2d4")).unwrap();
        assert_eq!(list(directory.path()).unwrap().len(), 2);
        assert_eq!(games_in(directory.path()).len(), 2);
    }

    #[test]
    fn errors_name_the_file() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("a file");
        fs::write(&file, "x").unwrap();
        let error = ShardRun::claim(&file.join("below"), 1).unwrap_err().to_string();
        assert!(error.contains("a file"), "{error}");
        let error = list(&directory.path().join("missing")).unwrap_err().to_string();
        assert!(error.contains("missing"), "{error}");
        let damages = read(&file, |_| panic!("one byte is no game")).unwrap();
        assert_eq!(damages.len(), 1);
        assert!(damages[0].contains("a file"), "{damages:?}");
    }
}
