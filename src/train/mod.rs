//! Training the evaluation's network on games that Enfilade played against itself: `enfilade train`.
//!
//! The network follows from the games, the configuration and its seed, or the network it begins with: neither the number of threads
//! nor an interruption changes it. After each epoch the losses go to a log and a plot beside the network,
//! and at the configured distance everything goes to a checkpoint, from which `--resume` continues.

mod activation;
mod adamw;
mod aim;
mod checkpoint;
pub mod config;
mod error;
pub(crate) mod filter;
mod history;
mod kernel;
mod load;
mod outlook;
mod plot;
mod position;
mod quantize;
mod range;
mod schedule;
mod shuffle;
mod split;
mod tail;
mod trainer;
mod vector;
mod weights;
pub mod win_model;

use std::path::{Path, PathBuf};

use clap::Args;
use indicatif::ProgressBar;

use crate::console;
use crate::eval::network::Network;
use crate::file::{check_writable, replace};
use checkpoint::Checkpoint;
pub use checkpoint::CheckpointError;
use config::Config;
pub use error::TrainError;
use history::Epoch;
use load::Loaded;
use trainer::{Progress, Trainer};
use weights::Weights;

/// The ends of the names of what is put beside the network: log, plot, checkpoint, positions on disk.
const BESIDE: [&str; 4] = ["csv", "svg", "checkpoint", "shuffle"];

/// What `enfilade train` is asked to do.
#[derive(Args, Clone, Debug)]
pub struct Arguments {
    /// Directories of games, or single files, as `datagen` writes them
    #[arg(long, required = true, num_args = 1.., value_name = "PATH")]
    pub data: Vec<PathBuf>,
    /// Settings of the training, such as configs/train-128.toml
    #[arg(long, value_name = "FILE.toml")]
    pub config: PathBuf,
    /// File for the network; log, plot and checkpoint are put beside it
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Go on from a checkpoint
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// Begin with the weights of this network in place of random ones; hidden units or further layers may be added to it
    #[arg(long, value_name = "NETWORK", conflicts_with = "resume")]
    pub from: Option<PathBuf>,
    /// Threads; all cores if not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
}

/// Reads the games, trains, and writes the network.
pub fn run(arguments: &Arguments, config: &Config) -> Result<(), TrainError> {
    let threads = arguments.threads.map_or(0, usize::from);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    pool.install(|| train(arguments, config))
}

fn train(arguments: &Arguments, config: &Config) -> Result<(), TrainError> {
    let out = &arguments.out;
    let beside = |extension: &str| out.with_extension(extension);
    if BESIDE.iter().any(|extension| beside(extension) == *out) {
        return Err(TrainError::Name { path: out.clone() });
    }
    for path in [out.clone(), beside("csv"), beside("svg"), beside("checkpoint")] {
        check_writable(&path)?;
    }
    let resumed = arguments.resume.as_deref().map(|path| Ok((path, Checkpoint::read(path)?)));
    let resumed: Option<(&Path, Checkpoint)> = resumed.transpose().map_err(TrainError::Checkpoint)?;
    let first = arguments.from.as_deref().map(|path| begin_with(path, config)).transpose()?;
    let loaded = load::load(&arguments.data, config, &beside("shuffle"))?;
    let Loaded { training, validation, games, positions, damages } = loaded;
    for damage in damages {
        console::warn(damage);
    }
    console::say(format_args!(
        "{games} games, {positions} positions; {} to learn from, {} to judge by",
        training.len(),
        validation.len()
    ));
    if training.is_empty() {
        return Err(TrainError::Empty { games });
    }
    let learnt_from = training.len() as u64;
    let (mut trainer, mut history) = if let Some((path, checkpoint)) = resumed {
        checkpoint.check(path, config, learnt_from)?;
        console::say(format_args!("resumed after epoch {}", checkpoint.history.len()));
        (Trainer::resume(config, checkpoint.weights, checkpoint.adam), checkpoint.history)
    } else if let Some(weights) = first {
        (Trainer::from_weights(config, weights), Vec::new())
    } else {
        (Trainer::new(config), Vec::new())
    };
    let display = Display::new(config.epochs, learnt_from);
    for number in history.len() as u32 + 1..=config.epochs {
        let done = learnt_from * u64::from(number - 1);
        let epoch = trainer.epoch(number, &training, &validation, |progress| {
            display.step(number, done, progress);
        })?;
        if !epoch.training.is_finite() {
            return Err(TrainError::Diverged { epoch: number });
        }
        history.push(epoch);
        display.epoch(&epoch);
        let title = format!("{}, {learnt_from} positions", config.shape());
        replace(&beside("csv"), history::csv(&history).as_bytes())?;
        replace(&beside("svg"), plot::svg(&title, &history).as_bytes())?;
        if number % config.checkpoint_every == 0 || number == config.epochs {
            let (weights, adam) = (trainer.weights().clone(), trainer.adam().clone());
            let (history, settings) = (history.clone(), config.to_json());
            let config = config.fingerprint();
            Checkpoint { config, settings, positions: learnt_from, weights, adam, history }
                .write(&beside("checkpoint"))?;
        }
    }
    replace(out, &quantize::quantize(trainer.weights(), config.target.scale).to_bytes())?;
    console::say(format_args!("wrote {}", out.display()));
    Ok(())
}

/// The weights of the network at `path`.
fn begin_with(path: &Path, config: &Config) -> Result<Weights, TrainError> {
    let network = Network::load(path)?;
    let (found, expected) = (network.shape(), config.shape());
    let can_grow =
        found.hidden <= expected.hidden && found.buckets == expected.buckets && found.deep <= expected.deep;
    if !can_grow {
        return Err(TrainError::Shape { path: path.to_owned(), found, expected });
    }
    console::say(format_args!("begins with {}", path.display()));
    Ok(quantize::dequantize(&network, config.target.scale).grown(expected, config.seed))
}

/// What the user sees while the training goes on: a bar on a terminal, and a line for each epoch.
struct Display {
    bar: ProgressBar,
    epochs: u32,
}

impl Display {
    fn new(epochs: u32, positions: u64) -> Display {
        let bar = console::bar(u64::from(epochs) * positions, "{wide_bar} {msg}, {eta} left");
        Display { bar, epochs }
    }

    fn step(&self, number: u32, done: u64, progress: Progress) {
        if self.bar.is_hidden() {
            return;
        }
        self.bar.set_position(done + progress.positions);
        self.bar.set_message(format!(
            "epoch {number}/{}, loss {:.6}, {:.2} million positions a second",
            self.epochs,
            progress.loss,
            self.bar.per_sec() / 1e6
        ));
    }

    fn epoch(&self, epoch: &Epoch) {
        let validation = epoch.validation.map(|loss| format!(", validation {loss:.6}")).unwrap_or_default();
        self.bar.suspend(|| {
            console::say(format_args!(
                "epoch {:>3}: training {:.6}{validation}, rate {:.6}, {:.2} million positions a second",
                epoch.number,
                epoch.training,
                epoch.rate,
                epoch.speed / 1e6
            ));
        });
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
