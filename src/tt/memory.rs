//! The table's memory: one anonymous mapping, in 2 MiB pages where the system gives them.
//!
//! At random access into gigabytes nearly every probe misses the translation buffer for
//! 4 KiB pages, hence the large ones. Whether the memory can be had is settled before it is
//! asked for (see `available`): systems promise more than they have, and whoever believes
//! them is killed in the middle of a game.

use std::fmt;
use std::io;

use super::cluster::Cluster;

/// Why there is no table of that size.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// A table of nothing.
    #[error("a table of 0 MiB holds nothing: ask for 1 MiB or more")]
    Empty,
    /// More than the machine, or the control group that the engine runs in, has left.
    #[error("a table of {asked} MiB cannot be had: {available} MiB of memory are available")]
    Unavailable {
        /// The size asked for, in MiB.
        asked: usize,
        /// What could be had, in MiB.
        available: u64,
    },
    /// The system refused the mapping.
    #[error("a table of {asked} MiB cannot be had: {source}")]
    Refused {
        /// The size asked for, in MiB.
        asked: usize,
        /// What the system said.
        source: io::Error,
    },
}

/// The pages that a table lies in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PageKind {
    /// The system was asked for 2 MiB pages and grants such wishes.
    Huge,
    /// Pages of the system's usual size.
    Standard,
}

impl fmt::Display for PageKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PageKind::Huge => "2 MiB pages",
            PageKind::Standard => "standard pages",
        })
    }
}

pub(super) use mapping::Memory;

#[cfg(not(loom))]
mod mapping {
    use memmap2::{MmapMut, MmapRaw};

    use super::{Cluster, PageKind, io};

    pub(in super::super) struct Memory {
        /// Kept raw: no reference to its bytes ever exists beside those to the clusters.
        map: MmapRaw,
        pages: PageKind,
    }

    impl Memory {
        /// Zeroed memory of so many bytes, not touched yet.
        pub(in super::super) fn new(bytes: usize) -> io::Result<Memory> {
            let map = MmapRaw::from(MmapMut::map_anon(bytes)?);
            let pages = ask_for_huge_pages(&map);
            Ok(Memory { map, pages })
        }

        pub(in super::super) fn pages(&self) -> PageKind {
            self.pages
        }

        #[inline]
        pub(in super::super) fn clusters(&self) -> &[Cluster] {
            let count = self.map.len() / size_of::<Cluster>();
            // SAFETY: the mapping is private to `self`, readable and writable, `map.len()`
            // bytes long, lives until `self` is dropped, and begins at a page boundary,
            // which satisfies the 32 bytes of `Cluster`. It is zeroed by the system, and
            // zeroes are valid atomics. All access is through shared references to atomics,
            // from this function alone. It buys pages of the system's choice and untouched
            // memory for the clearing threads to place, which no safe allocation offers.
            unsafe { std::slice::from_raw_parts(self.map.as_mut_ptr().cast::<Cluster>(), count) }
        }
    }

    // Miri knows mappings, but no advice about them.
    #[cfg(all(target_os = "linux", not(miri)))]
    fn ask_for_huge_pages(map: &MmapRaw) -> PageKind {
        let is_granted = map.advise(memmap2::Advice::HugePage).is_ok();
        // Under "never" the advice is taken without complaint, and ignored.
        let is_off = std::fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled")
            .is_ok_and(|setting| setting.contains("[never]"));
        if is_granted && !is_off { PageKind::Huge } else { PageKind::Standard }
    }

    #[cfg(any(not(target_os = "linux"), miri))]
    fn ask_for_huge_pages(_: &MmapRaw) -> PageKind {
        PageKind::Standard
    }
}

/// Loom's atomics are no plain words, so its clusters are built one by one.
#[cfg(loom)]
mod mapping {
    use super::{Cluster, PageKind, io};

    pub(in super::super) struct Memory(Box<[Cluster]>);

    impl Memory {
        pub(in super::super) fn new(bytes: usize) -> io::Result<Memory> {
            Ok(Memory((0..bytes / size_of::<[u64; 4]>()).map(|_| Cluster::new()).collect()))
        }

        pub(in super::super) fn pages(&self) -> PageKind {
            PageKind::Standard
        }

        pub(in super::super) fn clusters(&self) -> &[Cluster] {
            &self.0
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::thread;

    use super::*;
    use crate::board::Move;
    use crate::tt::{Draft, Record};
    use crate::types::{Bound, Score};

    /// Small, so that Miri can judge the mapping too.
    #[test]
    fn threads_share_a_mapping_that_begins_empty() {
        let memory = Memory::new(4096).expect("a page can be had");
        assert_eq!(memory.clusters().len(), 128);
        assert!(memory.clusters().iter().all(|cluster| cluster.count_of_age(0) == 0));
        let record = |key: u64| Record {
            mv: Move::from_bits(7),
            score: Score::new(key as i32),
            static_eval: None,
            draft: Draft::main(3),
            bound: Bound::Exact,
            pv: true,
        };
        thread::scope(|scope| {
            for seed in 0..4 {
                let memory = &memory;
                scope.spawn(move || {
                    for key in 1..=20 {
                        // Odd keys live in the last cluster, even ones in the first.
                        memory.clusters()[127 * (key as usize % 2)].store(key, &record(key), 0);
                        let other = (key + seed) % 20 + 1;
                        let hit = memory.clusters()[127 * (other as usize % 2)].probe(other);
                        assert!(hit.is_none_or(|hit| hit == record(other)));
                    }
                });
            }
        });
        let counts: Vec<usize> = memory.clusters().iter().map(|cluster| cluster.count_of_age(0)).collect();
        assert_eq!((counts[0], counts[127], counts.iter().sum()), (3, 3, 6));
    }

    #[test]
    fn errors_say_what_was_asked_and_what_there_is() {
        let error = TableError::Unavailable { asked: 4096, available: 1234 };
        assert_eq!(error.to_string(), "a table of 4096 MiB cannot be had: 1234 MiB of memory are available");
    }
}
