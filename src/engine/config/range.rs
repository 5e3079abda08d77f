//! Ranges of numbers. UCI options, presets and the command line share them, so that all accept the same values.

use thiserror::Error;

use crate::engine::pool::MAX_THREADS;

/// A numeric setting with its bounds, both inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spin {
    /// The name of the setting in messages.
    pub name: &'static str,
    /// The least value.
    pub min: i64,
    /// The greatest value.
    pub max: i64,
}

/// The size of the table in MiB. The greatest value (32 TiB) is the one that other engines declare.
pub const HASH: Spin = Spin { name: "Hash", min: 1, max: 33_554_432 };
/// The number of search threads. It may exceed the number of cores.
pub const THREADS: Spin = Spin { name: "Threads", min: 1, max: MAX_THREADS as i64 };
/// The number of reported lines. No position of a game has more legal moves than 256.
pub const MULTI_PV: Spin = Spin { name: "MultiPV", min: 1, max: 256 };

/// A number is outside its range.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{name} must lie between {min} and {max}, not {}", shown(*.value))]
pub struct RangeError {
    name: &'static str,
    min: i64,
    max: i64,
    value: i64,
}

/// The number as it was typed, unless it was cut because it has too many digits.
fn shown(value: i64) -> String {
    match value {
        i64::MIN => "a smaller number".to_owned(),
        i64::MAX => "a larger number".to_owned(),
        _ => value.to_string(),
    }
}

impl Spin {
    /// Returns the value if it lies in the range.
    pub fn check(self, value: i64) -> Result<usize, RangeError> {
        let Spin { name, min, max } = self;
        if (min..=max).contains(&value) {
            Ok(value as usize)
        } else {
            Err(RangeError { name, min, max, value })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_includes_both_ends() {
        assert_eq!(THREADS.check(1), Ok(1));
        assert_eq!(THREADS.check(1024), Ok(1024));
        assert!(THREADS.check(0).is_err());
        assert!(THREADS.check(1025).is_err());
        assert_eq!(Spin { name: "a number", min: 0, max: 9 }.check(0), Ok(0));
    }

    #[test]
    fn the_error_names_the_range() {
        let error = HASH.check(33_554_433).unwrap_err();
        assert_eq!(error.to_string(), "Hash must lie between 1 and 33554432, not 33554433");
    }
}
