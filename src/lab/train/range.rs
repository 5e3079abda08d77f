//! Reads the numbers of a configuration and checks their ranges.

use std::fmt::Display;

use serde::de::Error;
use serde::{Deserialize, Deserializer};

use crate::base::crew::MAX_THREADS;
use crate::engine::eval::network::features::ZONE_LIMIT;
use crate::engine::eval::network::{BUCKET_LIMIT, HIDDEN_LIMIT, LANES};

/// The greatest number of parts of a batch. It equals the greatest number of threads. Each part needs memory for a
/// gradient.
const PART_LIMIT: usize = MAX_THREADS;

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

pub(super) fn parts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    let expected = format!("a whole number from 1 to {PART_LIMIT} is needed");
    checked(deserializer, |value| (1..=PART_LIMIT).contains(value), expected)
}

/// The range is far wider than the scores of any games need. At both ends the network's integers can still hold the
/// learned values.
pub(super) fn scale<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    checked(deserializer, |value| (50.0..=2_000.0).contains(value), "a number from 50 to 2000 is needed")
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
