//! Trains the evaluation's network on games that Enfilade played against itself: `enfilade train`.
//!
//! The network depends only on the games, the configuration with its seed, and the network that the training begins
//! with, if there is one. Neither the number of threads nor an interruption changes it. After each epoch the training
//! writes the losses to a log and a plot beside the network. After the configured number of epochs it writes a
//! checkpoint, from which `--resume` continues.

mod activation;
mod adamw;
mod checkpoint;
pub(crate) mod command;
pub mod config;
mod error;
pub(crate) mod filter;
mod history;
mod kernel;
mod load;
mod plot;
mod position;
mod quantize;
#[cfg_attr(not(test), expect(dead_code, reason = "the training of networks with products will call it"))]
mod quantize_products;
mod range;
mod schedule;
mod shuffle;
mod split;
mod tail;
mod target;
mod td_lambda;
mod trainer;
pub mod validation;
mod vector;
mod weights;

use std::path::{Path, PathBuf};

use crate::base::file::{check_writable, replace};
use crate::base::numa::{self, Binding};
use crate::engine::eval::network::Network;
use checkpoint::Checkpoint;
pub use checkpoint::CheckpointError;
use config::Config;
pub use error::TrainError;
pub use history::Epoch;
use load::Loaded;
pub use quantize::Clipped;
use quantize::Quantized;
pub use trainer::EpochProgress;
use trainer::Trainer;
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
    /// The weights of this network. Hidden units, king zones in place of one, inputs for hanging pieces, or further
    /// layers may be added.
    Network(PathBuf),
    /// The state in this checkpoint.
    Checkpoint(PathBuf),
}

/// Receives the events of a training.
pub trait TrainingListener {
    /// The training begins with the weights of this network.
    fn begins_with(&mut self, network: &Path);
    /// The games have been read.
    fn loaded(&mut self, games: &LoadedGames);
    /// The training resumes after this number of epochs.
    fn resumed(&mut self, epochs: usize);
    /// The first epoch of this run begins.
    fn begun(&mut self);
    /// A step of epoch `number` (from 1) is done.
    fn step(&mut self, number: u32, progress: EpochProgress);
    /// An epoch is done.
    fn epoch(&mut self, epoch: &Epoch);
}

/// The games that a network is trained on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadedGames {
    /// The number of games that were read.
    pub games: u64,
    /// The number of positions in these games.
    pub positions: u64,
    /// The size of the training set.
    pub training: usize,
    /// The size of the validation set.
    pub validation: usize,
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
    let first = FirstWeights::read(beginning, config)?;
    if let Beginning::Network(path) = beginning {
        listener.begins_with(path);
    }
    let Loaded { training, validation, games, positions, fingerprint, damages, .. } =
        load::load(data, config, &beside("shuffle"))?;
    listener.loaded(&LoadedGames {
        games,
        positions,
        training: training.len(),
        validation: validation.len(),
        damages,
    });
    if training.is_empty() {
        return Err(TrainError::Empty { games });
    }
    let training_positions = training.len() as u64;
    let (mut trainer, mut history) = first.trainer(config, training_positions, fingerprint, listener)?;
    listener.begun();
    for number in history.len() as u32 + 1..=config.epochs {
        let epoch =
            trainer.epoch(number, &training, &validation, |progress| listener.step(number, progress))?;
        if !epoch.training.is_finite() {
            return Err(TrainError::Diverged { epoch: number });
        }
        history.push(epoch);
        listener.epoch(&epoch);
        let title = format!("{}, {training_positions} positions", config.shape());
        replace(&beside("csv"), history::csv(&history).as_bytes())?;
        replace(&beside("svg"), plot::svg(&title, &history).as_bytes())?;
        if number % config.checkpoint_every == 0 || number == config.epochs {
            let (weights, adam) = (trainer.weights().clone(), trainer.adam().clone());
            let (history, settings) = (history.clone(), config.to_json());
            let config = config.fingerprint();
            Checkpoint {
                config,
                settings,
                positions: training_positions,
                games: fingerprint,
                weights,
                adam,
                history,
            }
            .write(&beside("checkpoint"))?;
        }
    }
    // The games have scores in the unit of the embedded network, and the new network learns them.
    let unit = Network::embedded().unit();
    let Quantized { network, clipped } = quantize::quantize(trainer.weights(), config.target.scale, unit);
    replace(out, &network.to_bytes())?;
    Ok(TrainingReport { epochs: history, clipped })
}

/// The weights that a training begins with. They are read before the games, because an error shows sooner that way.
enum FirstWeights<'a> {
    Random,
    Weights(Weights),
    Checkpoint(&'a Path, Box<Checkpoint>),
}

impl FirstWeights<'_> {
    fn read<'a>(beginning: &'a Beginning, config: &Config) -> Result<FirstWeights<'a>, TrainError> {
        Ok(match beginning {
            Beginning::Random => FirstWeights::Random,
            Beginning::Network(path) => FirstWeights::Weights(first_weights(path, config)?),
            Beginning::Checkpoint(path) => FirstWeights::Checkpoint(path, Box::new(Checkpoint::read(path)?)),
        })
    }

    /// A trainer for so many positions from games with this fingerprint, and the epochs that are done.
    fn trainer(
        self,
        config: &Config,
        positions: u64,
        games: u64,
        listener: &mut dyn TrainingListener,
    ) -> Result<(Trainer, Vec<Epoch>), TrainError> {
        Ok(match self {
            FirstWeights::Random => (Trainer::new(config), Vec::new()),
            FirstWeights::Weights(weights) => (Trainer::from_weights(config, weights), Vec::new()),
            FirstWeights::Checkpoint(path, checkpoint) => {
                checkpoint.check(path, config, positions, games)?;
                listener.resumed(checkpoint.history.len());
                (Trainer::resume(config, checkpoint.weights, checkpoint.adam), checkpoint.history)
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
        && found.threats <= expected.threats
        && found.buckets == expected.buckets
        && found.products == expected.products;
    if !can_grow {
        return Err(TrainError::Shape { path: path.to_owned(), found, expected });
    }
    Ok(quantize::dequantize(&network, config.target.scale).grown(expected, config.seed))
}
