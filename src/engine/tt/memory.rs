//! The table's memory: one anonymous mapping, in the largest pages that the system gives.
//!
//! With random access to gigabytes, almost every probe misses the translation buffer for 4 KiB pages. Larger pages
//! avoid this. Linux has them in two ways. An administrator reserves pages of 1 GiB or 2 MiB, which nothing else can
//! then use. Or the system makes 2 MiB pages of free memory as it goes. Windows makes them of free memory for users
//! who have the right to lock pages. The files of `pages` have the calls of each system.
//!
//! The engine checks whether ordinary memory is available before it asks for it (see `machine`): systems promise
//! more than they have, and kill a process that relies on the promise in the middle of a game. Reserved pages count
//! only when every one of them has been filled: a control group may forbid them, which shows at the first touch, and
//! that kills the process too.

use std::io;

use super::cluster::Cluster;
use super::page_kind::PageKind;
use super::parts;
use crate::base::numa::Binding;

/// Why there is no table of that size.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// The table would have no memory.
    #[error("a table of 0 MiB holds nothing: ask for 1 MiB or more")]
    Empty,
    /// The machine, or the control group that the engine runs in, has less memory left.
    #[error("no memory for a table of {asked} MiB: {available} MiB are available")]
    Unavailable {
        /// The requested size, in MiB.
        asked: usize,
        /// The available memory, in MiB.
        available: u64,
    },
    /// The system refused the mapping.
    #[error("no memory for a table of {asked} MiB: {source}")]
    Refused {
        /// The requested size, in MiB.
        asked: usize,
        /// The system's error.
        source: io::Error,
    },
}

pub(super) use mapping::Memory;

#[cfg(not(loom))]
mod mapping {
    use super::super::pages::{self, Pages};
    use super::{Binding, Cluster, PageKind, io};

    /// Steps of this size touch every page of this size or a larger one.
    const SMALLEST_PAGE: usize = 4096;

    pub(in super::super) struct Memory {
        pages: Pages,
        kind: PageKind,
        /// Bytes that belong to the table, which ends in the last page.
        bytes: usize,
        /// Whether the system has provided them.
        is_provided: bool,
    }

    impl Memory {
        /// Address space for zeroed memory of `bytes` bytes. There is no memory until it is placed.
        pub(in super::super) fn new(bytes: usize) -> io::Result<Memory> {
            let (pages, kind) = pages::ordinary(bytes)?;
            Ok(Memory { pages, kind, bytes, is_provided: false })
        }

        /// Zeroed memory of `bytes` bytes from the administrator's reserve. A thread of `binding` touches each part
        /// first. `None` if the reserve does not have enough.
        pub(in super::super) fn reserved(bytes: usize, binding: &Binding) -> Option<Memory> {
            Memory::provided(bytes, pages::reserved(bytes, binding)?)
        }

        /// Zeroed memory of `bytes` bytes in large pages made of free memory. `None` if the system does not grant it.
        pub(in super::super) fn locked(bytes: usize, binding: &Binding) -> Option<Memory> {
            Memory::provided(bytes, pages::locked(bytes, binding)?)
        }

        fn provided(bytes: usize, (pages, kind): (Pages, PageKind)) -> Option<Memory> {
            Some(Memory { pages, kind, bytes, is_provided: true })
        }

        /// Makes the system place all pages: a thread of `binding` touches each page first. The pages stay zeroed.
        ///
        /// # Errors
        /// If the system does not have the memory.
        pub(in super::super) fn place(&mut self, binding: &Binding) -> io::Result<()> {
            if !self.is_provided {
                self.pages.provide(self.bytes)?;
                self.is_provided = true;
            }
            let step = SMALLEST_PAGE / size_of::<Cluster>();
            let touch = |part: &[Cluster]| part.iter().step_by(step).for_each(Cluster::clear);
            let clusters = self.clusters();
            super::parts::for_each(clusters.len(), binding, |part| touch(&clusters[part]));
            Ok(())
        }

        pub(in super::super) fn pages(&self) -> PageKind {
            self.kind
        }

        /// The clusters; none while there is no memory.
        #[inline]
        pub(in super::super) fn clusters(&self) -> &[Cluster] {
            let count = if self.is_provided { self.bytes / size_of::<Cluster>() } else { 0 };
            // SAFETY: the mapping is private to `self`, readable and writable, at least `bytes` bytes long, lives until
            // `self` is dropped, and begins at a page boundary, which satisfies the 32 bytes of `Cluster`. It is zeroed
            // by the system, and zeroes are valid atomics. All access is through shared references to atomics, from
            // this function alone. It buys pages of the system's choice and untouched memory for the clearing threads
            // to place, which no safe allocation offers.
            unsafe { std::slice::from_raw_parts(self.pages.start().cast::<Cluster>(), count) }
        }
    }
}

/// Loom's atomics are not plain words, so its clusters are built one by one.
#[cfg(loom)]
mod mapping {
    use super::{Binding, Cluster, PageKind, io};

    pub(in super::super) struct Memory(Box<[Cluster]>);

    impl Memory {
        pub(in super::super) fn new(bytes: usize) -> io::Result<Memory> {
            Ok(Memory((0..bytes / size_of::<[u64; 4]>()).map(|_| Cluster::new()).collect()))
        }

        pub(in super::super) fn reserved(_: usize, _: &Binding) -> Option<Memory> {
            None
        }

        pub(in super::super) fn locked(_: usize, _: &Binding) -> Option<Memory> {
            None
        }

        pub(in super::super) fn place(&mut self, _: &Binding) -> io::Result<()> {
            Ok(())
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
    use crate::chess::board::Move;
    use crate::chess::types::{Bound, Score};
    use crate::engine::tt::{Draft, Record};

    /// The mapping is small, so that Miri can check it too.
    #[test]
    fn a_mapping_is_zeroed_and_shared_by_threads() {
        let mut memory = Memory::new(4096).expect("addresses can be had");
        assert_eq!(memory.clusters().len(), 0, "no memory yet");
        memory.place(&Binding::unbound(1)).expect("a page can be had");
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

    /// Whatever the machine has of large pages, it provides a table whole and zeroed, or not at all.
    #[test]
    fn large_pages_are_zeroed_and_have_the_requested_size() {
        let binding = Binding::unbound(2);
        for mebibytes in [1, 3, 17] {
            let bytes = mebibytes << 20;
            for memory in
                [Memory::reserved(bytes, &binding), Memory::locked(bytes, &binding)].into_iter().flatten()
            {
                assert!(memory.pages().is_placed());
                assert_eq!(size_of_val(memory.clusters()), bytes);
                assert!(memory.clusters().iter().all(|cluster| cluster.count_of_age(0) == 0));
            }
        }
        assert!(Memory::reserved(1 << 50, &binding).is_none(), "no machine has a pebibyte in reserve");
        assert!(Memory::locked(1 << 50, &binding).is_none(), "no machine has a pebibyte");
    }

    #[test]
    fn the_error_names_requested_and_available_memory() {
        let error = TableError::Unavailable { asked: 4096, available: 1234 };
        assert_eq!(error.to_string(), "no memory for a table of 4096 MiB: 1234 MiB are available");
    }
}
