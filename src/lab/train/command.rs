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
use crate::lab::train::{self, Beginning, Epoch, EpochProgress, LoadedGames, TrainingListener, TrainingPlan};

/// Train the evaluation's network on the games of datagen
#[derive(Debug, Args)]
pub(crate) struct TrainArguments {
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
    /// Begin with the weights of this network in place of random ones; hidden units, king zones, inputs
    /// for hanging pieces or threats, or further layers may be added to it
    #[arg(long, value_name = "NETWORK", conflicts_with = "resume")]
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
            (Some(path), _) => Beginning::Checkpoint(path),
            (None, Some(path)) => Beginning::Network(path),
            (None, None) => Beginning::Random,
        };
        Ok(TrainingPlan { data, config: config::file::load(&config)?, out, beginning, threads })
    }

    /// Trains the network. Prints lines on standard output and shows a progress bar on standard error.
    fn run(plan: TrainingPlan) -> Result<(), CliError> {
        let mut display = Display { epochs: plan.config.epochs, positions: 0, bar: None };
        let result = train::run(&plan, &mut display);
        display.clear();
        for clipped in result?.clipped {
            console::say(format_args!("clipped {clipped}"));
        }
        console::say(format_args!("wrote {}", plan.out.display()));
        Ok(())
    }
}

/// Shows the training's progress: a bar on a terminal, and a line for each epoch.
struct Display {
    epochs: u32,
    /// The number of positions in an epoch.
    positions: u64,
    bar: Option<ProgressBar>,
}

impl Display {
    fn clear(&self) {
        self.bar.iter().for_each(ProgressBar::finish_and_clear);
    }
}

impl TrainingListener for Display {
    fn begins_with(&mut self, network: &Path) {
        console::say(format_args!("begins with {}", network.display()));
    }

    fn loaded(&mut self, loaded: &LoadedGames) {
        let LoadedGames { games, positions, training, validation, damages } = loaded;
        damages.iter().for_each(console::warn);
        console::say(format_args!(
            "{games} games, {positions} positions; {training} for training, {validation} for validation"
        ));
        self.positions = *training as u64;
    }

    fn resumed(&mut self, epochs: usize) {
        console::say(format_args!("resumed after epoch {epochs}"));
    }

    fn begun(&mut self) {
        let length = u64::from(self.epochs) * self.positions;
        self.bar = Some(progress::bar(length, "{wide_bar} {msg}, {eta} left"));
    }

    fn step(&mut self, number: u32, progress: EpochProgress) {
        let Some(bar) = self.bar.as_ref().filter(|bar| !bar.is_hidden()) else { return };
        bar.set_position(self.positions * u64::from(number - 1) + progress.positions);
        bar.set_message(format!(
            "epoch {number}/{}, loss {:.6}, {:.2} million positions a second",
            self.epochs,
            progress.loss,
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
