//! Training the evaluation's network on games that Enfilade played against itself: `enfilade train`.
//!
//! The network follows from the games, the configuration and its seed, or the network it begins with: neither the
//! number of threads nor an interruption changes it. After each epoch the losses go to a log and a plot beside the
//! network, and at the configured distance everything goes to a checkpoint, from which `--resume` continues.

mod activation;
mod adamw;
mod checkpoint;
pub mod config;
mod error;
pub(crate) mod filter;
mod history;
mod kernel;
mod load;
mod plot;
mod position;
mod quantize;
mod range;
mod schedule;
mod shuffle;
mod split;
mod tail;
mod target;
mod td_lambda;
mod trainer;
mod vector;
mod weights;
pub mod win_model;

use std::path::{Path, PathBuf};

use crate::eval::network::Network;
use crate::file::{check_writable, replace};
use checkpoint::Checkpoint;
pub use checkpoint::CheckpointError;
use config::Config;
pub use error::TrainError;
pub use history::Epoch;
use load::Loaded;
pub use trainer::EpochProgress;
use trainer::Trainer;
use weights::Weights;

/// The ends of the names of what is put beside the network: log, plot, checkpoint, positions on disk.
const BESIDE: [&str; 4] = ["csv", "svg", "checkpoint", "shuffle"];

/// The network to be trained.
#[derive(Clone, Debug)]
pub struct TrainingPlan {
    /// Directories of games, or single files, as `datagen` writes them.
    pub data: Vec<PathBuf>,
    /// Everything else that the network follows from.
    pub config: Config,
    /// File for the network; log, plot and checkpoint are put beside it.
    pub out: PathBuf,
    /// Where the training begins.
    pub beginning: Beginning,
    /// Number of threads; as many as there are cores if `None`.
    pub threads: Option<usize>,
}

/// Where a training begins.
#[derive(Clone, Debug)]
pub enum Beginning {
    /// With random weights.
    Random,
    /// With the weights of a network, to which hidden units or further layers may be added.
    Network(PathBuf),
    /// Where another training has written this checkpoint.
    Checkpoint(PathBuf),
}

/// Hears of a training.
pub trait TrainingListener {
    /// It begins with the weights of this network.
    fn begins_with(&mut self, network: &Path);
    /// The games have been read.
    fn loaded(&mut self, games: &LoadedGames);
    /// It goes on where so many epochs are done.
    fn resumed(&mut self, epochs: usize);
    /// The first of the epochs that are to do begins.
    fn begun(&mut self);
    /// A step of epoch `number`, counted from 1, is done.
    fn step(&mut self, number: u32, progress: EpochProgress);
    /// An epoch is done.
    fn epoch(&mut self, epoch: &Epoch);
}

/// The games that a network is trained on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadedGames {
    /// Games read.
    pub games: u64,
    /// Positions in them.
    pub positions: u64,
    /// Positions to learn from.
    pub training: usize,
    /// Positions to judge by.
    pub validation: usize,
    /// One line for each stretch of a file that is no game.
    pub damages: Vec<String>,
}

/// What came of a training, beside the files.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingReport {
    /// All epochs, those before a checkpoint included.
    pub epochs: Vec<Epoch>,
}

/// Reads the games, trains, and writes the network.
///
/// # Errors
/// [`TrainError`]; a network that lies at its place stays then.
pub fn run(
    plan: &TrainingPlan,
    listener: &mut (dyn TrainingListener + Send),
) -> Result<TrainingReport, TrainError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(plan.threads.unwrap_or(0)).build()?;
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
    let Loaded { training, validation, games, positions, fingerprint, damages } =
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
    let learnt_from = training.len() as u64;
    let (mut trainer, mut history) = first.trainer(config, learnt_from, fingerprint, listener)?;
    listener.begun();
    for number in history.len() as u32 + 1..=config.epochs {
        let epoch =
            trainer.epoch(number, &training, &validation, |progress| listener.step(number, progress))?;
        if !epoch.training.is_finite() {
            return Err(TrainError::Diverged { epoch: number });
        }
        history.push(epoch);
        listener.epoch(&epoch);
        let title = format!("{}, {learnt_from} positions", config.shape());
        replace(&beside("csv"), history::csv(&history).as_bytes())?;
        replace(&beside("svg"), plot::svg(&title, &history).as_bytes())?;
        if number % config.checkpoint_every == 0 || number == config.epochs {
            let (weights, adam) = (trainer.weights().clone(), trainer.adam().clone());
            let (history, settings) = (history.clone(), config.to_json());
            let config = config.fingerprint();
            Checkpoint {
                config,
                settings,
                positions: learnt_from,
                games: fingerprint,
                weights,
                adam,
                history,
            }
            .write(&beside("checkpoint"))?;
        }
    }
    replace(out, &quantize::quantize(trainer.weights(), config.target.scale).to_bytes())?;
    Ok(TrainingReport { epochs: history })
}

/// What a training begins with, read before the games are: they take longer.
enum FirstWeights<'a> {
    Random,
    Weights(Weights),
    Checkpoint(&'a Path, Checkpoint),
}

impl FirstWeights<'_> {
    fn read<'a>(beginning: &'a Beginning, config: &Config) -> Result<FirstWeights<'a>, TrainError> {
        Ok(match beginning {
            Beginning::Random => FirstWeights::Random,
            Beginning::Network(path) => FirstWeights::Weights(first_weights(path, config)?),
            Beginning::Checkpoint(path) => FirstWeights::Checkpoint(path, Checkpoint::read(path)?),
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
    let can_grow =
        found.hidden <= expected.hidden && found.buckets == expected.buckets && found.deep <= expected.deep;
    if !can_grow {
        return Err(TrainError::Shape { path: path.to_owned(), found, expected });
    }
    Ok(quantize::dequantize(&network, config.target.scale).grown(expected, config.seed))
}
