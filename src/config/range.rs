//! Numbers within a range, and the ranges that the table of options shares with arguments of the command line, so that
//! a value accepted by one is accepted by all.

use thiserror::Error;

use crate::pool::MAX_THREADS;

/// A numeric setting with its bounds, both inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spin {
    /// The name under which users know it.
    pub name: &'static str,
    /// The least value.
    pub min: i64,
    /// The greatest value.
    pub max: i64,
}

/// Table size in MiB; the upper end (32 TiB) is what other engines declare.
pub const HASH: Spin = Spin { name: "Hash", min: 1, max: 33_554_432 };
/// Search threads, whatever the number of cores.
pub const THREADS: Spin = Spin { name: "Threads", min: 1, max: MAX_THREADS as i64 };
/// Lines reported; no position of a game has more legal moves than this.
pub const MULTI_PV: Spin = Spin { name: "MultiPV", min: 1, max: 256 };

/// A number outside its range.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{name} must lie between {min} and {max}, not {value}")]
pub struct RangeError {
    name: &'static str,
    min: i64,
    max: i64,
    value: i64,
}

impl Spin {
    /// The value when it lies in the range.
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
    fn both_ends_belong_to_the_range() {
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
