//! Compares finished networks on the same games: `enfilade data loss`.
//!
//! Games with many nodes a move compare best. Their scores have little noise, so a smaller loss means a better
//! evaluation, whatever the networks were trained on and with which targets.

use std::path::{Path, PathBuf};

use super::batch::Batch;
use super::checkpoint::Checkpoint;
use super::config::Config;
use super::error::TrainError;
use super::export;
use super::kernel::Kernel;
use super::load::{self, Loaded};
use super::position::TrainingPosition;
use super::target::Target;
use super::weights::Weights;
use crate::engine::eval::network::Network;

/// The number of positions in a block. Positions of one game are alike, so the error is estimated from blocks of a few
/// games.
const BLOCK: usize = 512;

/// Which networks to compare, and on which games.
#[derive(Clone, Debug)]
pub struct ValidationPlan {
    /// Directories of games, or single files, as `datagen` writes them.
    pub data: Vec<PathBuf>,
    /// Networks, or checkpoints of trainings.
    pub networks: Vec<PathBuf>,
    /// The filter and the target; nothing else of it counts.
    pub config: Config,
}

/// The losses of the networks.
#[derive(Clone, Debug, PartialEq)]
pub struct ValidationReport {
    /// The number of games that were read.
    pub games: u64,
    /// The number of positions that passed the filter.
    pub positions: usize,
    /// The scale of scores, in centipawns of the search.
    pub scale: f64,
    /// One entry for each network, in the order of the plan.
    pub losses: Vec<Loss>,
    /// One line for each part of a file that is not a game.
    pub damages: Vec<String>,
    /// The first file that is not a shard.
    pub foreign: Option<PathBuf>,
}

/// The loss of one network.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loss {
    /// The mean squared error of the expected score, from 0 to 1.
    pub mean: f64,
    /// The difference from the loss of the first network.
    pub difference: f64,
    /// One standard error of this difference.
    pub error: f64,
}

/// Reads the games and computes each network's loss over all positions that pass the filter.
///
/// # Errors
/// [`TrainError`] if games or networks cannot be read, or if no position passes the filter.
pub fn validate(plan: &ValidationPlan) -> Result<ValidationReport, TrainError> {
    let networks = plan.networks.iter().map(|path| Compared::read(path)).collect::<Result<Vec<_>, _>>()?;
    let mut config = plan.config.clone();
    config.data.validation = 1.0;
    // Nothing is trained, so nothing needs room on the disk.
    let Loaded { validation: positions, scale, games, damages, foreign, .. } =
        load::load(&plan.data, &config, "".as_ref())?;
    if positions.is_empty() {
        return Err(TrainError::Empty { games });
    }
    let target = config.target.at(1.0, scale);
    let blocks: Vec<Vec<f64>> =
        networks.iter().map(|network| network.block_losses(&positions, &target)).collect();
    let losses = blocks.iter().map(|own| compare(own, &blocks[0], positions.len())).collect();
    Ok(ValidationReport { games, positions: positions.len(), scale, losses, damages, foreign })
}

/// A network to compare. That of a checkpoint is not rounded, so the difference from the network of the same training
/// is what the engine's coarse numbers cost.
struct Compared {
    weights: Weights,
    is_rounded: bool,
}

impl Compared {
    fn read(path: &Path) -> Result<Compared, TrainError> {
        if Checkpoint::is_at(path) {
            return Ok(Compared { weights: Checkpoint::read(path)?.weights, is_rounded: false });
        }
        Ok(Compared { weights: export::weights(&Network::load(path)?), is_rounded: true })
    }

    /// The sum of the losses of each block of positions.
    fn block_losses(&self, positions: &[TrainingPosition], target: &Target) -> Vec<f64> {
        let mut batch = Batch::new(self.weights.shape(), Kernel::fastest());
        if self.is_rounded {
            batch.cut_products();
        }
        batch.losses(&self.weights, positions, BLOCK, target)
    }
}

/// The loss from the sums of the blocks, compared with the first network's sums.
fn compare(own: &[f64], first: &[f64], positions: usize) -> Loss {
    let total = positions as f64;
    let differences: Vec<f64> = own.iter().zip(first).map(|(own, first)| own - first).collect();
    let sum: f64 = differences.iter().sum();
    let share = sum / differences.len() as f64;
    let variance: f64 = differences.iter().map(|difference| (difference - share).powi(2)).sum();
    Loss { mean: own.iter().sum::<f64>() / total, difference: sum / total, error: variance.sqrt() / total }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_is_compared_with_that_of_the_first_network() {
        let first = [1.0, 2.0, 3.0];
        let loss = compare(&[2.0, 2.0, 5.0], &first, 300);
        assert!((loss.mean - 0.03).abs() < 1e-12);
        assert!((loss.difference - 0.01).abs() < 1e-12);
        // The blocks differ by 1, 0 and 2 from each other: one from the mean for two of them.
        assert!((loss.error - 2f64.sqrt() / 300.0).abs() < 1e-12);
        let same = compare(&first, &first, 300);
        assert_eq!((same.difference, same.error), (0.0, 0.0));
    }
}
