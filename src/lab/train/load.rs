//! Reads positions from shards of games, and divides them into a training set and a validation set.

use std::fs;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::config::Config;
use super::error::TrainError;
use super::position::TrainingPosition;
use super::scale::ScoreResults;
use super::shuffle::{Collector, Shuffled};
use super::{label, split};
use crate::base::file::FileError;
use crate::base::random::Random;
use crate::lab::datagen::shard;

/// The size of a ply in a shard, in bytes. It gives an upper bound for the number of positions in a shard.
const PLY_BYTES: u64 = 4;

const MEBIBYTE: usize = 1 << 20;

/// The positions of all shards.
#[derive(Debug)]
pub struct Loaded {
    /// The training set.
    pub training: Shuffled,
    /// The validation set, always in memory.
    pub validation: Vec<TrainingPosition>,
    /// The scale of scores, as configured or fitted to the training games.
    pub scale: f64,
    /// The number of games that were read.
    pub games: u64,
    /// The number of positions in these games, before filtering.
    pub positions: u64,
    /// A number that follows from the games and their order.
    pub fingerprint: u64,
    /// One line for each part of a shard that is not a game.
    pub damages: Vec<String>,
    /// The first file that is not a shard.
    pub foreign: Option<PathBuf>,
}

/// The positions of one shard.
#[derive(Default)]
struct ShardPositions {
    training: Vec<TrainingPosition>,
    validation: Vec<TrainingPosition>,
    games: u64,
    positions: u64,
    fingerprint: u64,
    damages: Vec<String>,
}

/// Reads all shards at `paths`. Each thread reads one shard at a time. The order of the positions does not depend on
/// the threads. `scratch` is a directory for positions that do not fit into the memory.
pub fn load(paths: &[PathBuf], config: &Config, scratch: &Path) -> Result<Loaded, TrainError> {
    let shards = shard::list_all(paths)?;
    let bytes = shards.iter().filter_map(|shard| fs::metadata(shard).ok()).map(|data| data.len());
    let expected = (bytes.sum::<u64>() / PLY_BYTES) as usize;
    let mut collector =
        Collector::new(config.data.memory.saturating_mul(MEBIBYTE), expected, scratch, config.seed);
    let scale = match config.target.scale {
        Some(scale) => Some(scale),
        None => fit_scale(&shards, config.filter.skip_plies)?,
    };
    // Without any position the caller has a better message.
    let (is_known, scale) = (scale.is_some(), scale.unwrap_or(1.0));
    let (mut validation, mut damages) = (Vec::new(), Vec::new());
    let (mut games, mut positions, mut fingerprint) = (0, 0, 0);
    let mut foreign = None;
    for paths in shards.chunks(rayon::current_num_threads()) {
        let parts: Vec<_> = paths.par_iter().map(|path| read(path, config, scale)).collect();
        for (path, part) in paths.iter().zip(parts) {
            let part = part?;
            if shard::is_foreign(part.games, &part.damages) {
                foreign.get_or_insert_with(|| path.clone());
            }
            collector.extend(&part.training)?;
            validation.extend(part.validation);
            damages.extend(part.damages);
            games += part.games;
            positions += part.positions;
            fingerprint = followed_by(fingerprint, part.fingerprint);
        }
    }
    let training = collector.finish()?;
    let has_positions = !training.is_empty() || !validation.is_empty();
    if !is_known && has_positions {
        return Err(TrainError::Scale);
    }
    Ok(Loaded { training, validation, scale, games, positions, fingerprint, damages, foreign })
}

/// The scale of scores that fits the results of the games best. It is a single number, so it need not be fitted without
/// the validation set, and whether a position passes the filter hardly matters.
fn fit_scale(shards: &[PathBuf], skip: usize) -> Result<Option<f64>, TrainError> {
    let results = shards.par_iter().map(|path| score_results(path, skip));
    let results = results.try_reduce(ScoreResults::default, |mut sum, results| {
        sum.merge(&results);
        Ok(sum)
    })?;
    Ok(results.fit())
}

/// The scores and results of a shard's games, without the first `skip` plies of each.
fn score_results(shard: &Path, skip: usize) -> Result<ScoreResults, FileError> {
    let mut results = ScoreResults::default();
    shard::read(shard, |game| {
        for (number, ply) in game.plies.iter().enumerate().skip(skip) {
            if let Some(result) = game.result_at(number).filter(|_| ply.is_label) {
                results.add(ply.score, result.white_share());
            }
        }
    })?;
    Ok(results)
}

/// The fingerprint of what has the first fingerprint, followed by what has the second.
fn followed_by(first: u64, second: u64) -> u64 {
    Random::stream(first, second).bits()
}

fn read(shard: &Path, config: &Config, scale: f64) -> Result<ShardPositions, FileError> {
    let mut part = ShardPositions::default();
    let mut faded = 0;
    part.damages = shard::read(shard, |game| {
        let fingerprint = split::fingerprint(&game);
        let (is_validation, mut random) = split::draw(fingerprint, config.data.validation, config.seed);
        part.fingerprint = followed_by(part.fingerprint, fingerprint);
        part.games += 1;
        faded += u64::from(game.is_faded);
        part.positions += game.plies.len() as u64;
        let side = if is_validation { &mut part.validation } else { &mut part.training };
        let scores = label::returns(&game, config.target.lambda, scale);
        let mut number = 0;
        game.for_each(|board, ply| {
            if let Some(score) = scores[number]
                && config.filter.draws(board, number, ply, &mut random)
            {
                side.push(TrainingPosition::new(board, score, game.result_at(number)));
            }
            number += 1;
        });
    })?;
    if faded > 0 {
        let shard = shard.display();
        part.damages.push(format!("{shard}: {faded} games of an older version, with fades in their scores"));
    }
    Ok(part)
}
