//! Reads numbers of a configuration and checks their range.

use std::fmt::Display;

use serde::de::Error;
use serde::{Deserialize, Deserializer};

pub(super) fn checked<'de, D, T>(
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
