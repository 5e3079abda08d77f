//! The training itself: epochs of steps.

use std::time::Instant;

use super::adamw::{AdamW, Hyperparameters};
use super::batch::Batch;
use super::checkpoint::TrainingProgress;
use super::config::Config;
use super::history::Epoch;
use super::kernel::Kernel;
use super::position::TrainingPosition;
use super::quantize::output_bound;
use super::rounding;
use super::sampling::Chances;
use super::shuffle::{Order, Shuffled};
use super::target::Target;
use super::weights::Weights;
use crate::base::file::FileError;
use crate::engine::eval::network::SCALE;

/// The number of positions in one task of the validation. The order in which losses are summed depends on it.
const VALIDATION_POSITIONS: usize = 4_096;

/// A network that is being trained.
#[derive(Debug)]
pub struct Trainer {
    config: Config,
    course: Course,
    kernel: Kernel,
    weights: Weights,
    adam: AdamW,
    /// The weights in the engine's precision, in the part of the training that needs them.
    rounded: Option<Weights>,
    progress: TrainingProgress,
    batch: Batch,
}

/// What the games add to the configuration of a training.
#[derive(Clone, Debug)]
pub struct Course {
    /// The scale of scores: [`Target::scale`].
    pub scale: f64,
    /// Each position's chance to be used in an epoch.
    pub chances: Chances,
    /// The expected number of positions in an epoch.
    pub epoch_samples: f64,
}

impl Course {
    /// The course of a training on these positions.
    pub fn new(config: &Config, training: &Shuffled, scale: f64) -> Course {
        let chances = config.sampling.chances(training.counts());
        let epoch_samples = chances.expected(training.counts());
        Course { scale, chances, epoch_samples }
    }

    /// The expected number of positions in epoch `number` (from 1) of `epochs`. The last one may be shorter.
    pub fn samples_of(&self, number: u32, epochs: f64) -> u64 {
        (self.epoch_samples * (epochs - f64::from(number - 1)).clamp(0.0, 1.0)).round() as u64
    }
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
    pub fn new(config: &Config, course: Course) -> Trainer {
        Trainer::from_weights(config, course, Weights::random(config.shape(), config.seed))
    }

    /// A trainer that begins with these weights and a new optimizer.
    pub fn from_weights(config: &Config, course: Course, weights: Weights) -> Trainer {
        Trainer::resume(config, course, TrainingProgress::default(), weights, AdamW::new(config.shape()))
    }

    /// A trainer that has made this progress, and continues with these weights and this optimizer.
    pub fn resume(
        config: &Config,
        course: Course,
        progress: TrainingProgress,
        weights: Weights,
        adam: AdamW,
    ) -> Trainer {
        let kernel = Kernel::fastest();
        let (config, batch) = (config.clone(), Batch::new(config.shape(), kernel));
        Trainer { config, course, kernel, weights, adam, rounded: None, progress, batch }
    }

    /// The network so far.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// The optimizer's moments so far.
    pub fn adam(&self) -> &AdamW {
        &self.adam
    }

    /// How far the training is.
    pub fn progress(&self) -> TrainingProgress {
        self.progress
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
        let chances = self.course.chances.clone();
        let Config { batch, seed, epochs, .. } = self.config;
        let is_whole = f64::from(number) <= epochs;
        let limit = self.course.samples_of(number, epochs);
        let mut progress = EpochProgress { loss: 0.0, positions: 0 };
        let (mut sum, mut rate) = (0.0, 0.0);
        let order = Order { batch, seed, epoch: number, chances: &chances };
        training.for_each_batch(order, |positions, batch| {
            rate = self.rate();
            sum += self.step(positions, batch);
            progress.positions += batch.len() as u64;
            progress.loss = sum / progress.positions as f64;
            report(progress);
            is_whole || progress.positions < limit
        })?;
        let speed = progress.positions as f64 / start.elapsed().as_secs_f64().max(1e-9);
        let TrainingProgress { steps, samples } = self.progress;
        let scale = self.course.scale;
        let validation = self.validation_loss(validation, &self.target());
        Ok(Epoch { number, steps, rate, training: progress.loss, validation, speed, samples, scale })
    }

    /// Takes one step. Returns the sum of the losses before it.
    fn step(&mut self, positions: &[TrainingPosition], batch: &[u32]) -> f64 {
        let target = self.target();
        let rate = self.rate() as f32;
        self.round();
        let weights = self.rounded.as_ref().unwrap_or(&self.weights);
        let loss = self.batch.differentiate(weights, positions, batch, &target);
        let hyperparameters = Hyperparameters {
            rate,
            zone_rate: self.config.adam.zone_rate as f32,
            decay: self.config.adam.decay as f32,
            output_bound: output_bound(f64::from(SCALE)),
        };
        let gradient = self.batch.gradient();
        self.adam.step(
            &mut self.weights,
            |line| gradient.line(line),
            batch.len(),
            hyperparameters,
            self.kernel,
        );
        self.progress.steps += 1;
        self.progress.samples += batch.len() as u64;
        loss
    }

    /// Rounds the weights if this part of the training computes with rounded ones.
    fn round(&mut self) {
        let share = self.config.rounding;
        if share > 0.0 && self.share_done() >= 1.0 - share {
            let rounded = self.rounded.get_or_insert_with(|| Weights::zero(self.weights.shape()));
            rounding::round(&self.weights, rounded);
            self.batch.cut_products();
        }
    }

    /// The share of the training that is done, from 0 to 1.
    fn share_done(&self) -> f64 {
        let total = self.course.epoch_samples * self.config.epochs;
        (self.progress.samples as f64 / total.max(1.0)).min(1.0)
    }

    /// The learning rate of the next step.
    fn rate(&self) -> f64 {
        self.config.rate.rate(self.progress.steps, self.share_done())
    }

    /// The target at this point of the training.
    fn target(&self) -> Target {
        self.config.target.at(self.share_done(), self.course.scale)
    }

    /// The mean loss over `positions`; `None` if there are none.
    fn validation_loss(&mut self, positions: &[TrainingPosition], target: &Target) -> Option<f64> {
        self.round();
        let weights = self.rounded.as_ref().unwrap_or(&self.weights);
        let losses = self.batch.losses(weights, positions, VALIDATION_POSITIONS, target);
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
    use crate::lab::train::quantize::quantize;
    use crate::lab::train::schedule::RateSchedule;
    use crate::lab::train::shuffle::Collector;
    use crate::lab::train::weights::{FloatLine, zone_lines};

    fn shuffled(positions: &[TrainingPosition]) -> Shuffled {
        let mut collector = Collector::new(1 << 20, positions.len(), "".as_ref(), 1);
        collector.extend(positions).unwrap();
        collector.finish().unwrap()
    }

    fn positions(count: usize) -> Shuffled {
        let positions: Vec<_> =
            random_positions(count, 8).into_iter().map(|(_, position)| position).collect();
        shuffled(&positions)
    }

    fn course(config: &Config, training: &Shuffled) -> Course {
        Course::new(config, training, config.target.scale.unwrap())
    }

    fn config() -> Config {
        Config {
            hidden: 32,
            buckets: 4,
            epochs: 4.0,
            batch: 100,
            target: TargetConfig {
                wdl: 0.2,
                wdl_end: Some(0.4),
                scale: Some(400.0),
                ..TargetConfig::default()
            },
            rate: RateSchedule { warm_up: 5, ..RateSchedule::default() },
            ..Config::default()
        }
    }

    /// One of each kind of network.
    fn configs() -> [Config; 3] {
        [
            config(),
            Config { king_zones: 4, hanging: true, ..config() },
            Config { hidden: 64, products: true, king_zones: 4, hanging: true, ..config() },
        ]
    }

    fn trained(config: &Config, training: &Shuffled, epochs: std::ops::RangeInclusive<u32>) -> Trainer {
        let mut trainer = Trainer::new(config, course(config, training));
        for number in epochs {
            trainer.epoch(number, training, &[], |_| ()).unwrap();
        }
        trainer
    }

    #[test]
    fn a_few_positions_are_fitted_exactly() {
        let known: Vec<_> = random_positions(64, 8).into_iter().map(|(_, position)| position).collect();
        let training = shuffled(&known);
        for products in [false, true] {
            let config = Config {
                hidden: if products { 64 } else { 32 },
                products,
                epochs: 300.0,
                batch: 16,
                target: TargetConfig { wdl: 0.5, scale: Some(400.0), ..TargetConfig::default() },
                rate: RateSchedule { start: 0.005, end: 0.0001, ..RateSchedule::default() },
                ..config()
            };
            let mut trainer = Trainer::new(&config, course(&config, &training));
            let mut epochs = Vec::new();
            for number in 1..=300 {
                epochs.push(trainer.epoch(number, &training, &known, |_| ()).unwrap());
            }
            assert!(epochs[0].training > 0.05, "{}", epochs[0].training);
            let last = epochs[299];
            assert!(last.training < 1e-4 && last.validation.unwrap() < 1e-4, "{last:?}");
            assert_eq!(last.steps, 1_200);
        }
    }

    #[test]
    fn a_resumed_training_gives_the_same_network_as_an_uninterrupted_one() {
        for config in configs() {
            let training = positions(750);
            let whole = trained(&config, &training, 1..=4);
            let half = trained(&config, &training, 1..=2);
            let (weights, adam) = (half.weights().clone(), half.adam().clone());
            let course = course(&config, &training);
            let mut rest = Trainer::resume(&config, course, half.progress(), weights, adam);
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
        for config in configs() {
            let training = positions(330);
            let run = |threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| trained(&config, &training, 1..=2)).weights().clone()
            };
            assert_eq!(run(1), run(4));
        }
    }

    /// The weights themselves stay as fine as they are.
    #[test]
    fn the_last_part_of_a_training_computes_with_rounded_weights() {
        let known: Vec<_> = random_positions(200, 8).into_iter().map(|(_, position)| position).collect();
        let training = shuffled(&known);
        for config in configs() {
            let course = course(&config, &training);
            let run = |rounding| {
                let mut trainer = Trainer::new(&Config { rounding, ..config.clone() }, course.clone());
                let epochs =
                    [1, 2, 3, 4].map(|number| trainer.epoch(number, &training, &known, |_| ()).unwrap());
                (trainer, epochs)
            };
            let ((_, plain), (trainer, epochs)) = (run(0.0), run(0.5));
            let differs = [0, 1, 2, 3].map(|index| epochs[index].training != plain[index].training);
            assert_eq!(differs, [false, false, true, true]);
            let mut rounded = Weights::zero(config.shape());
            rounding::round(trainer.weights(), &mut rounded);
            assert_ne!(&rounded, trainer.weights());
            let mut other = Trainer::from_weights(&config, course.clone(), rounded);
            other.batch.cut_products();
            let validation = other.validation_loss(&known, &trainer.target());
            assert_eq!(validation, epochs[3].validation);
        }
    }

    /// A zone that no king of the training visits has learned from the others. Without a factorizer its weights would
    /// only have decayed.
    #[test]
    fn a_zone_without_positions_learns_from_the_others() {
        let board = Board::from_fen("6k1/5ppp/8/8/3q4/8/5PPP/6K1 w - - 0 1").unwrap().0;
        let position = TrainingPosition::new(&board, -900, Some(GameResult::Black));
        let training = shuffled(&vec![position; 100]);
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
        let config = Config { king_zones: 4, hanging: true, epochs: 2.0, ..config() };
        let trainer = trained(&config, &positions(300), 1..=2);
        let zones = config.king_zones * zone_lines(config.shape());
        let hanging = &trainer.weights().lines()[zones..][..zone_lines(config.shape())];
        let trained = hanging.iter().flat_map(|line| line.0).filter(|weight| weight.abs() > 1e-3);
        assert!(trained.count() > 1_000, "the inputs for hanging pieces have learned something");
        let scale = f64::from(SCALE);
        let network = quantize(trainer.weights(), scale, Unit::SEARCH).network;
        assert_eq!(network.shape(), config.shape());
        for (board, position) in random_positions(100, 9) {
            let error =
                f64::from(network.evaluate(&board)) - scale * plain_output(trainer.weights(), &position);
            assert!(error.abs() < 16.0, "{board:?}: {error}");
        }
    }

    #[test]
    fn an_epoch_reports_its_progress() {
        let (config, training) = (config(), positions(370));
        let mut trainer = Trainer::new(&config, course(&config, &training));
        let mut reported = Vec::new();
        let epoch = trainer.epoch(1, &training, &[], |progress| reported.push(progress.positions)).unwrap();
        assert_eq!(reported, [100, 200, 300, 370]);
        assert_eq!((epoch.number, epoch.steps, epoch.validation), (1, 4, None));
        assert_eq!(epoch.rate, config.rate.rate(3, 300.0 / (4.0 * 370.0)));
    }

    #[test]
    fn a_fraction_of_an_epoch_ends_it_early() {
        let config = Config { epochs: 1.5, batch: 10, ..config() };
        let training = positions(200);
        let mut trainer = Trainer::new(&config, course(&config, &training));
        let [first, second] = [1, 2].map(|number| trainer.epoch(number, &training, &[], |_| ()).unwrap());
        assert_eq!([first.samples, second.samples], [200, 300]);
        assert!(second.rate < 2e-5, "the schedule ends with the training: {}", second.rate);
    }

    #[test]
    fn output_weights_stay_within_their_bound() {
        let training = positions(200);
        let config = Config {
            epochs: 1.0,
            batch: 200,
            rate: RateSchedule { start: 20.0, end: 20.0, warm_up: 0, ..RateSchedule::default() },
            ..config()
        };
        let trainer = trained(&config, &training, 1..=1);
        let outputs = trainer.weights().parts::<1>().outputs.as_flattened().iter();
        let sizes = outputs.flat_map(|line| line.0).map(f32::abs);
        assert_eq!(sizes.fold(0.0, f32::max), output_bound(f64::from(SCALE)));
    }
}
