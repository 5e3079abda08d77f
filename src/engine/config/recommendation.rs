//! The settings that fit a machine.

use serde::Serialize;

use super::range::HASH;
use crate::base::machine::{Machine, granted_cores};
use crate::engine::pool::MAX_THREADS;

/// MiB of the table for each thread, at most. The presets for 16 to 256 threads have half of this to all of it.
const HASH_OF_THREAD: usize = 1024;
/// The size of the table in MiB where the memory is not known: the default.
const PLAIN_HASH: usize = 64;
/// Memory in MiB that a thread needs besides the table: its stack, its histories and its part of the process.
const THREAD: u64 = 16;

/// The settings that fit a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Recommendation {
    /// Number of threads: the physical cores that are granted.
    pub threads: usize,
    /// Size of the table in MiB: a power of two, at most half of the memory that is left.
    pub hash: usize,
}

impl Recommendation {
    /// The settings for `machine`. Load of other programs does not change them, because it may pass.
    pub fn of(machine: &Machine) -> Recommendation {
        let threads = threads(machine);
        let left = machine.memory.available().map(|bytes| bytes >> 20);
        let hash = left.map_or(PLAIN_HASH, |left| {
            let half = left.saturating_sub(THREAD * threads as u64) / 2;
            let most = (HASH_OF_THREAD * threads).min(HASH.max as usize);
            let size = usize::try_from(half).unwrap_or(usize::MAX).min(most).max(1);
            1 << size.ilog2()
        });
        Recommendation { threads, hash }
    }
}

/// One thread for each physical core that is granted, but no more than a limit on processor time allows.
fn threads(machine: &Machine) -> usize {
    let usable = machine.usable();
    let cores = match machine.topology.within(&usable).cores.len() {
        0 => usable.count(),
        cores => cores,
    };
    let granted = machine.granted().or_else(granted_cores).unwrap_or(1.0);
    // Limits such as 3.999 cores come from rounding.
    let whole = (granted + 0.01).floor() as usize;
    let cores = if cores == 0 { whole } else { cores.min(whole) };
    cores.clamp(1, MAX_THREADS)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::base::machine::{MemoryLeft, Quota};

    fn machine(processors: usize, cores: usize, quota: Option<f64>, mebibytes: u64) -> Machine {
        let mut machine = Machine {
            quota: quota.map(|cores| Quota { cores, file: PathBuf::new() }),
            memory: MemoryLeft { machine: Some(mebibytes << 20), group: None },
            ..Machine::default()
        };
        machine.topology.online = (0..processors).collect();
        machine.topology.cores = (0..cores)
            .map(|core| (0..processors).filter(|processor| processor % cores == core).collect())
            .collect();
        machine
    }

    #[test]
    fn threads_and_table_fit_the_cores_and_the_memory() {
        for (machine, threads, hash) in [
            (machine(2, 2, None, 8_000), 2, 2048),
            (machine(8, 4, None, 8_000), 4, 2048),
            (machine(8, 4, None, 100_000), 4, 4096),
            (machine(8, 8, Some(0.5), 1_000), 1, 256),
            (machine(8, 8, Some(3.999), 1_000), 4, 256),
            (machine(8, 4, Some(6.5), 1_000), 4, 256),
            (machine(1, 1, None, 0), 1, 1),
            (machine(4000, 4000, None, 1 << 30), 1024, 1 << 20),
        ] {
            assert_eq!(Recommendation::of(&machine), Recommendation { threads, hash });
        }
    }
}
