//! Reads the numbers of a configuration and checks their ranges.

use std::fmt::Display;
use std::ops::RangeInclusive;

use serde::de::Error;
use serde::{Deserialize, Deserializer};

use crate::engine::eval::network::features::ZONE_LIMIT;
use crate::engine::eval::network::{BUCKET_LIMIT, HIDDEN_LIMIT, LANES};
use crate::engine::eval::unit::Unit;

/// The scales of scores, in centipawns. The range is far wider than the scores of any games need.
pub(super) const SCALES: RangeInclusive<f64> = 50.0..=2_000.0;

fn checked<'de, D, T>(
    deserializer: D,
    is_valid: impl Fn(&T) -> bool,
    expected: impl Display,
) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Display,
{
    let value = T::deserialize(deserializer)?;
    if is_valid(&value) { Ok(value) } else { Err(D::Error::custom(format!("{expected}, not {value}"))) }
}

/// A number from 0 to 1.
pub(super) fn share<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    checked(deserializer, |value| (0.0..=1.0).contains(value), "a number from 0 to 1 is needed")
}

/// A finite number above 0.
pub(super) fn above_zero<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    checked(deserializer, |value: &f64| *value > 0.0 && value.is_finite(), "a number above 0 is needed")
}

pub(super) fn hidden<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    let expected = format!("a multiple of {LANES} from {LANES} to {HIDDEN_LIMIT} is needed");
    checked(deserializer, |value| (1..=HIDDEN_LIMIT / LANES).any(|blocks| blocks * LANES == *value), expected)
}

pub(super) fn zones<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    let expected = format!("a whole number from 1 to {ZONE_LIMIT} is needed");
    checked(deserializer, |value| (1..=ZONE_LIMIT).contains(value), expected)
}

pub(super) fn buckets<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    let expected = format!("a whole number from 1 to {BUCKET_LIMIT} is needed");
    checked(deserializer, |value| (1..=BUCKET_LIMIT).contains(value), expected)
}

pub(super) fn optional_scale<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    checked(deserializer, |value| SCALES.contains(value), "a number from 50 to 2000 is needed").map(Some)
}

pub(super) fn unit<'de, D: Deserializer<'de>>(deserializer: D) -> Result<[i32; 2], D::Error> {
    let [base, whole] = <[i32; 2]>::deserialize(deserializer)?;
    let expected = "two numbers from 0 or 1 to 10000, or two zeros, are needed";
    Unit::new(base, whole).map(Unit::numbers).ok_or_else(|| D::Error::custom(expected))
}

pub(super) fn optional_unit<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<[i32; 2]>, D::Error> {
    unit(deserializer).map(Some)
}

pub(super) fn positive<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    checked(deserializer, |value| *value > 0, "a whole number from 1 is needed")
}

pub(super) fn positive_size<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    checked(deserializer, |value| *value > 0, "a whole number from 1 is needed")
}

pub(super) fn optional_share<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    share(deserializer).map(Some)
}
