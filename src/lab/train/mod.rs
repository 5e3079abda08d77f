//! Trains the evaluation's network on games that Enfilade played against itself: `enfilade train`.
//!
//! The network depends only on the games, the configuration with its seed, and the network that the training begins
//! with, if there is one. Neither the number of threads nor an interruption changes it. After each epoch the training
//! writes the losses to a log and a plot beside the network. After the configured number of epochs it writes a
//! checkpoint, from which `--resume` continues.

mod adamw;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod batch;
mod checkpoint;
pub(crate) mod command;
pub mod config;
mod direct;
mod error;
mod export;
pub(crate) mod filter;
mod first_layer;
mod half;
mod history;
mod kernel;
mod label;
mod lists;
mod load;
mod plot;
mod position;
mod products;
mod quantize;
mod quantize_products;
mod range;
mod rounding;
mod sampling;
mod scale;
mod schedule;
mod shuffle;
mod split;
mod target;
mod trainer;
pub mod validation;
mod vector;
mod weights;

use std::path::{Path, PathBuf};

use crate::base::file::{check_writable, replace};
use crate::base::numa::{self, Binding};
use crate::engine::eval::network::Network;
pub use checkpoint::CheckpointError;
use checkpoint::{Checkpoint, TrainingProgress};
use config::Config;
pub use error::TrainError;
pub use history::Epoch;
use load::Loaded;
pub use quantize::Clipped;
use quantize::Quantized;
use trainer::{Course, Trainer};
use weights::Weights;

/// The extensions of the files beside the network: log, plot, checkpoint, positions on disk.
const BESIDE: [&str; 4] = ["csv", "svg", "checkpoint", "shuffle"];

/// What to train, and on which games.
#[derive(Clone, Debug)]
pub struct TrainingPlan {
    /// Directories of games, or single files, as `datagen` writes them.
    pub data: Vec<PathBuf>,
    /// The configuration of the training.
    pub config: Config,
    /// The file for the network. Log, plot and checkpoint are written beside it.
    pub out: PathBuf,
    /// What the training begins with.
    pub beginning: Beginning,
    /// The number of threads; `None` for the number of cores.
    pub threads: Option<usize>,
}

/// What a training begins with.
#[derive(Clone, Debug)]
pub enum Beginning {
    /// Random weights.
    Random,
    /// The weights of this network, or the weights and moments of this checkpoint. A network may get further hidden
    /// units, king zones in place of one, or inputs for hanging pieces.
    From(PathBuf),
    /// The state in this checkpoint. The configuration and the games must be the same.
    Resume(PathBuf),
}

impl Beginning {
    /// Reads the file, as the training does before its games.
    ///
    /// # Errors
    /// If there is none, or if it does not fit the configuration.
    pub fn check(&self, config: &Config) -> Result<(), TrainError> {
        FirstWeights::read(self, config).map(drop)
    }
}

/// Receives the events of a training.
pub trait TrainingListener {
    /// The training begins with the weights of this network or checkpoint.
    fn begins_with(&mut self, path: &Path);
    /// The games have been read.
    fn loaded(&mut self, games: &LoadedGames);
    /// The training resumes after this number of epochs.
    fn resumed(&mut self, epochs: usize);
    /// The first epoch of this run begins, after so many positions of earlier epochs.
    fn begun(&mut self, samples: u64);
    /// A step of epoch `number` (from 1) is done. The training has seen so many positions, and those of the epoch had
    /// this mean loss.
    fn step(&mut self, number: u32, samples: u64, loss: f64);
    /// An epoch is done.
    fn epoch(&mut self, epoch: &Epoch);
}

/// The games that a network is trained on.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedGames {
    /// The number of games that were read.
    pub games: u64,
    /// The number of positions in these games.
    pub positions: u64,
    /// The size of the training set.
    pub training: usize,
    /// The size of the validation set.
    pub validation: usize,
    /// The scale of scores, in centipawns of the search.
    pub scale: f64,
    /// The expected number of positions in the whole training, with those that are used several times.
    pub samples: u64,
    /// One line for each part of a file that is not a game.
    pub damages: Vec<String>,
}

/// The result of a training, besides the files.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingReport {
    /// All epochs, including those before a checkpoint.
    pub epochs: Vec<Epoch>,
    /// How many numbers of the network's parts were cut to the limits of its integers.
    pub clipped: Vec<Clipped>,
}

/// Reads the games, trains, and writes the network.
///
/// # Errors
/// [`TrainError`]. An existing network file then stays as it is.
pub fn run(
    plan: &TrainingPlan,
    listener: &mut (dyn TrainingListener + Send),
) -> Result<TrainingReport, TrainError> {
    let threads = plan.threads.unwrap_or_else(numa::cores);
    let binding = Binding::of_job(threads);
    let builder = rayon::ThreadPoolBuilder::new().num_threads(threads);
    let pool = builder.start_handler(move |index| binding.bind(index)).build()?;
    pool.install(|| train(plan, listener))
}

fn train(plan: &TrainingPlan, listener: &mut dyn TrainingListener) -> Result<TrainingReport, TrainError> {
    let TrainingPlan { data, config, out, beginning, .. } = plan;
    let beside = |extension: &str| out.with_extension(extension);
    if BESIDE.iter().any(|extension| beside(extension) == *out) {
        return Err(TrainError::Name { path: out.clone() });
    }
    for path in [out.clone(), beside("csv"), beside("svg"), beside("checkpoint")] {
        check_writable(&path)?;
    }
    if !config.shape().is_valid() {
        return Err(TrainError::Hidden { hidden: config.hidden });
    }
    let first = FirstWeights::read(beginning, config)?;
    if let Beginning::From(path) = beginning {
        listener.begins_with(path);
    }
    let Loaded { training, validation, scale, games, positions, fingerprint, damages, .. } =
        load::load(data, config, &beside("shuffle"))?;
    if training.is_empty() {
        return Err(TrainError::Empty { games });
    }
    let course = Course::new(config, &training, scale);
    listener.loaded(&LoadedGames {
        games,
        positions,
        training: training.len(),
        validation: validation.len(),
        scale,
        samples: (course.epoch_samples * config.epochs).round() as u64,
        damages,
    });
    let training_positions = training.len() as u64;
    let games = TrainingGames { positions: training_positions, fingerprint };
    let (mut trainer, mut history) = first.trainer(config, course, games, listener)?;
    listener.begun(trainer.progress().samples);
    let epochs = config.epochs.ceil() as u32;
    for number in history.len() as u32 + 1..=epochs {
        let before = trainer.progress().samples;
        let epoch = trainer.epoch(number, &training, &validation, |progress| {
            listener.step(number, before + progress.positions, progress.loss);
        })?;
        if !epoch.training.is_finite() {
            return Err(TrainError::Diverged { epoch: number });
        }
        history.push(epoch);
        listener.epoch(&epoch);
        let title = format!("{}, {training_positions} positions", config.shape());
        replace(&beside("csv"), history::csv(&history).as_bytes())?;
        replace(&beside("svg"), plot::svg(&title, &history).as_bytes())?;
        if number % config.checkpoint_every == 0 || number == epochs {
            Checkpoint {
                config: config.fingerprint(),
                settings: config.to_json(),
                positions: training_positions,
                games: fingerprint,
                scale,
                progress: trainer.progress(),
                weights: trainer.weights().clone(),
                adam: trainer.adam().clone(),
                history: history.clone(),
            }
            .write(&beside("checkpoint"))?;
        }
    }
    let Quantized { network, clipped } = export::network(trainer.weights(), config.target.unit());
    replace(out, &network.to_bytes())?;
    Ok(TrainingReport { epochs: history, clipped })
}

/// What identifies the games of a training.
#[derive(Clone, Copy)]
struct TrainingGames {
    /// The number of positions to learn from.
    positions: u64,
    /// A number that follows from the games and their order.
    fingerprint: u64,
}

/// The weights that a training begins with. They are read before the games, because an error shows sooner that way.
enum FirstWeights<'a> {
    Random,
    Weights(Weights),
    Moments(Box<Checkpoint>),
    Resume(&'a Path, Box<Checkpoint>),
}

impl FirstWeights<'_> {
    fn read<'a>(beginning: &'a Beginning, config: &Config) -> Result<FirstWeights<'a>, TrainError> {
        Ok(match beginning {
            Beginning::Random => FirstWeights::Random,
            Beginning::From(path) if Checkpoint::is_at(path) => {
                let checkpoint = Checkpoint::read(path)?;
                checkpoint.check_shape(path, config.shape())?;
                FirstWeights::Moments(Box::new(checkpoint))
            }
            Beginning::From(path) => FirstWeights::Weights(first_weights(path, config)?),
            Beginning::Resume(path) => FirstWeights::Resume(path, Box::new(Checkpoint::read(path)?)),
        })
    }

    /// A trainer for these games, and the epochs that are done.
    fn trainer(
        self,
        config: &Config,
        course: Course,
        games: TrainingGames,
        listener: &mut dyn TrainingListener,
    ) -> Result<(Trainer, Vec<Epoch>), TrainError> {
        Ok(match self {
            FirstWeights::Random => (Trainer::new(config, course), Vec::new()),
            FirstWeights::Weights(weights) => (Trainer::from_weights(config, course, weights), Vec::new()),
            FirstWeights::Moments(checkpoint) => {
                let Checkpoint { weights, adam, .. } = *checkpoint;
                (Trainer::resume(config, course, TrainingProgress::default(), weights, adam), Vec::new())
            }
            FirstWeights::Resume(path, checkpoint) => {
                checkpoint.check(path, config, games.positions, games.fingerprint)?;
                listener.resumed(checkpoint.history.len());
                let Checkpoint { progress, weights, adam, history, .. } = *checkpoint;
                (Trainer::resume(config, course, progress, weights, adam), history)
            }
        })
    }
}

/// The weights of the network at `path`.
fn first_weights(path: &Path, config: &Config) -> Result<Weights, TrainError> {
    let network = Network::load(path)?;
    let (found, expected) = (network.shape(), config.shape());
    let can_grow = found.hidden <= expected.hidden
        && (found.zones == 1 || found.zones == expected.zones)
        && found.hanging <= expected.hanging
        && found.buckets == expected.buckets
        && found.products == expected.products;
    if !can_grow {
        return Err(TrainError::Shape { path: path.to_owned(), found, expected });
    }
    Ok(export::weights(&network).grown(expected, config.seed))
}
