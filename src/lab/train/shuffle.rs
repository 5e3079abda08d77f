//! Shuffles positions into a new order for each epoch, in bounded memory.
//!
//! If all positions fit into the memory, only a list of their numbers is shuffled. Otherwise each position goes to a
//! random file of several, so that every file is a fair sample of all positions. An epoch then takes the files in
//! random order, and shuffles each of them in memory. In both cases the order depends only on the seed and the epoch.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::position::{BYTES, TrainingPosition};
use crate::base::file::FileError;
use crate::base::random::Random;

/// The streams of random numbers for the choice of files and for the orders of each epoch.
const FILES: u64 = u64::from_le_bytes(*b"files   ");
const ORDER: u64 = u64::from_le_bytes(*b"order   ");

/// The extension of the files.
const EXTENSION: &str = "positions";

/// The size of a position and its number in memory, in bytes.
const MEMORY_BYTES: usize = BYTES + size_of::<u32>();

/// Collects positions.
#[derive(Debug)]
pub struct Collector {
    /// The number of positions that may be in memory.
    capacity: usize,
    /// The directory for files, if they become necessary.
    directory: PathBuf,
    files: usize,
    random: Random,
    resident: Vec<TrainingPosition>,
    buckets: Option<BucketWriters>,
}

#[derive(Debug)]
struct BucketWriters {
    directory: BucketDirectory,
    writers: Vec<BufWriter<File>>,
    lengths: Vec<usize>,
}

impl Collector {
    /// A collector for at most `expected` positions. They stay in memory if they need at most `memory` bytes. Otherwise
    /// they go to files in `directory`. The directory is made if it is needed, cleared of old files first, and removed
    /// at the end.
    pub fn new(memory: usize, expected: usize, directory: &Path, seed: u64) -> Collector {
        let capacity = (memory / MEMORY_BYTES).clamp(1, u32::MAX as usize);
        Collector {
            capacity,
            directory: directory.to_owned(),
            // The files fill half of the memory on average, so that the largest one fits too.
            files: expected.div_ceil(capacity.div_ceil(2)).max(2),
            random: Random::stream(seed, FILES),
            resident: Vec::new(),
            buckets: None,
        }
    }

    /// Adds positions.
    pub fn extend(&mut self, positions: &[TrainingPosition]) -> Result<(), FileError> {
        if self.buckets.is_none() && self.resident.len() + positions.len() <= self.capacity {
            self.resident.extend_from_slice(positions);
            return Ok(());
        }
        let buckets = match &mut self.buckets {
            Some(buckets) => buckets,
            None => self.buckets.insert(BucketWriters::create(&self.directory, self.files)?),
        };
        for position in self.resident.drain(..).chain(positions.iter().copied()) {
            buckets.push(self.random.below(self.files), position)?;
        }
        Ok(())
    }

    /// Ends the collection. The positions can then be shuffled.
    pub fn finish(self) -> Result<Shuffled, FileError> {
        let Some(buckets) = self.buckets else { return Ok(Shuffled::Memory(self.resident)) };
        let BucketWriters { directory, writers, lengths } = buckets;
        for (number, mut writer) in writers.into_iter().enumerate() {
            writer.flush().map_err(FileError::because("cannot write", &directory.file(number)))?;
        }
        Ok(Shuffled::Files(Buckets { directory, lengths }))
    }
}

impl BucketWriters {
    fn create(path: &Path, files: usize) -> Result<BucketWriters, FileError> {
        let directory = BucketDirectory::create(path)?;
        let create = |number| {
            let path = directory.file(number);
            // Old files have just been removed, so the file cannot exist.
            File::create_new(&path).map(BufWriter::new).map_err(FileError::because("cannot create", &path))
        };
        let writers = (0..files).map(create).collect::<Result<_, _>>()?;
        Ok(BucketWriters { directory, writers, lengths: vec![0; files] })
    }

    fn push(&mut self, file: usize, position: TrainingPosition) -> Result<(), FileError> {
        self.lengths[file] += 1;
        self.writers[file]
            .write_all(&position.to_bytes())
            .map_err(|error| FileError::because("cannot write", &self.directory.file(file))(error))
    }
}

/// A directory that is removed after the training.
#[derive(Debug)]
struct BucketDirectory(PathBuf);

impl BucketDirectory {
    fn create(path: &Path) -> Result<BucketDirectory, FileError> {
        fs::create_dir_all(path).map_err(FileError::because("cannot make the directory", path))?;
        let directory = BucketDirectory(path.to_owned());
        // A run that was killed may have left files.
        directory.clear().map_err(FileError::because("cannot empty the directory", path))?;
        Ok(directory)
    }

    fn file(&self, number: usize) -> PathBuf {
        self.0.join(format!("{number}.{EXTENSION}"))
    }

    /// Removes files of positions. Leaves other files alone.
    fn clear(&self) -> io::Result<()> {
        for entry in fs::read_dir(&self.0)? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == EXTENSION) {
                fs::remove_file(path)?;
            }
        }
        Ok(())
    }
}

impl Drop for BucketDirectory {
    fn drop(&mut self) {
        // Errors are ignored: the files are not needed any more, and an error here would hide a more important one.
        let _ = self.clear().and_then(|()| fs::remove_dir(&self.0));
    }
}

/// Positions that can be visited in random order as often as needed.
#[derive(Debug)]
pub enum Shuffled {
    /// All positions, in memory.
    Memory(Vec<TrainingPosition>),
    /// Files, because the positions do not fit into the memory.
    Files(Buckets),
}

/// Files. Each holds a fair sample of all positions.
#[derive(Debug)]
pub struct Buckets {
    directory: BucketDirectory,
    lengths: Vec<usize>,
}

impl Shuffled {
    /// The number of positions.
    pub fn len(&self) -> usize {
        match self {
            Shuffled::Memory(positions) => positions.len(),
            Shuffled::Files(buckets) => buckets.lengths.iter().sum(),
        }
    }

    /// Whether there is no position.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of steps of an epoch. A batch never spans two files.
    pub fn steps(&self, batch: usize) -> u64 {
        let steps = |length: &usize| batches(*length, batch) as u64;
        match self {
            Shuffled::Memory(positions) => steps(&positions.len()),
            Shuffled::Files(buckets) => buckets.lengths.iter().map(steps).sum(),
        }
    }

    /// Calls `visit` with each batch of `epoch`: a slice of positions, and the indices of those in the batch.
    pub fn for_each_batch(
        &self,
        batch: usize,
        seed: u64,
        epoch: u32,
        mut visit: impl FnMut(&[TrainingPosition], &[u32]),
    ) -> Result<(), FileError> {
        let mut random = Random::stream(Random::stream(seed, ORDER).bits(), u64::from(epoch));
        let mut each = |positions: &[TrainingPosition], random: &mut Random| {
            let mut order: Vec<u32> = (0..positions.len() as u32).collect();
            random.shuffle(&mut order);
            let (even, last) = order.split_at(batches(order.len(), batch).saturating_sub(1) * batch);
            for batch in even.chunks(batch).chain((!last.is_empty()).then_some(last)) {
                visit(positions, batch);
            }
        };
        match self {
            Shuffled::Memory(positions) => each(positions, &mut random),
            Shuffled::Files(buckets) => {
                let mut order: Vec<usize> = (0..buckets.lengths.len()).collect();
                random.shuffle(&mut order);
                for file in order {
                    each(&buckets.read(file)?, &mut random);
                }
            }
        }
        Ok(())
    }
}

/// The number of batches in `length` positions. A remainder of less than half a batch joins the previous batch, because
/// a few positions would move the weights as far as a whole batch.
fn batches(length: usize, batch: usize) -> usize {
    ((length + batch / 2) / batch).max(usize::from(length > 0))
}

impl Buckets {
    fn read(&self, number: usize) -> Result<Vec<TrainingPosition>, FileError> {
        let path = self.directory.file(number);
        let bytes = fs::read(&path).map_err(FileError::because("cannot read", &path))?;
        Ok(bytes.as_chunks::<BYTES>().0.iter().map(TrainingPosition::from_bytes).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::board::Board;
    use crate::engine::selfplay::record::GameResult;

    /// Positions with different scores.
    fn numbered(count: i16) -> Vec<TrainingPosition> {
        let board = Board::startpos();
        (0..count).map(|score| TrainingPosition::new(&board, score, Some(GameResult::Draw))).collect()
    }

    fn collected(memory: usize, directory: &Path) -> Shuffled {
        let mut collector = Collector::new(memory, 1_000, directory, 5);
        for part in numbered(1_000).chunks(70) {
            collector.extend(part).unwrap();
        }
        collector.finish().unwrap()
    }

    fn scores(shuffled: &Shuffled, epoch: u32) -> Vec<i16> {
        let mut scores = Vec::new();
        let mut steps = 0;
        shuffled
            .for_each_batch(64, 5, epoch, |positions, batch| {
                assert!((32..96).contains(&batch.len()), "{}", batch.len());
                scores.extend(batch.iter().map(|&index| positions[index as usize].score()));
                steps += 1;
            })
            .unwrap();
        assert_eq!(shuffled.steps(64), steps);
        scores
    }

    #[test]
    fn each_epoch_visits_every_position_once_in_its_own_order() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("net.shuffle");
        for memory in [1 << 20, 300 * MEMORY_BYTES] {
            let shuffled = collected(memory, &path);
            assert_eq!(shuffled.len(), 1_000);
            assert_eq!(matches!(shuffled, Shuffled::Files(_)), memory < 1 << 20);
            let (first, second) = (scores(&shuffled, 1), scores(&shuffled, 2));
            assert_ne!(first, second);
            assert_eq!(first, scores(&shuffled, 1), "an epoch can be repeated");
            for mut epoch in [first, second] {
                // Positions that are near each other in the data are not near each other in an epoch.
                let steps: u32 = epoch.windows(2).map(|pair| pair[0].abs_diff(pair[1]) as u32).sum();
                assert!((250..420).contains(&(steps / 999)), "{}", steps / 999);
                epoch.sort_unstable();
                assert_eq!(epoch, (0..1_000).collect::<Vec<_>>());
            }
        }
        assert!(!path.exists(), "the files are gone");
    }

    #[test]
    fn a_short_remainder_joins_the_batch_before_it() {
        for (count, expected) in [
            (0, vec![]),
            (5, vec![5]),
            (64, vec![64]),
            (95, vec![95]),
            (96, vec![64, 32]),
            (128, vec![64, 64]),
            (129, vec![64, 65]),
            (161, vec![64, 64, 33]),
        ] {
            let shuffled = Shuffled::Memory(numbered(count));
            let mut sizes = Vec::new();
            shuffled.for_each_batch(64, 5, 1, |_, batch| sizes.push(batch.len())).unwrap();
            assert_eq!(sizes, expected);
            assert_eq!(shuffled.steps(64), sizes.len() as u64);
        }
    }

    #[test]
    fn files_fit_the_memory_and_replace_those_of_a_killed_run() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("net.shuffle");
        fs::create_dir(&path).unwrap();
        fs::write(path.join("0.positions"), "left over").unwrap();
        let Shuffled::Files(buckets) = collected(300 * MEMORY_BYTES, &path) else { panic!("not in files") };
        assert_eq!(buckets.lengths.len(), 7);
        assert!(buckets.lengths.iter().all(|&length| (80..300).contains(&length)), "{:?}", buckets.lengths);
    }
}
