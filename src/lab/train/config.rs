//! The configuration file of the training. serde reads it, so the structs below define the whole format.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::filter::Filter;
use super::range::{
    above_zero, buckets, hidden, optional_scale, optional_share, optional_unit, positive, positive_size,
    share, unit, zones,
};
use super::sampling::Sampling;
use super::schedule::RateSchedule;
use super::target::Target;
use crate::engine::eval::network::Shape;
use crate::engine::eval::unit::Unit;

/// Everything besides the games that determines the trained network. Every key is optional.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Config {
    /// The number of hidden units of one perspective, a multiple of [`LANES`](crate::engine::eval::network::LANES).
    #[serde(deserialize_with = "hidden")]
    pub hidden: usize,
    /// The number of king zones, 1 to [`ZONE_LIMIT`](crate::engine::eval::network::features::ZONE_LIMIT). Each zone has
    /// input weights of its own.
    #[serde(deserialize_with = "zones")]
    pub king_zones: usize,
    /// Whether each kind of piece on each square has a second input, which says that the piece hangs.
    pub hanging: bool,
    /// The number of sets of output weights, 1 to [`BUCKET_LIMIT`](crate::engine::eval::network::BUCKET_LIMIT). The
    /// number of pieces chooses one of them.
    #[serde(deserialize_with = "buckets")]
    pub buckets: usize,
    /// Whether half of the hidden units are multiplied by the other half, with two further layers behind the products.
    /// The number of hidden units is then a multiple of twice [`LANES`](crate::engine::eval::network::LANES).
    pub products: bool,
    /// The number of epochs. A fraction ends the last one early.
    #[serde(deserialize_with = "above_zero")]
    pub epochs: f64,
    /// The number of positions for each step.
    #[serde(deserialize_with = "positive_size")]
    pub batch: usize,
    /// The share of the training, at its end, that computes with weights in the engine's precision, from 0 to 1.
    #[serde(deserialize_with = "share")]
    pub rounding: f64,
    /// Seed of the first weights, of the split, and of the order of positions.
    pub seed: u64,
    /// The number of epochs from one checkpoint to the next.
    #[serde(deserialize_with = "positive")]
    pub checkpoint_every: u32,
    /// How positions are split and how much memory they take.
    pub data: Data,
    /// Which positions are used.
    pub filter: Filter,
    /// Which of them each epoch uses.
    pub sampling: Sampling,
    /// The output that the network should learn.
    pub target: TargetConfig,
    /// The learning rates.
    pub rate: RateSchedule,
    /// The optimizer.
    pub adam: Adam,
}

/// The table `[data]`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Data {
    /// Share of the games in the validation set, from 0 to 1. Their positions are always in memory.
    #[serde(deserialize_with = "share")]
    pub validation: f64,
    /// The memory for the positions in MiB. If they need more, they are shuffled through files beside the network.
    #[serde(deserialize_with = "positive_size")]
    pub memory: usize,
}

/// The table `[target]`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct TargetConfig {
    /// Weight of the game's result against the search's score, from 0 to 1.
    #[serde(deserialize_with = "share")]
    pub wdl: f64,
    /// The weight at the end of the training. The weight changes to it in a straight line. If absent, the weight does
    /// not change.
    #[serde(deserialize_with = "optional_share")]
    pub wdl_end: Option<f64>,
    /// Weight of the scores of later plies within the search's score, from 0 to 1. Each ply's score is mixed with the
    /// mixed score of the next ply.
    #[serde(deserialize_with = "share")]
    pub lambda: f64,
    /// The number of the search's centipawns that multiply the odds by e (2.7), 50 to 2,000. If absent, it is fitted to
    /// the results of the training games.
    #[serde(deserialize_with = "optional_scale")]
    pub scale: Option<f64>,
    /// The unit of the network's outputs: the search multiplies them by (first + material) / second. With two zeros,
    /// outputs are in the search's unit. Otherwise the numbers are 0 to 10,000 and 1 to 10,000.
    #[serde(deserialize_with = "unit")]
    pub unit: [i32; 2],
    /// The unit of the network that played the games, if its numbers were others.
    #[serde(deserialize_with = "optional_unit")]
    pub games_unit: Option<[i32; 2]>,
}

/// The table `[adam]`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Adam {
    /// The weight decay. One step takes the share `rate * decay` away from each weight.
    #[serde(deserialize_with = "share")]
    pub decay: f64,
    /// The learning rate of the differences between king zones, as a share of that of all other weights.
    #[serde(deserialize_with = "share")]
    pub zone_rate: f64,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            hidden: 128,
            king_zones: 1,
            hanging: false,
            buckets: 8,
            products: false,
            epochs: 18.0,
            batch: 4_096,
            rounding: 0.0,
            seed: 1,
            checkpoint_every: 1,
            data: Data::default(),
            filter: Filter::default(),
            sampling: Sampling::default(),
            target: TargetConfig::default(),
            rate: RateSchedule::default(),
            adam: Adam::default(),
        }
    }
}

impl Default for Data {
    fn default() -> Data {
        Data { validation: 0.05, memory: 8_192 }
    }
}

impl Default for TargetConfig {
    fn default() -> TargetConfig {
        TargetConfig { wdl: 0.2, wdl_end: None, lambda: 0.0, scale: None, unit: [20, 86], games_unit: None }
    }
}

impl Default for Adam {
    fn default() -> Adam {
        Adam { decay: 0.01, zone_rate: 1.0 }
    }
}

impl Config {
    /// The shape of the network.
    pub fn shape(&self) -> Shape {
        Shape {
            hidden: self.hidden,
            zones: self.king_zones,
            hanging: self.hanging,
            buckets: self.buckets,
            products: self.products,
        }
    }

    /// A hash of the configuration. Two different configurations hardly ever have the same hash.
    pub fn fingerprint(&self) -> u64 {
        xxh3_64(&serde_json::to_vec(self).expect("numbers and names are always JSON"))
    }

    /// The whole configuration as JSON.
    pub fn to_json(&self) -> serde_json::Value {
        serde_json::to_value(self).expect("numbers and names are always JSON")
    }
}

impl TargetConfig {
    /// The target when the share `progress` (0 to 1) of the training is done. `scale` is the configured or fitted
    /// scale.
    pub fn at(&self, progress: f64, scale: f64) -> Target {
        let end = self.wdl_end.unwrap_or(self.wdl);
        let wdl = self.wdl + (end - self.wdl) * progress;
        let unit = unit_of(self.games_unit.unwrap_or(self.unit));
        Target { wdl: wdl as f32, scale: scale as f32, unit }
    }

    /// The unit of the network's outputs.
    pub fn unit(&self) -> Unit {
        unit_of(self.unit)
    }
}

/// The unit with these numbers, which were checked when they were read.
fn unit_of([base, whole]: [i32; 2]) -> Unit {
    Unit::new(base, whole).expect("the numbers were checked")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_file_is_the_default_and_changes_alter_the_fingerprint() {
        let empty: Config = toml::from_str("").unwrap();
        assert_eq!(empty, Config::default());
        assert_eq!(empty.fingerprint(), Config::default().fingerprint());
        let changed: Config = toml::from_str("[target]\nwdl-end = 0.5").unwrap();
        assert_ne!(changed.fingerprint(), empty.fingerprint());
    }

    #[test]
    fn the_weight_of_the_result_changes_linearly() {
        let target = TargetConfig { wdl: 0.2, wdl_end: Some(0.6), ..TargetConfig::default() };
        let at = |progress| {
            let Target { wdl, scale, unit } = target.at(progress, 350.0);
            assert_eq!((scale, unit.numbers()), (350.0, [20, 86]));
            wdl
        };
        assert_eq!([0.0, 0.5, 1.0].map(at), [0.2, 0.4, 0.6]);
        assert_eq!(TargetConfig { wdl_end: None, ..target }.at(1.0, 350.0).wdl, 0.2);
    }

    #[test]
    fn scores_of_games_may_have_another_unit_than_the_network() {
        let target: TargetConfig = toml::from_str("games-unit = [40, 118]").unwrap();
        assert_eq!(target.at(0.0, 170.0).unit.numbers(), [40, 118]);
        assert_eq!(target.unit().numbers(), [20, 86]);
    }

    #[test]
    fn values_out_of_range_are_refused() {
        for (text, reason) in [
            ("hidden = 100", "a multiple of 32 from 32 to 1024 is needed, not 100"),
            ("hidden = 0", "a multiple of 32"),
            ("hidden = 1056", "a multiple of 32"),
            ("king-zones = 0", "a whole number from 1 to 8 is needed, not 0"),
            ("king-zones = 9", "a whole number from 1 to 8"),
            ("buckets = 0", "a whole number from 1 to 8 is needed, not 0"),
            ("buckets = 9", "a whole number from 1 to 8"),
            ("epochs = 0", "a number above 0 is needed, not 0"),
            ("batch = 0", "a whole number from 1"),
            ("[data]\nvalidation = 1.5", "a number from 0 to 1 is needed, not 1.5"),
            ("[target]\nunit = [5, 0]", "two numbers from 0 or 1 to 10000, or two zeros, are needed"),
            ("[sampling]\nshare = 1.5", "a number from 0 to 1 is needed, not 1.5"),
            ("[sampling]\npieces = [[8, 1.0], [8, 2.0]]", "a rising number of pieces"),
            ("[sampling]\npieces = [[33, 1.0]]", "a rising number of pieces, up to 32"),
            ("[sampling]\npieces = [[8, 0.0]]", "and a number above 0 are needed"),
            ("[target]\nscale = 0", "a number from 50 to 2000 is needed, not 0"),
            ("[target]\nscale = 2000.5", "a number from 50 to 2000 is needed, not 2000.5"),
            ("[target]\nscale = 1e42", "a number from 50 to 2000"),
            ("[target]\nscale = 1e-300", "a number from 50 to 2000"),
            ("[target]\nscale = nan", "a number from 50 to 2000"),
            ("[filter]\nsample = -0.5", "a number from 0 to 1 is needed, not -0.5"),
            ("[filter]\nmax-difference = 1.5", "a number from 0 to 1 is needed, not 1.5"),
            ("[rate]\nstart = -1", "a number above 0 is needed, not -1"),
            ("[rate]\nshape = \"line\"", "unknown variant `line`"),
            ("[adam]\nzone-rate = 2", "a number from 0 to 1 is needed, not 2"),
            ("[adam]\nbeta = 0.9", "unknown field `beta`"),
        ] {
            let error = toml::from_str::<Config>(text).unwrap_err().to_string();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }
}
