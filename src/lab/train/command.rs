//! `enfilade train`: trains the evaluation's network on games of the engine against itself.

use std::path::{Path, PathBuf};

use clap::Args;
use indicatif::ProgressBar;

use crate::base::console;
use crate::engine::command::arguments::CommandArguments;
use crate::engine::command::error::CliError;
use crate::engine::command::number::threads;
use crate::engine::command::progress;
use crate::engine::config::{self, Setup};
use crate::lab::train::{self, Beginning, Epoch, LoadedGames, TrainingListener, TrainingPlan};

/// Train the evaluation's network on the games of datagen
#[derive(Debug, Args)]
pub(crate) struct TrainArguments {
    /// Directories of games, or single files, as `datagen` writes them
    #[arg(long, required = true, num_args = 1.., value_name = "PATH")]
    pub data: Vec<PathBuf>,
    /// Settings of the training, such as configs/train-512.toml
    #[arg(long, value_name = "FILE.toml")]
    pub config: PathBuf,
    /// File for the network; log, plot and checkpoint are put beside it
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Go on from a checkpoint, with the same games and settings
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// Begin with the weights of this network or checkpoint in place of random ones. A checkpoint also has the
    /// optimizer's moments and is not rounded. A network may get further hidden units, king zones, or
    /// inputs for hanging pieces
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    pub from: Option<PathBuf>,
    /// Number of threads. Without it, the number of cores
    #[arg(long, value_name = "N", value_parser = threads())]
    pub threads: Option<usize>,
}

impl CommandArguments for TrainArguments {
    type Task = TrainingPlan;

    /// The file configures a training. The engine does not run.
    fn takes_preset(&self) -> bool {
        false
    }

    fn resolve(self, _: Setup) -> Result<TrainingPlan, CliError> {
        let TrainArguments { data, config, out, resume, from, threads } = self;
        let beginning = match (resume, from) {
            (Some(path), _) => Beginning::Resume(path),
            (None, Some(path)) => Beginning::From(path),
            (None, None) => Beginning::Random,
        };
        Ok(TrainingPlan { data, config: config::file::load(&config)?, out, beginning, threads })
    }

    /// Trains the network. Prints lines on standard output and shows a progress bar on standard error.
    fn run(plan: TrainingPlan) -> Result<(), CliError> {
        train_with_display(&plan)
    }
}

/// Trains a network and shows the progress.
pub(crate) fn train_with_display(plan: &TrainingPlan) -> Result<(), CliError> {
    let mut display = Display { epochs: plan.config.epochs.ceil() as u32, samples: 0, bar: None };
    let result = train::run(plan, &mut display);
    display.clear();
    for clipped in result?.clipped {
        console::say(format_args!("clipped {clipped}"));
    }
    console::say(format_args!("wrote {}", plan.out.display()));
    Ok(())
}

/// Shows the training's progress: a bar on a terminal, and a line for each epoch.
struct Display {
    epochs: u32,
    /// The number of positions in the whole training.
    samples: u64,
    bar: Option<ProgressBar>,
}

impl Display {
    fn clear(&self) {
        self.bar.iter().for_each(ProgressBar::finish_and_clear);
    }
}

impl TrainingListener for Display {
    fn begins_with(&mut self, path: &Path) {
        console::say(format_args!("begins with {}", path.display()));
    }

    fn loaded(&mut self, loaded: &LoadedGames) {
        let LoadedGames { games, positions, training, validation, scale, samples, damages } = loaded;
        damages.iter().for_each(console::warn);
        console::say(format_args!(
            "{games} games, {positions} positions; {training} for training, {validation} for validation"
        ));
        console::say(format_args!("scale {scale:.1}, {samples} samples in {} epochs", self.epochs));
        self.samples = *samples;
    }

    fn resumed(&mut self, epochs: usize) {
        console::say(format_args!("resumed after epoch {epochs}"));
    }

    fn begun(&mut self, samples: u64) {
        let bar = progress::bar(self.samples, "{wide_bar} {msg}{rest} left");
        bar.set_position(samples);
        bar.reset_eta();
        self.bar = Some(bar);
    }

    fn step(&mut self, number: u32, samples: u64, loss: f64) {
        let Some(bar) = self.bar.as_ref().filter(|bar| !bar.is_hidden()) else { return };
        bar.set_position(samples);
        bar.set_message(format!(
            "epoch {number}/{}, loss {loss:.6}, {:.2} million positions a second, ",
            self.epochs,
            bar.per_sec() / 1e6
        ));
    }

    fn epoch(&mut self, epoch: &Epoch) {
        let validation = epoch.validation.map(|loss| format!(", validation {loss:.6}")).unwrap_or_default();
        let say = || {
            console::say(format_args!(
                "epoch {:>3}: training {:.6}{validation}, rate {:.6}, {:.2} million positions a second",
                epoch.number,
                epoch.training,
                epoch.rate,
                epoch.speed / 1e6
            ));
        };
        match &self.bar {
            Some(bar) => bar.suspend(say),
            None => say(),
        }
    }
}
