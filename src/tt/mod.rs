//! The transposition table that all threads share, without locks.
//!
//! Clusters of three records fill half a cache line each; a record is found by the key's
//! high bits (cluster) and low bits (signature). The invariant: [`Table::probe`] returns
//! nothing but a record that was stored, whole, under the same cluster and signature,
//! however many threads write meanwhile. README.md in this folder tells the protocol.
//! Table results serve every thread of a search: the sharing is what makes Lazy SMP work.

mod available;
mod cluster;
mod draft;
mod file;
mod memory;
mod overlay;
mod parts;
mod prefetch;
mod record;
mod sync;

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use cluster::{Cluster, SLOTS};
use memory::Memory;
use parts::MEBIBYTE;

use crate::numa::Binding;

pub use draft::{Draft, LeafClass};
pub use file::{Origin, TableFileError};
pub use memory::{PageKind, TableError};
pub use overlay::{Overlay, Pending};
pub use record::{Hit, Record, Word};

/// The clusters that [`Table::hashfull`] looks at.
/// 16 KiB of them: more would cost small searches, which ask after each iteration, more than it tells anybody.
const SAMPLE: usize = 256;

/// The part of the available memory that a table leaves alone: one in so many bytes, for
/// the threads' stacks and histories and for the rest of the machine.
const RESERVE: u64 = 32;

/// A table of search results, shared by reference; every method but [`Table::resize`] may be
/// called from any thread at any time.
pub struct Table {
    memory: Memory,
    mebibytes: usize,
    /// Relaxed: set between searches, and a store with the age of the search before would
    /// only be replaced somewhat sooner.
    age: AtomicU8,
    /// Whether nothing was stored since memory was cleared, which makes clearing it once more
    /// free. Relaxed: a hint that only ever errs towards clearing while nobody stores.
    is_clean: AtomicBool,
}

impl Table {
    /// An empty table of so many MiB (1 or more). Its pages come from the memory nearest to the threads of
    /// `binding`, in equal parts.
    ///
    /// # Errors
    ///
    /// A size that the machine, or the control group around this process, cannot give.
    pub fn new(mebibytes: usize, binding: &Binding) -> Result<Table, TableError> {
        let mut table = Table::map(mebibytes, 0, binding)?;
        table.settle(binding);
        Ok(table)
    }

    /// Exchanges the table for an empty one, whose memory may include that of the old one.
    ///
    /// # Errors
    ///
    /// As for [`Table::new`]; the table then stays as it was.
    pub fn resize(&mut self, mebibytes: usize, binding: &Binding) -> Result<(), TableError> {
        // An ordinary mapping costs nothing before it is touched; by then the old one is gone.
        *self = self.successor(mebibytes, binding)?;
        self.settle(binding);
        Ok(())
    }

    /// A table for the place of this one, whose memory it may count on.
    fn successor(&self, mebibytes: usize, binding: &Binding) -> Result<Table, TableError> {
        // Reserved pages go back to the reserve.
        let returned = if self.pages().is_reserved() { 0 } else { self.mebibytes as u64 * MEBIBYTE as u64 };
        Table::map(mebibytes, returned, binding)
    }

    /// A table of zeroed memory, not touched yet where it is ordinary; `returned` bytes of that will be given back
    /// before use.
    fn map(mebibytes: usize, returned: u64, binding: &Binding) -> Result<Table, TableError> {
        if mebibytes == 0 {
            return Err(TableError::Empty);
        }
        let bytes = mebibytes.checked_mul(MEBIBYTE).filter(|&bytes| bytes <= isize::MAX as usize);
        let unavailable = available::available_bytes().and_then(|available| {
            let available = available.saturating_add(returned);
            let available = available - available / RESERVE;
            let is_too_much = bytes.is_none_or(|bytes| bytes as u64 > available);
            let available = available / MEBIBYTE as u64;
            is_too_much.then_some(TableError::Unavailable { asked: mebibytes, available })
        });
        let refused = |source| TableError::Refused { asked: mebibytes, source };
        let memory = match (bytes, unavailable) {
            // What an administrator reserved is not counted among the available.
            (Some(bytes), Some(error)) => Memory::reserved(bytes, binding).ok_or(error)?,
            (Some(bytes), None) => Memory::new(bytes).map_err(refused)?,
            (None, error) => {
                return Err(error.unwrap_or_else(|| refused(std::io::ErrorKind::OutOfMemory.into())));
            }
        };
        Ok(Table { memory, mebibytes, age: AtomicU8::new(0), is_clean: AtomicBool::new(true) })
    }

    /// Takes reserved pages if there are enough, now that those of an older table are free again, and has the
    /// threads of `binding` touch their parts first if there are not.
    fn settle(&mut self, binding: &Binding) {
        if self.pages().is_reserved() {
            return;
        }
        match Memory::reserved(self.mebibytes * MEBIBYTE, binding) {
            Some(memory) => self.memory = memory,
            None => self.memory.place(binding),
        }
    }

    /// Forgets everything, with up to as many threads as `binding` has. A search that goes on meanwhile
    /// stays correct, but what it stores may survive.
    pub fn clear(&self, binding: &Binding) {
        self.age.store(0, Ordering::Relaxed);
        if !self.is_clean() {
            // Before the work: a store during it makes the table unclean again.
            self.is_clean.store(true, Ordering::Relaxed);
            let clusters = self.clusters();
            parts::for_each(clusters.len(), binding, |part| clusters[part].iter().for_each(Cluster::clear));
        }
    }

    /// Whether nothing was stored since the memory was placed or cleared.
    pub fn is_clean(&self) -> bool {
        self.is_clean.load(Ordering::Relaxed)
    }

    /// Begins a search: what was stored before loses worth from now on.
    pub fn new_search(&self) {
        let age = self.age();
        self.age.store((age + 1) % record::AGES, Ordering::Relaxed);
    }

    /// Has the processor fetch the cluster of `key`, for a probe some 100 ns from now.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        prefetch::prefetch(self.cluster(key));
    }

    /// What was stored for `key`. About one probe in 700,000 of a full table finds the record
    /// of another position with the same cluster and signature: check that the move is legal.
    #[inline]
    pub fn probe(&self, key: u64) -> Option<Hit> {
        self.cluster(key).probe(key)
    }

    /// Stores what a search found out. A record of the same key gives way, unless it is far
    /// deeper and the new one not exact; its move stays if the new record has none. Otherwise
    /// the record of least worth in the cluster gives way: worth is the draft's
    /// ([`Draft::worth`]) less a penalty for each search since it was stored.
    #[inline]
    pub fn store(&self, key: u64, record: Record) {
        self.cluster(key).store(key, &record, self.age());
        // Read first: the flag shares its cache line with what every probe reads.
        if self.is_clean.load(Ordering::Relaxed) {
            self.is_clean.store(false, Ordering::Relaxed);
        }
    }

    /// The share of slots, in permille, that this search has filled, estimated from the
    /// first 256 clusters.
    pub fn hashfull(&self) -> u32 {
        let age = self.age();
        let sample = &self.clusters()[..SAMPLE.min(self.clusters().len())];
        let filled: usize = sample.iter().map(|cluster| cluster.count_of_age(age)).sum();
        (filled * 1000 / (sample.len() * SLOTS)) as u32
    }

    /// The size in MiB.
    pub fn mebibytes(&self) -> usize {
        self.mebibytes
    }

    /// The kind of pages that the memory lies in.
    pub fn pages(&self) -> PageKind {
        self.memory.pages()
    }

    #[inline]
    fn clusters(&self) -> &[Cluster] {
        self.memory.clusters()
    }

    #[inline]
    fn cluster(&self, key: u64) -> &Cluster {
        &self.clusters()[self.place(key)]
    }

    /// Which cluster is that of `key`: its high bits scaled to any number of clusters, which needs
    /// no power of two (Lemire, "A fast alternative to the modulo reduction", 2016).
    #[inline]
    fn place(&self, key: u64) -> usize {
        ((u128::from(key) * self.clusters().len() as u128) >> 64) as usize
    }

    #[inline]
    fn age(&self) -> u8 {
        self.age.load(Ordering::Relaxed)
    }
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Table({} MiB, {})", self.mebibytes, self.pages())
    }
}
