//! Shuffles positions into a new order for each epoch, in bounded memory.
//!
//! If all positions fit into the memory, only a list of their numbers is shuffled. Otherwise each position goes to a
//! random file of several, so that every file is a fair sample of all positions. An epoch then takes the files in
//! random order, and shuffles each of them in memory. While the training works on one file, a thread reads and shuffles
//! the next one. In both cases the order depends only on the seed and the epoch.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::thread;

use super::position::{BYTES, TrainingPosition};
use super::sampling::{Chances, PIECES, PieceCounts};
use crate::base::file::FileError;
use crate::base::random::Random;

/// The streams of random numbers for the choice of files and for the orders of each epoch.
const FILES: u64 = u64::from_le_bytes(*b"files   ");
const ORDER: u64 = u64::from_le_bytes(*b"order   ");

/// The extension of the files.
const EXTENSION: &str = "positions";

/// The size of a position and its number in memory, in bytes.
const MEMORY_BYTES: usize = BYTES + size_of::<u32>();

/// The number of positions that are read from a file at once.
const READ_POSITIONS: usize = 1 << 15;

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
    counts: PieceCounts,
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
            // Two files are in memory at a time. Each takes a third of it on average, so that the largest ones fit too.
            files: expected.div_ceil(capacity.div_ceil(3)).max(2),
            random: Random::stream(seed, FILES),
            resident: Vec::new(),
            buckets: None,
            counts: [0; PIECES + 1],
        }
    }

    /// Adds positions.
    pub fn extend(&mut self, positions: &[TrainingPosition]) -> Result<(), FileError> {
        for position in positions {
            self.counts[position.pieces()] += 1;
        }
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
        let Collector { resident, buckets, counts, .. } = self;
        let Some(BucketWriters { directory, writers, lengths }) = buckets else {
            return Ok(Shuffled { store: PositionStore::Memory(resident), counts });
        };
        for (number, mut writer) in writers.into_iter().enumerate() {
            writer.flush().map_err(FileError::because("cannot write", &directory.file(number)))?;
        }
        Ok(Shuffled { store: PositionStore::Files(Buckets { directory, lengths }), counts })
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
pub struct Shuffled {
    store: PositionStore,
    counts: PieceCounts,
}

#[derive(Debug)]
enum PositionStore {
    /// All positions, in memory.
    Memory(Vec<TrainingPosition>),
    /// Files, because the positions do not fit into the memory.
    Files(Buckets),
}

/// Files. Each holds a fair sample of all positions.
#[derive(Debug)]
struct Buckets {
    directory: BucketDirectory,
    lengths: Vec<usize>,
}

/// The order of the positions in an epoch.
#[derive(Clone, Copy, Debug)]
pub struct Order<'a> {
    /// The number of positions in a batch.
    pub batch: usize,
    /// Seed of the orders of all epochs.
    pub seed: u64,
    /// The number of the epoch, from 1.
    pub epoch: u32,
    /// Each position's chance to be used.
    pub chances: &'a Chances,
}

impl Shuffled {
    /// The number of positions.
    pub fn len(&self) -> usize {
        match &self.store {
            PositionStore::Memory(positions) => positions.len(),
            PositionStore::Files(buckets) => buckets.lengths.iter().sum(),
        }
    }

    /// Whether there is no position.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many positions there are for each number of pieces.
    pub fn counts(&self) -> &PieceCounts {
        &self.counts
    }

    /// Calls `visit` with each batch of an epoch, until it returns `false`: a slice of positions, and the indices of
    /// those in the batch. A batch never spans two files.
    pub fn for_each_batch(
        &self,
        order: Order<'_>,
        mut visit: impl FnMut(&[TrainingPosition], &[u32]) -> bool,
    ) -> Result<(), FileError> {
        let Order { batch, seed, epoch, .. } = order;
        let epoch = Random::stream(Random::stream(seed, ORDER).bits(), u64::from(epoch)).bits();
        let mut each = |positions: &[TrainingPosition], numbers: &[u32]| {
            let (even, last) = numbers.split_at(batches(numbers.len(), batch).saturating_sub(1) * batch);
            let mut batches = even.chunks(batch).chain((!last.is_empty()).then_some(last));
            batches.all(|batch| visit(positions, batch))
        };
        let buckets = match &self.store {
            PositionStore::Memory(positions) => {
                each(positions, &order.numbers(positions, &mut Random::stream(epoch, 0)));
                return Ok(());
            }
            PositionStore::Files(buckets) => buckets,
        };
        let mut files: Vec<usize> = (0..buckets.lengths.len()).collect();
        Random::stream(epoch, 0).shuffle(&mut files);
        let read = |file: usize| {
            let positions = buckets.read(file)?;
            let numbers = order.numbers(&positions, &mut Random::stream(epoch, file as u64 + 1));
            Ok((positions, numbers))
        };
        thread::scope(|scope| {
            let mut next = files.first().map(|&file| scope.spawn(move || read(file)));
            for number in 1..=files.len() {
                let Some(reader) = next.take() else { break };
                let (positions, numbers) =
                    reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
                next = files.get(number).map(|&file| scope.spawn(move || read(file)));
                if !each(&positions, &numbers) {
                    break;
                }
            }
            Ok(())
        })
    }
}

impl Order<'_> {
    /// The numbers of the positions that the epoch uses, in random order.
    fn numbers(&self, positions: &[TrainingPosition], random: &mut Random) -> Vec<u32> {
        let all = 0..positions.len() as u32;
        let mut numbers: Vec<u32> = if self.chances.are_certain() {
            all.collect()
        } else {
            all.filter(|&number| random.unit() < self.chances.of(positions[number as usize].pieces()))
                .collect()
        };
        random.shuffle(&mut numbers);
        numbers
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
        let mut file = File::open(&path).map_err(FileError::because("cannot read", &path))?;
        let mut positions = Vec::with_capacity(self.lengths[number]);
        let mut bytes = vec![0; READ_POSITIONS * BYTES];
        let mut left = self.lengths[number];
        while left > 0 {
            let bytes = &mut bytes[..left.min(READ_POSITIONS) * BYTES];
            file.read_exact(bytes).map_err(FileError::because("cannot read", &path))?;
            let read = bytes.as_chunks::<BYTES>().0;
            positions.extend(read.iter().map(TrainingPosition::from_bytes));
            left -= read.len();
        }
        Ok(positions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::board::Board;
    use crate::lab::train::sampling::Sampling;

    /// Positions with different scores.
    fn numbered(count: i16) -> Vec<TrainingPosition> {
        let board = Board::startpos();
        (0..count).map(|score| TrainingPosition::new(&board, score, None)).collect()
    }

    fn collected(memory: usize, directory: &Path) -> Shuffled {
        let mut collector = Collector::new(memory, 1_000, directory, 5);
        for part in numbered(1_000).chunks(70) {
            collector.extend(part).unwrap();
        }
        collector.finish().unwrap()
    }

    fn order(chances: &Chances, epoch: u32) -> Order<'_> {
        Order { batch: 64, seed: 5, epoch, chances }
    }

    fn scores(shuffled: &Shuffled, share: f64, epoch: u32) -> Vec<i16> {
        let chances = Sampling { share, ..Sampling::default() }.chances(shuffled.counts());
        let mut scores = Vec::new();
        shuffled
            .for_each_batch(order(&chances, epoch), |positions, batch| {
                assert!((32..96).contains(&batch.len()), "{}", batch.len());
                scores.extend(batch.iter().map(|&index| positions[index as usize].score()));
                true
            })
            .unwrap();
        scores
    }

    #[test]
    fn each_epoch_visits_every_position_once_in_its_own_order() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("net.shuffle");
        for memory in [1 << 20, 300 * MEMORY_BYTES] {
            let shuffled = collected(memory, &path);
            assert_eq!(shuffled.len(), 1_000);
            assert_eq!(matches!(shuffled.store, PositionStore::Files(_)), memory < 1 << 20);
            let (first, second) = (scores(&shuffled, 1.0, 1), scores(&shuffled, 1.0, 2));
            assert_ne!(first, second);
            assert_eq!(first, scores(&shuffled, 1.0, 1), "an epoch can be repeated");
            let [half, other] = [1, 2].map(|epoch| scores(&shuffled, 0.5, epoch));
            assert!(half.len().abs_diff(500) < 60 && other.len().abs_diff(500) < 60 && half != other);
            let both = half.iter().filter(|score| other.contains(score)).count();
            assert!(both.abs_diff(250) < 60, "{both} positions of 1,000 are in both halves");
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
            let mut collector = Collector::new(1 << 20, 1_000, "".as_ref(), 5);
            collector.extend(&numbered(count)).unwrap();
            let (shuffled, chances) = (collector.finish().unwrap(), Sampling::default());
            let chances = chances.chances(shuffled.counts());
            let mut sizes = Vec::new();
            let visit = |_: &[TrainingPosition], batch: &[u32]| {
                sizes.push(batch.len());
                true
            };
            shuffled.for_each_batch(order(&chances, 1), visit).unwrap();
            assert_eq!(sizes, expected);
        }
    }

    #[test]
    fn an_epoch_can_be_ended_early() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("net.shuffle");
        for memory in [1 << 20, 300 * MEMORY_BYTES] {
            let shuffled = collected(memory, &path);
            let chances = Sampling::default().chances(shuffled.counts());
            let mut batches = 0;
            let visit = |_: &[TrainingPosition], _: &[u32]| {
                batches += 1;
                batches < 3
            };
            shuffled.for_each_batch(order(&chances, 1), visit).unwrap();
            assert_eq!(batches, 3);
        }
    }

    #[test]
    fn files_fit_the_memory_and_replace_those_of_a_killed_run() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("net.shuffle");
        fs::create_dir(&path).unwrap();
        fs::write(path.join("0.positions"), "left over").unwrap();
        let PositionStore::Files(buckets) = collected(300 * MEMORY_BYTES, &path).store else {
            panic!("not in files")
        };
        assert_eq!(buckets.lengths.len(), 10);
        assert!(buckets.lengths.iter().all(|&length| (50..150).contains(&length)), "{:?}", buckets.lengths);
    }
}
