//! The training itself: epochs of steps. Each step is a batch whose parts the threads share.
//!
//! A batch is divided into parts, and each part has a gradient of its own. The gradients are added in the order of the
//! parts. So no two threads write to the same number, and the result depends neither on the number of threads nor on
//! their speed.

use std::time::Instant;

use rayon::prelude::*;

use super::adamw::{AdamW, Hyperparameters};
use super::config::Config;
use super::history::Epoch;
use super::kernel::Kernel;
use super::position::TrainingPosition;
use super::quantize::output_bound;
use super::shuffle::Shuffled;
use super::target::Target;
use super::weights::{FloatLine, Weights};
use crate::base::file::FileError;

/// The number of positions in one task of the validation. The order in which losses are summed depends on it.
const VALIDATION_POSITIONS: usize = 4_096;

/// A network that is being trained.
#[derive(Debug)]
pub struct Trainer {
    config: Config,
    kernel: Kernel,
    weights: Weights,
    adam: AdamW,
    gradients: Vec<Weights>,
}

/// The progress of an epoch, reported after each step.
#[derive(Clone, Copy, Debug)]
pub struct EpochProgress {
    /// Mean loss over the epoch's positions so far.
    pub loss: f64,
    /// The number of this epoch's positions so far.
    pub positions: u64,
}

impl Trainer {
    /// A trainer that begins with random weights.
    pub fn new(config: &Config) -> Trainer {
        Trainer::from_weights(config, Weights::random(config.shape(), config.seed))
    }

    /// A trainer that begins with these weights and a new optimizer.
    pub fn from_weights(config: &Config, weights: Weights) -> Trainer {
        Trainer::resume(config, weights, AdamW::new(config.shape()))
    }

    /// A trainer that continues with these weights and this optimizer.
    pub fn resume(config: &Config, weights: Weights, adam: AdamW) -> Trainer {
        let gradients = vec![Weights::zero(config.shape()); config.parts];
        Trainer { config: config.clone(), kernel: Kernel::fastest(), weights, adam, gradients }
    }

    /// The network so far.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// The optimizer's moments so far.
    pub fn adam(&self) -> &AdamW {
        &self.adam
    }

    /// Trains epoch `number` (from 1), and measures the loss over `validation`.
    pub fn epoch(
        &mut self,
        number: u32,
        training: &Shuffled,
        validation: &[TrainingPosition],
        mut report: impl FnMut(EpochProgress),
    ) -> Result<Epoch, FileError> {
        let start = Instant::now();
        let steps = training.steps(self.config.batch) * u64::from(self.config.epochs);
        let (seed, batch) = (self.config.seed, self.config.batch);
        let mut progress = EpochProgress { loss: 0.0, positions: 0 };
        let mut sum = 0.0;
        training.for_each_batch(batch, seed, number, |positions, batch| {
            sum += self.step(positions, batch, steps);
            progress.positions += batch.len() as u64;
            progress.loss = sum / progress.positions as f64;
            report(progress);
        })?;
        let speed = progress.positions as f64 / start.elapsed().as_secs_f64().max(1e-9);
        Ok(Epoch {
            number,
            steps: self.adam.steps,
            rate: self.config.rate.rate(self.adam.steps.saturating_sub(1), steps),
            training: progress.loss,
            validation: self.validation_loss(validation, &self.target(steps)),
            speed,
        })
    }

    /// Takes one step. Returns the sum of the losses before it.
    fn step(&mut self, positions: &[TrainingPosition], batch: &[u32], steps: u64) -> f64 {
        let target = self.target(steps);
        let rate = self.config.rate.rate(self.adam.steps, steps) as f32;
        let (kernel, weights) = (self.kernel, &self.weights);
        let parts = batch.par_chunks(batch.len().div_ceil(self.gradients.len()));
        let gradients = self.gradients.par_iter_mut();
        let losses: Vec<f64> = parts
            .zip(gradients)
            .map(|(part, gradient)| {
                gradient.lines_mut().fill(FloatLine::ZERO);
                kernel.accumulate(weights, positions, part, &target, gradient)
            })
            .collect();
        let gradients: Vec<&Weights> = self.gradients[..losses.len()].iter().collect();
        let hyperparameters = Hyperparameters {
            rate,
            zone_rate: self.config.adam.zone_rate as f32,
            decay: self.config.adam.decay as f32,
            output_bound: output_bound(self.config.target.scale),
        };
        self.adam.step(&mut self.weights, &gradients, batch.len(), hyperparameters);
        losses.iter().sum()
    }

    /// The target at this point of the training.
    fn target(&self, steps: u64) -> Target {
        self.config.target.at(self.adam.steps as f64 / steps.max(1) as f64)
    }

    /// The mean loss over `positions`; `None` if there are none.
    fn validation_loss(&self, positions: &[TrainingPosition], target: &Target) -> Option<f64> {
        let losses: Vec<f64> = positions
            .par_chunks(VALIDATION_POSITIONS)
            .map(|positions| self.kernel.loss(&self.weights, positions, target))
            .collect();
        (!positions.is_empty()).then(|| losses.iter().sum::<f64>() / positions.len() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::board::Board;
    use crate::engine::eval::unit::Unit;
    use crate::engine::selfplay::record::GameResult;
    use crate::lab::train::config::TargetConfig;
    use crate::lab::train::kernel::tests::plain_output;
    use crate::lab::train::position::tests::random_positions;
    use crate::lab::train::quantize::{dequantize, quantize};
    use crate::lab::train::schedule::RateSchedule;
    use crate::lab::train::weights::{WIDTH, zone_lines};

    fn positions(count: usize) -> Shuffled {
        Shuffled::Memory(random_positions(count, 8).into_iter().map(|(_, position)| position).collect())
    }

    fn config() -> Config {
        Config {
            hidden: 32,
            buckets: 4,
            epochs: 4,
            batch: 100,
            parts: 3,
            target: TargetConfig { wdl: 0.2, wdl_end: Some(0.4), ..TargetConfig::default() },
            rate: RateSchedule { warm_up: 5, ..RateSchedule::default() },
            ..Config::default()
        }
    }

    fn trained(config: &Config, training: &Shuffled, epochs: std::ops::RangeInclusive<u32>) -> Trainer {
        let mut trainer = Trainer::new(config);
        for number in epochs {
            trainer.epoch(number, training, &[], |_| ()).unwrap();
        }
        trainer
    }

    #[test]
    fn a_few_positions_are_fitted_exactly() {
        let training = positions(64);
        let config = Config {
            epochs: 300,
            batch: 16,
            target: TargetConfig { wdl: 0.5, ..TargetConfig::default() },
            rate: RateSchedule { start: 0.005, end: 0.0001, ..RateSchedule::default() },
            ..config()
        };
        let mut trainer = Trainer::new(&config);
        let Shuffled::Memory(known) = &training else { panic!("not in memory") };
        let mut epochs = Vec::new();
        for number in 1..=300 {
            epochs.push(trainer.epoch(number, &training, known, |_| ()).unwrap());
        }
        assert!(epochs[0].training > 0.05, "{}", epochs[0].training);
        let last = epochs[299];
        assert!(last.training < 1e-4 && last.validation.unwrap() < 1e-4, "{last:?}");
        assert_eq!(last.steps, 1_200);
    }

    #[test]
    fn a_resumed_training_gives_the_same_network_as_an_uninterrupted_one() {
        for (king_zones, hanging) in [(1, false), (4, true)] {
            let threats = hanging;
            let (config, training) = (Config { king_zones, hanging, threats, ..config() }, positions(750));
            let whole = trained(&config, &training, 1..=4);
            let half = trained(&config, &training, 1..=2);
            let mut rest = Trainer::resume(&config, half.weights().clone(), half.adam().clone());
            for number in 3..=4 {
                rest.epoch(number, &training, &[], |_| ()).unwrap();
            }
            assert_eq!(rest.weights(), whole.weights());
            assert_eq!(rest.adam(), whole.adam());
            assert_ne!(half.weights(), whole.weights());
        }
    }

    #[test]
    fn the_number_of_threads_does_not_change_the_network() {
        for (king_zones, hanging) in [(1, false), (4, true)] {
            let threats = hanging;
            let (config, training) = (Config { king_zones, hanging, threats, ..config() }, positions(330));
            let run = |threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| trained(&config, &training, 1..=2)).weights().clone()
            };
            assert_eq!(run(1), run(4));
        }
    }

    /// A zone that no king of the training visits has learned from the others. Without a factorizer its weights would
    /// only have decayed.
    #[test]
    fn a_zone_without_positions_learns_from_the_others() {
        let board = Board::from_fen("6k1/5ppp/8/8/3q4/8/5PPP/6K1 w - - 0 1").unwrap().0;
        let position = TrainingPosition::new(&board, -900, Some(GameResult::Black));
        let training = Shuffled::Memory(vec![position; 100]);
        let config = Config { king_zones: 4, ..config() };
        let before = Weights::random(config.shape(), config.seed);
        let trainer = trained(&config, &training, 1..=4);
        let zone = zone_lines(config.shape());
        let weights = |weights: &Weights, number: usize| weights.lines()[number * zone..][..zone].to_vec();
        let [visited, other, last] = [0, 1, 3].map(|number| weights(trainer.weights(), number));
        let numbers = |lines: Vec<FloatLine>| lines.into_iter().flat_map(|line| line.0);
        let changes = numbers(other.clone()).zip(numbers(weights(&before, 1)));
        assert!(changes.filter(|(now, before)| (now - before).abs() > 1e-4).count() > 100);
        assert!(other == last && other != visited);
    }

    #[test]
    fn the_engine_computes_the_output_of_the_trained_network() {
        let config = Config { king_zones: 4, hanging: true, epochs: 2, ..config() };
        let trainer = trained(&config, &positions(300), 1..=2);
        let zones = config.king_zones * zone_lines(config.shape());
        let hanging = &trainer.weights().lines()[zones..][..zone_lines(config.shape())];
        let trained = hanging.iter().flat_map(|line| line.0).filter(|weight| weight.abs() > 1e-3);
        assert!(trained.count() > 1_000, "the inputs for hanging pieces have learned something");
        let scale = config.target.scale;
        let network = quantize(trainer.weights(), scale, Unit::SEARCH).network;
        assert_eq!(network.shape(), config.shape());
        for (board, position) in random_positions(100, 9) {
            let error =
                f64::from(network.evaluate(&board)) - scale * plain_output(trainer.weights(), &position);
            assert!(error.abs() < 16.0, "{board:?}: {error}");
        }
    }

    /// A position has so many threats that rounding them may change the output by more. So the weights here are those
    /// of the engine.
    #[test]
    fn threats_learn_and_the_engine_computes_the_same_output() {
        let config = Config { king_zones: 4, hanging: true, threats: true, epochs: 2, ..config() };
        let shape = config.shape();
        let trainer = trained(&config, &positions(300), 1..=2);
        let threats = &trainer.weights().lines()[shape.men() * shape.hidden / WIDTH..];
        let threats = threats[..shape.threat_weights() / WIDTH].iter().flat_map(|line| line.0);
        assert!(
            threats.filter(|weight| weight.abs() > 1e-3).count() > 1_000,
            "threats have learned something"
        );
        let scale = config.target.scale;
        let network = quantize(trainer.weights(), scale, Unit::SEARCH).network;
        assert_eq!(network.shape(), shape);
        let weights = dequantize(&network, scale);
        for (board, position) in random_positions(100, 9) {
            let error = f64::from(network.evaluate(&board)) - scale * plain_output(&weights, &position);
            assert!(error.abs() < 1.1, "{board:?}: {error}");
        }
    }

    #[test]
    fn an_epoch_reports_its_progress() {
        let (config, training) = (config(), positions(370));
        let mut trainer = Trainer::new(&config);
        let mut reported = Vec::new();
        let epoch = trainer.epoch(1, &training, &[], |progress| reported.push(progress.positions)).unwrap();
        assert_eq!(reported, [100, 200, 300, 370]);
        assert_eq!((epoch.number, epoch.steps, epoch.validation), (1, 4, None));
        assert_eq!(epoch.rate, config.rate.rate(3, 16));
    }

    /// At a scale of 800, output weights above 0.99 were once cut at the end without any message.
    #[test]
    fn output_weights_stay_within_the_bound_of_their_scale() {
        let training = positions(200);
        for scale in [100.0, 400.0, 1_600.0] {
            let config = Config {
                epochs: 1,
                batch: 200,
                target: TargetConfig { scale, ..TargetConfig::default() },
                rate: RateSchedule { start: 20.0, end: 20.0, warm_up: 0, ..RateSchedule::default() },
                ..config()
            };
            let trainer = trained(&config, &training, 1..=1);
            let outputs = trainer.weights().parts::<1>().outputs.as_flattened().iter();
            let sizes = outputs.flat_map(|line| line.0).map(f32::abs);
            assert_eq!(sizes.fold(0.0, f32::max), output_bound(scale), "{scale}");
        }
    }
}
