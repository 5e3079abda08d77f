//! Fitting the evaluation to games that Enfilade played against itself: `enfilade fit`.
//!
//! Everything that is random follows from the seed, and sums are taken in an order that does
//! not depend on the number of threads, so the same games give the same tables anywhere.

mod adam;
pub mod dataset;
mod file;
pub mod filter;
pub mod fit;
pub mod model;
pub mod network;
pub mod parameters;
pub mod prior;
pub mod source;
mod split;

use std::fs;
use std::path::PathBuf;

use clap::Args;
use thiserror::Error;

use crate::datagen::shard::{self, ShardError};
use dataset::Split;
use filter::Filter;
use fit::{Epoch, Plan};
use model::Aim;

/// What `enfilade fit` is asked to do.
#[derive(Args, Clone, Debug)]
pub struct Arguments {
    /// Directories of games, or single files, as `datagen` writes them
    #[arg(long, required = true, num_args = 1.., value_name = "PATH")]
    pub data: Vec<PathBuf>,
    /// Rust source to write the fitted values to
    #[arg(long, value_name = "FILE", default_value = "src/eval/tables.rs")]
    pub out: PathBuf,
    /// Weight of the game's result against the search's score, 0 to 1
    #[arg(long, default_value_t = 0.5, value_parser = share)]
    pub result_weight: f64,
    /// Passes over the positions
    #[arg(long, default_value_t = 12)]
    pub epochs: u32,
    /// Positions for each step
    #[arg(long, default_value_t = 16_384, value_parser = at_least_one)]
    pub batch: usize,
    /// Length of the first steps, in centipawns
    #[arg(long, default_value_t = 3.0)]
    pub rate: f64,
    /// How many observations the values before the fit count for, on each square
    #[arg(long, default_value_t = 500.0)]
    pub prior_weight: f64,
    /// Searched plies to leave out at the beginning of each game
    #[arg(long, default_value_t = 4)]
    pub skip_plies: usize,
    /// Leave out positions with a greater score, in centipawns
    #[arg(long, default_value_t = 2_000, value_parser = clap::value_parser!(u16).range(1..))]
    pub max_score: u16,
    /// Share of the remaining positions to use, 0 to 1
    #[arg(long, default_value_t = 1.0, value_parser = share)]
    pub sample: f64,
    /// Share of the games to judge the fit by, 0 to 1
    #[arg(long, default_value_t = 0.1, value_parser = share)]
    pub validation: f64,
    /// Threads; all cores if not given
    #[arg(long)]
    pub threads: Option<usize>,
    /// Of the split and of the order of positions
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(value) if (0.0..=1.0).contains(&value) => Ok(value),
        _ => Err(String::from("expected a number from 0 to 1")),
    }
}

fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(value) if value > 0 => Ok(value),
        _ => Err(String::from("expected a whole number from 1")),
    }
}

/// Why nothing was fitted.
#[derive(Debug, Error)]
pub enum FitError {
    /// Games could not be read.
    #[error(transparent)]
    Data(#[from] ShardError),
    /// Nothing passed the filters.
    #[error("no positions: {games} games, of which none has a position that passes the filters")]
    Empty {
        /// Games read.
        games: u64,
    },
    /// The result could not be written.
    #[error("cannot write {path}: {source}", path = .path.display())]
    Output {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The thread pool could not be made.
    #[error("cannot start the threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

/// Reads the games, fits, prints the losses, and writes the tables.
pub fn run(arguments: &Arguments) -> Result<(), FitError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(arguments.threads.unwrap_or(0)).build()?;
    pool.install(|| fit_and_write(arguments))
}

fn fit_and_write(arguments: &Arguments) -> Result<(), FitError> {
    let split = load(arguments)?;
    println!(
        "{} games, {} positions; {} to fit to, {} to judge by",
        split.games,
        split.positions,
        split.training.len(),
        split.validation.len()
    );
    if split.training.is_empty() {
        return Err(FitError::Empty { games: split.games });
    }
    let aim = Aim { scale: model::best_scale(&split.training), result_weight: arguments.result_weight };
    println!("scale {:.1} centipawns for each e-fold of the odds", aim.scale);
    let plan = Plan {
        epochs: arguments.epochs,
        batch: arguments.batch,
        rate: arguments.rate,
        prior_weight: arguments.prior_weight,
        seed: arguments.seed,
    };
    let prior = prior::prior();
    for (name, parameters) in [("prior", &prior), ("engine", &parameters::Parameters::of_the_engine())] {
        println!("{name:>8}: validation {:.6}", model::loss(parameters, &split.validation, aim));
    }
    let mut fitted = fit::fit(&split.training, &split.validation, &prior, aim, &plan, |epoch| {
        let Epoch { number, training, validation } = epoch;
        println!("epoch {number:>2}: training {training:.6}, validation {validation:.6}");
    });
    let by_result = Aim { result_weight: 1.0, ..aim };
    println!("by results alone: validation {:.6}", model::loss(&fitted, &split.validation, by_result));
    let factor = fit::anchor(&mut fitted, &split.training);
    println!("values times {factor:.4}, so that a pawn is worth 100 in the midgame");
    write(arguments, &source::text(&fitted))
}

fn load(arguments: &Arguments) -> Result<Split, ShardError> {
    let filter = Filter {
        skip_plies: arguments.skip_plies,
        max_score: arguments.max_score,
        min_pieces: 0,
        sample: arguments.sample,
        ..Filter::default()
    };
    let mut split = Split::default();
    for path in &arguments.data {
        for shard in shard::list(path)? {
            let mut games = Vec::new();
            for damage in shard::read(&shard, |game| games.push(game))? {
                eprintln!("{damage}");
            }
            split.add(&games, &filter, arguments.validation, arguments.seed);
        }
    }
    Ok(split)
}

/// Puts the text in place in one go: a build never sees half a table.
fn write(arguments: &Arguments, text: &str) -> Result<(), FitError> {
    let path = &arguments.out;
    let unfinished = path.with_extension("unfinished");
    fs::write(&unfinished, text)
        .and_then(|()| fs::rename(&unfinished, path))
        .map_err(|source| FitError::Output { path: path.clone(), source })?;
    println!("wrote {}", path.display());
    Ok(())
}
