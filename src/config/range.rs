//! The ranges of the numeric settings, declared once for UCI, the command line and the
//! configuration files, so that a value accepted by one is accepted by all.

use thiserror::Error;

use crate::search::Level;

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
pub const THREADS: Spin = Spin { name: "Threads", min: 1, max: 1024 };
/// Lines reported; no position of a game has more legal moves than this.
pub const MULTI_PV: Spin = Spin { name: "MultiPV", min: 1, max: 256 };
/// Milliseconds set aside for the way of a move to the clock.
pub const MOVE_OVERHEAD: Spin = Spin { name: "Move Overhead", min: 0, max: 5000 };
/// Nodes that count as a millisecond; 0 where time is time.
pub const NODES_TIME: Spin = Spin { name: "nodestime", min: 0, max: 10_000 };

/// Elo of limited strength.
pub const UCI_ELO: Spin = Spin { name: "UCI_Elo", min: Level::MIN as i64, max: Level::MAX as i64 };

/// The least depth, in plies, at which tablebases are asked about positions of the most men.
pub const SYZYGY_PROBE_DEPTH: Spin = Spin { name: "SyzygyProbeDepth", min: 1, max: 100 };
/// The most men of a position that tablebases are asked about.
pub const SYZYGY_PROBE_LIMIT: Spin = Spin { name: "SyzygyProbeLimit", min: 0, max: 7 };

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
        assert_eq!(MOVE_OVERHEAD.check(0), Ok(0));
    }

    #[test]
    fn the_error_names_the_range() {
        let error = HASH.check(33_554_433).unwrap_err();
        assert_eq!(error.to_string(), "Hash must lie between 1 and 33554432, not 33554433");
    }
}
