//! The state of a training, as a file. A training that resumes from it gives the same network as without the
//! interruption. Another training can begin with its weights and moments, on other games or with another schedule.
//!
//! A header of 96 bytes (`ENFC`, version, hidden units, output buckets, epochs done, 1 for products plus 2 for
//! inputs for hanging pieces, steps of the optimizer, the configuration's fingerprint,
//! training positions, bytes of the history, fingerprint of the games, king zones, steps and positions of this
//! training, scale of scores as `f64`), then the numbers of the weights and both moments as `f32`, then both moments of
//! the weights that several zones share, then the history as JSON, then the configuration as JSON, then the 64-bit XXH3
//! hash of all that; little-endian.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::Value;
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64;

use super::adamw::AdamW;
use super::config::Config;
use super::history::Epoch;
use super::weights::{FloatLine, Weights};
use crate::base::file::{self, FileError, Limit};
use crate::engine::eval::network::Shape;

const MAGIC: [u8; 4] = *b"ENFC";
/// The version of the format. It must increase when a training would continue differently from the same file.
const VERSION: u32 = 7;
const HEADER: usize = 96;
const HASH: usize = 8;
/// The largest checkpoint. The largest network takes less than half of it.
const LIMIT: Limit = Limit { mebibytes: 512, of: "a checkpoint" };

/// Everything that determines the next epoch.
#[derive(Clone, PartialEq, Debug)]
pub struct Checkpoint {
    /// Fingerprint of the configuration.
    pub config: u64,
    /// The configuration itself, for messages about settings that differ; null if it is not known.
    pub settings: Value,
    /// The number of positions in an epoch.
    pub positions: u64,
    /// Fingerprint of the games and their order.
    pub games: u64,
    /// The scale of scores.
    pub scale: f64,
    /// How far the training is.
    pub progress: TrainingProgress,
    /// The network so far.
    pub weights: Weights,
    /// The optimizer's moments.
    pub adam: AdamW,
    /// The epochs so far.
    pub history: Vec<Epoch>,
}

/// How far a training is. The optimizer may have taken steps in earlier trainings.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct TrainingProgress {
    /// The number of steps.
    pub steps: u64,
    /// The number of positions.
    pub samples: u64,
}

/// A training cannot be resumed.
#[derive(Debug, Error)]
pub enum CheckpointError {
    /// The file could not be read.
    #[error(transparent)]
    Read(#[from] FileError),
    /// The file is not a checkpoint, or it is a checkpoint of another version.
    #[error("{}: it is not a checkpoint of this version of Enfilade", .0.display())]
    Foreign(PathBuf),
    /// The file is incomplete or was changed.
    #[error("{}: the checkpoint is damaged", .0.display())]
    Damaged(PathBuf),
    /// The network has another shape.
    #[error("{}: the checkpoint has {found}, and the configuration {expected}", path.display())]
    Shape {
        /// The file.
        path: PathBuf,
        /// The shape of the network in the file.
        found: Shape,
        /// The shape in the configuration.
        expected: Shape,
    },
    /// The rest of the configuration differs.
    #[error("{}: the checkpoint was made with another configuration{differences}", path.display())]
    Config {
        /// The file.
        path: PathBuf,
        /// A colon and each setting that differs, with its old and its new value; empty if they are not known.
        differences: String,
    },
    /// The games differ.
    #[error("{}: the checkpoint was made from {found} positions, and the data has {expected}", path.display())]
    Positions {
        /// The file.
        path: PathBuf,
        /// The number of positions in the checkpoint.
        found: u64,
        /// The number of positions now.
        expected: u64,
    },
    /// There are as many positions, but they come from other games, or from games in another order.
    #[error("{}: the checkpoint was made from other games, or from games in another order", .0.display())]
    Games(PathBuf),
}

impl Checkpoint {
    /// Writes the checkpoint to `path`. Replaces an earlier one.
    pub fn write(&self, path: &Path) -> Result<(), FileError> {
        file::replace(path, &self.to_bytes())
    }

    /// Whether the file at `path` seems to be a checkpoint. Whether it can be read at all shows later.
    pub fn is_at(path: &Path) -> bool {
        let mut magic = [0; MAGIC.len()];
        File::open(path).and_then(|mut file| file.read_exact(&mut magic)).is_ok() && magic == MAGIC
    }

    /// Reads a checkpoint.
    pub fn read(path: &Path) -> Result<Checkpoint, CheckpointError> {
        let bytes = file::read(path, LIMIT)?;
        if bytes.get(..4) != Some(&MAGIC) || bytes.get(4..8) != Some(&VERSION.to_le_bytes()) {
            return Err(CheckpointError::Foreign(path.to_owned()));
        }
        Checkpoint::from_bytes(&bytes).ok_or_else(|| CheckpointError::Damaged(path.to_owned()))
    }

    /// Whether a training with this configuration, so many positions and games of this fingerprint can go on from here;
    /// `path` is only for the error.
    pub fn check(
        &self,
        path: &Path,
        config: &Config,
        positions: u64,
        games: u64,
    ) -> Result<(), CheckpointError> {
        self.check_shape(path, config.shape())?;
        let path = path.to_owned();
        if self.config != config.fingerprint() {
            let mut differences = Vec::new();
            compare("", &self.settings, &config.to_json(), &mut differences);
            let colon = if differences.is_empty() { "" } else { ": " };
            return Err(CheckpointError::Config {
                path,
                differences: format!("{colon}{}", differences.join(", ")),
            });
        }
        if self.positions != positions {
            return Err(CheckpointError::Positions { path, found: self.positions, expected: positions });
        }
        if self.games != games {
            return Err(CheckpointError::Games(path));
        }
        Ok(())
    }

    /// Whether the network has this shape; `path` is only for the error.
    pub fn check_shape(&self, path: &Path, expected: Shape) -> Result<(), CheckpointError> {
        let found = self.weights.shape();
        if found == expected {
            return Ok(());
        }
        Err(CheckpointError::Shape { path: path.to_owned(), found, expected })
    }

    fn to_bytes(&self) -> Vec<u8> {
        let history = serde_json::to_vec(&self.history).expect("finite numbers are JSON");
        let mut bytes = Vec::new();
        bytes.extend_from_slice(&MAGIC);
        let shape = self.weights.shape();
        let extras = u32::from(shape.products) | u32::from(shape.hanging) << 1;
        for word in [VERSION, shape.hidden as u32, shape.buckets as u32, self.history.len() as u32, extras] {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        let TrainingProgress { steps, samples } = self.progress;
        let (zones, scale) = (shape.zones as u64, self.scale.to_bits());
        for word in [self.adam.steps, self.config, self.positions, history.len() as u64, self.games, zones]
            .into_iter()
            .chain([steps, samples, scale])
        {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        for weights in [&self.weights, &self.adam.means, &self.adam.squares] {
            for number in weights.numbers() {
                bytes.extend_from_slice(&number.to_le_bytes());
            }
        }
        for line in self.adam.shared_means.iter().chain(&self.adam.shared_squares) {
            bytes.extend(line.0.iter().flat_map(|number| number.to_le_bytes()));
        }
        bytes.extend_from_slice(&history);
        bytes.extend_from_slice(self.settings.to_string().as_bytes());
        bytes.extend_from_slice(&xxh3_64(&bytes).to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Option<Checkpoint> {
        let (content, hash) = bytes.split_at_checked(bytes.len().checked_sub(HASH)?)?;
        if content.len() < HEADER || xxh3_64(content).to_le_bytes() != hash {
            return None;
        }
        let number = |at: usize| Some(u32::from_le_bytes(content.get(at..at + 4)?.try_into().ok()?) as usize);
        let word = |at: usize| Some(u64::from_le_bytes(content.get(at..at + 8)?.try_into().ok()?));
        let shape = Shape {
            hidden: number(8)?,
            zones: usize::try_from(word(64)?).ok()?,
            buckets: number(12)?,
            hanging: number(20)? & 2 != 0,
            products: number(20)? & 1 != 0,
        };
        if !shape.is_valid() {
            return None;
        }
        let mut rest = &content[HEADER..];
        let mut fill = |lines: &mut [FloatLine]| {
            for number in lines.iter_mut().flat_map(|line| &mut line.0) {
                let (bytes, behind) = rest.split_first_chunk()?;
                (*number, rest) = (f32::from_le_bytes(*bytes), behind);
            }
            Some(())
        };
        let (mut weights, mut adam) = (Weights::zero(shape), AdamW::new(shape));
        for weights in [&mut weights, &mut adam.means, &mut adam.squares] {
            fill(weights.lines_mut())?;
        }
        fill(&mut adam.shared_means)?;
        fill(&mut adam.shared_squares)?;
        adam.steps = word(24)?;
        let (history, settings) = rest.split_at_checked(usize::try_from(word(48)?).ok()?)?;
        let history: Vec<Epoch> = serde_json::from_slice(history).ok()?;
        Some(Checkpoint {
            config: word(32)?,
            settings: serde_json::from_slice(settings).unwrap_or_default(),
            positions: word(40)?,
            games: word(56)?,
            scale: f64::from_bits(word(88)?),
            progress: TrainingProgress { steps: word(72)?, samples: word(80)? },
            weights,
            adam,
            history,
        })
    }
}

/// Adds each value of the configuration `new` that differs in `old` to `differences`. Both belong to the table `table`.
fn compare(table: &str, old: &Value, new: &Value, differences: &mut Vec<String>) {
    let (Value::Object(old), Value::Object(new)) = (old, new) else { return };
    for (key, new) in new {
        let old = old.get(key).unwrap_or(&Value::Null);
        match new {
            Value::Object(_) => compare(&format!("{key}."), old, new, differences),
            _ if old != new => differences.push(format!("{table}{key} {old} (now {new})")),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::train::weights::{WIDTH, zone_lines};

    const SMALL: Shape = Shape { hidden: 32, zones: 2, hanging: true, buckets: 2, products: false };

    fn config() -> Config {
        Config { hidden: 32, king_zones: 2, hanging: true, buckets: 2, ..Config::default() }
    }

    fn sample() -> Checkpoint {
        let epoch = Epoch {
            number: 1,
            steps: 5,
            rate: 1e-3,
            training: 0.02,
            validation: Some(0.03),
            speed: 1e6,
            samples: 80,
            scale: 150.0,
        };
        let shared = [4, 5].map(|number| vec![FloatLine([number as f32; WIDTH]); zone_lines(SMALL)]);
        let [shared_means, shared_squares] = shared;
        let (means, squares) = (Weights::random(SMALL, 2), Weights::random(SMALL, 3));
        let adam = AdamW { means, squares, shared_means, shared_squares, steps: 5 };
        Checkpoint {
            config: config().fingerprint(),
            settings: config().to_json(),
            positions: 80,
            games: 7,
            scale: 151.5,
            progress: TrainingProgress { steps: 3, samples: 70 },
            weights: Weights::random(SMALL, 1),
            adam,
            history: vec![epoch],
        }
    }

    #[test]
    fn a_written_checkpoint_is_read_unchanged() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("net.checkpoint");
        sample().write(&path).unwrap();
        assert_eq!(Checkpoint::read(&path).unwrap(), sample());
    }

    #[test]
    fn a_file_that_is_no_checkpoint_of_this_training_is_refused_by_name() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("net.checkpoint");
        let read = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            Checkpoint::read(&path).unwrap_err()
        };
        assert!(matches!(read(b"MZ"), CheckpointError::Foreign(_)));
        let bytes = sample().to_bytes();
        for length in [8, 40, 60, bytes.len() - 1] {
            assert!(matches!(read(&bytes[..length]), CheckpointError::Damaged(_)), "{length} bytes");
        }
        let mut altered = bytes.clone();
        altered[1_000] ^= 1;
        let error = read(&altered);
        assert!(matches!(error, CheckpointError::Damaged(_)));
        assert!(error.to_string().contains("net.checkpoint"), "{error}");
        let missing = Checkpoint::read(&directory.path().join("missing")).unwrap_err();
        assert!(matches!(missing, CheckpointError::Read(_)));
        let check = |config, positions| sample().check(&path, &config, positions, 7);
        assert!(check(config(), 80).is_ok());
        let other = Config { hidden: 64, buckets: 1, ..Config::default() };
        let error = check(other, 80).unwrap_err().to_string();
        let expected = "the checkpoint has 32 hidden units, 2 king zones, inputs for hanging pieces and 2 output buckets, and the configuration 64 hidden units and 1 output bucket";
        assert!(error.ends_with(expected), "{error}");
        assert!(matches!(check(config(), 81), Err(CheckpointError::Positions { found: 80, .. })));
    }

    /// Other games of the same number of positions were taken for the same.
    #[test]
    fn a_checkpoint_of_other_games_is_refused() {
        let path = Path::new("net.checkpoint");
        let error = sample().check(path, &config(), 80, 8).unwrap_err();
        assert!(matches!(error, CheckpointError::Games(_)), "{error}");
    }

    /// The message once said only that something differs.
    #[test]
    fn an_error_names_each_changed_setting_with_both_values() {
        let mut other = Config { epochs: 5.0, ..config() };
        other.target.wdl = 0.5;
        let refused = |checkpoint: Checkpoint| {
            checkpoint.check(Path::new("net.checkpoint"), &other, 80, 7).unwrap_err().to_string()
        };
        let error = refused(sample());
        assert!(
            error.ends_with("another configuration: epochs 18.0 (now 5.0), target.wdl 0.2 (now 0.5)"),
            "{error}"
        );
        // A checkpoint without settings.
        let mut bytes = Checkpoint { settings: Value::Null, ..sample() }.to_bytes();
        bytes.truncate(bytes.len() - HASH - "null".len());
        bytes.extend_from_slice(&xxh3_64(&bytes).to_le_bytes());
        let error = refused(Checkpoint::from_bytes(&bytes).unwrap());
        assert!(error.ends_with("was made with another configuration"), "{error}");
    }
}
